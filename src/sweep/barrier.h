// The barriers of a block, and that of a cluster (ISA 9.7.13.1 to 9.7.13.3): who has come, and what they bring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "kernel/module.h"
#include "sweep/clock.h"
#include "sweep/lanes.h"
#include "sweep/value.h"

namespace litmus::sweep {

// A turn of a cluster's barrier: how many arrived, and what was brought to all, and to the own block.
struct ClusterTurn {
    uint32_t arrived = 0;
    Knowledge all;
    std::map<uint32_t, Knowledge> near;
};

// Nobody waits for threads that have exited. In the turns that they did not come to they count as arrived, and bring nothing but time.
struct ClusterBarrier {
    std::vector<ClusterTurn> turns;
    std::map<uint32_t, std::pair<uint32_t, Clock>> left;  // by the turns that they came to: how many exited, and Time::events of them

    bool is_complete(uint32_t turn, uint32_t threads) const {
        uint32_t came = turns[turn].arrived;
        for (auto one = left.begin(); one != left.end() && one->first <= turn; ++one) came += one->second.first;
        return came >= threads;
    }
};

struct Barrier {  // bar.sync and its kin
    size_t component = 0;
    uint32_t expected = 0, generation = 0;         // threads; 0: all of the block that have not exited
    bool reduces = false;                          // the turn that is open
    std::vector<std::pair<size_t, bool>> arrived;  // threads, and whether they wait
    std::map<size_t, std::vector<Lanes>> came;     // by warp: the lanes that came once in this turn, twice, ...
    std::vector<Value> predicates;                 // of the threads that reduce in this turn
    const kernel::Statement* last = nullptr;       // by which a thread came
    Knowledge met;
};

}  // namespace litmus::sweep
