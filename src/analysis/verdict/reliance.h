// What a verdict rests on: the readings of the ISA without which it would be another.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict/depends.h"
#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "solve/solve.h"

namespace litmus {

// A test with the program that was built from it.
struct BuiltTest {
    const Test& test;
    Program& program;
    bool strict = false;  // as judge() takes it: races that the test does not claim count against it
};

// The verdict of a test under the readings that were asked for, beside that under others.
struct Reliance {
    std::string asked;  // the readings asked for, as --reading names them; empty: the default
    Verdict verdict = Verdict::unknown;
    Verdict weakest = Verdict::unknown, by_default = Verdict::unknown, strongest = Verdict::unknown;  // unknown: not decided
    Dependence depends;  // the minimal sets of readings that, added to the weakest, change the verdict
    // The sets in `depends` whose readings were all asked for: on these the verdict rests. None where it is that of the weakest.
    std::vector<std::vector<std::string>> rests_on;
    // By reading, of those in `depends` that some device has refuted: the devices.
    std::map<std::string, std::vector<std::string>> refuted;
};

// What the verdict of `answer`, which was found under the readings `on` (`asked`, as above), rests on; nothing when no reading
// of the model concerns the test. All questions together have what is left of the program's budget. Throws as Solver::solve.
std::optional<Reliance> reliance(const BuiltTest& subject, ModelFamily& family, const std::vector<std::string>& on,
                                 const std::string& asked, const Answer& answer, Solver& solver);

}  // namespace litmus
