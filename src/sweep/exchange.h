// Blocks, clusters, or threads that may be exchanged, so that a search lets one of them go next and not each.
//
// Many blocks execute the same code with other data. Which of them draws the first ticket makes no difference but for names. Suppose an
// exchange of two names takes each run to a run, and who races there to who races here. Then of all blocks that are alike, and have not
// come to a choice yet, one stands for all (symmetry: E. Clarke, R. Enders, T. Filkorn and S. Jha, Exploiting symmetry in temporal logic
// model checking, 1996). A run says whether that holds for it:
//
// * Control. A value may name its block: %ctaid, what is computed from it, and what is loaded from an address that does (doubt.h). Before
//   its first choice, such a value may decide whether a block executes a statement. It may be the address of a weak access to global
//   memory. Nothing else is decided by it, such as whether the block waits. Blocks are alike if they have executed the same statements by
//   the same lanes before their first choices. A block that finds what another one has written behind a choice has come to one, too.
// * Clusters. Blocks of a cluster share memory and barriers. So whole clusters are exchanged, each block with the one of its rank. Read
//   "cluster" for "block" here then.
// * Races. Accesses before first choices are the same in each run. An access by an address that names no block touches the same bytes in
//   each run, whichever block executes it. Let X be before first choices, by an address that names the block, and let Y be later. If Y is
//   ordered behind X of all threads, no exchange makes them race, and nor if no byte is touched by both. Anything else forbids the
//   exchange.
// * Later addresses. Behind the first choice, too, an address may name the block. It is in a register that was written before that choice,
//   or that always holds the same (fixed.h). So the access touches the same bytes of its block in each run, whatever the block has done.
//   All blocks execute it there: before, it may have been by other addresses. Let X be such a statement, and let Y touch some of its bytes,
//   of which one writes. Then each X is ordered with each Y, whichever blocks execute them. Or each of these bytes belongs to one thread,
//   by whose name both find it. A value that X stores names the block: another run may leave another one there.
//
// Where each lane is chosen by itself, threads are exchanged in place of blocks. The same is asked of a thread and the values that name it,
// such as %tid and %laneid. A thread has neighbours, which a block has not. So more is asked:
//
// * Home. Threads are alike within one warp if lanes of a warp meet somewhere in the kernel. Else they are alike within one block if the
//   kernel has a barrier, shared memory, or a scope that is narrower than the GPU. Else they are alike in the whole grid. So an exchange
//   changes nothing of who shares what. Threads do nothing else together, such as waiting for an mbarrier object.
// * Meetings. In no block does a thread come to a meeting once a thread of the block has come to its first choice. No thread that has come
//   to one exits while a thread of its block waits. So meetings are a part of what is the same in each run.
// * Places. Threads that are alike stand before the same place at their first choices. So that address may name the thread: the access
//   touches the same bytes, whichever of these executes it. Before, it may be the address of a strong access, too, as of a weak one. A
//   thread that finds there what another one has written is like no other.
// * Gifts. A value that another lane of the warp has handed over names the thread that gets it.
// * Later decisions. A value that names its thread may decide behind the first choice, too: whether a statement is executed, or the address
//   of a weak access. No part of it is found in memory behind that choice. So it depends on the thread and on the statements that this has
//   executed, and on nothing else. All threads that are alike come to the decision by the same statements, and go on alike. Such an access
//   touches the same bytes in each run: no other statement touches them, unless both only read, and no two threads write them.
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
#include "sweep/schedule.h"
#include "sweep/shadow.h"
#include "sweep/spot.h"
#include "sweep/task.h"
#include "sweep/thread.h"

namespace litmus::sweep {

// For hashes of what was done.
inline uint64_t mixed(uint64_t hash, uint64_t value) {
    constexpr uint64_t odd = 0x9e3779b97f4a7c15;
    hash = (hash ^ value) * odd;
    return hash ^ hash >> 29;
}

class Exchange {
public:
    Exchange(const Task& task, Alike which);

    // Whether nothing but their names tells blocks, or threads at home, apart: each block is a cluster, all are on one GPU, and all have
    // started.
    static bool fits(const Task& task, Alike which);

    bool is_of_threads() const { return which_ == Alike::threads; }
    bool is_of_clusters() const { return !is_of_threads() && task_.geometry.cluster_size() > 1; }
    // Threads by their numbers in the launch: whether it, or its block, has come to no choice yet.
    bool is_fresh(uint32_t thread) const { return !chosen_[one(thread)]; }
    // It chooses an access at this place.
    void choose(uint32_t thread, const Memory& place);
    void end_choice() { choosing_.reset(); }
    // A thread finds what another one has written. If that one has come to a choice, or if the address names the thread, it has come to
    // one, too.
    void learn(uint32_t thread, uint32_t from);
    // Lanes of a warp, by its first thread, come to a statement, and `on` of them execute it, their guards permitting. Which statement
    // comes next depends on those before and on the lanes that executed them: of what decides where a lane goes, a name may decide guards
    // alone.
    void go(uint32_t first, Lanes lanes, Lanes on, uint32_t statement);
    // A thread exits while another one of its block waits.
    void leave_waiting(uint32_t thread, uint32_t statement);
    // The blocks that have not come to a choice and for which a lower one stands, which is alike.
    std::vector<bool> stood_for() const;
    uint64_t way(uint32_t block) const { return ways_[block]; }  // until its first choice
    // Whether these blocks have not come to a choice, and are alike.
    bool are_fresh(const std::vector<uint32_t>& blocks) const;
    // The way of a thread that stands before its first choice at this place: threads that are alike have the same.
    uint64_t way(uint32_t thread, const Memory& place) const;

