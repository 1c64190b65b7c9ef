// Source text, spans in it, and diagnostics that point into it.
//
// A Diagnostic keeps its source alive, so it can be rendered long after parsing. Errors in
// user input are thrown as Failure; everything else is a bug (std::logic_error).
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace litmus {

// One input text and the name it is shown under ("mp.litmus", "<stdin>").
struct Source {
    std::string name;
    std::string text;
};
using SourcePtr = std::shared_ptr<const Source>;

SourcePtr make_source(std::string name, std::string text);

// Reads a whole file. Throws Failure when it cannot be read, is a directory, or exceeds 16 MiB.
SourcePtr read_source(const std::string& path);

// Half-open byte range [begin, end) of a source.
struct Span {
    uint32_t begin = 0;
    uint32_t end = 0;
};

// 1-based line and column (in UTF-8 code points) of a byte offset.
struct Position {
    int line = 1;
    int column = 1;
};
Position position(const Source& source, uint32_t offset);

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
