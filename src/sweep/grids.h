// Grids of a stream that run at once: programmatic dependent launches (ISA 9.7.13.13).
//
// Such a launch may begin when each block of the one before has executed `griddepcontrol.launch_dependents`, or ended. Nothing of that
// launch is ordered before it, but for what a fence before the trigger released. `griddepcontrol.wait` ends when the launch before is over,
// and then all that this did is there, whatever the proxies.
//
// The launches are run one after the other all the same. Races do not depend on what happens to come first: the later run begins with what
// memory has seen in the earlier one. No launch can wait for a later one: nobody guarantees that this begins before it is over.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/module.h"
#include "sweep/clock.h"
#include "sweep/code.h"
#include "sweep/past.h"

namespace litmus::sweep {

// A thread of an earlier launch. Its block and its cluster have numbers beyond those of the launch that looks at it.
struct EarlierThread {
    kernel::Seat seat;
    kernel::Seat own_seat;  // as its launch has it
};

// A programmatic dependent launch has to know this of those that may still run. The last one's threads and statements come first, then
// those of the ones before; accesses have their numbers in these lists.
struct Running {
    std::vector<EarlierThread> threads;
    std::vector<Step> code;
    std::vector<std::shared_ptr<const Linked>> linked;  // that have the statements
    std::vector<Past> arrays;
    std::map<std::pair<const kernel::Module*, std::string>, Past> variables;
    size_t components = 0;
    uint32_t blocks = 0, clusters = 0;  // numbers that the threads have
    Clock started;                      // what fences before the triggers have released
    Clock over;                         // all of the last launch, and what its threads knew at their ends
};

}  // namespace litmus::sweep
