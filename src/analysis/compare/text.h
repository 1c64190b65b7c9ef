// What `litmus compare` found, as text for people and JSON for programs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/verdict/text.h"

namespace litmus {

// One test that was compared, or why it was not.
struct ComparedTest {
    std::string file, test;
    ModelDifferences result;
    std::string not_compared;  // why it was not: a model that has no word for it
    std::vector<Diagnostic> errors;
    std::string internal_error;
};

// The two models as the command line named them: "ptx under weakest".
using SideNames = std::array<std::string, 2>;

// 0 nothing differs, 1 something does, 2 an error, 3 not decided or not compared, 70 an internal error.
int exit_status(const ComparedTest& test);

// The lines of a test that differs or was left undecided; nothing of others.
std::string compared_text(const ComparedTest& test, const TextStyle& style);
// "A: ptx under weakest ...", before all tests; the totals, after them.
std::string comparison_head(const SideNames& sides, const TextStyle& style);
std::string comparison_end(const std::vector<ComparedTest>& tests);

// One line without its end; src/schemas/compare.json says what is in it.
std::string compared_json(const ComparedTest& test, const SideNames& sides);

}  // namespace litmus
