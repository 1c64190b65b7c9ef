// A line that says how far a long run is, rewritten in place on a terminal.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace litmus::gpu {

// Where a run is.
struct Standing {
    size_t test = 0;  // from 1
    size_t tests = 0;
    std::string name;
    bool tuning = false;
    uint64_t instances = 0;  // of this test
    double seconds = 0;      // of this test
    double left = 0;         // seconds, of all tests together
};

// "[3/120] MP: tuning, 1.2e+09 instances, 3.1e+09 a second, 2 min 5 s left"
std::string standing_text(const Standing& standing);

class ProgressLine {
public:
    enum class Mode { silent, terminal, lines };
    ProgressLine(std::ostream& out, Mode mode) : out_(out), mode_(mode) {}

    // `now`: seconds of any clock. Writes when the last time was long enough ago (terminal 0.1 s, lines 5 s).
    void show(const Standing& standing, double now);
    void clear();  // before other output

private:
    std::ostream& out_;
    Mode mode_;
    double shown_at_ = -1e9;
    bool dirty_ = false;
};

}  // namespace litmus::gpu
