// Sweep: one run of a whole kernel, with all its threads, that is searched for what no order of threads excuses.
//
// Kernels that copy through rings of mbarrier objects synchronise deterministically: which phase an arrival belongs to does not depend on
// the schedule, and so neither does what is ordered before what. One run then shows what every other would. model/sweep.md says under which
// conditions, and proves it. The run executes warps with their real counts, stages and tiles, and keeps vector clocks
// (clock.h) and the accesses that memory has seen (shadow.h). It takes time in proportion to the instructions. What makes other schedules
// differ from this one is said (`conditions`).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/budget.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "kernel/seat.h"
#include "ptx/instruction.h"
#include "sweep/breach.h"
#include "sweep/circles.h"
#include "sweep/left.h"
#include "sweep/log.h"
#include "sweep/schedule.h"

namespace litmus::sweep {

// An instruction of a thread.
struct Place {
    kernel::Seat seat;
    const kernel::Statement* statement = nullptr;
    bool earlier = false;  // of an earlier launch of the stream, which may still run (grids.h)
};

struct Decoded;
struct Finding;

struct Options {
    uint64_t most_steps = 50'000'000;  // instructions of warps
    Budget budget = {};
    std::optional<Watch> watch = {};                     // what is logged
    std::function<bool(const Finding&)> ends_with = {};  // the run ends with the first finding of which this holds; null: with none
    Schedule schedule = {};
    bool records = false;   // Swept::took is asked for
    bool prunes = false;    // a run with choices ends where it shows nothing that another one does not
    bool explores = false;  // more than two orders are looked at, where a contended access decides (explore.h)
    uint32_t gpus = 1;      // whose blocks these are: as many of each, in the order of their numbers
    // Whether operations on an mbarrier object synchronise in their scopes alone (ISA 8.7.1). Kernels of clusters wait at .cta for what
    // another block completes, which then is the cause of a race at each thing that they do with it.
    bool in_scope = true;
    bool compares_scopes = false;  // Swept::of_scopes_alone is asked for
    // What earlier launches of the stream have left in the order of the threads, and in the contrary one; null: there were none.
    std::shared_ptr<const Left> before = {}, before_contrary = {};
    std::shared_ptr<const Decoded> decoded = {};   // (code.h) that other runs have, too; of another launch, or null: it is decoded
    const kernel::Module* changed_from = nullptr;  // the module is this one with other instructions: its variables are those of this one
    bool leaves = false;                           // Swept::left is asked for
    bool keeps_running = false;                    // with what a launch has to know that may begin before this one is over
};

// The two accesses of a race.
struct Clash {
    struct Side {
        std::optional<Op> op = {};  // none: the table lacks it
        bool writes = false;
        bool apart = false;                        // an asynchronous operation
        Scope scope = Scope::none;                 // none: weak
        uint8_t size = 0;                          // of an element, bytes
        std::string object = {};                   // the mbarrier object that completes it: "`full` at byte 0 of block 0"; empty: none
        const kernel::Statement* since = nullptr;  // by which its thread had synchronised last with other warps; null: by none
    };
    Side earlier, later;
    bool fresh = false;  // nobody has written the place before
    bool again = false;  // the phase that completes the earlier operation is not the first
    bool apart = false;  // their blocks are on two GPUs
};

// The phase of an mbarrier object that a finding is about.
struct Tally {
    const kernel::Statement* init = nullptr;  // where its count was given
    int64_t count = 0;                        // that is
    int64_t arrivals = 0, bytes = 0;          // that it lacks; below 0: so many too many
    Memory object = {};
    uint32_t phase = 0;
};

struct Finding {
    Kind kind = Kind::race;
    Breach breach = Breach::unordered;
    std::string text;  // "race on `A` at byte 64"
    std::vector<Place> places;
    std::optional<Memory> byte = {};  // of a race: the first one; where an mbarrier object is not initialised: that
    size_t number = 0;                // in the order in which they are found
    Schedule schedule = {};           // by which it is found again
    std::optional<Clash> clash = {};  // of a race
    std::optional<Tally> tally = {};  // of arrivals, phases, and waits for them
    std::vector<Place> order = {};    // of a run with choices: the strong accesses before it, one after the other
};

// Causes before what follows from them. Who waits at once, or brings bytes that nobody expects, is wrong by itself; a read in the first
// round of a ring that comes before its data has no other cause, and lets its thread go on too far; of other phases and races a race may
// be the consequence.
bool comes_before(const Finding& a, const Finding& b);

// A warp that can go on, and with what; null: it exits at the end of the kernel's code.
struct Able {
    uint32_t warp = 0;
    const kernel::Statement* next = nullptr;
};

// A strong access that a schedule with choices let go next, and among how many warps.
struct ChosenAccess {
    Place place;
    uint32_t alternatives = 0;
};

struct Swept {
    std::vector<Finding> findings;    // each pair of statements once; causes first
    std::vector<Place> out_of_scope;  // waits that got nothing from another block; see Options::in_scope
    // Barriers of a block that ended while threads had exited and not come there (9.7.12.7): they may stand where not all come by.
    std::vector<const kernel::Statement*> uneven;
    bool of_scopes_alone = false;         // nothing at all is found without Options::in_scope; false: that is not known, or not asked for
    std::vector<std::string> conditions;  // why another schedule could do something else; empty: none does
    std::set<std::string> of_order;       // of the conditions those which say that the order of strong accesses decides
    bool timed = false;                   // a clock decided which way a thread went on, and both ways do go on
    bool elects = false;                  // a lane was elected: in the contrary order it is another one
    bool contended = false;               // what a strong access finds depends on the order, and decides something
    std::vector<ChosenAccess> chosen;     // where the schedule has choices
    bool shown_elsewhere = false;         // it has ended for Options::prunes
    bool chose_all = false;               // no strong access was executed without one
    std::vector<std::string>
        out_of_line;                     // where the schedule has choices: why executions may have other orders than those of all schedules
    bool of_lanes = false;               // likewise: lanes of one warp have several places in an order
    bool too_many_lanes = false;         // likewise: too many lanes of one warp could be chosen one by one
    std::vector<std::string> practices;  // on what this rests that GPUs do, and the ISA does not say
    Circles circles;                     // likewise
    std::set<Memory> contended_places;   // likewise: where strong accesses are not ordered, but for sums
    std::set<Memory> waited_places;      // likewise: where a thread waits for what comes in every order
    std::set<Memory> deciding_places;    // those of them where what one gives decides something
    std::set<uint32_t> deciding_loads;   // likewise: single ones among these accesses, by number of the step
    std::set<uint32_t> no_detours;       // where the schedule has detours: those of its loads with which none may begin
    std::set<uint32_t> more_detours;     // likewise: other loads to which these have led
    bool took_detours = false;           // likewise: some began
    bool early_detours = false;          // likewise: a word that a detour had looked at was written later
    std::map<Memory, size_t> writes;     // likewise: how many strong writes each word has seen that a detour looked at
    std::map<size_t, ByteSet> handed_on;  // with lives: more bytes of shared memory that a life finds as an earlier one has left them
    bool exchanged = false;               // of blocks, or threads, that are alike one was chosen
    std::string not_exchangeable;         // where the schedule exchanges blocks, or threads: why it must not; empty: it may
    uint64_t instructions = 0;            // of warps
    uint64_t accesses = 0;                // ranges of bytes
    uint64_t written = 0;                 // bytes of global memory, by the first of several runs that are added
    uint64_t work = 0;                    // where the schedule has choices: warps that were looked at
    std::vector<Event> log;               // as Options::watch asks for it
    bool ended = false;                   // all threads have exited
    Schedule took = {};                   // that repeats this run, where it is asked for
    std::vector<Able> able;               // where the schedule stops the run: who can go on
    std::shared_ptr<const Left> left;     // to the next launch, where it is asked for
};

// Throws Failure, at its line of the PTX, where the kernel has something that cannot be executed here, or where a turn of the schedule does
// not fit it. Throws OverBudget.
Swept sweep(const kernel::Module& module, const kernel::Launch& launch, const Options& options = {});

}  // namespace litmus::sweep
