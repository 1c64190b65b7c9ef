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
// Threads that are left out could only order accesses, or end a wait. The sweep runs all threads, and has seen that none does. The model
// judges the order among the threads that are there: proxies, scopes, completion.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
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
};

// Why no test is made of such findings; empty: one is.
std::string_view why_no_test(Breach breach);

struct Slice {
    Question question = Question::race;
    Test test;
    std::vector<std::vector<const kernel::Statement*>> statements;  // by thread and instruction: that it comes from
    std::string text;                                               // of the test, as `litmus check` reads it; empty: there is none
    std::string why;                                                // there is none
};

// The finding is one of sweep() with the same arguments. Takes as long as a few sweeps. Throws OverBudget.
Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Finding& finding);

}  // namespace litmus::sweep
