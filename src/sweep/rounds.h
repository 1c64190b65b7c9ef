// Rounds of a loop that waits which stand apart in the code.
//
// Compilers put the first round of a loop before it, and a loop may have several waits. Which of them ends the loop depends on the order of
// the threads. That is no matter if the code behind each of them is the same, with the same values. So two rounds are taken for one if the
// code that only one of them executes is arithmetic that leaves nothing: no register that is live where the two ways meet an effect, and
// none that decides a branch on their common way.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "kernel/live.h"
#include "kernel/program.h"

namespace litmus::sweep {

// Arithmetic, or a hint: nobody else can tell that it is executed.
bool is_only_computing(const kernel::Step& step);

class Rounds {
public:
    // `live` before each statement, and at the end (carried.h).
    Rounds(const std::vector<kernel::Step>& steps, const std::vector<kernel::Registers>& live) : steps_(steps), live_(live) {}

    // The read of the loop of which this read is the first round; none: it is none.
    std::optional<size_t> loop_of(size_t read) const;
    // Whether a round of one wait, which may lead to the other one, may as well be one of the other: of one phase of one object.
    bool are_of_one_wait(size_t one, size_t other) const;
    // Whether it matters what these registers hold in a round: for when the loop ends, or for what comes behind it. A count that only says
    // how long to sleep does not.
    bool matter(const std::set<size_t>& registers, size_t round) const;

private:
    // The statements that are executed from this one on until something else than arithmetic comes, whatever registers hold; and what comes
    // then. None: they are too many.
    struct Way {
        std::set<size_t> statements, ends;
    };
    std::optional<Way> from(size_t first) const;
    std::set<size_t> leaves(const Way& way) const;  // its ends but rounds
    bool make_no_difference(std::set<size_t> registers, size_t round, const std::set<size_t>& statements,
                            const std::set<size_t>& ends) const;
    bool leave_alike(size_t one, const Way& behind_one, size_t other, const Way& behind_other) const;

    const std::vector<kernel::Step>& steps_;
    const std::vector<kernel::Registers>& live_;
};

}  // namespace litmus::sweep
