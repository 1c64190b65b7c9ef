// What becomes of counts when threads are left out.
//
// The argument. Let every thread that is left out do what the chosen thread of its group does, right before it. Then each execution of the
// test is one of the kernel: data that the chosen threads touch is the same, and every barrier and mbarrier completes where it does in
// the test, if its counts are scaled so that the chosen arrivals complete what all arrivals would. So what is found in the test is in the
// kernel, too. The converse needs the group to move together: that two threads of one group are in different phases of what they do is
// seen with two threads of a role only, and said in the output. Scaling is exact in this sense, or refused:
//
// * An mbarrier of n arrivals. If every group that arrives has g threads to a chosen one, and g divides n: n / g. If all arrivals of the
// launch
//   make whole phases (P of them), to each of which each thread brings as many: the chosen arrivals over P. If all together are fewer
//   than n, no phase ever ends: n less the arrivals left out. Else, and where `mbarrier.pending_count` reads a count, all threads that
//   arrive are taken in, and n stays.
// * Expected bytes: phase by phase, the bytes expected times the bytes kept over the bytes that complete. A fraction: the copies stay
//   whole, or what completes is taken in.
// * A barrier with a count: 32 times the chosen warps where the count is that of all warps that use it; else a lane of each is taken in.
//   A barrier without one needs nothing.
// * The waiting of `ldmatrix` and `stmatrix` goes where all lanes of the warp wait at the same in the same order: it keeps nobody waiting.
// * Masks of lanes are cut to the chosen ones. A `redux.sync` whose result is used needs all its lanes, a `bar.red` all threads.
// * Memory. A value that decides something (a guard, an `await`, or what flows there through registers and memory of chosen threads) is
//   as in the kernel only if all that write it are there: a counter compared with a number of arrivals needs all who count. So they are
//   taken in, but for threads whose whole effect there is one that a chosen thread has, too (a plain store, or an idempotent reduction, of
//   the same number). Data that decides nothing may be that of the chosen threads alone: it is no part of what is judged.
//
// What is taken in is said, with the reason. More than `most_threads` is an error that says what needs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/granules.h"
#include "kernel/roles.h"

namespace litmus::kernel {

// A thread that must be chosen, too.
struct Want {
    size_t thread = 0;
    std::string why;
    std::optional<size_t> statement = {};  // of the PTX, that asks for it; none: several do
};

struct Scaled {
    std::vector<Trace> threads;      // the chosen ones, with their counts, bytes and masks as they shall be
    std::vector<std::string> lines;  // what was scaled
    std::vector<Want> wants;         // not empty: nothing of the above counts; take these in, and ask again
    std::vector<Touch> whole;        // the same: keep these whole
};

// Throws Failure, with the CUDA line in the message, where a count cannot be scaled.
Scaled scale(const Module& module, const Traces& traces, const Memory& memory, const Choice& choice, const Granules& granules);

// The threads that are needed because a value in memory decides something (deciding.cpp).
std::vector<Want> writers_of_deciding(const Module& module, const Traces& traces, const Memory& memory, const Choice& choice);

// How an mbarrier object is called: by its object alone, or with its number or offset in it.
std::string mbarrier_name(const Object& object, uint64_t offset);

}  // namespace litmus::kernel
