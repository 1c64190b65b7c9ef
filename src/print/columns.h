// Words and columns of text for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace litmus {

struct TextStyle {
    bool colour = false;
    bool times = true;
    size_t width = 100;  // columns of a line of the table, at least 60
};

// In a colour (an SGR code such as "31"), where the style has colours.
std::string painted(std::string_view text, std::string_view code, const TextStyle& style);

// "1 test", "2 tests".
std::string counted(size_t count, const std::string& noun);

// Words of any type of string, one after the other: "a, b, c".
template <typename Words>
std::string joined(const Words& words, std::string_view separator) {
    std::string text;
    for (const auto& word : words) text.append(text.empty() ? "" : separator).append(word);
    return text;
}

// Code points, as an approximation of columns on a terminal.
size_t display_width(std::string_view text);

// Filled up with spaces to at least this width, the text on the left or on the right.
std::string left(const std::string& text, size_t width);
std::string right(const std::string& text, size_t width);

}  // namespace litmus
