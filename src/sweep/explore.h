// More orders of the strong accesses than two: a search for bugs that only a third one has.
//
// A run with choices (schedule.h) has a usual order: who was chosen longest ago goes next. The search departs from it. First come all runs
// that depart once, at one choice to one other warp, then those that depart twice, and so on (limited discrepancy search: W. Harvey and
// M. Ginsberg 1995; for schedules: M. Emmi, S. Qadeer and Z. Rakamaric, Delay-bounded scheduling, 2011). Most bugs need few departures. The
// search ends when no run is left, or when it has spent what it may. Where a level has more runs than that, runs are taken evenly from it.
//
// A run chooses at places that decide alone: earlier runs had strong accesses there that nothing orders, and one of them gave what decides
// something. So the search begins again when a run shows one more such place. It begins again without exchange where a run shows that
// blocks must not be exchanged (exchange.h). Where it ends with orders that cannot be run, it begins again if it has found more places that
// decide nothing: these need no order.
//
// Loads that decide may begin detours, which need no choices (detours.h). It begins again with these, and again without those of them that
// are none. If a run with detours finds something, the search begins again without any.
//
// It begins again with choices of single lanes where lanes of one warp have several places in an order. First threads are exchanged there.
// If they must not be, or if there are too many orders all the same, it goes on as if nobody had tried.
//
// Where there are no detours, blocks that come back to a choice are exchanged, too (lives.h). If a run finds something so, or shows
// anything that speaks against it, the search goes on as if nobody had tried.
//
// It proves nothing: accesses that are not in a choice, and weak orders of those that are, are none of its business (line.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sweep/sweep.h"

namespace litmus::sweep {

struct ExploreLimits {
    size_t most_runs = 10'000;
    uint64_t most_work = 6'000'000;  // instructions of warps, ranges of bytes, and warps at choices, in all runs; a run that has begun ends
    bool exchanges = true;           // blocks, and threads, that are alike (exchange.h)
    bool takes_detours = true;       // (detours.h)
};

struct Explored {
    Swept swept;  // all that the runs found
    size_t runs = 0;
    bool all = false;                     // no run is left
    bool is_cut = false;                  // the limits left some out
    bool leaves_differ = false;           // where Options::leaves is asked for: what two runs leave
    std::set<Memory> places;              // at which the runs choose
    std::set<Memory> contended;           // where strong accesses are in no order, whether or not they decide anything
    std::set<Memory> waited;              // where threads wait for what comes in every order
    std::set<uint32_t> deciding_loads;    // single ones at places that decide
    std::set<uint32_t> no_detours;        // loads with which no detour may begin (detours.h)
    std::set<uint32_t> more_detours;      // other loads on their ways
    std::map<size_t, ByteSet> handed_on;  // with lives: as of a Swept
    bool has_lives = false;               // one block stood for blocks that had come to choices before, too (lives.h)
    bool exchanged = false;               // one block, or thread, stood for those that are alike (exchange.h)
    std::string not_exchangeable;         // why no block may; empty: they may, or nothing was found out
    std::string threads_apart;            // why no thread may stand for others; likewise
};

// Throws OverBudget. A run that cannot go on counts as one that found nothing.
Explored explore(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const ExploreLimits& limits = {});

}  // namespace litmus::sweep
