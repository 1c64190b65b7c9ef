// The cheapest edits that repair a test.
//
// An execution that survives some edits survives fewer of them: edits that only order take executions away. So each counterexample,
// grown to a set of such edits that is as large as possible and leaves it there, says that a repair has an edit outside that set.
// Sets of edits that meet all known demands are tried cheapest first, each by the whole pipeline: it is a repair, or it gives
// the next counterexample. (These are implicit hitting sets, as solvers of MaxSAT and for smallest unsatisfiable subsets use.)
//
// Structural edits, which do more than order, are each the ground on which edits that only order are sought. Several structural edits
// are tried together where they are of one kind, the same mistake made twice, or where the test has few of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/edits/candidate.h"
#include "cat/readings.h"

namespace litmus {

inline constexpr size_t largest_repair = 4;  // edits of one repair, that may be asked for

struct RepairOptions {
    size_t max_edits = 2;
    bool all = false;  // every minimal repair of so many edits, not only the cheapest ones
    bool strict = false;
    int unroll = 2;
    size_t most_effort = 0;  // after which the search ends, in the units of Trials::effort; 0: no bound
    Budget budget = {};
};

struct Repair {
    EditSet edits;  // indices into Repairs::edits
    int price = 0;
    std::string text;          // of the repaired test
    bool raises_flag = false;  // of the model, that the test did not raise and that is no verdict: an operation in flight at the exit
    std::optional<bool> under_weakest;  // whether it holds under the weakest readings, too; nothing: not decided
};

struct Repairs {
    enum class Status : uint8_t {
        nothing_to_repair,  // the test shows nothing bad
        searched,           // all that was asked for was tried
        partial,            // the time or the memory ran out, or something stayed undecided
    };
    Status status = Status::searched;
    std::vector<Edit> edits;      // all that were considered
    std::vector<Repair> repairs;  // cheapest first; of one price, those that hold under the weakest readings first
    std::vector<Repair> robust;   // where none of these is known to hold under the weakest readings: the cheapest that do
    std::optional<Goal> goal;     // none where there is nothing to repair
    size_t effort = 0;            // what the search took (Trials::effort)
    size_t asked = 0;             // how many texts went to the solver
    size_t carried = 0;           // how many executions were carried over instead
};

// The test has the source that it was read from. Throws Failure where that holds other tests, too, and as build_program and Solver;
// std::logic_error where a repair that was found does not stand its last trial.
Repairs repair(const Test& test, ModelFamily& family, const std::vector<std::string>& readings, Solver& solver,
               const RepairOptions& options);

}  // namespace litmus
