// JSON that comes from elsewhere, read strictly.
//
// The library that reads it is lenient where a reader of strangers' files must not be. It keeps one of the values of a key that stands
// twice. It casts numbers to whatever type is asked for: 4294967297 becomes 1, and 1.5 and true do, too. It copies and writes values by
// functions that call themselves once for each level, so that a deep text exhausts the stack. Here a text has each key once and few levels,
// and a number is whole and in its range, or there is none.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/budget.h"
#include "base/source.h"

namespace litmus {

// A text that is not taken, with the reason.
struct NoJson : std::runtime_error {
    NoJson(const std::string& reason, Span at) : std::runtime_error(reason), span(at) {}
    Span span;  // in the text; at its end where that comes too early
};

inline constexpr size_t deepest_json = 64;  // levels

// Reads a text into a nlohmann::json, or a nlohmann::ordered_json. Throws NoJson for what is no JSON, has a key twice in one object or more
// levels than there may be, and OverBudget. Takes time in proportion to the text.
template <typename Json>
Json strict_json(std::string_view text, const Budget& budget = {});

extern template nlohmann::json strict_json(std::string_view text, const Budget& budget);
extern template nlohmann::ordered_json strict_json(std::string_view text, const Budget& budget);

// The number that a value is; none: it is no whole number, as are 1.5, 1e3, true and "1", or it is out of this range.
template <std::integral Number, typename Json>
std::optional<Number> whole_number(const Json& value, Number least = std::numeric_limits<Number>::min(),
                                   Number most = std::numeric_limits<Number>::max()) {
    const auto in_range = [&](auto number) {
        return std::cmp_less_equal(least, number) && std::cmp_less_equal(number, most) ? std::optional(static_cast<Number>(number))
                                                                                       : std::nullopt;
    };
    if (value.is_number_unsigned()) return in_range(value.template get<uint64_t>());
    if (value.is_number_integer()) return in_range(value.template get<int64_t>());
    return std::nullopt;
}

// Names a value in messages: "an object", "4294967297", at most some sixty characters.
template <typename Json>
std::string brief_json(const Json& value) {
    constexpr size_t longest = 60;
    if (value.is_structured()) return value.is_object() ? "an object" : "an array";
    return value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, longest);
}

}  // namespace litmus
