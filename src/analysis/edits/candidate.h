// A test with edits made, and executions carried from one such test to another.
#pragma once

#include <memory>
#include <vector>

#include "analysis/edits/edit.h"
#include "analysis/edits/goal.h"
#include "event/execution.h"

namespace litmus {

// Indices of edits, in increasing order.
using EditSet = std::vector<size_t>;

struct Candidate {
    EditSet set;
    std::shared_ptr<const Test> test;  // with the goal for its claim
    std::shared_ptr<Program> program;
    // By thread and instruction: which instruction of the test without edits it is; -1 - e: it came with edit e.
    std::vector<std::vector<int>> origins;
};

// An execution that shows what is bad, of a test that is therefore not repaired.
struct Counterexample {
    std::shared_ptr<const Candidate> of;
    Sight sight = Sight::satisfies;
    Execution execution;
    std::vector<size_t> final_writes;  // by cell
};

// Where the instructions of `edited`, which the test becomes by these edits, come from.
std::vector<std::vector<int>> origins_of(const Test& test, const std::vector<Edit>& edits, const EditSet& set, const Test& edited);

// Whether the execution, with the events that `to` has besides, is one that the model allows of `to`, and still shows what it
// showed. `to` has all edits that the execution's own candidate has. A no may be wrong: of several ways to order what is new, few
// are tried. Throws OverBudget.
bool survives(const Counterexample& counterexample, const Candidate& to, const Model& model);

}  // namespace litmus
