// Lives: a block that comes back to a choice as others stand there is as good as any of them.
//
// Blocks that are alike are exchanged until their first choices (exchange.h). A block that takes one item after the other from a queue
// comes back to the same choice again and again. What it does from there on does not depend on what it did before, but for what it knows.
// So it may forget that, too, and begin a new life. Then one block stands for all that stand there alike, again and again.
//
// Blocks are alike at a choice if their lanes stand at the same statements and wait for the same. Registers that matter there are equal, or
// name the block in both. The same holds for the bytes of shared memory that a life finds as an earlier one has left them. Which these are
// shows in the runs (Swept::handed_on). Names decide nothing behind a first choice, as exchange.h asks it.
//
// An execution has the lives of a run, and some block takes each. Which one it was decides nothing but what is known. So a thread of it may
// know only what this thread of each of the blocks that are alike knows there. Then whoever is ordered in the run is so in the execution.
// If the run has no race, the execution has none. A race of the run may be none: nothing that is found so is said, and the search begins
// again without lives.
//
// * Tails. Nobody else knows what a block has done since its last strong write. If blocks that are alike have done the same there, at the
//   same places, each goes on to know its own. So what all have read before a barrier of the grid is read before what comes behind it. If
//   there was no strong write yet, what they did before their first choices may be at places that name the block (exchange.h). Reads that
//   were chosen do not count, and are not kept: the last one to come to a barrier makes none. A tail has components of its own in clocks.
// * Shared memory belongs to the block. Its threads may meet accesses of their earlier lives, if not all of them
//   know that. These are kept of all blocks together, by the thread that made them. Who is ordered behind the beginning of that thread's
//   life is behind all of it.
// * Barriers. Threads that wait there bring what they know in their new lives, and each knows how many turns were before.
// * The line (line.h). A life comes behind all that comes before one of the blocks in the line. Whether an access of it is weak is
//   asked of what it has met in this life. For what was before, that is asked when the life ends, at all places. A read in one
//   life and a write in a later one are a pair, as if each block had all lives.
//
// model/sweep.md has this as a premise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sweep/byte_set.h"
#include "sweep/exchange.h"
#include "sweep/lanes.h"
#include "sweep/line.h"
#include "sweep/past.h"
#include "sweep/spot.h"
#include "sweep/task.h"
#include "sweep/thread.h"

namespace litmus::sweep {

class Lives {
public:
    Lives(const Task& task, std::vector<Thread>& threads, std::vector<Past>& pasts, size_t& components);

    // Whether blocks do nothing together that is not looked at here, and no scope tells two of them apart.
    static bool fits(const Task& task);

    // ---- what blocks do
    void touch(const Thread& thread, const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access,
               const Step& step);
    // Lanes come to a statement, and some of them execute it.
    void go(uint32_t first, Lanes on, uint32_t statement);
    // Before an access that a schedule chooses; and behind it.
    void begin_choice(uint32_t block, bool is_fresh);
    void end_choice(uint32_t block);
    void end_step(uint32_t block);  // behind a statement that a warp of the block has executed

    // ---- new lives
    uint64_t steps(uint32_t block) const { return blocks_[block].steps; }  // how many statements it has executed
    // A component of a clock that counts something of the block itself, such as the turns of a barrier.
    void note_own(uint32_t block, size_t component) { blocks_[block].own.push_back(component); }
    // These blocks, which are alike, begin new lives.
    // Gives those of which something has changed by that.
    std::vector<uint32_t> begin(const std::vector<uint32_t>& blocks, const Exchange& exchange, Line& line);
    // Bytes of shared memory that a life has found as an earlier one has left them, beyond those that are known; by object.
    const std::map<size_t, ByteSet>& handed_on() const { return handed_on_; }
    // Blocks have made too many choices, or strong writes: clocks grow with each.
    bool are_too_many() const { return parts_ > most_parts; }
    // At which blocks did something that lives cannot have; null: there is none.
    const kernel::Statement* not_alike() const { return not_alike_; }

private:
    struct Tail {
        std::vector<size_t> bases;   // of its parts: the component of the first thread; between them are reads that were chosen
        size_t base = 0;             // of what comes next
        bool touched = false;        // there was an access since then
        bool is_first = true;        // there was no strong write before it
        std::vector<uint64_t> ways;  // of threads, since the first choice
    };
    // Lives that have begun in one epoch have this in common.
    struct Common {
        std::vector<Knowledge> known;  // by the number of the thread in its block
        std::vector<Levels> released;  // likewise
        std::optional<uint64_t> tail;  // what each has done besides; none: nothing of that is known
        size_t number = 0;
    };
    struct Block {
        Tail tail;
        std::map<size_t, size_t> pieces;                 // of its shared memory, with their objects
        std::map<size_t, ByteSet> written;               // by object: of it, in this life
        std::vector<size_t> own;                         // components
        uint64_t steps = 0, begun = 0;                   // statements; so many when its life began
        std::optional<Common> common;                    // with which this life began; none: with the launch
        size_t base = 0;                                 // Tail::base, when its life began
        std::vector<uint32_t> numbers;                   // likewise of its threads
        bool has_chosen = false, has_published = false;  // has_published: by the statement that is executed
    };
    struct Residue {  // accesses to a shared variable that not all threads of their block know
        ByteSet read, written;
    };

    uint64_t tail_of(uint32_t block, const Exchange& exchange) const;
    void begin_part(uint32_t block);
    void begin_tail(uint32_t block);
    Knowledge of_tail(const Knowledge& known, uint32_t block) const;
    void leave_shared(uint32_t block, const Clock& known);
    void look_at_shared(const Thread& thread, const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, bool writes,
                        const Step& step);
    std::span<Thread> threads_of(uint32_t block);
    Common common_of(uint32_t block);
    Clock known_to_all(uint32_t block);
    void renew(uint32_t block, const Common& common);

    const Task& task_;
    std::vector<Thread>& threads_;
    std::vector<Past>& pasts_;
    size_t& components_;
    static constexpr size_t most_parts = 2048;
    const bool is_idle_;  // nothing is chosen, so that no life begins
    size_t lives_ = 0, epochs_ = 0, parts_ = 0;
    std::vector<Block> blocks_;
    std::map<std::pair<size_t, uint32_t>, Residue> residues_;  // by object, and the number of the thread in its block
    std::map<size_t, Residue> all_residues_;                   // of all threads
    std::map<size_t, ByteSet> handed_on_;
    std::optional<uint32_t> chosen_;  // a block that makes an access which was chosen
    const kernel::Statement* not_alike_ = nullptr;
};

}  // namespace litmus::sweep
