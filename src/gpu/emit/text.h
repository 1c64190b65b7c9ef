// Lines of PTX with their comments in a column of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace litmus::gpu {

class PtxText {
public:
    // A comment goes beside its line, above it where the line is long.
    void line(std::string_view code = {}, std::string_view comment = {});
    void comment(std::string_view text);  // a line of its own, at the present depth
    void label(std::string_view name);
    void open() { ++depth_; }  // what follows stands one step further in
    void close() { --depth_; }
    void align(size_t column) { column_ = column; }  // where comments beside lines start; 64 at first
    void append(const PtxText& other);
    const std::string& str() const { return text_; }

    // An instruction of the test and the line, counted from 1, on which it stands.
    struct Mark {
        size_t thread = 0, instruction = 0;  // of the test, and of the thread's body
        uint32_t line = 0;
    };
    void mark(size_t thread, size_t instruction) { marks_.push_back({thread, instruction, lines_}); }  // the last line
    const std::vector<Mark>& marks() const { return marks_; }

private:
    std::string text_;
    uint32_t lines_ = 0;
    std::vector<Mark> marks_;
    int depth_ = 0;
    size_t column_ = 64;
};

}  // namespace litmus::gpu
