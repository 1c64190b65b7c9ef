// Undefined behaviour and blocked threads in words.
#pragma once

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
    bool says_why = false;           // some line says which rule is broken
    std::vector<Access> accesses;    // the events that it is about, each place once, in the order of the test
    size_t number = 0;               // among the hazards that it was told with (Hazards::found)
};

// What a hazard of this program is, and what its witness shows.
HazardText explain(const Program& program, const Hazard& hazard);

// All of them in words; a flag that holds only where an earlier one of the model does is left out: a mistake raises several.
std::vector<HazardText> explain(const Program& program, const Hazards& hazards);

// What became of one mbarrier object in an execution.
struct MbarrierStory {
    struct Update {
        size_t event = 0;       // the write that brought it about
        std::string what;       // "P1:12 mbarrier.arrive ..."
        std::string state;      // behind it: "{phase 0, pending 1, tx 0}"
        std::string completes;  // "phase 0" where that phase ends here; else empty
    };
    std::string object;  // "bar"
    std::string state;   // at the beginning
    std::vector<Update> updates;
};
std::vector<MbarrierStory> mbarrier_histories(const Program& program, const Execution& execution);

// The same as text, a line for each object and one for each update in their order: "bar is at {...}", "  P1:12
// mbarrier.arrive ...: {...}, phase 0 completes".
std::vector<std::string> mbarrier_stories(const Program& program, const Execution& execution);

}  // namespace litmus
