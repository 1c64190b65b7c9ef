// Source text, spans in it, and diagnostics that point into it.
//
// A Diagnostic keeps its source alive, so it can be rendered long after parsing. Errors in
// user input are thrown as Failure; everything else is a bug (std::logic_error).
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"

namespace litmus {

// One input text and the name it is shown under ("mp.litmus", "<stdin>").
struct Source {
    std::string name;
    std::string text;
    bool quotable = true;  // messages may show its lines; not those of what may be no test and no model
};
using SourcePtr = std::shared_ptr<const Source>;

SourcePtr make_source(std::string name, std::string text, bool quotable = true);

// How to read a file that comes from elsewhere: at most so many bytes, and of a pipe no longer than the budget lasts.
struct ReadLimits {
    size_t most_bytes = size_t{16} << 20;
    Budget budget = {};
};
// Reads a whole file, or standard input for "-" (then named "<stdin>"). Throws Failure when it cannot be read, is a directory
// or too large, or does not end in time.
SourcePtr read_source(const std::string& path, const ReadLimits& limits = {});

// Half-open byte range [begin, end) of a source.
struct Span {
    uint32_t begin = 0;
    uint32_t end = 0;
};

// What tells where something was written, and takes no part in comparing what was written: any two are equal.
template <typename T>
struct Uncompared : T {
    Uncompared() = default;
    Uncompared(T value) : T(std::move(value)) {}
    using T::operator=;
    friend bool operator==(const Uncompared&, const Uncompared&) { return true; }
};
// Where a part of a test was written.
using TextSpan = Uncompared<Span>;

// 1-based line and column (in UTF-8 code points) of a byte offset.
struct Position {
    int line = 1;
    int column = 1;
};
Position position(const Source& source, uint32_t offset);
// The byte at a position; of one that the text does not have, the end of its line or of the text.
uint32_t offset(const Source& source, Position at);

struct Diagnostic {
    enum class Level { error, warning, note };
    Level level = Level::error;
    SourcePtr source;  // null: no place to point at
    Span span;
    std::string message;  // lower case, no full stop
    std::string hint;     // optional: what to write instead
};

// "file:3:7: error: message", the line, a caret under the span, and "hint: ..." when there is one.
std::string render(const Diagnostic& diagnostic, bool colour);

// The input is wrong; carries one or more diagnostics.
class Failure : public std::exception {
public:
    explicit Failure(Diagnostic diagnostic);
    explicit Failure(std::vector<Diagnostic> diagnostics);
    Failure(SourcePtr source, Span span, std::string message, std::string hint = {});
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
    const char* what() const noexcept override { return what_.c_str(); }

private:
    std::vector<Diagnostic> diagnostics_;
    std::string what_;
};

}  // namespace litmus
