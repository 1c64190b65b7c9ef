// Random kernels without synchronization: integer arithmetic, branches, bounded loops, each thread at its own places of an array.
//
// A thread reads any element of `in`, which nobody writes, and writes only its own elements of `out`. What it reads back from there
// lives in registers of its own (%d), on which only those operations are done that the language of tests has. At the end every register is
// written to `out`, so that no mistake stays unseen.
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

}  // namespace litmus::kernel::testing
