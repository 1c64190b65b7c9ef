// One test, asked of the sweep and of the model: what each says of it, and whether both can be right.
#pragma once

#include <string>
#include <vector>

#include "cat/readings.h"
#include "language/test.h"
#include "solve/solve.h"
#include "sweep/sweep.h"

namespace litmus {

// What goes wrong. The model says of an asynchronous access that it races, or that it is undefined, or both.
struct Judged {
    bool wrong = false, stuck = false;
    bool any() const { return wrong || stuck; }
    friend bool operator==(const Judged&, const Judged&) = default;
};
std::string text_of(const Judged& said);

// `leaves`: the model says that an operation is under way at an exit, which it reports beside the verdict of a test.
Judged judged(const sweep::Swept& swept, bool leaves);
Judged judged(const Hazards& hazards);

// After undefined behaviour nothing is said of who waits, and who waits for ever keeps others from what is undefined.
bool agree(const Judged& one, const Judged& other);

// What is the same in the reasons for refusals.
std::string kind_of_refusal(const std::string& refusal);

struct Comparison {
    enum class Kind : uint8_t {
        clean,        // nothing is wrong, for either
        found,        // something is, for both
        conditional,  // the sweep finds nothing, and has a condition
        by_schedule,  // for the sweep, a phase depends on the schedule; for the model nothing is wrong
        refused,      // one of them does not take the test
        differs,
    };
    Kind kind = Kind::clean;
    Judged model, sweep;
    bool condition = false;  // the sweep has one
    bool practice = false;   // what the sweep says rests on a practice of GPUs
    bool detours = false;    // in the sweep's last search threads took detours
    size_t values = 0;  // words of memory that the sweep has computed and that were compared with all outcomes; none of a test that elects
    std::vector<std::string> hazards;  // of the model, by what they are of: of a race the location; each once
    bool strong_races = false;         // all that the sweep finds are races of a strong access
    std::string rule;                  // about operands, that the test breaks, without numbers; empty: none
    std::string why;                   // of a refusal, without numbers; of a difference, both answers
};

// Where the sweep has no condition, it has to find something if and only if the model does. Where both find nothing, the words that it has
// computed have to be in every outcome. Where it has a condition, or elects a lane, it runs in the contrary order, too, and has to find
// nothing that is not there. The model has its default readings; where the sweep takes a vector for one access, as GPUs do it, the model
// does so, too, by the reading `vector-whole`. A phase that depends on the schedule is a wait that may end too late or never, and goes with
// any hazard of the model. A rule about operands that the test breaks counts as undefined behaviour, wherever threads of the kernel come to
// before. The solver has a budget; what it leaves open counts as a refusal.
Comparison compare_with_model(const Test& test, ModelFamily& models, Solver& solver);

}  // namespace litmus
