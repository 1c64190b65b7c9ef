// The barrier of a cluster (ISA 9.7.13.3): who has come to its turns, and what they bring to all, and to their own block.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sweep/observer.h"

namespace litmus::sweep {

class ClusterBarriers {
public:
    ClusterBarriers(const Task& task, Account& account, Observer& observer) : task_(task), account_(account), observer_(observer) {}

    void arrive(Thread& thread, const Step& step);
    void wait(Thread& thread, const Step& step);  // for the turn that it came to last, which is over
    void exit(const Thread& thread);
    bool is_over(uint32_t cluster, uint32_t turn) const;

private:
    struct Turn {
        uint32_t arrived = 0;
        Knowledge all;
        std::map<uint32_t, Knowledge> near;  // by block
    };
    // Nobody waits for threads that have exited. In the turns that they did not come to they count as arrived, and bring nothing but time.
    struct Barrier {
        std::vector<Turn> turns;
        std::map<uint32_t, std::pair<uint32_t, Time>> left;  // by the turns that they came to: how many exited, and what they knew then
    };

    const Task& task_;
    Account& account_;
    Observer& observer_;
    std::map<uint32_t, Barrier> barriers_;  // by cluster
};

}  // namespace litmus::sweep
