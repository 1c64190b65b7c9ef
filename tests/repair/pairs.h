// The tests of the library that `repairs` another, and what each adds to it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "repair/repair.h"

namespace repair_pairs {

using namespace litmus;

// By name, every test below a folder.
std::map<std::string, Test> tests_below(const std::string& folder);

// One step from a test to its mended form.
struct Step {
    int thread = -1;                         // -1: a declaration
    std::vector<Instruction> in, out;        // at most one of each
    std::string what;
};

// A smallest part of the difference that repairs the test; nothing: the whole difference does not, or is too large to take apart.
// What a mended test does besides, it does to observe more.
std::optional<std::vector<Step>> needed(const Test& bug, const Test& mended, const Goal& goal, const Model& model, Solver& solver);

// Whether the repair takes these steps, in the same threads, or weaker ones.
bool takes(const Test& bug, const Test& repaired, const std::vector<Step>& steps);

}  // namespace repair_pairs
