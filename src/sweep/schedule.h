// A schedule: who goes on when, as a value.
//
// A kernel, what it is given, and a schedule decide all that a sweep does. A schedule has turns, one after the other: a warp goes on for so
// many instructions. The run then goes on in one of two orders, or ends. So an empty schedule is a run in the first order. The turns that a
// run took (Options::records) are a schedule that repeats it. A search gives the turns that come first and stops there (Then::stops):
// Swept::able has the warps among which it can choose. Turns are those of one launch.
//
// Warps are numbered block after block. In the first order a round has all warps as they are numbered, and in the contrary order the last
// one goes first. A warp goes on until nothing in it can, until it polls in vain, or for a quantum of instructions. Where rounds change
// nothing, those lanes of a warp stand behind that have spun: another lane of it may be the one that they wait for.
//
// With choices, each warp goes on until it stands before a strong access to memory. When all of them stand or wait, one executes its
// access: the one whose last choice is longest ago, or the one that a choice names. So a few numbers give an order of the accesses that
// decide, and they give one of a kernel that was edited, too. The lanes of a warp that stand at one statement execute it together, or each
// of them alone (Schedule::splits). One block, or one thread, may be chosen for all that are alike (exchange.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "kernel/module.h"
#include "sweep/byte_set.h"
#include "sweep/log.h"

namespace litmus::sweep {

struct Turn {
    uint32_t warp = 0;
    uint64_t instructions = UINT64_MAX;  // so many it executes
    uint32_t behind = 0;                 // lanes that stand behind the others of their warp: bit i is lane i
    uint32_t parked = 0;                 // lanes that do not go on
    // The turn ends before it executes this statement, or where it polls in vain, or where it cannot go on. Null: with the last of its
    // instructions.
    const kernel::Statement* before = nullptr;
};

// Turns that differ in the warp alone.
struct Turns {
    Turn first;
    uint32_t times = 1;
    int64_t to_next = 0;  // what is added to the warp each time

    Turn turn(uint32_t n) const {
        Turn one = first;
        one.warp = static_cast<uint32_t>(one.warp + to_next * n);
        return one;
    }
};

// The choice of this number takes this alternative, and not the first. Alternatives are warps, or lanes, by how long ago they were chosen.
struct Choice {
    uint32_t number = 0, taken = 0;
};

// One of these stands for all that are alike (exchange.h); of blocks again and again (lives.h).
enum class Alike : uint8_t { nothing, blocks, threads, lives };

struct Schedule {
    // The order also decides what hardware leaves open: which lane is elected, and whether a request for a cluster succeeds.
    enum class Order : uint8_t { first, contrary };
    enum class Then : uint8_t {
        goes_on,  // in this order, until nothing can or all only spins
        ends,     // nothing comes any more: who has not exited waits for ever
        stops,    // the run breaks off, and nothing is said of who waits
    };

    Order order = Order::first;
    std::shared_ptr<const std::vector<Choice>> choices = {};  // by their numbers, in place of an order; null: nothing is chosen
    std::shared_ptr<const std::set<Memory>> places = {};      // with choices: these are for strong accesses here; null: for all
    // With choices: where strong accesses are in no order either, and decide nothing; null: nowhere.
    std::shared_ptr<const std::set<Memory>> others = {};
    // With choices: loads with which detours begin (detours.h), by number of the step; null: none.
    std::shared_ptr<const std::set<uint32_t>> detours = {};
    // With detours: how many strong writes these words see in all, as far as another run shows; null: that is not known.
    std::shared_ptr<const std::map<Memory, size_t>> writes = {};
    bool orders_fences = false;        // with choices: these are before each fence.sc, too (ISA 8.10.2)
    bool splits = false;               // with choices: lanes of a warp are chosen one by one
    Alike exchanges = Alike::nothing;  // with choices: of these that are alike one goes next
    // With lives: bytes of shared memory, by object, that a life finds as an earlier one has left them; null: none.
    std::shared_ptr<const std::map<size_t, ByteSet>> handed_on = {};
    bool late = false;                                     // branches that a clock decides go the other way (timing.cpp)
    std::shared_ptr<const std::vector<Turns>> turns = {};  // what comes first; null: none
    Then then = Then::goes_on;                             // behind the turns

    bool is_contrary() const { return order == Order::contrary; }
};

inline Schedule with_turns(std::vector<Turns> turns, Schedule::Then then, Schedule rest = {}) {
    rest.turns = std::make_shared<const std::vector<Turns>>(std::move(turns));
    rest.then = then;
    return rest;
}

// The turns that a run takes; equal ones of warps at one distance are folded.
class Recording {
public:
    void add(const Turn& turn) {
        if (!turns_.empty() && folds(turns_.back(), turn)) return;
        turns_.push_back({turn});
    }
    std::vector<Turns> take() { return std::exchange(turns_, {}); }

private:
    static bool folds(Turns& last, const Turn& turn) {
        if (last.first.instructions != turn.instructions || last.first.behind != turn.behind || last.first.parked != turn.parked)
            return false;
        const int64_t distance = int64_t{turn.warp} - last.first.warp;
        if (last.times == 1) last.to_next = distance;
        if (distance != last.to_next * last.times || last.times == UINT32_MAX) return false;
        ++last.times;
        return true;
    }
    std::vector<Turns> turns_;
};

}  // namespace litmus::sweep
