// What the CTAs of an instance do around one round of it: before the first instruction of the test, and after its last.
#pragma once

#include <string>

#include "gpu/emit/plan.h"
#include "gpu/emit/text.h"
#include "language/test.h"

namespace litmus::gpu {

// Initial values of shared memory, then a barrier of the whole cluster.
void write_entry(const Test& test, const Plan& plan, PtxText& text);

// A barrier of the whole cluster once all of a round is over, then the final values of shared memory.
void write_exit(const Test& test, const Plan& plan, PtxText& text);

// At least so many clock cycles: nanosleep may return at once. Once in a kernel for each number of cycles.
void pause(unsigned cycles, const std::string& why, PtxText& text);

}  // namespace litmus::gpu
