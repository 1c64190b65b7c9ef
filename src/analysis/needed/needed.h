// The needs of a kernel: each fence, barrier, wait and qualifier is taken out or made weaker, one at a time, and all threads are run again.
//
// It is there for what goes wrong then. Where nothing does, the claim is small: these launches do not need it, in the orders that are run.
// Another size may, and of two that can each go both may not. A kernel that is wrong as it is needs no less than it has: what comes without
// a part may be what is found already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/needed/parts.h"
#include "analysis/sweep/confirm.h"
#include "sweep/orders.h"

namespace litmus {

enum class NeededFate : uint8_t {
    needed,
    weaker_will_do,
    not_needed,
    not_executed,  // no thread comes there
    unknown,
};

struct NeededPart {
    NeededFate fate = NeededFate::unknown;
    const kernel::Module* module = nullptr;
    std::vector<const kernel::Statement*> statements;  // Synchronization::statements
    std::string weaker;                                // the name that will do
    // The effect of its absence, or of the least of it: a finding, or why other orders could then do something else. It says why, where
    // nothing is known. Empty: nothing comes.
    std::string without;
    std::vector<std::string> lines;  // of that finding: "ring.cu:42"
    bool by_model = false;           // the model confirms it
};

struct Needed {
    std::vector<NeededPart> parts;        // in the order of the PTX
    size_t findings = 0;                  // of the kernel as it is
    std::vector<std::string> conditions;  // likewise, why other orders of the threads could do something else
    bool partial = false;                 // time or memory ran out
};

// Is told how many parts have been looked at, of how many.
using NeededProgress = std::function<void(size_t done, size_t all)>;

// The launches are those of one stream. The budget of `how` bounds it all: what it does not last for is unknown. `options` has no say in
// that. Throws Failure where the machine does not execute a kernel as it is, and OverBudget where it has no time to run it once.
Needed needed(const std::vector<sweep::Started>& launches, const sweep::Options& how, ModelFamily& family, const CheckOptions& options,
              Solver& solver, const NeededProgress& progress = {});

}  // namespace litmus
