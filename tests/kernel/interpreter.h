// A plain interpreter of PTX: what kernels without synchronization leave in memory.
//
// It shares nothing with the sweep but the reader. Threads run one after the other, each instruction at once, on concrete
// values; arithmetic is written from the ISA's text (PTX ISA 9.1, 9.7.1, 9.7.6, 9.7.8, 9.7.9) on 128-bit numbers. It knows what
// random_kernel.h writes, and throws std::runtime_error for anything else.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/launch.h"
#include "kernel/module.h"

namespace litmus::kernel::testing {

using Memory = std::vector<std::vector<uint8_t>>;  // the bytes of each array of the launch

Memory interpreted(const Module& module, const Launch& launch);

}  // namespace litmus::kernel::testing
