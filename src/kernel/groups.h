// Threads that play one role: those of one CTA that do the same, up to where in an object they do it, and up to numbers that are data.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace litmus::kernel
