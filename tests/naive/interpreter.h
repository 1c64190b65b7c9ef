// Runs one thread of a test, one concrete instruction after the other.
//
// Whatever the thread cannot know is asked of an oracle: the value of a read, the result of a bar.red, whether it goes on
// polling. Asking every way gives all traces of the thread; asking pseudo-random ways shows what depends on what.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "language/test.h"
#include "memory.h"
#include "trace.h"

namespace litmus::naive {

class Oracle {
public:
    Oracle() = default;
    Oracle(const Oracle&) = delete;
    Oracle& operator=(const Oracle&) = delete;
    virtual ~Oracle() = default;
    virtual uint64_t value(const StepId& read, int cell) = 0;
    // One of n possibilities; the first one means to go on.
    virtual size_t choice(const StepId& at, size_t n) = 0;
};

// Thrown by an oracle or the interpreter: there is no such run.
struct DeadEnd {};

using Candidates = std::vector<std::set<uint64_t>>;  // by cell: the values that it may ever have

struct Bounds {
    int failures = 2;      // failing iterations of one await, and repetitions of one loop
    size_t traces = 4000;  // of a thread
    size_t values = 24;    // of a cell
    // Values are drawn at random, just to see what they change: every value meets an await, and what a thread sees of an
    // mbarrier object may go back.
    bool drawn = false;
};

class Interpreter {
public:
    Interpreter(const Test& test, Memory& memory, const Bounds& bounds) : test_(test), memory_(memory), bounds_(bounds) {}

    // `written` (may be null) collects what the run writes.
    Trace run(int thread, const Candidates& candidates, Oracle& oracle, Candidates* written) const;

    struct All {
        std::vector<Trace> traces;
        bool cut = false;    // some run into the bound on loops: they are left out
        Candidates written;  // what is written in any run, also in those that come to nothing
    };
    // Every trace of the thread. Throws Unsupported when there are too many.
    All all(int thread, const Candidates& candidates) const;

private:
    const Test& test_;
    Memory& memory_;
    Bounds bounds_;
};

}  // namespace litmus::naive
