// A share of a whole that is divided into equal parts.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

namespace litmus {

// The I-th of N.
struct Share {
    size_t index = 1, count = 1;  // 1 <= index <= count <= most
    static constexpr size_t most = 1U << 20U;

    bool whole() const { return count == 1; }
};

// "2/4"; nothing for what is none, from 1/N to N/N.
inline std::optional<Share> parse_share(std::string_view text) {
    Share share;
    const char* const end = text.data() + text.size();
    const auto [slash, first_error] = std::from_chars(text.data(), end, share.index);
    if (first_error != std::errc() || slash == end || *slash != '/') return std::nullopt;
    const auto [rest, error] = std::from_chars(slash + 1, end, share.count);
    if (error != std::errc() || rest != end || share.index < 1 || share.index > share.count || share.count > Share::most)
        return std::nullopt;
    return share;
}

}  // namespace litmus
