// Two models on one test: what executions of the one show and none of the other does, and which axioms and readings are why.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "solve/solve.h"

namespace litmus {

// The model of a file under some of its readings. Two sides with one family are two readings of one file.
struct ModelSide {
    ModelFamily& family;
    std::vector<std::string> readings;  // those that are on
    const Model& model() const { return family.under(readings); }
};
using TwoModels = std::array<ModelSide, 2>;

// Whether no execution of any program can tell the two apart, their graphs being the same.
bool same_model(const TwoModels& models);

// An outcome, or undefined behaviour, a race or a hang, that one of the two models has and the other rules out.
struct Difference {
    size_t by = 0;                 // 0 or 1: the model that has it
    std::vector<uint64_t> values;  // of an outcome, by observable; else none, and
    std::string what;              // "data race on x", "undefined: read of copy destination", "threads that wait for ever"
    std::vector<std::string> at;   // the places it is about: "P0:8 st.weak.global.u32 [x], 1"
    // The minimal sets of axioms of the other model without one of which it would have the outcome, too; of undefined behaviour
    // and the like, those that the execution breaks which shows it. None: no axiom is why, but how the flag is defined.
    std::vector<std::vector<std::string>> axioms;
    // Of two readings of one file: the minimal sets of the other side's readings that rule it out.
    std::vector<std::vector<std::string>> readings;
};

struct ModelDifferences {
    std::vector<Observable> observables;
    std::array<Verdict, 2> verdicts{Verdict::unknown, Verdict::unknown};
    std::vector<Difference> found;  // outcomes first, by their values
    bool decided = true;            // false: there may be more
    std::string undecided;          // why
};

// `program` is that of the test, built with BuildOptions::blocked; all questions together have what is left of its budget.
// `strict` as judge() takes it. Throws as Solver::solve.
ModelDifferences differences(const Test& test, Program& program, const TwoModels& models, Solver& solver, bool strict);

}  // namespace litmus
