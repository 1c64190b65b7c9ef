// Source text, positions in it, and the rendering of diagnostics (see source.h).
#include "base/source.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/visible.h"

namespace litmus {
namespace {

constexpr size_t max_shown_line = 160;  // longer lines are cut around the caret

bool continues_code_point(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

size_t code_points(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues_code_point(c); }));
}

// Part of a source line, a tab as one space.
std::string printable(std::string_view text) {
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '\t', ' ');
    return visible(spaced);
}

struct Line {
    size_t begin = 0;
    size_t end = 0;
};

Line line_at(std::string_view text, size_t offset) {
    const size_t before = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    const size_t after = text.find('\n', offset);
    Line line{before == std::string_view::npos ? 0 : before + 1, after == std::string_view::npos ? text.size() : after};
    if (line.end > line.begin && text[line.end - 1] == '\r') --line.end;
    return line;
}

std::string excerpt(const Source& source, Span span, const char* caret_on, const char* caret_off) {
    const std::string_view text = source.text;
    const size_t begin = std::min<size_t>(span.begin, text.size());
    Line line = line_at(text, begin);
    const size_t start = std::min(begin, line.end);
    const size_t stop = std::clamp<size_t>(span.end, start, line.end);
    if (line.end - line.begin > max_shown_line) {  // keep the caret in view, and cut between code points
        if (start - line.begin > max_shown_line / 2) line.begin = start - max_shown_line / 2;
        line.end = std::min(line.end, line.begin + max_shown_line);
        while (line.begin < start && continues_code_point(text[line.begin])) ++line.begin;
        while (line.end < text.size() && line.end > start && continues_code_point(text[line.end])) --line.end;
    }
    // what escapes have made wider, the caret follows
    const auto columns_before = [&](size_t at) { return code_points(printable(text.substr(line.begin, at - line.begin))); };
    const size_t before = columns_before(start);
    // a span that begins within a code point: its bytes are wider as escapes than the code point that they make with what follows
    const size_t after = columns_before(std::min(stop, std::max(line.end, start)));
    const size_t marked = after > before ? after - before : 1;
    return "    " + printable(text.substr(line.begin, line.end - line.begin)) + "\n    " + std::string(before, ' ') + caret_on + "^" +
           std::string(marked - 1, '~') + caret_off + "\n";
}

const char* level_name(Diagnostic::Level level) {
    switch (level) {
        case Diagnostic::Level::error:
            return "error";
        case Diagnostic::Level::warning:
            return "warning";
        case Diagnostic::Level::note:
            return "note";
    }
    return "error";
}

const char* level_colour(Diagnostic::Level level) {
    switch (level) {
        case Diagnostic::Level::error:
            return "\033[1;31m";
        case Diagnostic::Level::warning:
            return "\033[1;35m";
        case Diagnostic::Level::note:
            return "\033[1;36m";
    }
    return "";
}

}  // namespace

SourcePtr make_source(std::string name, std::string text, bool quotable) {
    return std::make_shared<const Source>(Source{std::move(name), std::move(text), quotable});
}

namespace {

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
    throw Failure(nullptr, {}, (path == "-" ? "cannot read standard input" : "cannot read '" + path + "'") + ": " + why);
}

// A file that is open for reading.
class Descriptor {
public:
    // Without waiting for a writer, where the path is a pipe.
    explicit Descriptor(const std::string& path) : number_(path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
        if (number_ < 0) cannot_read(path, std::strerror(errno));
    }
    ~Descriptor() {
        if (number_ > 0) ::close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

// Until there is something to read, or the end; false: the time is over.
bool wait_for_input(int descriptor, const Budget& budget) {
    pollfd wanted{descriptor, POLLIN, 0};
    return ::poll(&wanted, 1, budget.milliseconds_left()) != 0;
}

}  // namespace

// One byte past the limit is asked for rather than the size: pipes and devices have none.
SourcePtr read_source(const std::string& path, const ReadLimits& limits) {
    std::error_code error;
    if (path != "-" && std::filesystem::is_directory(path, error)) cannot_read(path, "it is a directory");
    const Descriptor file(path);
    std::string text;
    std::vector<char> buffer(size_t{1} << 16);
    for (;;) {
        if (!wait_for_input(file.number(), limits.budget)) cannot_read(path, "it does not end within the time limit");
        const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0) cannot_read(path, std::strerror(errno));
        if (count == 0) break;
        text.append(buffer.data(), static_cast<size_t>(count));
        if (text.size() > limits.most_bytes) cannot_read(path, "it is larger than " + std::to_string(limits.most_bytes >> 20) + " MiB");
    }
    return make_source(path == "-" ? "<stdin>" : path, std::move(text));
}

Position position(const Source& source, uint32_t offset) {
    const std::string_view text = source.text;
    const size_t at = std::min<size_t>(offset, text.size());
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const size_t begin = line_at(text, at).begin;
    return {static_cast<int>(line) + 1, static_cast<int>(code_points(text.substr(begin, at - begin))) + 1};
}

uint32_t offset(const Source& source, Position at) {
    const std::string_view text = source.text;
    size_t byte = 0;
    for (int line = 1; line < at.line && byte < text.size(); ++line) byte = std::min(text.find('\n', byte), text.size() - 1) + 1;
    const size_t end = std::min(text.find('\n', byte), text.size());
    for (int column = 1; column < at.column && byte < end; ++column)
        for (++byte; byte < end && continues_code_point(text[byte]);) ++byte;
    return static_cast<uint32_t>(byte);
}

std::string render(const Diagnostic& diagnostic, bool colour) {
    const char* bold = colour ? "\033[1m" : "";
    const char* mark = colour ? level_colour(diagnostic.level) : "";
    const char* off = colour ? "\033[0m" : "";
    std::string out;
    if (diagnostic.source) {
        const Position at = position(*diagnostic.source, diagnostic.span.begin);
        out += bold + visible(diagnostic.source->name) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + off;
    }
    out += mark + std::string(level_name(diagnostic.level)) + ": " + off + bold + visible(diagnostic.message) + off + "\n";
    if (diagnostic.source && diagnostic.source->quotable) out += excerpt(*diagnostic.source, diagnostic.span, mark, off);
    if (!diagnostic.hint.empty()) out += "    hint: " + visible(diagnostic.hint) + "\n";
    return out;
}

Failure::Failure(Diagnostic diagnostic) : Failure(std::vector<Diagnostic>{std::move(diagnostic)}) {}

Failure::Failure(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {
    for (const Diagnostic& diagnostic : diagnostics_) what_ += render(diagnostic, false);
}

Failure::Failure(SourcePtr source, Span span, std::string message, std::string hint)
    : Failure(Diagnostic{Diagnostic::Level::error, std::move(source), span, std::move(message), std::move(hint)}) {}

}  // namespace litmus
