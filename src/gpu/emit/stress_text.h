// The traffic beside a test as PTX: a module of its own, launched on a second stream.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/emit/stress.h"

namespace litmus::gpu {

inline constexpr unsigned stress_block = 256;  // threads of a CTA of litmus_stress
inline constexpr unsigned stress_cluster = 2;  // CTAs: each is the other's peer
inline constexpr const char* stress_kernel = "litmus_stress";

// The module with the kernel litmus_stress; for sm_90 and newer. Its parameters are described at its head.
std::string stress_ptx();

// A pattern as the kernels take it: 0 none; else 4, and 1 where the first access is a store, 2 where the second is.
uint32_t pattern_bits(Pattern pattern);

}  // namespace litmus::gpu
