// Exact arithmetic: against wider integers on all 8-bit operands, and by hand where the ISA has corners.
#include "ptx/value.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace litmus;

namespace {

// The meaning of an operation on 8 bits, in plain int arithmetic.
int plain(std::string_view operation, bool is_signed, int a, int b) {
    const auto s = [&](int v) { return is_signed && v >= 128 ? v - 256 : v; };
    if (operation == "add") return a + b;
    if (operation == "sub") return a - b;
    if (operation == "mul") return a * b;
    if (operation == "and") return a & b;
    if (operation == "or") return a | b;
    if (operation == "xor") return a ^ b;
    if (operation == "exch") return b;
    if (operation == "min") return std::min(s(a), s(b));
    if (operation == "max") return std::max(s(a), s(b));
    if (operation == "inc") return a >= b ? 0 : a + 1;
    if (operation == "dec") return a == 0 || a > b ? b : a - 1;
    if (operation == "shl") return b >= 8 ? 0 : a << b;
    return b >= 8 ? (s(a) < 0 ? -1 : 0) : s(a) >> b;  // shr
}

}  // namespace

TEST_CASE("all operations on all pairs of 8-bit values") {
    for (const Type type : {Type::u8, Type::s8, Type::b8})
        for (const std::string_view operation :
             {"add", "sub", "mul", "and", "or", "xor", "exch", "min", "max", "inc", "dec", "shl", "shr"}) {
            int wrong = 0;
            for (int a = 0; a < 256; ++a)
                for (int b = 0; b < 256; ++b) {
                    const auto expected = static_cast<uint64_t>(plain(operation, is_signed(type), a, b) & 0xff);
                    if (apply(operation, type, static_cast<uint64_t>(a), static_cast<uint64_t>(b)) != expected) ++wrong;
                }
            CHECK_MESSAGE(wrong == 0, operation);
        }
}

TEST_CASE("64-bit corners") {
    const uint64_t ones = ~uint64_t{0};
    CHECK(apply("add", Type::u64, ones, 1) == 0);
    CHECK(apply("mul", Type::s64, ones, ones) == 1);
    CHECK(apply("min", Type::s64, ones, 1) == ones);
    CHECK(apply("min", Type::u64, ones, 1) == 1);
    CHECK(apply("shl", Type::b64, 1, 64) == 0);
    CHECK(apply("shr", Type::s64, ones, 200) == ones);
    CHECK(apply("shr", Type::u64, ones, 63) == 1);
    CHECK(apply("shr", Type::b16, 0x8000, 15) == 1);
    CHECK(apply("shl", Type::b16, 1, 0x100000000) == 0);  // the amount is not truncated to the type
}

TEST_CASE("operands beyond the type are cut first") {
    CHECK(apply("inc", Type::u32, 0x100000005, 9) == 6);
    CHECK(apply("max", Type::s32, 0xffffffffffffffff, 0x80000000) == 0xffffffff);
}

TEST_CASE("what is not defined is said") {
    CHECK_FALSE(apply("add", Type::f32, 0, 0));
    CHECK_FALSE(apply("min", Type::f16x2, 0, 0));
    CHECK_FALSE(apply("add", Type::b128, 0, 0));
    CHECK_FALSE(apply("nonsense", Type::u32, 0, 0));
    CHECK(apply("exch", Type::f32, 1, 2) == 2);
}

TEST_CASE("comparisons follow the type's signedness") {
    CHECK(compare("<", Type::s32, 0xffffffff, 0));
    CHECK_FALSE(compare("<", Type::u32, 0xffffffff, 0));
    CHECK(compare("==", Type::u8, 0x101, 1));
    CHECK(compare(">=", Type::s64, 5, 5));
    CHECK(compare("!=", Type::b16, 1, 2));
    CHECK(compare(">", Type::u64, ~uint64_t{0}, 1));
    CHECK(compare("<=", Type::s8, 0x80, 0x7f));
}

TEST_CASE("float comparisons are IEEE") {
    const uint64_t nan = 0x7fc00000, zero = 0, minus_zero = 0x80000000, one = 0x3f800000;
    CHECK(compare("==", Type::f32, zero, minus_zero));
    CHECK_FALSE(compare("==", Type::f32, nan, nan));
    CHECK(compare("!=", Type::f32, nan, one));
    CHECK_FALSE(compare("<=", Type::f32, nan, one));
    CHECK(compare("<", Type::f32, 0xbf800000, one));
    CHECK(compare("<", Type::f16, 0xc000, 0x0001));
    CHECK(compare(">", Type::bf16, 0x3f80, 0x3f00));
    CHECK(compare("<", Type::f64, 0, 1));
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
