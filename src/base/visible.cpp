// One pass over the code points.
#include "base/visible.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace litmus {

namespace {

struct CodePoint {
    uint32_t value = 0;
    size_t length = 0;  // in bytes; 0: this is no UTF-8
};

// RFC 3629: shortest form only, no surrogates, at most U+10FFFF.
CodePoint code_point(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1};
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
    uint32_t value = first & (0x7fU >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {};
        value = value << 6 | (byte(i) & 0x3fU);
    }
    constexpr std::array<uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    return value < least[length] || value > 0x10ffff || surrogate ? CodePoint{} : CodePoint{value, length};
}

bool acts(uint32_t c) {
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

std::string escape(const char* format, uint32_t number) {
    std::array<char, 16> buffer{};
    std::snprintf(buffer.data(), buffer.size(), format, static_cast<unsigned>(number));
    return buffer.data();
}

}  // namespace

size_t acting(std::string_view text) {
    const CodePoint c = text.empty() ? CodePoint{} : code_point(text);
    return c.length > 0 && acts(c.value) ? c.length : 0;
}

std::string visible(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const CodePoint c = code_point(text.substr(at));
        const bool command = text[at] == ':' && text.substr(at, 2) == "::" && out.find_first_not_of(' ') == std::string::npos;
        const bool azure = text.substr(at, 3) == "##[" || text.substr(at, 6) == "##vso[";
        if (c.length == 0 || command || azure)
            out += escape("\\x%02x", static_cast<unsigned char>(text[at]));
        else if (c.value == '\n')
            out += "\\n";
        else if (acts(c.value))
            out += escape(c.value < 0x80 ? "\\x%02x" : "\\u%04x", c.value);
        else
            out += text.substr(at, c.length);
        at += c.length == 0 ? 1 : c.length;
    }
    return out;
}

std::string visible_lines(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        out += visible(text.substr(at, end - at)) + (end < text.size() ? "\n" : "");
        at = end + 1;
    }
    return out;
}

}  // namespace litmus
