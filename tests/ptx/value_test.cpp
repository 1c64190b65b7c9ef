// Exact arithmetic: against wider integers on all 8-bit operands, and by hand where the ISA has corners.
#include "ptx/value.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "turn.h"

using namespace litmus;

namespace {

// The meaning of an operation on 8 bits, in plain int arithmetic.
int plain(Operator operation, bool is_signed, int a, int b) {
    const auto s = [&](int v) { return is_signed && v >= 128 ? v - 256 : v; };
    if (operation == Operator::add) return a + b;
    if (operation == Operator::sub) return a - b;
    if (operation == Operator::mul) return a * b;
    if (operation == Operator::and_) return a & b;
    if (operation == Operator::or_) return a | b;
    if (operation == Operator::xor_) return a ^ b;
    if (operation == Operator::exch) return b;
    if (operation == Operator::min) return std::min(s(a), s(b));
    if (operation == Operator::max) return std::max(s(a), s(b));
    if (operation == Operator::inc) return a >= b ? 0 : a + 1;
    if (operation == Operator::dec) return a == 0 || a > b ? b : a - 1;
    if (operation == Operator::shl) return b >= 8 ? 0 : a << b;
    if (operation == Operator::shr) return b >= 8 ? (s(a) < 0 ? -1 : 0) : s(a) >> b;
    if (operation == Operator::div) return b == 0 ? 0 : s(a) / s(b);
    if (operation == Operator::rem) return b == 0 ? a : s(a) % s(b);
    return -1;  // has no meaning here yet
}

uint64_t next_random(uint64_t& state) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

// The sum of two finite 16-bit floats, another way: as integers on the grid of the smaller exponent, then
// cut to the significand with a half and a sticky bit. Operands that are more than 100 places apart count as
// 100 apart, the smaller one as a sticky bit of its sign.
uint64_t sum_by_alignment(Type type, uint64_t a, uint64_t b) {
    const int fraction_bits = type == Type::f16 ? 10 : 7;
    const int top = type == Type::f16 ? 31 : 255;
    struct Parts {
        int exponent;
        __int128 significand;
    };
    const auto parts = [&](uint64_t v) {
        const int e = static_cast<int>(v >> fraction_bits) & top;
        auto m = static_cast<__int128>(v & ((1u << fraction_bits) - 1));
        if (e != 0) m |= 1 << fraction_bits;
        return Parts{std::max(e, 1), (v & 0x8000) ? -m : m};
    };
    Parts x = parts(a), y = parts(b);
    if (x.exponent < y.exponent) std::swap(x, y);
    const int shift = x.exponent - y.exponent;
    if (shift > 100) y.significand = y.significand == 0 ? 0 : y.significand < 0 ? -1 : 1;  // a sticky bit, far below
    const int scale = std::min(shift, 100);
    __int128 sum = x.significand * (static_cast<__int128>(1) << scale) + y.significand;
    int exponent = x.exponent - scale;
    const bool negative = sum < 0 || (sum == 0 && (a & b & 0x8000));
    if (sum < 0) sum = -sum;
    // normalise to fraction_bits + 1 bits, or to exponent 1
    bool sticky = false, half = false;
    while (sum >= (static_cast<__int128>(1) << (fraction_bits + 1)) || exponent < 1) {
        sticky = sticky || half;
        half = (sum & 1) != 0;
        sum >>= 1;
        ++exponent;
    }
    while (sum != 0 && sum < (static_cast<__int128>(1) << fraction_bits) && exponent > 1) {
        sum <<= 1;  // only after exact cancellation: nothing was shifted out
        --exponent;
    }
    if (half && (sticky || (sum & 1))) ++sum;
    if (sum >= (static_cast<__int128>(1) << (fraction_bits + 1))) {
        sum >>= 1;
        ++exponent;
    }
    const bool normal = sum >= (static_cast<__int128>(1) << fraction_bits);
    const uint64_t sign = negative ? 0x8000 : 0;
    if (normal && exponent >= top) return sign | static_cast<uint64_t>(top) << fraction_bits;
    const auto fraction = static_cast<uint64_t>(sum) & ((1u << fraction_bits) - 1);
    return sign | (normal ? static_cast<uint64_t>(exponent) << fraction_bits : 0) | fraction;
}

uint64_t bits_of(float value) {
    uint32_t result;
    std::memcpy(&result, &value, sizeof result);
    return result;
}

}  // namespace

