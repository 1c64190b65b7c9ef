// Whether the lanes of a warp come to `.aligned` barriers together.
//
// `bar`, and `barrier` with `.aligned`, ask that all threads execute the same instruction: in code that is executed under a condition all
// have to evaluate it alike, or the behaviour is undefined (ISA 9.7.13.1; of barrier.cluster 9.7.13.3). Here this is asked of the lanes of
// each warp of the launch, as different warps may come to different barriers (9.7.13.1). A lane that has exited is asked nothing.
//
// Known is what each lane executes, in its order, as long as no branch on a value that is read comes in. What is not known is said.
#pragma once

#include "kernel/findings.h"
#include "kernel/trace.h"

namespace litmus::kernel {

// Broken: a barrier to which some lanes of a warp come, while others come to another one, or pass it by. Presumed: whether they come
// together depends on what they read, or on when they exit.
Findings convergence(const Module& module, const Traces& traces);

}  // namespace litmus::kernel
