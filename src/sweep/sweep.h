// Sweep: one run of a whole kernel, with all its threads, that is searched for what no order of threads excuses.
//
// Kernels that copy through rings of mbarrier objects synchronise deterministically: which phase an arrival belongs to does not depend on
// the schedule, and so neither does what is ordered before what. One run then shows what every other would. model/sweep.md says under which
// conditions, and proves it. The run executes warps with their real counts, stages and tiles, and keeps vector clocks
// (clock.h) and the accesses that memory has seen (shadow.h). It takes time in proportion to the instructions. What makes other schedules
// differ from this one is said (`conditions`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "kernel/module.h"
#include "kernel/trace.h"
#include "sweep/left.h"
#include "sweep/log.h"

namespace litmus::sweep {

struct Options {
    uint64_t most_steps = 50'000'000;  // instructions of warps
    Budget budget = {};
    std::optional<Watch> watch = {};  // what is logged
    bool backwards = false;           // the last warp of the last block goes first
    uint32_t gpus = 1;                // whose blocks these are: as many of each, in the order of their numbers
    // Whether operations on an mbarrier object synchronise in their scopes alone (ISA 8.7.1). Kernels of clusters wait at .cta for what
    // another block completes, which then is the cause of a race at each thing that they do with it.
    bool in_scope = true;
    // What earlier launches of the stream have left in the order of the threads, and in the contrary one; null: there were none.
    std::shared_ptr<const Left> before = {}, before_backwards = {};
    bool leaves = false;  // Swept::left is asked for
};

// An instruction of a thread.
struct Place {
    kernel::Seat seat;
    const kernel::Statement* statement = nullptr;
};

// What is wrong, in the order in which causes come before consequences.
enum class Kind : uint8_t {
    not_initialised,  // an operation on an mbarrier object that is not known to be initialised
    arrivals,         // more arrivals at a phase than the object was initialised for, or bytes that it does not expect
    phase,            // a wait or an arrival whose phase depends on the schedule
    race,
    undefined,  // what the ISA forbids, whatever is ordered
    stuck,      // a thread that waits for ever
    in_flight,  // an operation on a block's shared memory that may come before the block begins, or after it ends
};

struct Finding {
    Kind kind = Kind::race;
    std::string text;  // "race on `A` at byte 64"
    std::vector<Place> places;
    std::optional<Memory> byte = {};  // of a race: the first one
    size_t number = 0;                // in the order in which they are found
    bool backwards = false;           // found in a run with Options::backwards
};

struct Swept {
    std::vector<Finding> findings;        // each pair of statements once; causes first
    std::vector<Place> out_of_scope;      // waits that got nothing from another block; see Options::in_scope
    std::vector<std::string> conditions;  // why another schedule could do something else; empty: none does
    uint64_t instructions = 0;            // of warps
    uint64_t accesses = 0;                // ranges of bytes
    std::vector<Event> log;               // as Options::watch asks for it
    bool ended = false;                   // all threads have exited
    std::shared_ptr<const Left> left;     // to the next launch, where it is asked for
};

// Throws Failure, at its line of the PTX, where the kernel has something that cannot be executed here, and OverBudget.
Swept sweep(const kernel::Module& module, const kernel::Launch& launch, const Options& options = {});

}  // namespace litmus::sweep
