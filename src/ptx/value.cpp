// Exact arithmetic on the bits of PTX values (model/semantics.md section 3; ISA 9.7.13.5 and 9.7.13.6 for atomic
// operations, 9.7.3 and 9.7.4 for floating point, 9.7.13.12 for redux.sync).
//
// Integer operations are done on 64 bits and truncated: addition, subtraction and multiplication
// modulo 2^n do not depend on the higher bits. Shifts clamp as the ISA says (9.7.8.8): an amount of
// n or more gives 0, or the sign for an arithmetic shift.
//
// Floating sums are made in double and then rounded to the type. That rounds once, although there are
// two roundings: let a be the larger operand, p <= 24 the bits of the type's significand. If the double sum
// is exact, only the second rounding acts. If it is not, some bit of b lies 53 places or more below the
// sum's highest bit, so |b| < 2^(p-51) |a| <= 2^-27 |a|, less than an eighth of the distance between a and its
// neighbours; the double sum is as close, and both the exact sum and the double one round to a. Sums in
// the subnormal range are multiples of the smallest subnormal, hence exact. Double addition and
// nearbyint use the host's rounding mode, which nobody here changes from nearest even.
#include "ptx/value.h"

#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "ptx/mbarrier.h"

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

// ---- floating point ----

struct FloatFormat {
    int exponent_bits;
    int fraction_bits;
};

FloatFormat format(Type type) {
    switch (type) {
        case Type::f16:
            return {5, 10};
        case Type::bf16:
            return {8, 7};
        case Type::f32:
            return {8, 23};
        default:
            return {11, 52};
    }
}

uint64_t sign_bit(Type type) {
    return uint64_t{1} << (bits(type) - 1);
}

uint64_t infinity(Type type) {
    const FloatFormat f = format(type);
    return ((uint64_t{1} << f.exponent_bits) - 1) << f.fraction_bits;
}

// Subnormals become zeros of their signs.
uint64_t flush(Type type, uint64_t value) {
    const bool subnormal = (value & infinity(type)) == 0;
    return subnormal ? value & sign_bit(type) : value;
}

// ISA 9.7.3: f64 instructions carry the payload of a NaN, made quiet; the others return the canonical one.
uint64_t nan_of_sum(Type type, uint64_t a, uint64_t b) {
    if (type != Type::f64) return canonical_nan(type);
    constexpr uint64_t quiet = uint64_t{1} << 51;
    if (is_nan(type, a)) return a | quiet;
    if (is_nan(type, b)) return b | quiet;
    return canonical_nan(type);  // infinities of opposite signs
}

uint64_t float_sum(Type type, uint64_t a, uint64_t b) {
    const double sum = float_value(type, a) + float_value(type, b);
    return std::isnan(sum) ? nan_of_sum(type, a, b) : float_bits(type, sum);
}

// Numbers in order, -0 below +0 (9.7.4.7): by magnitude, then mirrored for negative ones.
int64_t rank(Type type, uint64_t value) {
    const auto magnitude = static_cast<int64_t>(value & ~sign_bit(type));
    return (value & sign_bit(type)) != 0 ? -magnitude - 1 : magnitude;
}

// ISA 9.7.4.7 and 9.7.4.8 without .NaN: the number of a NaN and a number. The atomic forms do not say.
uint64_t float_extreme(bool least, Type type, uint64_t a, uint64_t b) {
    if (is_nan(type, a) && is_nan(type, b)) return canonical_nan(type);
    if (is_nan(type, a)) return b;
    if (is_nan(type, b)) return a;
    return (rank(type, a) < rank(type, b)) == least ? a : b;
}

std::optional<uint64_t> apply_float(std::string_view operation, Type type, uint64_t a, uint64_t b) {
    if (operation == "add") return float_sum(type, a, b);
    if (operation == "add.ftz" && type == Type::f32) return flush(type, float_sum(type, flush(type, a), flush(type, b)));
    if (operation == "add.snan" && type == Type::f64) return is_nan(type, b) ? b : is_nan(type, a) ? a : float_sum(type, a, b);
    if (operation == "min" || operation == "max") return float_extreme(operation == "min", type, a, b);
    return std::nullopt;
}

std::optional<uint64_t> apply_packed(std::string_view operation, Type type, uint64_t a, uint64_t b) {
    const Type lane = lane_type(type);
    const int n = bits(lane);
    uint64_t result = 0;
    for (int shift = 0; shift < bits(type); shift += n) {
        const auto part = apply_float(operation, lane, truncate(a >> shift, n), truncate(b >> shift, n));
        if (!part) return std::nullopt;
        result |= *part << shift;
    }
    return result;
}

}  // namespace

