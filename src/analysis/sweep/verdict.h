// The verdict of a sweep: what one run of a whole kernel shows, and what the model says of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/sweep/confirm.h"

namespace litmus {

// What is advised, and whether it was tried: the kernel was changed so, and swept again; its test, and the model asked.
struct Advised {
    std::string change, why, see;     // as in Advice
    bool by_sweep = false;            // the finding is gone, and nothing else has come
    bool by_model = false;            // the model finds no race, either
    bool all_gone = false;            // nothing at all is found
    bool lines_left = false;          // something else is found at the same lines
    std::optional<size_t> with = {};  // of SweptKernel::findings: what is advised there mends this, too
};

struct SweptFinding {
    sweep::Finding finding;
    Advised advised;
    Confirmation confirmation;  // of a race, and of an object that is not initialised; of others nothing is asked
    bool asked = false;
};

struct SweptKernel {
    std::vector<SweptFinding> findings;  // causes first; without those that the model does not confirm
    size_t denied = 0;                   // those
    // Waits at .cta for what another block completes order nothing between blocks (ISA 8.7.1). Findings that come of this alone are counted
    // here and not among the others.
    size_t out_of_scope = 0;
    std::vector<sweep::Place> narrow_waits;
    std::vector<std::string> conditions;  // why other orders of the threads could do something else
    uint64_t instructions = 0, accesses = 0;

    bool is_wrong() const { return !findings.empty() || out_of_scope > 0; }
};

// Sweeps, asks the model about the first findings, and tries what is advised; the budget of `options` is not asked. Throws Failure, at its
// line of the PTX, where the kernel has something that cannot be executed, and OverBudget.
SweptKernel judge_sweep(const kernel::Module& module, const kernel::Launch& launch, sweep::Options how, ModelFamily& family,
                        const CheckOptions& options, Solver& solver);

}  // namespace litmus
