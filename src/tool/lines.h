// Files of results, line by line.
#pragma once

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>

namespace litmus {

inline constexpr size_t longest_line = size_t{64} << 20;  // of a result, in bytes

// A line without its end, or as much of it as a result can have.
struct Line {
    std::string text;
    bool ended = false;
};

// The next line of a file that is open for reading; nothing at its end. Throws Failure, which names `path`, where it cannot be read.
std::optional<Line> next_line(std::FILE* file, const std::string& path);

}  // namespace litmus
