// Who counts on an mbarrier object: what all threads of a launch do to it, in the order of each. Private to this folder.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "kernel/granules.h"
#include "kernel/roles.h"

namespace litmus::kernel {

// An mbarrier object of one CTA.
struct ObjectKey {
    size_t object = 0;
    uint64_t offset = 0;
    int block = -1;
    bool operator<(const ObjectKey& other) const {
        return std::tie(object, offset, block) < std::tie(other.object, other.offset, other.block);
    }
};

struct Counter {
    struct At {
        size_t thread = 0, instruction = 0;
    };
    struct Bytes {
        At at;
        uint64_t all = 0, kept = 0;  // kept: 0 where the thread is not chosen
    };
    std::vector<At> inits;
    std::map<size_t, uint64_t> arrivals;             // by thread: all that it ever makes
    std::map<size_t, std::vector<Bytes>> expects;    // by thread, in its order; `all` is what it expects
    std::map<size_t, std::vector<Bytes>> completes;  // what its operations, or complete_tx, bring
    std::vector<Touch> copies;                       // destinations of the chosen threads' bulk operations that complete here
    bool uncertain = false;                          // some of it happens under a condition, or an unknown number of times
    bool drops = false;                              // arrive_drop
};

// Of each instruction, whether it happens exactly once whatever is read: no guard, no branch over it or back to before it, no exit
// under a condition before it.
std::vector<bool> happens_once(const Trace& trace);

std::map<ObjectKey, Counter> counters(const Traces& traces, const Memory& memory, const Choice& choice, const Granules& granules);

}  // namespace litmus::kernel
