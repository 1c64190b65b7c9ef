// Exact arithmetic on the bits of PTX values (model/semantics.md section 3).
//
// One function per kind of operation, used by constant folding, by the concrete evaluator and, as
// the meaning to agree with, by the solver's encoding.
#pragma once

#include <optional>
#include <span>

#include "ptx/operators.h"
#include "ptx/type.h"

namespace litmus {

// old `operation` operand for atom/red and arithmetic. Integers: add sub mul(lo) and or xor min max inc
// dec exch shl shr, the result truncated to the type. Floats: exch and or xor, add (rounded once, to
// nearest even; NaN as below), min max (-0 below +0; a NaN gives way to a number); for f32 also add_ftz, for f64
// add_snan; packed types lane by lane. nullopt: not defined for this type.
std::optional<uint64_t> apply(Operator operation, Type type, uint64_t a, uint64_t b);

// The operation by which apply() does what `atom`, `red` and `cp.reduce.async.bulk` do with a destination in global or in
// shared memory: add of f32 in global memory is add_ftz, of f64 there add_snan.
Operator memory_operation(Operator operation, Type type, bool global);

// redux.sync (ISA 9.7.13.12) over the sources of the participating lanes, at least one: add and or xor
// min max on 32-bit types, min max on f32, there with `abs` and `nan` (.abs, .NaN). nullopt: no such form.
std::optional<uint64_t> redux(Operator operation, Type type, bool abs, bool nan, std::span<const uint64_t> values);

bool is_nan(Type type, uint64_t value);  // scalar floats
// The NaN that operations return: of f16, bf16 and f32 always this one.
uint64_t canonical_nan(Type type);

// A comparison in the type's signedness; scalar floats by IEEE rules (NaN equals nothing), packed floats by their bits.
bool compare(Operator comparison, Type type, uint64_t a, uint64_t b);

// The number that the bits of a scalar float type stand for; exact.
double float_value(Type type, uint64_t value);
// The bits of a number in a scalar float type, rounded to nearest even; too large gives infinity.
uint64_t float_bits(Type type, double value);
// A value of one scalar float type in another one, rounded likewise; of a NaN the canonical one.
uint64_t converted(Type from, Type to, uint64_t value);

}  // namespace litmus
