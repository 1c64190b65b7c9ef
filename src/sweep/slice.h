// Slice: a race that the sweep found as a litmus test, for the model to judge; or the use of an mbarrier object that is not initialised.
//
// The test has the two threads of the finding. For each mbarrier object that a thread of the test waits for, it also has a thread for each
// instruction that arrives there; for each flag that one reads, a thread for each instruction that writes it. It has all that these threads
// did to synchronise until the race, and their accesses to the byte. An asynchronous operation on this byte becomes the plainest one of its
// proxy with the same completion: a box of a tensor a bulk copy of 16 bytes, a multiplication a bulk copy out of shared memory. Counts of
// objects and expected bytes are those of the threads and copies that are there. What a strong access to a flag gave in the sweep decided
// what its thread went on to do: a thread of the test that reads something else waits for ever.
//
// Threads that are left out could only order the two accesses. The sweep runs all threads, and has seen that none does. The model judges
// the order among the threads that are there: proxies, scopes, completion.
#pragma once

#include <string>
#include <vector>

#include "kernel/launch.h"
#include "language/test.h"
#include "sweep/sweep.h"

namespace litmus::sweep {

struct Slice {
    Test test;
    std::vector<std::vector<const kernel::Statement*>> statements;  // by thread and instruction: that it comes from
    std::string text;                                               // of the test, as `litmus check` reads it; empty: there is none
    std::string why;                                                // there is none
};

// Of a finding of sweep() with the same arguments. Takes as long as a few sweeps. Throws OverBudget.
Slice slice_of(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Finding& finding);

}  // namespace litmus::sweep
