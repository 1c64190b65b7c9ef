// One way that one thread can run: its events with the values it read, and what of the thread alone relates them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "event/program.h"

namespace litmus::naive {

// The n-th event of one execution of an instruction: instruction, how often it was executed before, n.
using StepId = std::tuple<int, int, int>;

struct Step {
    Event event;  // but for its value, which is a number here
    StepId id;
    uint64_t value = 0;              // read or written
    bool is_returned = false;        // an mbarrier wait that returned true
    bool is_faulty = false;          // what it finds, or does, makes the test undefined
    bool overfills = false;          // of a copy: completes the phase before all of its bytes have come
    bool fails = false;              // the write of the completion of a try_cancel: no cluster was cancelled
    bool is_arrival = false;         // the write of an arrive-on operation
    uint64_t phase = 0;              // updates and waits: that of the state which they read
    std::tuple<int, int, int> life;  // ... and the life it is in
};

using Pairs = std::set<std::pair<size_t, size_t>>;

// A use of a barrier, in the order of the thread.
struct Use {
    size_t step = 0;
    Op op{};
    uint64_t barrier = 0;
    uint64_t count = 0;  // 0: none
    bool predicate = false;
    uint64_t result = 0;  // bar.red: what the thread went on with
    bool passed = true;   // false: the thread stays here for ever
};

// An operand that an instruction waits for: which register values the instruction mentions, before which event.
struct Mention {
    StepId id;          // of the instruction; the last number counts the operands
    size_t before = 0;  // the first event that comes no earlier than this
    uint64_t value = 0;
    std::set<size_t> direct;  // the reads that loaded the register itself
    std::set<size_t> reads;   // all reads that it was computed from
    bool compared = false;    // an await compares with it, or a loop repeats by it: everything later waits for it
    bool tested = false;      // a branch or a guard waits for it
    bool awaited = false;     // an await waits for these reads themselves
};

struct Trace {
    enum class End : uint8_t { ended, stuck, trapped, cut };
    End end = End::ended;
    std::vector<Step> steps;
    Pairs addr, data, ctrl, blocks, iss, aio, aio_multicast, aio_map, grp, queried, parts, elements;  // positions in `steps`
    struct Multiplied {                                                                               // by a wgmma.mma_async
        size_t issue = 0, completion = 0;
        std::vector<size_t> reads;
    };
    std::vector<Multiplied> multiplications;
    int cancelled = 0;         // how many clusters
    std::set<uint64_t> named;  // which of them, where that can be told
    std::vector<Use> uses;
    std::vector<std::pair<size_t, const Instruction*>> aligned;  // steps at which it executes what other threads have to execute with it
    std::vector<Mention> mentions;
    std::vector<size_t> triggers, grid_waits;  // griddepcontrol, where other grids notice it: steps
    bool waits_for_grids = false;              // stuck before its first instruction, or at a griddepcontrol.wait
    std::map<std::string, std::pair<uint64_t, Type>> registers;
    struct GivenBack {  // tensor memory, by a pair of CTAs
        int peer = 0;
        bool passed = true;  // false: the thread stays here for ever
    };
    std::vector<GivenBack> given_back;
    int stuck_at = -1;  // instruction
    // Stuck elsewhere than at a barrier: final values (by cell) with any of which nothing more ever happens.
    std::vector<std::map<int, uint64_t>> hopeless;
};

}  // namespace litmus::naive
