// Colours, plurals and padding.
#include "print/columns.h"

#include <algorithm>

namespace litmus {

std::string painted(std::string_view text, std::string_view code, const TextStyle& style) {
    if (!style.colour || code.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string counted(size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

size_t display_width(std::string_view text) {
    return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string left(const std::string& text, size_t width) {
    const size_t used = display_width(text);
    return used < width ? text + std::string(width - used, ' ') : text;
}

std::string right(const std::string& text, size_t width) {
    const size_t used = display_width(text);
    return used < width ? std::string(width - used, ' ') + text : text;
}

}  // namespace litmus