    // Whether a special register gives different values in two blocks, or threads.
    bool is_name(const std::string& special);
    // A value of this doubt names its thread, or its block. Whether it may be the address of this access.
    bool may_lead(uint32_t thread, const Step& step, Doubt doubt);
    // Whether it may decide that the thread executes the statement, or does not.
    bool may_decide(uint32_t thread, const Step& step, Doubt doubt, bool executes);
    // Whether the register of a value that names the block may be an address behind its first choice, if it is written now.
    bool keeps_name(uint32_t thread, size_t reg) const { return is_of_threads() || is_fresh(thread) || task_.decoded->fixed[reg]; }
    // An access to what may be shared. `known`: what is ordered before it.
    void touch(const Thread& thread, const Spot& spot, std::span<const std::pair<uint64_t, uint64_t>> ranges, const Access& access,
               const Clock& known);

    // Two statements that might race after an exchange, or one twice; none: there are none.
    std::optional<std::pair<uint32_t, uint32_t>> find() const;
    // At which a thread met others too late; none: there is none.
    std::optional<uint32_t> late_meeting() const { return late_meeting_; }
    // Which a name has decided late, not for all threads that are alike, or not alike; none: there is none.
    std::optional<uint32_t> late_decision() const;
    // A statement that not all blocks have executed so, and whose address has named the block late; none: there is none.
    std::optional<uint32_t> not_by_all() const;

private:
    using Array = std::pair<size_t, uint32_t>;  // an object, and the block whose shared memory it is
    // Which thread has touched which bytes; those of several threads lie in a set.
    class Owners {
    public:
        void touch(uint64_t begin, uint64_t end, uint32_t thread);
        // Whether a byte is touched by one thread of these, and by another one of those.
        bool meet(const Owners& others) const;

    private:
        std::map<uint64_t, std::pair<uint64_t, uint32_t>> pieces_;  // by begin, apart: the end, and the first thread
        ByteSet of_several_;
    };
    struct Accesses {  // of a statement to an array
        bool writes = false;
        bool late = false;                   // some have executed it behind their first choices
        bool again = false;                  // some byte was touched more than once
        bool by_name = true;                 // each time the address named the block
        std::map<uint32_t, Clock> by_block;  // those of each
        uint32_t version = 0;                // how often these changed
        // By life of a thread, and statement: the version that its accesses are ordered behind.
        std::map<std::pair<size_t, uint32_t>, uint32_t> behind;
        std::set<uint32_t> unordered;  // statements of which some access came later, and was not ordered behind one of this
        ByteSet bytes;
        Owners owners;  // of them, where blocks are exchanged
    };
    using OfArray = std::map<uint32_t, Accesses>;  // by statement
    bool may_meet_late(uint32_t statement, const OfArray& all, uint32_t other, bool in_one_array) const;
    bool is_behind(const Thread& thread, uint32_t statement, Accesses& others, const Clock& known) const;
    uint32_t one(uint32_t thread) const { return is_of_threads() ? thread : task_.geometry.cluster(task_.seats[thread].block); }
    uint32_t counterpart(const kernel::Seat& seat) const;  // the thread of cluster 0 that has its place in the cluster
    void come_to_choice(uint32_t thread);
    bool decides_late(uint32_t thread, const Step& step, Doubt doubt, bool goes);
    struct Decision {  // of a value that names its thread, behind a way of statements
        uint64_t alike = 0;
        uint32_t statement = 0, count = 0, last = 0;  // so many threads have come to it
        bool goes = false, differs = false;
    };

    const Task& task_;
    const Alike which_;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t>
        ways_of_warps_;                 // by block and warp: what it has executed before the first choice of its block, as a hash
    std::vector<uint64_t> ways_;        // of blocks: the sums of these; of threads: likewise
    std::vector<bool> chosen_;          // blocks, or threads
    std::optional<uint32_t> choosing_;  // a thread that makes its first choice
    std::optional<uint32_t> strong_;    // a thread whose next strong access has such an address
    std::vector<bool> meets_;           // of threads, by statement: others are needed for it
    std::vector<bool> late_blocks_;     // of threads: where one has come to a choice
    std::optional<uint32_t> late_meeting_;
    std::vector<uint64_t> alike_;                        // of threads that have chosen: what it was like then
    std::map<uint64_t, uint32_t> counts_;                // of these: so many were
    std::map<uint64_t, Decision> decisions_;             // by what its threads are like, their way and the statement
    std::set<uint32_t> led_late_;                        // statements of accesses
    std::map<std::string, bool> names_;                  // special registers
    std::set<uint32_t> named_;                           // statements
    std::map<uint32_t, std::vector<bool>> led_threads_;  // by statement: whose address has named the block late
    std::map<Array, OfArray> arrays_;
};

}  // namespace litmus::sweep
