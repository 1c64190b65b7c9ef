// The terminal's side of the tool.
#include "tool/output.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/budget.h"
#include "base/visible.h"

namespace litmus {

void prepare_streams() {
    for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
    // A closed descriptor below 3 would be given to the next file opened. Read-only, so that writing fails.
    for (int descriptor = 0; descriptor < 3; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) == -1 && ::open("/dev/null", O_RDONLY) == -1) std::_Exit(2);
}

bool Output::put(std::string_view text) {
    if (error_ != 0) return false;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) error_ = errno;
    return error_ == 0;
}

int Output::finish(int status) {
    if (error_ == 0 || error_ == EPIPE) return status;
    std::fprintf(stderr, "litmus: error: cannot write to standard output: %s\n", std::strerror(error_));
    return 2;
}

void complain(const std::vector<Diagnostic>& diagnostics) {
    const bool colour = use_colour(STDERR_FILENO);
    for (const Diagnostic& diagnostic : diagnostics) {
        const std::string text = render(diagnostic, colour);
        std::fwrite(text.data(), 1, text.size(), stderr);
    }
}

void complain_internal(const std::string& what) {
    if (!what.empty()) std::fprintf(stderr, "litmus: internal error: %s (please report)\n", visible(what).c_str());
}

bool use_colour(int descriptor) {
    const char* terminal = std::getenv("TERM");
    return std::getenv("NO_COLOR") == nullptr && ::isatty(descriptor) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

size_t output_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char* columns = std::getenv("COLUMNS");
    const long width = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
    return width > 0 && width < 10000 ? static_cast<size_t>(width) : 100;
}

Progress::Progress(size_t total, In in)
    : total_(total),
      in_terminal_(total > 1 && ::isatty(STDERR_FILENO) == 1),
      in_log_(total > 1 && !in_terminal_ && in == In::logs_too),
      started_(now()),
      last_(started_) {}

Progress::~Progress() {
    clear();
}

void Progress::at(size_t done) {
    const double time = now();
    constexpr double between_lines = 10;  // of a log
    if (in_log_ && time - last_ >= between_lines) {
        last_ = time;
        std::fprintf(stderr, "%zu/%zu after %.0f s\n", done, total_, time - started_);
    }
    if (!in_terminal_ || time - started_ < 1 || time - last_ < 0.1) return;
    last_ = time;
    shown_ = true;
    std::fprintf(stderr, "\r%zu/%zu", done, total_);
}

void Progress::clear() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
}

}  // namespace litmus
