// The compiled test: the test whose threads are what the machine is given.
//
// Between the PTX and the machine the assembler moves, merges and drops instructions. The compiled test has them as it left them, in PTX,
// so that the model can be asked what comes of it:
//   moved     instructions stand in the order in which they are issued
//   dropped   a load becomes a mov of the value that it was given instead, a store goes
//   merged    an access stands beside the one that does it
//   unwaited  an acquire stands behind the accesses that did not wait for it
//   stale     a load that a cache may answer from before an acquire stands before it
// A load that has moved or was merged is one into a fresh register at its new place, and a mov at its own; so may a load be issued before a
// branch that decides whether its value is used. What registers hold is computed where it was, or where it has to be.
//
// The order is a topological one. Between instructions of which the code tells it is that of the code; what reads a register stays behind
// what writes it; and nothing but such loads passes a branch or a label. Where that is a circle the test cannot say what the machine does,
// and nothing is claimed of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/compiled/thread.h"
#include "language/test.h"

namespace litmus::compiled {

struct CompiledTest {
    std::optional<Test> test;  // native; each instruction stands where that of the source does from which it comes
    std::vector<Change> changes;
    std::string unknown;  // why there is none
};

// `codes`: of the threads of which something is known; the others are taken to be as written. `test` is native.
CompiledTest compiled_test(const Test& test, const std::vector<ThreadCode>& codes);

}  // namespace litmus::compiled
