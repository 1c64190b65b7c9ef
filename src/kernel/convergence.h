// Whether the lanes of a warp come to `.aligned` barriers together.
//
// `bar`, and `barrier` with `.aligned`, ask that all threads execute the same instruction: in code that is executed under a condition all
// have to evaluate it alike, or the behaviour is undefined (ISA 9.7.13.1; of barrier.cluster 9.7.13.3). Here this is asked of the lanes of
// each warp of the launch, as different warps may come to different barriers (9.7.13.1). A lane that has exited is asked nothing.
//
// Known is what each lane executes, in its order, as long as no branch on a value that is read comes in. What is not known is said.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernel/trace.h"

namespace litmus::kernel {

// A barrier to which some lanes of a warp come, while others come to another one, or pass it by.
struct Divergence {
    size_t thread = 0, instruction = 0;  // of Traces::threads, and of its body
    std::string message;
};

struct Convergence {
    std::vector<Divergence> broken;     // one for each statement
    std::vector<std::string> presumed;  // where that lanes come together depends on what they read, or on when they exit
};

Convergence convergence(const Module& module, const Traces& traces);

}  // namespace litmus::kernel
