// Random kernels without synchronization: integer arithmetic, branches, bounded loops, each thread at its own places of an array.
//
// A thread reads any element of `in`, which nobody writes, and writes only its own elements of `out`. What it reads back from there
// is a value that the evaluator does not know; such values live in registers of their own (%d), on which only those operations are done
// that the language of tests has. At the end every register is written to `out`, so that no mistake stays unseen.
#pragma once

#include <cstdint>
#include <string>

#include "kernel/arguments.h"

namespace litmus::kernel::testing {

struct RandomKernel {
    std::string ptx;
    LaunchTexts launch;
};

RandomKernel random_kernel(uint64_t seed);

// Blocks of 32 to 128 threads that exchange values through shared memory, at places that follow from the thread's number; some of the
// barriers that this needs are missing.
RandomKernel random_shared_kernel(uint64_t seed);

}  // namespace litmus::kernel::testing
