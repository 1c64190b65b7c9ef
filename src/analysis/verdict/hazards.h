// Undefined behaviour and blocked threads in words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/origin.h"
#include "ptx/mbarrier.h"
#include "solve/solve.h"

namespace litmus {

// The model's flag for a bulk operation that may still be under way when the CTA whose memory it reads or writes exits (ISA 9.7.9.25.2).
inline constexpr std::string_view in_flight_at_exit = "in-flight-at-exit";

struct HazardText {
    struct Access {
        std::string text;  // one line, as event/program.h describes it
        Span span;         // in the test's source
        CudaPlace origin;  // in the CUDA source that the test stands for, where that is known
    };
    Hazard::Kind kind = Hazard::Kind::undefined;
    std::string flag;                // of the model; empty of threads that wait for ever
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

// One state of an mbarrier object in an execution.
struct MbarrierChange {
    size_t cell = 0;
    size_t write = 0;  // the event that left the object so: the initial write, or the write of an operation
    MbarrierState now;
    std::optional<uint32_t> completed;  // the phase that this completed
};
// Of each mbarrier object the states that it was in, in their order, the initial one first.
std::vector<MbarrierChange> mbarrier_changes(const Program& program, const Execution& execution);

// What became of each mbarrier object, a line for it and one for each update in their order: "bar is at {...}", "  P1:12
// mbarrier.arrive ...: {...}, phase 0 completes".
std::vector<std::string> mbarrier_stories(const Program& program, const Execution& execution);

}  // namespace litmus
