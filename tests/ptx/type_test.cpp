// Types, truncation and the text of values.
#include "ptx/type.h"

#include <doctest/doctest.h>

using namespace litmus;

TEST_CASE("every type is found by its name") {
    for (int i = 0; i <= static_cast<int>(Type::pred); ++i) {
        const auto type = static_cast<Type>(i);
        CHECK(type_named(name(type)) == type);
    }
    CHECK_FALSE(type_named("u128"));
    CHECK_FALSE(type_named(""));
}

TEST_CASE("widths, signs and lanes") {
    CHECK(bits(Type::s16) == 16);
    CHECK(bits(Type::bf16x2) == 32);
    CHECK(bits(Type::pred) == 1);
    CHECK(is_signed(Type::s8));
    CHECK_FALSE(is_signed(Type::b8));
    CHECK(is_float(Type::f16x2));
    CHECK_FALSE(is_float(Type::b32));
    CHECK(lanes(Type::f16x2) == 2);
    CHECK(lane_type(Type::bf16x2) == Type::bf16);
    CHECK(lane_type(Type::u64) == Type::u64);
}

TEST_CASE("truncate and sign_extend") {
    CHECK(truncate(0x1ff, 8) == 0xff);
    CHECK(truncate(~uint64_t{0}, 64) == ~uint64_t{0});
    CHECK(sign_extend(0x80, 8) == -128);
    CHECK(sign_extend(0x7f, 8) == 127);
    CHECK(sign_extend(0xffffff80, 8) == -128);
    CHECK(sign_extend(uint64_t{1} << 63, 64) == INT64_MIN);
    CHECK(sign_extend(1, 1) == -1);
}

TEST_CASE("format_value") {
    CHECK(format_value(0xffffffff, Type::s32) == "-1");
    CHECK(format_value(0xffffffff, Type::u32) == "4294967295");
    CHECK(format_value(~uint64_t{0}, Type::b64) == "18446744073709551615");
    CHECK(format_value(0x3f800000, Type::f32) == "0f3f800000");
    CHECK(format_value(0x3ff0000000000000, Type::f64) == "0d3ff0000000000000");
    CHECK(format_value(0x3c00, Type::f16) == "0x3c00");
    CHECK(format_value(0x3c003c00, Type::f16x2) == "0x3c003c00");
}
