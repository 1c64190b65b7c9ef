// How many blocks, threads and clusters a kernel is launched with.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/launch.h"
#include "kernel/module.h"

namespace litmus::kernel {

// Bytes of dynamic shared memory that a launch may have: more than a block of any GPU has.
inline constexpr uint32_t most_shared_bytes = 1U << 18U;

inline constexpr uint32_t most_unlaunched = 8;  // clusters that have not started, which a test can name (language.md)

// "2", "2,3"; ones at the end are left out.
std::string text_of(const Dimensions& dimensions);

// "2", "2,1,1"; empty: not said.
struct DimensionTexts {
    std::string grid, block, cluster;
};

// Sets them in the launch. What the kernel itself says (.reqntid, .maxntid, .reqnctapercluster) need not be repeated, and is noted as
// Launch::taken. Throws Failure where they
// contradict it or each other, are beyond what a device has, or what is run.
void set_dimensions(Launch& launch, const Module& module, const Function& entry, const DimensionTexts& texts);

// The last clusters of the grid have not started (ISA 9.7.13.17). Throws Failure where that are all.
void set_unlaunched(Launch& launch, uint32_t clusters);

// Throws Failure where the grid cannot be cut into parts for so many GPUs: in the last dimension that has several blocks, between clusters.
void require_cut(const Launch& launch, uint32_t gpus);

}  // namespace litmus::kernel
