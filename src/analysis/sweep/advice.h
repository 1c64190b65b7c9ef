// Advice: the smallest change that mends what the sweep found, in CUDA's words and at its lines, and why.
//
// The change follows from what was found (Breach), and for a race from the two accesses and the threads that do them. Where it depends on
// the line alone, the row of the breach has it (sweep/breach.h). A remedy is a change that can be made in the PTX, so that it can be tried
// (trial.h). Advice without a trial says no more than the finding itself shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/launch.h"
#include "kernel/module.h"
#include "sweep/sweep.h"

namespace litmus {

// A change of the PTX at a statement.
struct PtxEdit {
    enum class Where : uint8_t { before, behind, instead };
    const kernel::Statement* at = nullptr;
    Where where = Where::before;
    bool alike = true;  // and at all others of its CUDA line that are spelled alike, as an unrolled loop has them
    std::string ptx;    // "fence.proxy.async;"; `instead`, empty: the statement goes
};

struct Remedy {
    std::string change;  // "`__syncthreads()` before ring.cu:42"
    std::vector<PtxEdit> edits;
    std::string why = {}, see = {};  // empty: those of the advice
};

struct Advice {
    std::vector<Remedy> remedies;  // the smallest first
    std::string
        change;  // where none of these is known to help: one change at one place, or `sweep::nothing_found`; empty: no more can be said
    std::string why;  // one sentence, without its full stop
    std::string see;  // of the library: "lessons/09-async-proxy.md", "async/init/no-barrier.litmus"
};

// A kernel that was swept.
struct SweptModule {
    const kernel::Module& module;
    kernel::Dimensions block;  // its threads, of the launch
    const sweep::Swept& swept;
};

Advice advice_on(const SweptModule& kernel, const sweep::Finding& finding);

// About waits at .cta for what another block completes.
Advice advice_on_narrow_waits(const kernel::Module& module, const std::vector<sweep::Place>& waits);

}  // namespace litmus
