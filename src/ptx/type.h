// Scalar and packed PTX types (ISA 5.2) and the bits of their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace litmus {

enum class Type : uint8_t { b8, u8, s8, b16, u16, s16, b32, u32, s32, b64, u64, s64, b128, f16, bf16, f32, f64, f16x2, bf16x2, pred };

std::string_view name(Type type);                       // "u32"
std::optional<Type> type_named(std::string_view name);  // "u32" -> Type::u32
int bits(Type type);                                    // 32; pred is 1
bool is_signed(Type type);
bool is_float(Type type);   // packed floats included
int lanes(Type type);       // 2 for f16x2 and bf16x2, else 1
Type lane_type(Type type);  // f16x2 -> f16; others themselves
// The type of one of `count` parts that make up a `.b32`, `.b64` or `.b128`: of 16, 32 or 64 bits. Throws std::logic_error.
Type part_type(Type type, int count);

// Truncates to the type's width.
uint64_t truncate(uint64_t value, int bits);
// Sign-extends the low `bits` bits to 64.
int64_t sign_extend(uint64_t value, int bits);
// Decimal in the type's own signedness; floats as 0fXXXXXXXX-style PTX literals (0x... for f16).
std::string format_value(uint64_t value, Type type);

}  // namespace litmus
