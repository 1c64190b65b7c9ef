// What became of a test in all of many settings, and what the model says of it. Settings under which the same became of it are one finding,
// which the model is asked about once.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/compiled/assemble.h"
#include "analysis/compiled/judge.h"
#include "analysis/compiled/rebuild.h"
#include "cat/readings.h"
#include "language/test.h"
#include "solve/solve.h"

namespace litmus::compiled {

struct Made {
    std::vector<Setting> settings;
    CompiledTest compiled;
};

struct AllMade {
    std::vector<Made> made;
    std::vector<std::pair<Setting, Cost>> costs;           // of all threads together, where it was assembled
    std::vector<std::pair<Setting, std::string>> refused;  // with the reason
};

// `test` is native.
AllMade make_all(const Test& test, const std::vector<Assembled>& assembled);
AllMade make_all(const Test& test, const Settings& settings);

struct Finding {
    std::vector<Setting> settings;
    CompiledTest compiled;
    Ruling ruling;
};

struct Report {
    std::string file;
    Test test;                      // native
    std::vector<Finding> findings;  // the worst first
    std::vector<std::pair<Setting, Cost>> costs;
    std::vector<std::pair<Setting, std::string>> refused;
    std::vector<std::string> left_out;                             // lines: instructions that were not looked at
    Truth race_free = Truth::unknown, undefined = Truth::unknown;  // the source
    Reading::Base readings = Reading::Base::weakest;               // under which all was asked

    // The worst of all; unknown where it was assembled nowhere, or where not all was looked at and nothing is forbidden.
    Fate fate() const;
};

// Of what was made of it. `test` is native. Throws as Judge.
Report report_on(const std::string& file, const Test& test, AllMade all, ModelFamily& family, Solver& solver, int unroll,
                 const Budget& budget);
// Of what is made of it in these settings.
Report report_on(const std::string& file, const Test& test, const Settings& settings, ModelFamily& family, Solver& solver, int unroll,
                 const Budget& budget);

}  // namespace litmus::compiled
