// A digest of text: FNV-1a of 64 bits. It tells apart what differs by accident, not what somebody made to look alike.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace litmus {

// Of several pieces of text in turn: the digest of one continues that of the last.
inline uint64_t fnv1a(std::string_view text, uint64_t before = 0xcbf29ce484222325U) {
    for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return before;
}

// 16 hexadecimal digits.
inline std::string digits(uint64_t hash) {
    std::string text(16, '0');
    for (size_t i = text.size(); i-- > 0; hash >>= 4U) text[i] = "0123456789abcdef"[hash & 15U];
    return text;
}

}  // namespace litmus
