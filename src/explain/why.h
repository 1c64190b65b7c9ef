// Why a model forbids an outcome or an execution: the axioms that rule it out, and the events on which it breaks them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cat/model.h"
#include "event/execution.h"
#include "solve/solve.h"

namespace litmus {

// Where an execution breaks an axiom.
struct Breach {
    std::string axiom;
    bool cycle = false;          // the events form one; else they are the pair, or the set, that should not be there
    std::vector<size_t> events;  // of the execution
};

// One for each axiom that the execution breaks, in the order of the model; none: it is consistent. Throws OverBudget when
// the budget of its program is spent.
std::vector<Breach> breaches(const Model& model, const Execution& execution);

// Why no execution that the model allows has an outcome.
struct WhyNot {
    bool known = true;  // false: not decided within the time limit
    // The minimal sets of axioms such that the model without one of the sets allows the outcome; empty: no execution at all
    // has these values, whatever the axioms.
    std::vector<std::vector<std::string>> axioms;
    std::optional<Execution> execution;  // has the outcome, and breaks only the first set
    std::vector<Breach> breaches;        // of that execution
};

// `outcome` is one that the model forbids, by the observables of Solver::solve; the filter of the test is left aside. The
// result points into the program. Throws as Solver::solve.
WhyNot why_forbidden(Program& program, const Model& model, const std::vector<uint64_t>& outcome, Solver& solver);

}  // namespace litmus
