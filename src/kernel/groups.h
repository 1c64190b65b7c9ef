// Threads that play one role: those of one CTA that do the same, up to where in an object they do it, and up to numbers that are data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/trace.h"

namespace litmus::kernel {

struct Group {
    uint32_t block = 0;
    std::vector<size_t> threads;  // of Traces::threads, ascending
    bool idle = false;            // only waits at barriers of the whole CTA or cluster, or among the lanes of a warp
};

// By block and first thread. On which mbarrier object a thread counts is part of what it does; which numbers it stores, or computes
// with, is not, where they decide nothing of what it does itself.
std::vector<Group> groups_of(const Traces& traces);

// Whether it is an exchange between lanes of a warp of which the waiting alone is left (Walker::wait_for_lanes).
bool is_exchange(const Instruction& instruction);

// All at which a thread waits, in its order; none: what comes depends on what the thread reads.
std::optional<std::string> waits_of(const Trace& trace);

}  // namespace litmus::kernel
