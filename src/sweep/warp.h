// A warp: where its lanes stand, what they wait for, and the registers that they have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sweep/code.h"
#include "sweep/lanes.h"
#include "sweep/registers.h"
#include "sweep/thread.h"

namespace litmus::sweep {

// A lane that cannot go on.
struct Waiting {
    enum class For : uint8_t { nothing, lanes, barrier, phase, cluster, products, peer, columns };
    For what = For::nothing;
    Lanes mask = 0;           // lanes: which have to come
    size_t object = 0;        // barrier: its number; phase: the mbarrier object; products: the warpgroup; peer, columns: a block
    uint32_t generation = 0;  // of the barrier, the phase or the cluster's barrier; the group of products; operations; columns
};

// By register: what asynchronous operations make of it (async_registers.cpp).
struct AsyncRegisters {
    std::vector<uint32_t> product;  // the last operation that it belongs to, by Warp::products; 0: none
    std::vector<bool> accessed;     // by something else, since the last wgmma.fence
    std::vector<bool> loading;      // by a tcgen05.ld that nothing has waited for yet
    uint32_t complete = 0;          // operations that were waited for
    bool fenced = false;            // there was a wgmma.fence
};

struct Warp {
    uint32_t block = 0;
    size_t first = 0;  // thread of lane 0
    Lanes exists = 0, exited = 0;
    Lanes passed = 0;                    // lanes that did something while others waited for them at one instruction
    Lanes held = 0;                      // of a block that has not started (cancel.cpp): lanes that it will have
    std::array<size_t, warp_size> at{};  // the next statement of each lane
    std::array<Waiting, warp_size> waiting{};
    Registers registers;
    std::array<std::vector<size_t>, warp_size> calls;  // of each lane: the statements that called, outermost first
    std::map<size_t, uint32_t> guesses;                // by statement: how often it was guessed whether its guard holds
    uint32_t products = 0;                             // wgmma operations that it took part in
    std::vector<uint32_t> product_groups;
    AsyncRegisters async_registers;
    std::optional<Queue> tensor_loads, tensor_stores;  // tcgen05.ld and .st
    std::vector<const Step*> resized;                  // setmaxnreg, in the order of the warp
    std::array<Lanes, warp_size> elected_among{};      // the lanes of which it was elected last; none: another one was, or nobody
    bool looked = false;                               // lately at what other threads may change, as who polls does
    bool yields = false;                               // to other warps: it polls in vain
    bool polls = false;                                // that is a read which leads back to itself (poll.cpp)
    Lanes ran = 0, behind = 0;                         // lanes that went on in its last turn; that stand behind the others in this one
    Lanes parked = 0;                                  // lanes that do not go on now, since each of them is chosen by itself
    // Where it was, with which values, in a round of all warps since which nothing has changed.
    struct Round {
        uint64_t changes = 0, number = 0, state = 0;
        bool again = false;
    };
    Round round;
    Lanes live() const { return exists & ~exited; }
};

}  // namespace litmus::sweep
