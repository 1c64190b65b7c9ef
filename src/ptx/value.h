// Exact arithmetic on the bits of PTX values (semantics.md section 3).
//
// One function per kind of operation, used by constant folding, by the concrete evaluator and, as
// the meaning to agree with, by the solver's encoding.
#pragma once

#include <optional>
#include <string_view>

#include "ptx/type.h"

namespace litmus {

// old `operation` operand for atom/red and integer arithmetic: add sub mul(lo) and or xor min max
// inc dec exch shl shr. Result truncated to the type. nullopt: not defined for this type (floats
// follow in their own issue).
std::optional<uint64_t> apply(std::string_view operation, Type type, uint64_t a, uint64_t b);

// "==" "!=" "<" "<=" ">" ">=" in the type's signedness; scalar floats by IEEE rules (NaN equals
// nothing), packed floats by their bits.
bool compare(std::string_view comparison, Type type, uint64_t a, uint64_t b);

// The number that the bits of a scalar float type stand for; exact.
double float_value(Type type, uint64_t value);
// The bits of a number in a scalar float type, rounded to nearest even; too large gives infinity.
uint64_t float_bits(Type type, double value);

}  // namespace litmus
