// Which threads of a launch the test is made of.
//
// Threads of one CTA that do the same (groups.h) are a *group*: they play one role. One thread stands for its group (`per_role`: N of
// them). Which one decides what the test can show: a choice of threads that never touch the same data proves nothing. So the
// representatives are chosen together: each in turn becomes the thread of its group that meets the most other representatives (two threads
// meet where both touch a byte of data and one of them writes it), then the most bytes, then the first one, until nobody changes any more.
//
// A *meeting* is a pair of instructions of the kernel, each by a group, by which two threads meet. Where one happens in the launch and
// not yet in the choice, threads that do it are added: while a group would meet nobody otherwise, and while the test is small (8 threads).
// Meetings that are still missing then are named in the output. All of it is deterministic.
//
// A group that only waits at barriers of the whole CTA or cluster, or among the lanes of a warp, is *idle* and left out where nobody can
// wait for it at another barrier (groups.cpp). That is exact: it touches no memory, it keeps nobody waiting for ever, and what a barrier
// orders by way of an idle thread it orders without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/groups.h"
#include "kernel/meetings.h"
#include "kernel/touch.h"
#include "kernel/write.h"

namespace litmus::kernel {

struct Choice {
    std::vector<Group> groups;       // by block and first thread
    std::vector<size_t> group_of;    // of each thread
    std::vector<size_t> threads;     // those of the test, ascending
    std::vector<std::string> lines;  // why threads were added

    bool has(size_t thread) const;
    // Takes in a thread, and says why.
    void add(size_t thread, std::string why);
};

// Throws Failure (without a place) for a thread named in the options that the launch does not have, and where more than
// `most_threads` would be needed; and OverBudget.
Choice choose(const Traces& traces, const Memory& memory, const ChoiceOptions& options);

// "t5", or in a launch of several blocks "b1t5"; of several launches "g0b1t5".
std::string thread_name(const Traces& traces, const Seat& seat);
// "t0..t31, t40"
std::string thread_names(const Traces& traces, const std::vector<size_t>& threads);

}  // namespace litmus::kernel