std::optional<uint64_t> apply(std::string_view operation, Type type, uint64_t a, uint64_t b) {
    if (type == Type::b128) return std::nullopt;
    if (operation == "mbarrier.step") return after_step(a, b);
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
    if (lanes(type) > 1) return apply_packed(operation, type, a, b);
    if (is_float(type)) return apply_float(operation, type, a, b);
    if (operation == "add") return truncate(a + b, n);
    if (operation == "sub") return truncate(a - b, n);
    if (operation == "mul") return truncate(a * b, n);
    if (operation == "min") return less(type, b, a) ? b : a;
    if (operation == "max") return less(type, a, b) ? b : a;
    if (operation == "inc") return a >= b ? 0 : a + 1;
    if (operation == "dec") return a == 0 || a > b ? b : a - 1;
    return std::nullopt;
}

// ISA 9.7.13.5, 9.7.13.6, 9.7.9.25.4.2: "flushes subnormal inputs and results to sign-preserving zero" on
// global memory; on shared memory "supports subnormal inputs and results". Of the NaNs of f64 it says nothing: on
// sm_90 global memory gives a NaN back as it came, the operand before what is there, and shared memory makes it quiet.
std::string_view memory_operation(std::string_view operation, Type type, bool global) {
    if (!global || operation != "add") return operation;
    return type == Type::f32 ? "add.ftz" : type == Type::f64 ? "add.snan" : operation;
}

std::optional<uint64_t> redux(std::string_view operation, Type type, bool abs, bool nan, std::span<const uint64_t> values) {
    const bool bitwise = operation == "and" || operation == "or" || operation == "xor";
    const bool extreme = operation == "min" || operation == "max";
    if (bits(type) != 32 || lanes(type) > 1 || values.empty()) return std::nullopt;
    if (is_float(type) ? !extreme : abs || nan || !(bitwise || extreme || operation == "add")) return std::nullopt;
    const auto source = [&](uint64_t value) { return abs ? value & ~sign_bit(type) : truncate(value, 32); };
    uint64_t result = source(values[0]);
    bool any_nan = is_float(type) && is_nan(type, result);
    for (const uint64_t value : values.subspan(1)) {
        any_nan = any_nan || (is_float(type) && is_nan(type, value));
        result = *apply(operation, type, result, source(value));
    }
    const bool only_nans = is_float(type) && is_nan(type, result);
    return only_nans || (nan && any_nan) ? canonical_nan(type) : result;
}

bool is_nan(Type type, uint64_t value) {
    return (value & ~sign_bit(type)) > infinity(type);
}

// ISA 9.7.3 leaves the f32 NaN open; these are what the hardware returns.
uint64_t canonical_nan(Type type) {
    if (type == Type::f64) return 0xfff8000000000000U;
    return ~sign_bit(type) & truncate(~uint64_t{0}, bits(type));
}

double float_value(Type type, uint64_t value) {
    if (type == Type::f64) return bit_cast<double>(value);
    const FloatFormat f = format(type);
    return decode(value, f.exponent_bits, f.fraction_bits);
}

uint64_t float_bits(Type type, double value) {
    if (type == Type::f64) return bit_cast<uint64_t>(value);
    const auto [exponent_bits, fraction_bits] = format(type);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t sign = std::signbit(value) ? uint64_t{1} << (exponent_bits + fraction_bits) : 0;
    const uint64_t infinite = infinity(type);
    if (std::isnan(value)) return sign | infinite | (uint64_t{1} << (fraction_bits - 1));
    const double magnitude = std::fabs(value);
    if (magnitude == 0) return sign;
    // Scaled so that one unit is the last place of the result, then rounded once, to nearest even.
    // A carry out of the fraction runs into the exponent field, which is what it should do.
    int exponent = 0;
    if (std::isfinite(magnitude)) exponent = std::ilogb(magnitude);
    if (std::isinf(magnitude) || exponent > bias) return sign | infinite;
    const int floor = std::max(exponent, 1 - bias);
    const auto units = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, fraction_bits - floor)));
    const uint64_t field = exponent < 1 - bias ? 0 : static_cast<uint64_t>(floor + bias - 1) << fraction_bits;
    return sign | std::min(field + units, infinite);
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
