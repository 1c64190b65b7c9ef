// The barriers of a block (ISA 9.7.13.1): who has come, and what they bring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "sweep/lanes.h"
#include "sweep/observer.h"
#include "sweep/value.h"

namespace litmus::sweep {

// bar.sync and its kin, as a warp executes them.
struct Arrival {
    uint64_t number = 0;   // of the barrier
    uint32_t threads = 0;  // that it waits for; 0: all of the block that have not exited
    bool waits = false, reduces = false;
};

// The predicates that bar.red combines when its turn ends, and the threads that get the result.
struct Reduced {
    std::vector<size_t> threads;
    std::vector<Value> predicates;
};

class Barriers {
public:
    Barriers(const Task& task, Account& account, Observer& observer) : task_(task), account_(account), observer_(observer) {}

    // Lanes of a warp arrive, with a predicate of each where they reduce. The turn that they come to, which may end at once.
    uint32_t arrive(size_t first, Lanes lanes, const Arrival& arrival, std::span<const Value> predicates, const Step& step);
    void exit(const Thread& thread);  // no arrival, and yet a turn may end
    // Whether these lanes of a warp have come to a turn that lacks another one: it may end when that one exits.
    bool lacks(size_t first, uint32_t lane, Lanes came) const;
    bool is_over(uint32_t block, uint64_t number, uint32_t turn) const { return barriers_.at({block, number}).generation > turn; }
    // Threads that have come to the open turn, or exited; and how many have to.
    std::pair<size_t, size_t> came_to(uint32_t block, uint64_t number) const { return came_to(block, barriers_.at({block, number})); }
    // A block begins a new life (lives.h): threads that wait bring what they know now.
    void begin_life(uint32_t block);
    // The barriers of the block at which threads wait, or know less turns than there were: numbers that are the same where they stand
    // alike.
    std::vector<uint64_t> standing(uint32_t block) const;
    std::vector<Reduced> take_reduced() { return std::exchange(reduced_, {}); }
    // By which threads came to turns that ended while others had exited and not come.
    std::vector<const kernel::Statement*> take_uneven() { return std::exchange(uneven_, {}); }

private:
    struct Barrier {
        size_t component = 0;
        uint32_t expected = 0, generation = 0;         // threads, as of an arrival; the number of the turn
        bool reduces = false;                          // the turn that is open
        std::vector<std::pair<size_t, bool>> arrived;  // threads, and whether they wait
        std::map<size_t, std::vector<Lanes>> came;     // by the first thread of a warp: the lanes that came once in this turn, twice, ...
        std::vector<Value> predicates;                 // of the threads that reduce in this turn
        const kernel::Statement* last = nullptr;       // by which a thread came
        Knowledge met;
    };
    std::pair<size_t, size_t> came_to(uint32_t block, const Barrier& barrier) const;
    void end_if_complete(uint32_t block, Barrier& barrier);

    const Task& task_;
    Account& account_;
    Observer& observer_;
    std::map<std::pair<uint32_t, uint64_t>, Barrier> barriers_;  // by block and number
    std::vector<Reduced> reduced_;
    std::vector<const kernel::Statement*> uneven_;
};

}  // namespace litmus::sweep
