// Advice: the smallest change that mends what the sweep found, in CUDA's words and at its lines, and why.
//
// Which change that is follows from what was found (Breach), and for a race from the two accesses and the threads that do them. A remedy is
// a change that can be made in the PTX, so that it can be tried (trial.h). What is advised without a trial says no more than what the
// finding itself shows.
#pragma once

#include <string>
#include <vector>

#include "kernel/launch.h"
#include "kernel/module.h"
#include "sweep/sweep.h"

namespace litmus {

// Instructions that are put in beside a statement of the PTX.
struct Insertion {
    const kernel::Statement* at = nullptr;
    bool before = false;  // else behind it
    bool alike = true;    // and beside all others of its CUDA line that are spelled alike, as an unrolled loop has them
    std::string ptx;      // "fence.proxy.async;"
};

struct Remedy {
    std::string change;  // "`__syncthreads()` before ring.cu:42"
    std::vector<Insertion> insertions;
};

struct Advice {
    std::vector<Remedy> remedies;  // the smallest first
    std::string change;            // where none of these is known to help; empty: no more can be said
    std::string why;               // one sentence, without its full stop
    std::string see;               // of the library: "lessons/09-async-proxy.md", "async/init/no-barrier.litmus"
};

// `block`: its threads, of the launch.
Advice advice_on(const kernel::Module& module, const kernel::Dimensions& block, const sweep::Finding& finding);

// About waits at .cta for what another block completes.
Advice advice_on_narrow_waits();

}  // namespace litmus
