// The threads of a test, and what they did in runs of all threads. The files of slice.h alone include it.
//
// Threads are added until none is missing for the finding, each time with a new log. Named threads have a log of each run that may have
// them do something else.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/layout.h"
#include "sweep/log.h"
#include "sweep/slice.h"

namespace litmus::sweep {

// The launch of a kernel, and where its threads and its memory are.
struct Ground {
    const kernel::Module& module;
    const kernel::Launch& launch;
    const Options& options;
    const kernel::Geometry geometry;
    const kernel::MemoryLayout layout;

    Ground(const kernel::Module& module, const kernel::Launch& launch, const Options& options);
    uint32_t block_of(const Event& event) const { return event.thread / geometry.threads(); }
    // Memory that the kernel allocates is none of the arrays that a test could declare: throws Missing.
    const kernel::Object& object_of(const Memory& memory) const;
    bool is_shared(const Memory& memory) const { return object_of(memory).space == Space::shared; }
};

struct Story {
    Question question = Question::race;
    std::set<uint32_t> threads;  // of the launch
    std::vector<Event> log;      // of all runs, one behind the other
    std::vector<size_t> ends;    // of the runs of named threads, in the log
    // Of a finding:
    std::optional<Memory> byte;              // of a race
    std::optional<Memory> about;             // of one that is no race: the object
    std::optional<Tally> lacks;              // of a wait: what its phase lacks
    std::optional<uint32_t> waits_for_warp;  // the thread that waits at a barrier for others
    // Of named threads:
    std::set<Memory> initialised;   // objects
    bool leaves = false;            // the run finds a copy in flight at the end of a block
    std::vector<std::string> open;  // why other runs may have them do something else

    bool is_named() const { return question == Question::named; }
    bool is_here(const Event& event) const { return threads.contains(event.thread); }
    bool is_about(const std::optional<Memory>& object) const { return about && object == about; }
    // The events of each run; of a finding there is one.
    std::vector<std::span<const Event>> by_run() const;
    // Whether other runs may have these threads do something else.
    bool has_ways() const { return ends.size() > 1; }
};

// These throw Missing.
Story story_of(const Ground& ground, const Finding& finding);
Story story_of(const Ground& ground, const std::vector<std::pair<uint32_t, uint32_t>>& threads);

}  // namespace litmus::sweep
