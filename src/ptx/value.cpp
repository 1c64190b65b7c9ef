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
bool holds(Operator comparison, T a, T b) {
    const OperatorRow& r = row(comparison);
    return a < b ? r.less : a == b ? r.equal : a > b ? r.greater : r.unordered;
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

// The quotient, towards zero, or the remainder, with the sign of the dividend. By 0, which the ISA leaves open, the
// quotient is 0 and the dividend remains, as of the circuit (solve/words.cpp).
uint64_t quotient(bool whole, Type type, uint64_t a, uint64_t b) {
    if (b == 0) return whole ? 0 : a;
    if (!is_signed(type)) return whole ? a / b : a % b;
    const int64_t x = sign_extend(a, bits(type)), y = sign_extend(b, bits(type));
    if (y == -1) return whole ? uint64_t{0} - static_cast<uint64_t>(x) : 0;
    return static_cast<uint64_t>(whole ? x / y : x % y);
}

// Of integers, bits, and scalar floats where the operation is of numbers; the caller has truncated `a` and `b`, an amount excepted, and
// truncates what comes out.
std::optional<uint64_t> of_scalars(Operator operation, Type type, uint64_t a, uint64_t b) {
    const bool floats = is_float(type);
    switch (operation) {
        case Operator::add:
            return floats ? float_sum(type, a, b) : a + b;
        case Operator::add_ftz:
            if (type != Type::f32) return std::nullopt;
            return flush(type, float_sum(type, flush(type, a), flush(type, b)));
        case Operator::add_snan:
            if (type != Type::f64) return std::nullopt;
            return is_nan(type, b) ? b : is_nan(type, a) ? a : float_sum(type, a, b);
        case Operator::sub:
            return a - b;
        case Operator::mul:
            return a * b;
        case Operator::div:
        case Operator::rem:
            return quotient(operation == Operator::div, type, a, b);
        case Operator::and_:
            return a & b;
        case Operator::or_:
            return a | b;
        case Operator::xor_:
            return a ^ b;
        case Operator::min:
            return floats ? float_extreme(true, type, a, b) : less(type, b, a) ? b : a;
        case Operator::max:
            return floats ? float_extreme(false, type, a, b) : less(type, a, b) ? b : a;
        case Operator::inc:
            return a >= b ? 0 : a + 1;
        case Operator::dec:
            return a == 0 || a > b ? b : a - 1;
        case Operator::exch:
            return b;
        case Operator::shl:
            return b >= static_cast<uint64_t>(bits(type)) ? 0 : a << b;
        case Operator::shr:
            return shift_right(a, b, type);
        case Operator::mbarrier_step:
            return after_step(a, b);
        case Operator::none:
        case Operator::cas:
        case Operator::popc:
        case Operator::eq:
        case Operator::ne:
        case Operator::lt:
        case Operator::le:
        case Operator::gt:
        case Operator::ge:
            return std::nullopt;
    }
    return std::nullopt;
}

// Whether the operation can be one of values of this type.
bool is_of(OperatorRow::Domain on, Type type) {
    switch (on) {
        case OperatorRow::Domain::nothing:
            return false;
        case OperatorRow::Domain::integers:
            return !is_float(type);
        case OperatorRow::Domain::floats:
            return is_float(type);
        case OperatorRow::Domain::bits:
        case OperatorRow::Domain::numbers:
            return true;
    }
    return false;
}

}  // namespace

std::optional<uint64_t> apply(Operator operation, Type type, uint64_t a, uint64_t b) {
    const OperatorRow& r = row(operation);
    if (type == Type::b128 || !is_of(r.on, type)) return std::nullopt;
    const Type scalar = r.on == OperatorRow::Domain::bits ? type : lane_type(type);
    const int n = bits(scalar);
    uint64_t result = 0;
    for (int shift = 0; shift < bits(type); shift += n) {
        // A shift amount is a 32-bit operand of its own, whatever the type.
        const auto part = of_scalars(operation, scalar, truncate(a >> shift, n), r.shifts ? b : truncate(b >> shift, n));
        if (!part) return std::nullopt;
        result |= truncate(*part, n) << shift;
    }
    return result;
}

// ISA 9.7.13.5, 9.7.13.6, 9.7.9.25.4.2: "flushes subnormal inputs and results to sign-preserving zero" on
// global memory; on shared memory "supports subnormal inputs and results". Of the NaNs of f64 it says nothing: on
// sm_90 global memory gives a NaN back as it came, the operand before what is there, and shared memory makes it quiet.
Operator memory_operation(Operator operation, Type type, bool global) {
    if (!global || operation != Operator::add) return operation;
    return type == Type::f32 ? Operator::add_ftz : type == Type::f64 ? Operator::add_snan : operation;
}

std::optional<uint64_t> redux(Operator operation, Type type, bool abs, bool nan, std::span<const uint64_t> values) {
    const bool bitwise = operation == Operator::and_ || operation == Operator::or_ || operation == Operator::xor_;
    const bool extreme = operation == Operator::min || operation == Operator::max;
    if (bits(type) != 32 || lanes(type) > 1 || values.empty()) return std::nullopt;
    if (is_float(type) ? !extreme : abs || nan || !(bitwise || extreme || operation == Operator::add)) return std::nullopt;
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

uint64_t converted(Type from, Type to, uint64_t value) {
    return is_nan(from, value) ? canonical_nan(to) : float_bits(to, float_value(from, value));
}

bool compare(Operator comparison, Type type, uint64_t a, uint64_t b) {
    const int n = bits(type);
    a = truncate(a, n);
    b = truncate(b, n);
    if (is_float(type) && lanes(type) == 1) return holds(comparison, float_value(type, a), float_value(type, b));
    if (is_signed(type)) return holds(comparison, sign_extend(a, n), sign_extend(b, n));
    return holds(comparison, a, b);
}

}  // namespace litmus
