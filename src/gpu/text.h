// Lines of PTX with their comments in a column of their own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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
    void append(const PtxText& other) { text_ += other.text_; }
    const std::string& str() const { return text_; }

private:
    std::string text_;
    int depth_ = 0;
    size_t column_ = 64;
};

}  // namespace litmus::gpu
