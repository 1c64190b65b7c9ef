// Requests for clusters that have not started (ISA 9.7.13.17): which are left, and which blocks were told of which answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "kernel/dimensions.h"
#include "sweep/doubt.h"
#include "sweep/mbarrier.h"
#include "sweep/thread.h"

namespace litmus::sweep {

// A thread was told of an answer to a request for a cluster when its component had this number (cancel.cpp).
struct Told {
    size_t component = 0;
    uint32_t number = 0;
    Doubt doubt = 0;
    bool of_failure = false;
};

class ClusterRequests {
public:
    // The last `unlaunched` clusters of the grid are not there at first. In the contrary order no request gets one.
    ClusterRequests(const kernel::Geometry& geometry, uint32_t unlaunched, bool is_contrary);

    bool has_left() const { return !left_.empty(); }
    bool is_left(uint32_t cluster) const { return left_.contains(cluster); }
    void start_all() { left_.clear(); }

    // The number of the request, from 1 on, and the first block of the cluster that it gets; none: it gets none.
    std::pair<uint64_t, std::optional<uint32_t>> request();
    bool has_made(uint64_t number) const { return number > 0 && number <= made_; }

    // A block is told of an answer by a wait of one of its threads, behind which the phase of the answer is over.
    void note_answers(const Thread& thread, const Mbarrier& object, uint32_t phase);
    const std::vector<Told>& told(uint32_t block) { return told_[block]; }

private:
    const kernel::Geometry& geometry_;
    const bool is_contrary_;
    std::set<uint32_t> left_;  // clusters that nobody has got
    uint64_t made_ = 0;
    std::map<uint32_t, std::vector<Told>> told_;  // by block
};

}  // namespace litmus::sweep
