// Undefined behaviour and blocked threads in words.
#pragma once

#include <string>
#include <vector>

#include "solve/solve.h"

namespace litmus {

struct HazardText {
    Hazard::Kind kind = Hazard::Kind::undefined;
    std::string title;               // "read of bulk destination", "may deadlock"
    std::vector<std::string> lines;  // who and where: "P1:14 await ... [bar], 0: bar is at {phase 0, pending 1, tx 0}"
};

// Whether threads may wait for ever in this test, or something undefined may come up.
bool has_hazards(const Test& test);

// Looks for the hazards of a test that can have any, puts them into `answer`, and gives them in words. Throws as
// Solver::hazards.
std::vector<HazardText> find_hazards(const Test& test, const Model& model, BuildOptions build, Solver& solver, Answer& answer);

// What became of each mbarrier object, a line for it and one for each update in their order: "bar is at {...}", "  P1:12
// mbarrier.arrive ...: {...}, phase 0 completes".
std::vector<std::string> mbarrier_stories(const Program& program, const Execution& execution);

// What a hazard of this program (built with BuildOptions::blocked) is, and what its witness shows.
HazardText explain(const Program& program, const Hazard& hazard);

}  // namespace litmus