TEST_CASE("all operations on all pairs of 8-bit values") {
    const Turn turn = turn_in_brief();
    for (const Type type : {Type::u8, Type::s8, Type::b8})
        for (const OperatorRow& r : operator_rows::all) {
            const Operator operation = r.op;
            if (operation == Operator::mbarrier_step || !apply(operation, type, 0, 0)) continue;
            int wrong = 0;
            for (int a = 0; a < 256; ++a) {
                if (!turn.has(static_cast<size_t>(a))) continue;
                for (int b = 0; b < 256; ++b) {
                    const auto expected = static_cast<uint64_t>(plain(operation, is_signed(type), a, b) & 0xff);
                    if (apply(operation, type, static_cast<uint64_t>(a), static_cast<uint64_t>(b)) != expected) ++wrong;
                }
            }
            CHECK_MESSAGE(wrong == 0, r.name);
        }
}

TEST_CASE("64-bit corners") {
    const uint64_t ones = ~uint64_t{0};
    CHECK(apply(Operator::add, Type::u64, ones, 1) == 0);
    CHECK(apply(Operator::mul, Type::s64, ones, ones) == 1);
    CHECK(apply(Operator::min, Type::s64, ones, 1) == ones);
    CHECK(apply(Operator::min, Type::u64, ones, 1) == 1);
    CHECK(apply(Operator::shl, Type::b64, 1, 64) == 0);
    CHECK(apply(Operator::shr, Type::s64, ones, 200) == ones);
    CHECK(apply(Operator::shr, Type::u64, ones, 63) == 1);
    CHECK(apply(Operator::shr, Type::b16, 0x8000, 15) == 1);
    CHECK(apply(Operator::shl, Type::b16, 1, 0x100000000) == 0);  // the amount is not truncated to the type
}

TEST_CASE("operands beyond the type are cut first") {
    CHECK(apply(Operator::inc, Type::u32, 0x100000005, 9) == 6);
    CHECK(apply(Operator::max, Type::s32, 0xffffffffffffffff, 0x80000000) == 0xffffffff);
}

TEST_CASE("what is not defined is said") {
    CHECK_FALSE(apply(Operator::mul, Type::f32, 0, 0));
    CHECK_FALSE(apply(Operator::inc, Type::f16x2, 0, 0));
    CHECK_FALSE(apply(Operator::add_ftz, Type::f64, 0, 0));
    CHECK_FALSE(apply(Operator::add_ftz, Type::u32, 0, 0));
    CHECK_FALSE(apply(Operator::add, Type::b128, 0, 0));
    CHECK_FALSE(apply(Operator::cas, Type::u32, 0, 0));
    CHECK(apply(Operator::exch, Type::f32, 1, 2) == 2);
}

TEST_CASE("comparisons follow the type's signedness") {
    CHECK(compare(Operator::lt, Type::s32, 0xffffffff, 0));
    CHECK_FALSE(compare(Operator::lt, Type::u32, 0xffffffff, 0));
    CHECK(compare(Operator::eq, Type::u8, 0x101, 1));
    CHECK(compare(Operator::ge, Type::s64, 5, 5));
    CHECK(compare(Operator::ne, Type::b16, 1, 2));
    CHECK(compare(Operator::gt, Type::u64, ~uint64_t{0}, 1));
    CHECK(compare(Operator::le, Type::s8, 0x80, 0x7f));
}

TEST_CASE("float comparisons are IEEE") {
    const uint64_t nan = 0x7fc00000, zero = 0, minus_zero = 0x80000000, one = 0x3f800000;
    CHECK(compare(Operator::eq, Type::f32, zero, minus_zero));
    CHECK_FALSE(compare(Operator::eq, Type::f32, nan, nan));
    CHECK(compare(Operator::ne, Type::f32, nan, one));
    CHECK_FALSE(compare(Operator::le, Type::f32, nan, one));
    CHECK(compare(Operator::lt, Type::f32, 0xbf800000, one));
    CHECK(compare(Operator::lt, Type::f16, 0xc000, 0x0001));
    CHECK(compare(Operator::gt, Type::bf16, 0x3f80, 0x3f00));
    CHECK(compare(Operator::lt, Type::f64, 0, 1));
}

