// A thread: what it knows, what it has released and observed, and which of its operations go on by themselves.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernel/seat.h"
#include "sweep/clock.h"
#include "sweep/doubt.h"
#include "sweep/lanes.h"
#include "sweep/levels.h"
#include "sweep/shadow.h"

namespace litmus::sweep {

// Asynchronous operations of one thread that are completed in their order, in groups.
struct Queue {
    size_t component = 0;
    uint32_t issued = 0;                      // operations; each is known by its number
    std::vector<uint32_t> groups;             // the last operation of each group that was committed
    uint32_t awaited = 0;                     // the last operation that was waited for
    const kernel::Statement* last = nullptr;  // the last operation
};

// The operations of a warpgroup, which its four warps issue and commit together.
struct Products : Queue {
    std::vector<std::pair<uint32_t, Time>> commits;  // by group: warps that have committed it, and what they knew then, in time
};

// tcgen05.mma and .cp of one thread (9.7.16.6.2).
struct TensorProducts : Queue {
    size_t executed = 0;                                // a component: that they were executed, whether or not they are complete
    std::vector<std::pair<uint32_t, uint64_t>> shapes;  // of each; with the accumulator's address
};

// A `cp.async` whose group has not ended: where it writes, and its number.
struct OpenCopy {
    size_t instance = 0;
    uint64_t begin = 0, end = 0;
    uint32_t number = 0;
};

// A read that nothing has waited for yet, by the lanes that have read, with their numbers then.
struct Pending {
    Lanes lanes = 0;
    std::array<uint32_t, warp_size> numbers{};
};

// A word of memory.
struct Word {
    size_t instance = 0;
    uint64_t offset = 0;
    uint32_t bytes = 0;
    friend bool operator<(const Word& a, const Word& b) {
        return std::tie(a.instance, a.offset, a.bytes) < std::tie(b.instance, b.offset, b.bytes);
    }
};

// The releases that the strong reads of a thread have observed. An acquire pattern may begin with such a read (ISA 8.8).
struct Seen {
    Levels levels;
    std::map<Scope, Doubt> doubts;  // of which write they observed
};

// A weak load that a round of a loop may repeat, by number of the thread's accesses then.
struct Loaded {
    size_t instance = 0;
    uint64_t offset = 0;
    const kernel::Statement* by = nullptr;
    uint32_t number = 0;
};

struct Thread {
    kernel::Seat seat;
    uint32_t index = 0;  // in its launch
    size_t component = 0;
    uint32_t number = 1;           // of its accesses from the last release on
    uint32_t since = since_begin;  // as of an Access
    size_t life = 0;               // of all threads, where these begin new ones (lives.h)
    Knowledge known;
    Levels released;                     // what was known at its last fence that releases, of that scope or more
    std::map<Word, Levels> released_at;  // likewise at its last operation on that word that releases
    // By number and statement: at which later number a read was performed; the largest: nobody will know. See Pending.
    std::unordered_map<uint64_t, uint32_t> late;
    Seen seen;                     // what strong reads observed, and no fence acquired yet
    std::map<Word, Seen> seen_at;  // likewise of that word, and no operation on it acquired yet
    std::map<std::pair<size_t, uint64_t>, std::pair<size_t, uint32_t>>
        observed;                                   // by instance and offset: the strong write that it read last
    std::optional<Queue> copies, bulk, bulk_reads;  // cp.async; bulk groups, whole and what they read
    std::vector<Loaded> loaded;                     // since it last published, the last few
    std::vector<OpenCopy> open_copies;              // of cp.async in the open group
    std::optional<TensorProducts> tensor_products;
    Clock tensor;                    // what is ordered before its accesses to tensor memory besides (9.7.16.6.3)
    std::map<uint64_t, Clock> maps;  // by address: what its fences acquired of a tensor map
    uint32_t cluster_arrivals = 0, cluster_waits = 0;
    bool exited = false;

    // After it published what it did.
    void renew() { known.own(component, ++number); }
};

}  // namespace litmus::sweep
