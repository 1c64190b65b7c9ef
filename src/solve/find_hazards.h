// The search for hazards: an execution of each flag, of each race, and of threads that stay blocked.
#pragma once

#include <functional>

#include "cat/evaluate.h"
#include "solve/encode.h"
#include "solve/hazards.h"
#include "solve/sat/backend.h"
#include "solve/symmetry.h"

namespace litmus {

// A program and a model in the backend, and how to ask it.
struct HazardQuestion {
    Program& program;
    const Model& model;    // as the concrete engine evaluates it, its flags included
    CommonValues& common;  // of the two
    const Model& encoded;  // as it is encoded: the same constraints in the same order
    Encoding& encoding;
    Backend& backend;
    const Symmetry& symmetry;                                                   // by which the encoding is bounded
    std::function<Backend::Result(const std::vector<Lit>& assumptions)> check;  // within the time limit
};

// Looks for an execution of each flag, of each race (by the places of the two accesses), and of threads that stay. What a
// query leaves undecided is unknown in the result. Throws GaveUp, OverBudget, and std::logic_error where the two engines disagree.
Hazards search_hazards(const HazardQuestion& question);

// Nothing found and nothing known to be absent; and why.
Hazards undecided_hazards();
Hazards undecided_hazards(const GaveUp& why);
Hazards undecided_hazards(const OverBudget& why);

// Looks for hazards alone, in a backend that forgets what it was told before; of `counts_from` see Solver.
Hazards find_hazards(Program& program, const Model& model, Backend& backend, size_t counts_from);

}  // namespace litmus
