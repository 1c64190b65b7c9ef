// Slice: what leads to a finding of the sweep, as a litmus test for the model to judge.
//
// The test has the threads of the finding, and more of three kinds. A thread is there for each instruction that arrives at an mbarrier
// object for which the test waits. A thread is there for each instruction that writes a flag which the test reads. Those who do not come to
// a barrier are there if they wait elsewhere. It has all that these threads did to synchronise, and their accesses to the byte of a race.
//
// An asynchronous operation becomes the plainest one of its proxy with the same completion. A box of a tensor is a bulk copy of 16 bytes, a
// multiplication a bulk copy out of shared memory. Counts of objects and expected bytes are those of the threads and copies that are there;
// a phase that does not end lacks one arrival or half a copy. A thread goes on as the values of its flags say. So a thread of the test that
// reads something else than in the sweep waits for ever.
//
// A test of threads that the user names has these, and all places that they share. It has those reads that the machine knows to be
// performed by something that waits for their values: a store of the value stands for that.
//
// Threads that are left out could only order accesses, or end a wait. The sweep runs all threads, and has seen that none does. The model
// judges the order among the threads that are there: proxies, scopes, completion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/launch.h"
#include "language/test.h"
#include "sweep/sweep.h"

namespace litmus::sweep {

// The question about a test.
enum class Question : uint8_t {
    race,   // do two accesses race?
    life,   // is an operation on an object undefined? The test initialises it
    state,  // the same; it is initialised before
    hang,   // does a thread wait for ever?
    exit,   // is a copy in flight when its thread exits?
    named,  // is anything wrong with these threads?
};

// Why no test is made of such findings; empty: one is.
std::string_view why_no_test(Breach breach);

struct Slice {
    Question question = Question::race;
    Test test;
    std::vector<std::vector<const kernel::Statement*>> statements;  // by thread and instruction: that it comes from
    std::string text;                                               // of the test, as `litmus check` reads it; empty: there is none
    std::string why;                                                // there is none
    // Of named threads:
    bool shares = true;             // two of them touch the same data
    size_t runs = 1;                // that they are taken from
    std::vector<std::string> open;  // why others may have them do something else
};

// The finding is one of sweep() with the same arguments. Takes as long as a few sweeps. Throws OverBudget.
Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Finding& finding);

// The test of named threads, as (block, thread), has all that they did in a run. It has their accesses to places that two of them share, or
// one of them and an asynchronous operation. There is none where another order of all threads might have them do something else. There is
// none where the run finds what such a test cannot show, or the machine does not execute the kernel. Places that the same events touch are
// one place of the test. Takes as long as a sweep. Throws OverBudget.
Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options,
               const std::vector<std::pair<uint32_t, uint32_t>>& threads);

}  // namespace litmus::sweep
