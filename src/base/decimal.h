// Doubles as bits and as decimals: of std::bit_cast, std::from_chars and std::to_chars, what the library of Debian's emscripten lacks.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace litmus {

// The same bytes as another type.
template <typename To, typename From>
To bit_cast(const From& from) {
    static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

// The double nearest to "1.5", "2e-3"; nothing for other texts and for what no double is near to.
std::optional<double> parse_decimal(std::string_view text);

// The shortest decimal that reads back as this double: "1.5", "0", "1e+40".
std::string shortest_decimal(double value);

}  // namespace litmus
