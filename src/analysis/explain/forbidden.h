// Why no execution of a test satisfies a condition: each way in which one could end that does, and why the model forbids it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/explain/why.h"
#include "language/test.h"
#include "solve/solve.h"

namespace litmus {

struct Forbidden {
    struct Case {
        std::vector<uint64_t> values;  // parallel to `observables`
        WhyNot why;                    // its executions point into `program`
    };
    std::unique_ptr<const Test> test;  // with the condition as its filter
    std::unique_ptr<Program> program;  // of that test
    std::vector<Observable> observables;
    std::vector<Case> cases;  // the final states that satisfy the condition and that some execution has, were there no axioms
    bool complete = false;    // there are no other such states
    bool decided = true;      // false: the time or the memory was spent before all were found
    // No cases: the filter of the test leaves them all out; or else what each observable can be, were there no axioms, whatever the
    // others are (parallel to `observables`, sorted; none at all where no execution ends).
    bool filtered_out = false;
    std::vector<std::vector<uint64_t>> possible;
    bool possible_complete = false;  // nothing else is possible
    bool some_end = false;           // some execution ends
};

struct ForbiddenOptions {
    int unroll = 2;
    Budget budget = {};     // for all questions together
    size_t most_cases = 8;  // that are explained, at least 1
    size_t most_ways = 16;  // in which one of them could come about, that are explained
    bool possible = true;   // where there are no cases: what keeps them out (Forbidden::filtered_out, possible) is found out
};

// `wanted` is about the registers and locations of the test, and no execution that the model allows and that passes the test's
// filter satisfies it. Throws as build_program and Solver::solve.
Forbidden why_none(const Test& test, const Condition& wanted, const Model& model, const ForbiddenOptions& options, Solver& solver);

}  // namespace litmus
