// Which threads of a launch the test is made of.
//
// Threads of one CTA that do the same, up to where in an object they do it and which numbers they store, are a *group*: they play one
// role. One thread stands for its group (`--per-role N`: N of them). Which one decides what the test can show: a choice of threads that
// never touch the same data proves nothing. So the representatives are chosen together: each in turn becomes the thread of its group
// that meets the most other representatives (two threads meet where both touch a byte of data and one of them writes it), then the most
// bytes, then the first one, until nobody changes any more. Two groups that meet somewhere in the launch and not yet in the choice then get
// threads that do: where a group would meet nobody otherwise, and while the test is small (6 threads). All of it is deterministic.
//
// A group that only waits at barriers of the whole CTA or cluster, or among the lanes of a warp, is *idle* and left out. That is exact:
// it touches no memory, it keeps nobody waiting for ever (a thread that has exited counts as arrived: model/semantics.md, section 7),
// and what a barrier orders by way of an idle thread it orders without it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel/touch.h"
#include "kernel/write.h"

namespace litmus::kernel {

struct Group {
    uint32_t block = 0;
    std::vector<size_t> threads;  // of Traces::threads, ascending
    bool idle = false;
};

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
// `most_threads` would be needed.
Choice choose(const Traces& traces, const Memory& memory, const ChoiceOptions& options);

// Two groups that meet somewhere in the launch, and nowhere in the choice: a thread of each that does.
struct Unmet {
    size_t first = 0, second = 0;  // threads
    bool alone = false;            // no chosen thread of one of the groups meets anybody
};
std::vector<Unmet> unmet(const Traces& traces, const Memory& memory, const Choice& choice);

// "t5", or in a launch of several blocks "b1t5".
std::string thread_name(const Traces& traces, const Seat& seat);
// "t0..t31, t40"
std::string thread_names(const Traces& traces, const std::vector<size_t>& threads);

}  // namespace litmus::kernel
