// How a kernel is likely to be launched, by what its code says of threads, warps and blocks: a guess, where its directives say nothing.
#pragma once

#include "kernel/launch.h"
#include "kernel/module.h"

namespace litmus::kernel {

// There are enough threads for those that comparisons name, and for those that meet at barriers: a warp at least.
Dimensions likely_block(const Function& entry);

// As many dimensions as the kernel tells blocks apart by, two blocks in each. One block, if two would write the same places and nothing
// is there by which they could take turns.
Dimensions likely_grid(const Function& entry);

// 1: no instruction is about other blocks of a cluster.
uint32_t likely_cluster(const Function& entry);

}  // namespace litmus::kernel
