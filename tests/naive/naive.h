// The naive front end: what a small test can do, found without any of the checker's own ways from a test to its events.
//
// Every thread is run alone, concretely, in every way that the values it may read allow (interpreter.h); for every
// combination of such runs each matching reads-from is an execution, whose events all happen and have constant values, and
// the model is asked of it for every co and sc (brute_force.h). Nothing is merged, unrolled symbolically or recognised, and
// nothing of src/event's builder is used. Failing iterations of awaits and loops are all kept, up to a bound.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brute_force.h"
#include "memory.h"

namespace litmus::naive {

using At = std::pair<int, int>;  // thread, instruction

struct Answer {
    OutcomeSet outcomes;                // parallel to Answers::coordinates
    std::set<std::pair<At, At>> races;  // which instructions race, iterations ignored
    std::set<std::string> undefined;    // names of flags
    bool blocked = false;               // in some execution threads stay blocked for ever
    bool terminates = false;            // some execution ends
};

struct Answers {
    std::vector<std::string> coordinates;  // "P0:r0", "x"; those that hold addresses or state tokens are left out
    std::vector<Answer> by_model;
    size_t executions = 0;  // choices of traces and rf
    bool cut = false;       // some thread ran into the bound on loops
};

struct Limits {
    int failures = 2;               // failing iterations of an await, repetitions of a loop
    size_t combinations = 2000000;  // of traces
    size_t executions = 1500;
};

// Throws Unsupported where the test has something that the naive path does not know, or takes more than the limits.
Answers answer(const Test& test, const std::vector<const Model*>& models, const Limits& limits);

}  // namespace litmus::naive
