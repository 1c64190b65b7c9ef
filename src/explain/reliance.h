// What a verdict rests on: the readings of the ISA without which it would be another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cat/readings.h"
#include "explain/depends.h"
#include "explain/verdict.h"
#include "solve/solve.h"

namespace litmus {

// A test with the program that it was built into.
struct Subject {
    const Test& test;
    Program& program;
    bool strict = false;  // how it is judged
};

// The verdict of a test under the readings that were asked for, beside that under others.
struct Reliance {
    std::string asked;  // the readings asked for, as --reading names them; empty: the default
    Verdict verdict = Verdict::unknown;
    Verdict weakest = Verdict::unknown, by_default = Verdict::unknown, strongest = Verdict::unknown;  // unknown: not decided
    // The minimal sets of readings that, added to the weakest, change its verdict; and those of them that were asked for, on
    // which the verdict rests when it is not that of the weakest.
    Dependence depends;
    std::vector<std::vector<std::string>> rests_on;
    std::map<std::string, std::vector<std::string>> refuted;  // of the readings in `depends`: the devices, where there are any
};

// What the verdict of `answer`, which was found under the readings `on` (`asked`, as above), rests on; nothing when no reading
// of the model concerns the test. All questions together have what is left of the program's budget. Throws as Solver::solve.
std::optional<Reliance> reliance(const Subject& subject, ModelFamily& family, const std::vector<std::string>& on, const std::string& asked,
                                 const Answer& answer, Solver& solver);

}  // namespace litmus
