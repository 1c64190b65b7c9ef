// Exact arithmetic on the bits of PTX values (semantics.md section 3, ISA 9.7.13.5 for inc and dec).
//
// Integer operations are done on 64 bits and truncated: addition, subtraction and multiplication
// modulo 2^n do not depend on the higher bits. Shifts clamp as the ISA says (9.7.8.8): an amount of
// n or more gives 0, or the sign for an arithmetic shift.
#include "ptx/value.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace litmus {
namespace {

uint64_t shift_right(uint64_t a, uint64_t amount, Type type) {
    const int n = bits(type);
    const uint64_t by = std::min<uint64_t>(amount, static_cast<uint64_t>(n));
    if (is_signed(type)) return static_cast<uint64_t>(sign_extend(a, n) >> std::min<uint64_t>(by, 63));
    return by >= 64 ? 0 : a >> by;
}

bool less(Type type, uint64_t a, uint64_t b) {
    return is_signed(type) ? sign_extend(a, bits(type)) < sign_extend(b, bits(type)) : a < b;
}

// The value of IEEE bits with `exponent_bits` and `fraction_bits`, as a double (exact up to f64).
double decode(uint64_t value, int exponent_bits, int fraction_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t fraction = value & ((uint64_t{1} << fraction_bits) - 1);
    const int exponent = static_cast<int>((value >> fraction_bits) & ((uint64_t{1} << exponent_bits) - 1));
    const bool negative = ((value >> (exponent_bits + fraction_bits)) & 1) != 0;
    double magnitude;
    if (exponent == (1 << exponent_bits) - 1)
        magnitude = fraction == 0 ? INFINITY : NAN;
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<double>(fraction), 1 - bias - fraction_bits);
    else
        magnitude = std::ldexp(static_cast<double>(fraction | (uint64_t{1} << fraction_bits)), exponent - bias - fraction_bits);
    return negative ? -magnitude : magnitude;
}

template <typename T>
bool holds(std::string_view comparison, T a, T b) {
    if (comparison == "==") return a == b;
    if (comparison == "!=") return a != b;
    if (comparison == "<") return a < b;
    if (comparison == "<=") return a <= b;
    if (comparison == ">") return a > b;
    return a >= b;
}

}  // namespace

std::optional<uint64_t> apply(std::string_view operation, Type type, uint64_t a, uint64_t b) {
    if (type == Type::b128) return std::nullopt;
    const int n = bits(type);
    a = truncate(a, n);
    // A shift amount is a 32-bit operand of its own, whatever the type.
    if (operation == "shl") return b >= static_cast<uint64_t>(n) ? 0 : truncate(a << b, n);
    if (operation == "shr" && !is_float(type)) return truncate(shift_right(a, b, type), n);
    b = truncate(b, n);
    if (operation == "and") return a & b;
    if (operation == "or") return a | b;
    if (operation == "xor") return a ^ b;
    if (operation == "exch") return b;
    if (is_float(type)) return std::nullopt;
    if (operation == "add") return truncate(a + b, n);
    if (operation == "sub") return truncate(a - b, n);
    if (operation == "mul") return truncate(a * b, n);
    if (operation == "min") return less(type, b, a) ? b : a;
    if (operation == "max") return less(type, a, b) ? b : a;
    if (operation == "inc") return a >= b ? 0 : a + 1;
    if (operation == "dec") return a == 0 || a > b ? b : a - 1;
    return std::nullopt;
}

double float_value(Type type, uint64_t value) {
    switch (type) {
        case Type::f16:
            return decode(value, 5, 10);
        case Type::bf16:
            return decode(value, 8, 7);
        case Type::f32:
            return decode(value, 8, 23);
        default:
            return std::bit_cast<double>(value);
    }
}

uint64_t float_bits(Type type, double value) {
    if (type == Type::f64) return std::bit_cast<uint64_t>(value);
    const int exponent_bits = type == Type::f16 ? 5 : 8;
    const int fraction_bits = type == Type::f16 ? 10 : type == Type::bf16 ? 7 : 23;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t sign = std::signbit(value) ? uint64_t{1} << (exponent_bits + fraction_bits) : 0;
    const uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << fraction_bits;
    if (std::isnan(value)) return sign | infinity | (uint64_t{1} << (fraction_bits - 1));
    const double magnitude = std::fabs(value);
    if (magnitude == 0) return sign;
    // Scaled so that one unit is the last place of the result, then rounded once, to nearest even.
    // A carry out of the fraction runs into the exponent field, which is what it should do.
    int exponent = 0;
    if (std::isfinite(magnitude)) exponent = std::ilogb(magnitude);
    if (std::isinf(magnitude) || exponent > bias) return sign | infinity;
    const int floor = std::max(exponent, 1 - bias);
    const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, fraction_bits - floor)));
    const uint64_t field = exponent < 1 - bias ? 0 : static_cast<uint64_t>(floor + bias - 1) << fraction_bits;
    return sign | std::min(field + units, infinity);
}

bool compare(std::string_view comparison, Type type, uint64_t a, uint64_t b) {
    const int n = bits(type);
    a = truncate(a, n);
    b = truncate(b, n);
    if (is_float(type) && lanes(type) == 1) return holds(comparison, float_value(type, a), float_value(type, b));
    if (is_signed(type)) return holds(comparison, sign_extend(a, n), sign_extend(b, n));
    return holds(comparison, a, b);
}

}  // namespace litmus
