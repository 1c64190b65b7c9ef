// Which uses of barriers meet, given what every thread does (model/semantics.md section 7).
#pragma once

#include <utility>
#include <vector>

#include "memory.h"
#include "trace.h"

namespace litmus::naive {

using UseOf = std::pair<int, size_t>;  // thread, position in Trace::uses

// Uses that complete together, and the threads that count as arrived because they have exited.
struct Generation {
    std::vector<UseOf> uses;
    std::vector<int> exited;
    friend auto operator<=>(const Generation&, const Generation&) = default;
};

// Of one barrier: its generations in order.
using Meeting = std::vector<Generation>;

// Every way for the uses of bar and barrier to meet: per way, the meetings of all barriers. None: these traces are no
// execution (a use passed that nobody completes, or stays that is completed, or yields another result).
std::vector<std::vector<Meeting>> meetings(const Test& test, const Memory& memory, const std::vector<const Trace*>& traces);

// barrier.cluster: the arrivals and exits that each wait waits for; nothing: no execution.
struct ClusterWait {
    UseOf wait;
    std::vector<UseOf> arrivals;
    std::vector<int> exited;
};
struct ClusterBarriers {
    bool possible = true;
    std::vector<ClusterWait> waits;
    std::vector<UseOf> early;  // arrivals in a phase in which the thread has arrived already
};
ClusterBarriers cluster_barriers(const Test& test, const std::vector<const Trace*>& traces);

}  // namespace litmus::naive
