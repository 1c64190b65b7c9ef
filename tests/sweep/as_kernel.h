// A litmus test as a kernel, so that the sweep can be asked what the model is asked.
#pragma once

#include <string>
#include <vector>

#include "kernel/launch.h"
#include "kernel/module.h"
#include "language/test.h"

namespace litmus {

struct TestAsKernel {
    std::string ptx;
    kernel::Module module;
    kernel::Launch launch;
    uint32_t gpus = 1;  // whose blocks these are, as in sweep::Options
};

// One kernel that has the threads of the test (native) where the test places them; the other lanes of their warps end at once. Lanes of a
// warp that have one text, but for special registers, execute it together. Initial
// values in shared memory, and mbarrier objects that the test finds initialised, are written before a barrier that all threads come to.
// Throws Failure, with the reason, for a test that is no kernel.
TestAsKernel as_kernel(const Test& test);

// The same of a test with several grids: a kernel for each, in the order of a stream, which have the same arrays. Throws Failure for grids
// that are no stream.
std::vector<TestAsKernel> as_stream(const Test& test);

}  // namespace litmus
