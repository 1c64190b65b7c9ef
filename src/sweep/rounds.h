// The first round of a loop that waits, where it stands apart in the code.
//
// Compilers put the first round of a loop before it. The order of the threads decides which of the rounds ends the loop. The two are one if
// the code behind each of them is the same, with the same values. The code that only one of them executes has to be arithmetic that leaves
// nothing. So no register that it writes matters where the two ways meet an effect, and none decides a branch on their common way.
//
// A loop may also stand in several reads, as one of which compilers have unrolled some rounds, or one that sleeps after some tries. It is
// one loop if each of its reads leads to another one of them, or to the one statement behind the loop. No register that is written on the
// way may matter at any of these. Then an execution goes on alike if the last of its reads is its first.
//
// A loop may load its pointer again in each round. A weak load gives again what it gave before if its thread has published nothing since:
// who may write there in between races with the load before. So it is like arithmetic, and the run says where that is so (poll.cpp).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/budget.h"
#include "kernel/live.h"
#include "kernel/program.h"

namespace litmus::sweep {

// Arithmetic, or a hint: nobody else can tell that it is executed.
bool is_only_computing(const kernel::Step& step);
bool is_wait(const kernel::Step& step);  // for a phase
bool is_weak_load(const kernel::Step& step);
bool is_strong_read(const kernel::Step& step);
bool may_fail(const kernel::Step& step);  // a compare-and-swap

class Rounds {
public:
    // `live` before each statement, and at the end (carried.h).
    Rounds(const std::vector<kernel::Step>& steps, const std::vector<kernel::Registers>& live, const Budget& budget);

    // The statements that are executed from this one on until something else than arithmetic comes, or this other one, whatever registers
    // hold; and what comes then. A load that a round repeats is among both.
    struct Way {
        std::set<size_t> statements, ends;
    };
    Way from(size_t first, std::optional<size_t> until = {}) const;
    // The read of the loop of which this read is the first round; none: it is none.
    std::optional<size_t> loop_of(size_t read) const;
    // The reads in which the loop stands that begins with this one, which are several; empty: it is no such loop. A compare-and-swap counts
    // as a read. A way to a trap does not count, since nothing is claimed of it.
    std::vector<size_t> rounds_of(size_t read) const;

    // Weak loads on a way from a read or a wait back to it.
    const std::set<size_t>& loads() const { return loads_; }

    // For each wait for a phase, and each strong read, the registers whose values before it matter: for when it stops to wait, or for what
    // comes behind it. A count that only says how long to sleep does not.
    const std::map<size_t, std::set<size_t>>& matter() const { return matter_; }

private:
    void note_loads(const Budget& budget);
    void note_matter(const Budget& budget);
    template <typename Passes>
    Way follow(size_t first, std::optional<size_t> until, const Passes& passes) const;
    std::optional<size_t> join_of(size_t branch) const;
    std::optional<std::set<size_t>> computed_from(std::set<size_t> registers, const std::set<size_t>& statements) const;
    bool make_no_difference(const std::set<size_t>& registers, const Way& way) const;
    std::optional<uint64_t> constant(const kernel::Argument& argument) const;
    bool is_same(const kernel::Argument& one, const kernel::Argument& other) const;
    bool reads_the_same(const kernel::Step& one, const kernel::Step& other) const;
    bool leave_alike(size_t first, const Way& behind_first, size_t loop, const Way& behind_loop) const;

    const std::vector<kernel::Step>& steps_;
    const std::vector<kernel::Registers>& live_;
    std::set<size_t> loads_;
    std::map<size_t, std::set<size_t>> matter_;
    std::map<size_t, std::optional<uint64_t>> constants_;  // of registers to which `mov` brings one number alone; none: others
};

}  // namespace litmus::sweep
