// From one test to its result: built, solved and judged in one call.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "analysis/verdict/result.h"
#include "base/budget.h"
#include "cat/readings.h"
#include "event/program.h"
#include "solve/solve.h"

namespace litmus {

struct CheckOptions {
    std::string reading = {};  // of the ISA, as --reading takes it; empty: the default
    int unroll = 2;            // rounds of a loop that does more than wait
    SolveOptions solve = {};
    bool strict = false;  // as judge() takes it: races that the test does not claim count against it
    Budget budget = {};   // for all steps together
};

// A result with what it was made of.
struct CheckedTest {
    std::unique_ptr<Program> program;
    Answer answer;
    Result result;
};

// `file` is the name that the test is shown under; the test outlives what comes back. Throws Failure for a test that cannot be checked,
// OverBudget, and std::logic_error where the two engines disagree. `key` and `hash` of the result, which tell questions apart, stay empty.
CheckedTest check_test(const std::string& file, const Test& test, ModelFamily& family, const CheckOptions& options, Solver& solver);

}  // namespace litmus
