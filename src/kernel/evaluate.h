// From a kernel and its launch to what is left of each thread.
#pragma once

#include <string>
#include <vector>

#include "base/budget.h"
#include "kernel/trace.h"

namespace litmus::kernel {

struct EvaluateOptions {
    std::vector<std::string> ignored;  // dotted beginnings of instructions to leave out, said in notes ("wgmma")
    size_t most_states = 1'000'000;    // of all threads together
    size_t most_steps = 20'000;        // instructions that are left of one thread
    size_t most_cases = 16;            // of one address that depends on what is read
    Budget budget = {};
};

// Evaluates every thread of the launch. Throws Failure where the kernel has something that cannot be evaluated, at its line of the
// PTX, with the CUDA line in the message, and OverBudget.
Traces evaluate(const Module& module, const Launch& launch, const EvaluateOptions& options = {});

// The same of launches of one stream, in their order, which all have the same arrays: together they are the threads of one test. What the
// first one may find in global memory at its start, and nobody writes, all find there.
Traces evaluate(const Module& module, const std::vector<Launch>& launches, const EvaluateOptions& options = {});

}  // namespace litmus::kernel
