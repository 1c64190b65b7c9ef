// The PTX types (ISA 5.2) as one table, and the text of their values.
#include "ptx/type.h"

#include <array>
#include <cstdio>
#include <stdexcept>

namespace litmus {
namespace {

struct Row {
    std::string_view name;
    int bits;
    bool is_signed;
    bool is_float;
    int lanes;
    Type lane;
};

// In the order of the enumeration.
constexpr std::array<Row, 20> type_rows = {{
    {"b8", 8, false, false, 1, Type::b8},       {"u8", 8, false, false, 1, Type::u8},     {"s8", 8, true, false, 1, Type::s8},
    {"b16", 16, false, false, 1, Type::b16},    {"u16", 16, false, false, 1, Type::u16},  {"s16", 16, true, false, 1, Type::s16},
    {"b32", 32, false, false, 1, Type::b32},    {"u32", 32, false, false, 1, Type::u32},  {"s32", 32, true, false, 1, Type::s32},
    {"b64", 64, false, false, 1, Type::b64},    {"u64", 64, false, false, 1, Type::u64},  {"s64", 64, true, false, 1, Type::s64},
    {"b128", 128, false, false, 1, Type::b128}, {"f16", 16, true, true, 1, Type::f16},    {"bf16", 16, true, true, 1, Type::bf16},
    {"f32", 32, true, true, 1, Type::f32},      {"f64", 64, true, true, 1, Type::f64},    {"f16x2", 32, true, true, 2, Type::f16},
    {"bf16x2", 32, true, true, 2, Type::bf16},  {"pred", 1, false, false, 1, Type::pred},
}};

const Row& row(Type type) {
    return type_rows[static_cast<size_t>(type)];
}

std::string hexadecimal(const char* format, uint64_t value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned long long>(value));
    return buffer;
}

}  // namespace

std::string_view name(Type type) {
    return row(type).name;
}

std::optional<Type> type_named(std::string_view name) {
    for (size_t i = 0; i < type_rows.size(); ++i)
        if (type_rows[i].name == name) return static_cast<Type>(i);
    return std::nullopt;
}

int bits(Type type) {
    return row(type).bits;
}
bool is_signed(Type type) {
    return row(type).is_signed;
}
bool is_float(Type type) {
    return row(type).is_float;
}
int lanes(Type type) {
    return row(type).lanes;
}
Type lane_type(Type type) {
    return row(type).lane;
}

Type part_type(Type type, int count) {
    const int width = count > 0 ? bits(type) / count : 0;
    for (const Type part : {Type::b16, Type::b32, Type::b64})
        if (bits(part) == width) return part;
    throw std::logic_error("no part of this size");
}

uint64_t truncate(uint64_t value, int bits) {
    return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

int64_t sign_extend(uint64_t value, int bits) {
    if (bits >= 64) return static_cast<int64_t>(value);
    const uint64_t sign = uint64_t{1} << (bits - 1);
    return static_cast<int64_t>((truncate(value, bits) ^ sign) - sign);
}

std::string format_value(uint64_t value, Type type) {
    const uint64_t low = truncate(value, bits(type));
    switch (type) {
        case Type::f32:
            return hexadecimal("0f%08llx", low);
        case Type::f64:
            return hexadecimal("0d%016llx", low);
        case Type::f16:
        case Type::bf16:
            return hexadecimal("0x%04llx", low);
        case Type::f16x2:
        case Type::bf16x2:
            return hexadecimal("0x%08llx", low);
        default:
            return is_signed(type) ? std::to_string(sign_extend(low, bits(type))) : std::to_string(low);
    }
}

}  // namespace litmus
