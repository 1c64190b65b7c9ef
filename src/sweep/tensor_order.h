// The order of accesses to tensor memory (ISA 9.7.16.6), and races there.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "sweep/observer.h"
#include "sweep/tensor_memory.h"

namespace litmus::sweep {

inline constexpr uint32_t copy_of_matrix = 0;  // what stands for the shape of a tcgen05.cp

class TensorOrder {
public:
    TensorOrder(const Task& task, Account& account, Observer& observer) : task_(task), account_(account), observer_(observer) {}

    TensorMemory& memory(uint32_t block) { return memories_[block]; }
    // Operations of two blocks that a block has come to, and whether so many columns are free.
    bool has_come(uint32_t block, uint32_t operations) const;
    bool has_room(uint32_t block, uint32_t columns) const { return memories_.at(block).has_room(columns); }
    void leave(uint32_t block);              // the last thread of the block exits
    uint32_t peer_of(uint32_t block) const;  // in its pair (9.7.16.5)
    TensorProducts& products(Thread& thread);
    // The next operation of a thread, of this shape: it reads.
    Access access(Thread& own, const Step& step, std::pair<uint32_t, uint64_t> shape);
    void touch(uint32_t block, const TensorPart& part, const Access& access, const Step& step);
    void give_back_together(uint32_t block, const TensorPart& part, const Step& step);
    uint64_t accesses() const { return accesses_; }

private:
    bool are_pipelined(const Access& earlier, const Access& later) const;
    void meet(uint32_t block, const TensorPart& part, const Access& access, const Step& step, bool stays);

    const Task& task_;
    Account& account_;
    Observer& observer_;
    std::map<uint32_t, TensorMemory> memories_;  // by block
    uint64_t accesses_ = 0;
};

}  // namespace litmus::sweep
