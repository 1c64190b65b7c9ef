// Launches of a stream as one: the threads of each, as those of a grid of one test.
#pragma once

#include <cstddef>
#include <vector>

#include "kernel/trace.h"

namespace litmus::kernel {

// The first objects of each launch, as many as `common` says, are the same ones. Others get names that are free. Blocks and clusters get
// the numbers that they have in a test of several grids (Placement). A load through the cache that is not coherent (Trace::non_coherent) is
// one in the test, too: of what another kernel has written it may miss more than another load (ISA 9.7.9.9).
Traces as_one(std::vector<Traces> launches, size_t common);

}  // namespace litmus::kernel
