// Evidence: a race that the sweep found as a litmus test, for the model to judge.
//
// The sweep only searches. The test has the two threads of the race; for each mbarrier object that one of its threads waits for, also a
// thread for each instruction that arrives there. Of what they did until the race it has all synchronisation, and their accesses to the
// byte that is raced for. An asynchronous operation on this byte becomes the plainest one of its proxy with the same completion: a box of a
// tensor a bulk copy of 16 bytes, a multiplication a bulk copy out of shared memory. Counts of objects and expected bytes are those of the
// threads and copies that are there.
//
// What the test leaves out can only have ordered the two accesses, and the sweep has seen that it does not: what it was is in the clocks
// of all threads. What the model adds is its own judgement of the order that is there: proxies, scopes, completion.
#pragma once

#include <string>

#include "kernel/launch.h"
#include "language/test.h"
#include "sweep/sweep.h"

namespace litmus::sweep {

struct Evidence {
    Test test;
    std::string text;  // of the test, as `litmus check` reads it; empty: there is none
    std::string why;   // there is none
};

// Of a finding of sweep() with the same arguments. Takes as long as a few sweeps. Throws OverBudget.
Evidence evidence(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const Finding& finding);

}  // namespace litmus::sweep
