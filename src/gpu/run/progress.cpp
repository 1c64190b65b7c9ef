// The progress line: its text, and how often it is written.
#include "gpu/run/progress.h"

#include <array>
#include <cstdio>
#include <ostream>

namespace litmus::gpu {

namespace {

std::string duration(double seconds) {
    const auto whole = static_cast<long long>(seconds > 0 ? seconds + 0.5 : 0);
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

}  // namespace

std::string standing_text(const Standing& s) {
    std::array<char, 96> numbers{};
    const double rate = s.seconds > 0 ? static_cast<double>(s.instances) / s.seconds : 0;
    std::snprintf(numbers.data(), numbers.size(), "%.3g instances, %.3g a second, ", static_cast<double>(s.instances), rate);
    return "[" + std::to_string(s.test) + "/" + std::to_string(s.tests) + "] " + s.name + ": " + (s.tuning ? "tuning, " : "") +
           numbers.data() + duration(s.left) + " left";
}

void ProgressLine::show(const Standing& standing, double now) {
    if (mode_ == Mode::silent || now - shown_at_ < (mode_ == Mode::terminal ? 0.1 : 5.0)) return;
    shown_at_ = now;
    const std::string text = standing_text(standing);
    out_ << (mode_ == Mode::terminal ? "\r" + text + "\x1b[K" : text + "\n") << std::flush;
    dirty_ = mode_ == Mode::terminal;
}

void ProgressLine::clear() {
    if (dirty_) out_ << "\r\x1b[K" << std::flush;
    dirty_ = false;
}

}  // namespace litmus::gpu
