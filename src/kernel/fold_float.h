// Operations of PTX on floating-point numbers that are known (ISA 9.7.3, 9.7.4, 9.7.6, 9.7.9.21), for branches on what the arguments hold.
//
// Those whose result IEEE 754 determines: sums, products, quotients, roots, comparisons and conversions, rounded to nearest even, of f32
// and f64, and what is exact of f16 and bf16. Approximations, other roundings, packed types and NaNs of f64 are not known here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernel/fold.h"

namespace litmus::kernel {

// As fold (fold.h).
std::optional<Results> fold_float(std::span<const std::string> words, std::span<const uint64_t> sources);

}  // namespace litmus::kernel
