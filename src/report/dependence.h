// What a verdict rests on: the readings of the ISA without which it would be another.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cat/readings.h"
#include "explain/depends.h"
#include "report/verdict.h"
#include "solve/solve.h"

namespace litmus {

// The graphs of a family's models, specialised to programs, by what of a program they depend on (possible_bases): tests are
// many, and few differ in that. Safe to share among threads.
class Graphs {
public:
    // The graph under these readings, as specialised_text gives it; `model` is asked for when it is not known yet.
    std::string under(const std::set<std::string>& readings, const Program& program, const std::function<const Model&()>& model);

private:
    std::mutex mutex_;
    std::map<std::pair<std::vector<bool>, std::set<std::string>>, std::string> known_;
};

// A test with what it was built into: the program, and its waiting_program, in which hazards are looked for.
struct Subject {
    const Test& test;
    Program& program;
    Program* waiting = nullptr;  // null: no thread can wait, and hazards are those of the program
    bool strict = false;         // how it is judged
    Graphs* graphs = nullptr;    // kept for other tests of the same family; null: for none
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
