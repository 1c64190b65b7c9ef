// What the values that a thread reads can change, found by running it again with other values.
#pragma once

#include <set>
#include <utility>

#include "interpreter.h"

namespace litmus::naive {

struct Influence {
    // A read, or the result of a bar.red, to an event of the thread whose existence, place or value it can change.
    std::set<std::pair<StepId, StepId>> decides;
    // ... to an operand (Mention::id) that it can change.
    std::set<std::pair<StepId, StepId>> changes;
};

Influence influence(const Test& test, Memory& memory, Bounds bounds, int thread, const Candidates& candidates);

}  // namespace litmus::naive
