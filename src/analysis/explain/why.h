// Why a model forbids an outcome or an execution: the axioms that rule it out, and the events on which it breaks them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/explain/derivation.h"
#include "cat/model.h"
#include "event/execution.h"
#include "solve/solve.h"

namespace litmus {

// Where an execution breaks an axiom, told as briefly as can be.
struct BrokenAxiom {
    size_t constraint = 0;  // index into Model::constraints
    std::string axiom;      // its name
    bool cycle = false;     // the derivations form one; else there is one, of the pair or event that should not be there
    std::vector<Derivation> derivations;
    std::vector<size_t> events;  // of the execution: those of the cycle in its order, or the pair
};

// One for each axiom that the execution breaks, in the order of the model; none: it is consistent. Throws OverBudget when
// the budget of its program is spent.
std::vector<BrokenAxiom> breaches(const Model& model, const Execution& execution);

// An execution that has an outcome and would be allowed, were it not for the axioms that it breaks.
struct Refuted {
    std::string axiom;  // one that it breaks
    Execution execution;
    std::vector<BrokenAxiom> breaches;  // all that it breaks; that of `axiom` first
};

// Why no execution that the model allows has an outcome.
struct WhyNot {
    bool known = true;  // false: not decided within the time limit
    // The minimal sets of axioms such that the model without one of the sets allows the outcome; empty: no execution at all
    // has these values, whatever the axioms.
    std::vector<std::vector<std::string>> axioms;
    // A smallest set of axioms that forbid the outcome together: for each an execution that breaks it and none of the others.
    // Then executions that break one of these in other ways.
    std::vector<Refuted> refuted;
    std::vector<std::string> set_aside;  // the axioms that some of these executions break
    // Every execution that has the outcome and keeps the axioms that are not set aside breaks one in one of these ways.
    bool all_ways = false;
};

// `outcome` is one that the model forbids, by the observables of Solver::solve; the filter of the test is left aside. Ways
// beyond one for each axiom are sought while there are fewer than `most_ways`. `example`: an execution that has the outcome, whichever
// axioms it breaks, where one is known. The result points into the program. Throws as Solver::solve.
WhyNot why_forbidden(Program& program, const Model& model, const std::vector<uint64_t>& outcome, Solver& solver, size_t most_ways = 1,
                     const Execution* example = nullptr);

}  // namespace litmus
