// Both ways where the library has them for doubles; else by the functions of C, which go by the locale that nobody sets there.
#include "base/decimal.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace litmus {

#ifdef __cpp_lib_to_chars

std::optional<double> parse_decimal(std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::string shortest_decimal(double value) {
    char buffer[64];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    if (error != std::errc{}) throw std::logic_error("a float does not fit its buffer");
    return {buffer, end};
}

#else

std::optional<double> parse_decimal(std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    errno = 0;
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || errno == ERANGE || end != copy.c_str() + copy.size()) return std::nullopt;
    return value;
}

std::string shortest_decimal(double value) {
    constexpr int always_enough = 17;  // digits
    char buffer[64];
    for (int digits = 1; digits <= always_enough; ++digits) {
        std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (std::strtod(buffer, nullptr) == value) break;
    }
    return buffer;
}

#endif

}  // namespace litmus
