// The tests of the library that `repairs` another, and what each adds to it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/repair/repair.h"

namespace repair_pairs {

using namespace litmus;

// By name, every test below a folder.
std::map<std::string, Test> tests_below(const std::string& folder);

// Why the known repair of a mended test, by its name, is not among the cheapest: lines MENDED TEST | REASON of
// tests/analysis/repair/known.txt.
std::map<std::string, std::string> known_reasons();

// One step from a test to its mended form.
struct Step {
    int thread = -1;                   // -1: a declaration
    std::vector<Instruction> in, out;  // at most one of each
};

// A smallest part of the difference between two tests that repairs the first.
struct Needed {
    Test test;  // with that part
    std::vector<Step> steps;
    std::string text;
};

// What of a mended test is needed: what it does besides, it does to observe more. Nothing: no part of the difference repairs the test, or
// there are too many to try.
std::optional<Needed> needed(const Test& bug, const Test& mended, const Goal& goal, const Model& model, Solver& solver);

// Whether the repair takes these steps, in the same threads, or weaker ones; and no other, unless the mended test does.
bool takes(const Test& bug, const Test& repaired, const Test& mended, const Needed& known);

}  // namespace repair_pairs
