// The instructions of a kernel that synchronize, and the ways to have less of them, as changes of its PTX.
#pragma once

#include <string>
#include <vector>

#include "analysis/sweep/advice.h"
#include "kernel/module.h"

namespace litmus {

// Less of an instruction.
struct LessOfIt {
    std::string name;            // that it has then: "ld.relaxed.gpu.global.u32"; empty: it is gone
    std::vector<PtxEdit> edits;  // of all its statements
};

// An instruction that orders or waits, wherever the kernel has it at this CUDA line.
struct Synchronization {
    std::vector<const kernel::Statement*> statements;  // the first is the one that is named
    std::vector<LessOfIt> ways;                        // the least first; empty: it cannot be taken out
};

// Those of this kernel and of the functions beside it, in the order of the PTX. A barrier with a number of threads is one with all others
// of its number: half of it would be no barrier. The arrival at a cluster's barrier goes with the wait behind it. A barrier that gives a
// result has no way to be less, since something needs the result. No way has a name that the target of the module lacks.
std::vector<Synchronization> synchronizations(const kernel::Module& module, const std::string& entry);

// In place of each statement something that tells whether the run comes there: a trap.
std::vector<PtxEdit> marked(const kernel::Module& module, const Synchronization& part);

}  // namespace litmus
