// Test -> PTX module: kernels that run many instances of the test and count how they end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/emit/plan.h"
#include "gpu/emit/text.h"
#include "language/test.h"

namespace litmus::gpu {

// Kernels with the same parameters (described at the head of the text), launched one after the other:
//   litmus_init   writes the initial values of every instance's locations in global memory
//   litmus_test   runs the instances and stores the registers observed; of a test of several grids it is the first one, and litmus_test_1,
//                 ... are the others, all in one shape
//   litmus_tally  counts the instances by outcome
struct Emitted {
    std::string ptx;
    Plan plan;
    std::vector<PtxText::Mark> lines;  // of the instructions that access memory, order accesses or wait: of each thread in its order
};

// `sm`: 90 or 100 (sm_100a); none: the least that the test's instructions need. Foreign dialects go through to_native.
// Throws Failure where the test cannot be emitted, with the reason.
Emitted emit(const Test& test, std::optional<int> sm = std::nullopt, Pins pins = Pins::none);

// What litmus_tally counts with: entries of key, count and the shown words, 8 bytes each; then one 8-byte count of the
// instances that found no entry. An outcome with a time-out has timeout_key, whatever its words.
inline constexpr unsigned histogram_entries = 4096;
inline constexpr unsigned timeout_key = 1;

}  // namespace litmus::gpu
