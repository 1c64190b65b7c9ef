// Undefined behaviour and blocked threads in words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "solve/solve.h"

namespace litmus {

struct HazardText {
    struct Access {
        std::string text;  // one line, as event/program.h describes it
        Span span;         // in the test's source
    };
    Hazard::Kind kind = Hazard::Kind::undefined;
    std::string title;               // "read of bulk destination", "threads that wait for ever"; of a race the location
    std::vector<std::string> lines;  // who and where: "P1:14 await ... [bar], 0: bar is at {phase 0, pending 1, tx 0}"
    std::vector<Access> accesses;    // the events that it is about, each place once, in the order of the test
};

// What a program's executions come to: outcomes and hazards.
struct Examination {
    Answer answer;
    std::unique_ptr<Program> waiting;  // the program that the hazards are of, where threads can wait; null: the one examined
};

// The program in which threads may stay blocked and awaits may fail once, for hazards; null where no thread can wait, and
// the program itself has them all. `build` is what it was built with. Throws as build_program.
std::unique_ptr<Program> waiting_program(const Program& program, BuildOptions build);

// Decides the claim, lists outcomes, looks for hazards in the program or in its waiting_program. The budget of the
// program is for both. Throws as build_program and Solver::solve; a waiting program that there is no time or memory to build leaves
// the hazards undecided.
Examination examine(Program& program, const Model& model, BuildOptions build, const SolveOptions& options, Solver& solver);

// What a hazard of this program is, and what its witness shows.
HazardText explain(const Program& program, const Hazard& hazard);

// All of them in words; a flag that holds only where an earlier one of the model does is left out: a mistake raises several.
std::vector<HazardText> explain(const Program& program, const Hazards& hazards);

// The same in a program of the test that is built already, with BuildOptions::blocked; the witnesses in `answer` point into it.
std::vector<HazardText> find_hazards(Program& program, const Model& model, const SolveOptions& options, Solver& solver, Answer& answer);

// What became of each mbarrier object, a line for it and one for each update in their order: "bar is at {...}", "  P1:12
// mbarrier.arrive ...: {...}, phase 0 completes".
std::vector<std::string> mbarrier_stories(const Program& program, const Execution& execution);

}  // namespace litmus
