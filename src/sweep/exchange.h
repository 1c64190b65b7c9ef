// Blocks that may be exchanged, so that a search lets one of them go next and not each.
//
// Many blocks execute the same code with other data. Which of them draws the first ticket makes no difference but for names. Suppose an
// exchange of two names takes each run to a run, and who races there to who races here. Then of all blocks that are alike, and have not
// come to a choice yet, one stands for all (symmetry: E. Clarke, R. Enders, T. Filkorn and S. Jha, Exploiting symmetry in temporal logic
// model checking, 1996). A run says whether that holds for it:
//
// * Control. A value may name its block: %ctaid, what is computed from it, and what is loaded from an address that does (doubt.h). Before
//   its first choice, such a value may decide whether a block executes a statement. It may be the address of a weak access to global memory
//   there. Nothing else is decided by it, and nothing at all later, such as whether the block waits. Blocks are alike if they have
//   executed the same statements by the same lanes before their first choices. A block that finds what another one has written behind a
//   choice has come to one, too.
// * Races. Accesses before first choices are the same in each run. An access by an address that names no block touches the same bytes in
//   each run, whichever block executes it. Let X be before first choices, by an address that names the block, and let Y be later. If Y is
//   ordered behind X of all threads, no exchange makes them race, and nor if no byte is touched by both. Anything else forbids the
//   exchange.
//
// model/sweep.md has this as a premise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sweep/byte_set.h"
#include "sweep/clock.h"
#include "sweep/lanes.h"
#include "sweep/shadow.h"
#include "sweep/task.h"
#include "sweep/thread.h"

namespace litmus::sweep {

class Exchange {
public:
    explicit Exchange(const Task& task) : task_(task), ways_of_blocks_(task.geometry.blocks()), chosen_(task.geometry.blocks()) {}

    // Whether nothing but their names tells blocks of a launch apart: each is a cluster, all are on one GPU, and all have started.
    static bool fits(const Task& task);

    bool is_fresh(uint32_t block) const { return !chosen_[block]; }
    void choose(uint32_t block) { chosen_[block] = true; }
    // A block finds what another one has written: if that one has come to a choice, it has come to one, too.
    void learn(uint32_t block, uint32_t from) { chosen_[block] = chosen_[block] || chosen_[from]; }
    // These lanes of a warp, by its number in its block, execute its next statement. Which statement that is depends on the lanes that
    // executed those before: of what decides where a lane goes, a name may decide guards alone.
    void go(uint32_t block, uint32_t warp, Lanes lanes);
    // The blocks that have not come to a choice and for which a lower one stands, which is alike.
    std::vector<bool> stood_for() const;

    // Whether a special register gives different values in two blocks.
    bool is_name(const std::string& special);
    void name_address(uint32_t statement) { named_.insert(statement); }
    // An access to an array that blocks share. `known`: what is ordered before it.
    void touch(const Thread& thread, size_t array, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access,
               const Clock& known);

    // Two statements that might race after an exchange, or one twice; none: there are none.
    std::optional<std::pair<uint32_t, uint32_t>> find() const;

private:
    struct Accesses {  // of a statement to an array
        bool writes = false;
        bool late = false;                   // some block has executed it behind its first choice
        std::map<uint32_t, Clock> by_block;  // those of each
        uint32_t version = 0;                // how often these changed
        // By thread and statement: the version that its accesses are ordered behind.
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> behind;
        std::set<uint32_t> unordered;  // statements of which some access came later, and was not ordered behind one of this
        ByteSet bytes;
    };
    bool is_behind(const Thread& thread, uint32_t statement, Accesses& others, const Clock& known) const;

    const Task& task_;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t>
        ways_;                              // by block and warp: what it has executed before the first choice of its block, as a hash
    std::vector<uint64_t> ways_of_blocks_;  // the sums of these
    std::vector<bool> chosen_;
    std::map<std::string, bool> names_;  // special registers
    std::set<uint32_t> named_;           // statements
    std::map<size_t, std::map<uint32_t, Accesses>> arrays_;
};

}  // namespace litmus::sweep