TEST_CASE("float_bits inverts float_value on every half-width number") {
    for (const Type type : {Type::f16, Type::bf16}) {
        int wrong = 0;
        for (uint64_t bits = 0; bits < 0x10000; ++bits) {
            const double value = float_value(type, bits);
            if (!std::isnan(value) && float_bits(type, value) != bits) ++wrong;
        }
        CHECK(wrong == 0);
    }
}

TEST_CASE("float_bits rounds to nearest even, as the machine's own float does") {
    uint64_t state = 1;
    int wrong = 0;
    for (int i = 0; i < 200000; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double value;
        uint64_t bits = state;
        if (i % 2) bits = (bits & 0x800fffffffffffff) | ((uint64_t{860} + (state >> 40) % 320) << 52);  // near the range of f32
        std::memcpy(&value, &bits, sizeof value);
        if (std::isnan(value)) continue;
        const auto rounded = static_cast<float>(value);
        uint32_t expected;
        std::memcpy(&expected, &rounded, sizeof expected);
        if (float_bits(Type::f32, value) != expected) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(float_bits(Type::f16, 65520) == 0x7c00);  // halfway to 2^16: to even, infinity
    CHECK(float_bits(Type::f16, 65519) == 0x7bff);
    CHECK(float_bits(Type::f16, -0.0) == 0x8000);
    CHECK(float_bits(Type::f64, 1.5) == 0x3ff8000000000000);
}

TEST_CASE("conversions between halves and f32: exact where they widen, rounded where they narrow") {
    for (const Type half : {Type::f16, Type::bf16}) {
        for (uint64_t value = 0; value < 0x10000; ++value) {
            const uint64_t wide = converted(half, Type::f32, value);
            if (is_nan(half, value)) {
                CHECK(wide == canonical_nan(Type::f32));
                continue;
            }
            REQUIRE(float_value(Type::f32, wide) == float_value(half, value));
            REQUIRE(converted(Type::f32, half, wide) == value);
        }
        CHECK(converted(Type::f32, half, 0xffc00000) == canonical_nan(half));
    }
    for (const Type half : {Type::f16, Type::bf16})  // the sum of two as f32, rounded again, is the sum rounded once
        for (uint64_t n = 0; n < 200'000; ++n) {
            const uint64_t mixed = n * 0x9e3779b97f4a7c15U, a = mixed >> 48, b = mixed >> 16 & 0xffff;
            const auto sum = apply(Operator::add, Type::f32, converted(half, Type::f32, a), converted(half, Type::f32, b));
            REQUIRE(converted(Type::f32, half, *sum) == *apply(Operator::add, half, a, b));
        }
    CHECK(converted(Type::f32, Type::bf16, 0x43808000) == 0x4380);  // 257: a tie, to even
    CHECK(converted(Type::f32, Type::bf16, 0x43818000) == 0x4382);
    CHECK(converted(Type::f32, Type::f16, 0x47800000) == 0x7c00);  // 65536
}

TEST_CASE("half-width sums round once, to nearest even") {
    for (const Type type : {Type::f16, Type::bf16}) {
        const uint64_t infinity = type == Type::f16 ? 0x7c00 : 0x7f80;
        uint64_t state = 7;
        int wrong = 0;
        for (int i = 0; i < 400000; ++i) {
            const uint64_t a = next_random(state) & 0xffff;
            uint64_t b = next_random(state) & 0xffff;
            if (i % 2) b = (b & 0x807f) | ((a + (next_random(state) & 0xf00) - 0x800) & 0x7f80);  // a near exponent
            if ((a & infinity) == infinity || (b & infinity) == infinity) continue;
            if (apply(Operator::add, type, a, b) != sum_by_alignment(type, a, b)) ++wrong;
        }
        CHECK_MESSAGE(wrong == 0, name(type));
    }
}

TEST_CASE("f32 sums agree with the machine's own, f64 sums are the machine's own") {
    uint64_t state = 3;
    int wrong = 0;
    for (int i = 0; i < 400000; ++i) {
        const uint64_t a = next_random(state) >> 32;
        uint64_t b = next_random(state) >> 32;
        if (i % 2) b = (b & 0x807fffff) | ((a + (next_random(state) & 0x0f800000) - 0x07000000) & 0x7f800000);
        float x, y;
        const auto a32 = static_cast<uint32_t>(a), b32 = static_cast<uint32_t>(b);
        std::memcpy(&x, &a32, sizeof x);
        std::memcpy(&y, &b32, sizeof y);
        const volatile float sum = x + y;
        if (!std::isnan(sum) && apply(Operator::add, Type::f32, a, b) != bits_of(sum)) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(apply(Operator::add, Type::f64, float_bits(Type::f64, 0.1), float_bits(Type::f64, 0.2)) == 0x3fd3333333333334);
    CHECK(apply(Operator::add, Type::f64, 1, 1) == 2);  // subnormals are kept
}

TEST_CASE("signed zeros, infinities and NaNs of sums") {
    for (const Type type : {Type::f16, Type::bf16, Type::f32, Type::f64}) {
        const uint64_t minus = uint64_t{1} << (bits(type) - 1);
        const uint64_t infinity = float_bits(type, HUGE_VAL);
        const uint64_t one = float_bits(type, 1);
        CHECK(apply(Operator::add, type, 0, minus) == 0);
        CHECK(apply(Operator::add, type, minus, 0) == 0);
        CHECK(apply(Operator::add, type, minus, minus) == minus);
        CHECK(apply(Operator::add, type, one, one | minus) == 0);
        CHECK(apply(Operator::add, type, infinity, one) == infinity);
        CHECK(apply(Operator::add, type, infinity | minus, infinity | minus) == (infinity | minus));
        CHECK(apply(Operator::add, type, infinity, infinity | minus) == canonical_nan(type));
        const uint64_t largest = infinity - 1;
        CHECK(apply(Operator::add, type, largest, largest) == infinity);
        CHECK(is_nan(type, infinity + 1));
        CHECK(is_nan(type, infinity | minus | 1));
        CHECK_FALSE(is_nan(type, infinity));
        CHECK_FALSE(is_nan(type, infinity | minus));
    }
    CHECK(apply(Operator::add, Type::f32, 0x7f800001, 0x3f800000) == 0x7fffffff);
    CHECK(apply(Operator::add, Type::f32, 0x3f800000, 0xffc12345) == 0x7fffffff);
    CHECK(apply(Operator::add, Type::f16, 0xfc01, 0) == 0x7fff);
    CHECK(apply(Operator::add, Type::bf16, 0, 0xff81) == 0x7fff);
    CHECK(apply(Operator::add, Type::f64, 0x7ff0000000000001, 0) == 0x7ff8000000000001);  // payloads live on in f64
    CHECK(apply(Operator::add, Type::f64, 0, 0xfff8000000000123) == 0xfff8000000000123);
}

TEST_CASE("flushing: subnormal operands and results become zeros of their signs") {
    CHECK(apply(Operator::add_ftz, Type::f32, 1, 1) == 0);
    CHECK(apply(Operator::add, Type::f32, 1, 1) == 2);
    CHECK(apply(Operator::add_ftz, Type::f32, 0x80000001, 0x80000001) == 0x80000000);
    CHECK(apply(Operator::add_ftz, Type::f32, 0x007fffff, 0x80800000) == 0x80800000);  // an operand flushed
    CHECK(apply(Operator::add_ftz, Type::f32, 0x00800001, 0x80800000) == 0);           // a result
    CHECK(apply(Operator::add_ftz, Type::f32, 0x00800000, 0x80800001) == 0x80000000);
    CHECK(apply(Operator::add_ftz, Type::f32, 0x80000001, 0) == 0);  // -0 + +0
    CHECK(apply(Operator::add_ftz, Type::f32, 0x7f800001, 1) == 0x7fffffff);
    CHECK(apply(Operator::add_ftz, Type::f32, 0x3f800000, 0x3f800000) == 0x40000000);
    CHECK(apply(Operator::add, Type::f16, 1, 1) == 2);
    CHECK(apply(Operator::add, Type::bf16, 0x8001, 0x8001) == 0x8002);
    CHECK(memory_operation(Operator::add, Type::f32, true) == Operator::add_ftz);
    CHECK(memory_operation(Operator::add, Type::f32, false) == Operator::add);
    CHECK(memory_operation(Operator::add, Type::f64, true) == Operator::add_snan);
    CHECK(memory_operation(Operator::add, Type::f16, true) == Operator::add);
    CHECK(memory_operation(Operator::exch, Type::f32, true) == Operator::exch);
}

TEST_CASE("f64 sums in global memory give NaNs back as they are, the operand's first") {
    const uint64_t signalling = 0x7ff0000000000001, quiet = 0xfff8000000000003, one = 0x3ff0000000000000;
    const Operator add = memory_operation(Operator::add, Type::f64, true);
    CHECK(apply(add, Type::f64, one, signalling) == signalling);
    CHECK(apply(add, Type::f64, signalling, one) == signalling);
    CHECK(apply(add, Type::f64, signalling, quiet) == quiet);
    CHECK(apply(add, Type::f64, quiet, signalling) == signalling);
    CHECK(apply(add, Type::f64, one, one) == 0x4000000000000000);
    CHECK(apply(memory_operation(Operator::add, Type::f64, false), Type::f64, one, signalling) == 0x7ff8000000000001);
}

TEST_CASE("floating min and max: numbers before NaNs, -0 below +0") {
    for (const Type type : {Type::f16, Type::bf16, Type::f32}) {
        const uint64_t minus = uint64_t{1} << (bits(type) - 1);
        const uint64_t infinity = float_bits(type, HUGE_VAL);
        const uint64_t one = float_bits(type, 1), two = float_bits(type, 2);
        CHECK(apply(Operator::min, type, 0, minus) == minus);
        CHECK(apply(Operator::min, type, minus, 0) == minus);
        CHECK(apply(Operator::max, type, 0, minus) == 0);
        CHECK(apply(Operator::max, type, minus, 0) == 0);
        CHECK(apply(Operator::min, type, one, two | minus) == (two | minus));
        CHECK(apply(Operator::max, type, one | minus, two | minus) == (one | minus));
        CHECK(apply(Operator::min, type, infinity + 1, two) == two);
        CHECK(apply(Operator::max, type, two, infinity | minus | 1) == two);
        CHECK(apply(Operator::min, type, infinity + 1, infinity | minus | 1) == canonical_nan(type));
        CHECK(apply(Operator::min, type, 1, 2) == 1);  // subnormals are kept
        CHECK(apply(Operator::max, type, 1, 2) == 2);
        CHECK(apply(Operator::max, type, infinity, two) == infinity);
        CHECK(apply(Operator::min, type, infinity | minus, two) == (infinity | minus));
    }
}

TEST_CASE("packed operations act lane by lane") {
    CHECK(apply(Operator::add, Type::f16x2, 0x3c00'4000, 0x3c00'3c00) == 0x4000'4200);
    CHECK(apply(Operator::add, Type::f16x2, 0x0001'7bff, 0x0001'7bff) == 0x0002'7c00);  // no carry between lanes
    CHECK(apply(Operator::min, Type::bf16x2, 0x3f80'bf80, 0x4000'3f80) == 0x3f80'bf80);
    CHECK(apply(Operator::max, Type::bf16x2, 0x3f80'bf80, 0x4000'3f80) == 0x4000'3f80);
    CHECK(apply(Operator::add, Type::bf16x2, 0x7f80'0000, 0xff80'8000) == 0x7fff'0000);
}

TEST_CASE("redux over the lanes of a warp") {
    using V = std::vector<uint64_t>;
    const auto r = [](Operator operation, Type type, const V& values) { return redux(operation, type, false, false, values); };
    CHECK(r(Operator::add, Type::u32, V{0xffffffff, 2, 3}) == 4);
    CHECK(r(Operator::add, Type::s32, V{0x7fffffff, 1}) == 0x80000000);
    CHECK(r(Operator::min, Type::s32, V{1, 0xffffffff, 0x7fffffff}) == 0xffffffff);
    CHECK(r(Operator::min, Type::u32, V{1, 0xffffffff, 0x7fffffff}) == 1);
    CHECK(r(Operator::max, Type::s32, V{1, 0xffffffff}) == 1);
    CHECK(r(Operator::max, Type::u32, V{1, 0xffffffff}) == 0xffffffff);
    CHECK(r(Operator::and_, Type::b32, V{0xff, 0x3c, 0xf0}) == 0x30);
    CHECK(r(Operator::or_, Type::b32, V{1, 2, 4}) == 7);
    CHECK(r(Operator::xor_, Type::b32, V{1, 3, 7}) == 5);
    CHECK(r(Operator::add, Type::u32, V{5}) == 5);
    CHECK_FALSE(r(Operator::inc, Type::u32, V{1, 2}));
    CHECK_FALSE(r(Operator::add, Type::f32, V{1, 2}));
    CHECK_FALSE(r(Operator::add, Type::u64, V{1, 2}));
    CHECK_FALSE(r(Operator::add, Type::u32, V{}));
    CHECK_FALSE(redux(Operator::add, Type::u32, true, false, V{1}));

    const uint64_t nan = 0xff800001, one = 0x3f800000, minus_two = 0xc0000000;
    CHECK(r(Operator::min, Type::f32, V{0, 0x80000000, 0}) == 0x80000000);
    CHECK(r(Operator::max, Type::f32, V{0x80000000, 0, 0x80000000}) == 0);
    CHECK(r(Operator::min, Type::f32, V{nan, one, minus_two}) == minus_two);
    CHECK(r(Operator::max, Type::f32, V{nan, nan}) == 0x7fffffff);
    CHECK(r(Operator::max, Type::f32, V{nan}) == 0x7fffffff);
    CHECK(redux(Operator::max, Type::f32, false, true, V{one, nan, minus_two}) == 0x7fffffff);
    CHECK(redux(Operator::max, Type::f32, false, true, V{nan, one}) == 0x7fffffff);
    CHECK(redux(Operator::max, Type::f32, false, true, V{one, minus_two}) == one);
    CHECK(redux(Operator::max, Type::f32, true, false, V{one, minus_two}) == 0x40000000);
    CHECK(redux(Operator::min, Type::f32, true, false, V{0x80000000, one}) == 0);
    CHECK(redux(Operator::min, Type::f32, true, false, V{minus_two}) == 0x40000000);
}

TEST_CASE("inc, dec, min and max at the edges of 32 and 64 bits") {
    const uint64_t top = 0xffffffff;
    CHECK(apply(Operator::inc, Type::u32, top, top) == 0);
    CHECK(apply(Operator::inc, Type::u32, top - 1, top) == top);
    CHECK(apply(Operator::inc, Type::u32, 5, 5) == 0);
    CHECK(apply(Operator::inc, Type::u32, 6, 5) == 0);
    CHECK(apply(Operator::inc, Type::u32, 0, 0) == 0);
    CHECK(apply(Operator::dec, Type::u32, 0, 7) == 7);
    CHECK(apply(Operator::dec, Type::u32, 8, 7) == 7);
    CHECK(apply(Operator::dec, Type::u32, 7, 7) == 6);
    CHECK(apply(Operator::dec, Type::u32, 0, 0) == 0);
    CHECK(apply(Operator::dec, Type::u32, top, top) == top - 1);
    CHECK(apply(Operator::add, Type::s64, 0x7fffffffffffffff, 1) == 0x8000000000000000);
    CHECK(apply(Operator::max, Type::s64, 0x8000000000000000, 0x7fffffffffffffff) == 0x7fffffffffffffff);
    CHECK(apply(Operator::max, Type::u64, 0x8000000000000000, 0x7fffffffffffffff) == 0x8000000000000000);
}
