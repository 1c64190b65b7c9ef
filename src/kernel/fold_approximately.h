// Operations of PTX on floating-point numbers whose results a GPU approximates, or rounds in another direction (ISA 9.7.3): the result here
// is the number that is nearest. For runs that need some number, and say where it decides.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernel/fold.h"

namespace litmus::kernel {

// As fold (fold.h); f32 and f64. What fold_float knows it knows better.
std::optional<Results> fold_approximately(std::span<const std::string> words, std::span<const uint64_t> sources);

}  // namespace litmus::kernel
