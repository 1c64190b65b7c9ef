// What the residual bodies of threads leave in memory when they run one after the other.
#pragma once

#include "interpreter.h"
#include "kernel/trace.h"

namespace litmus::kernel::testing {

// Of the objects of the launch's arrays, which come first. Throws std::runtime_error for what synchronizes, and for what never ends.
Memory executed(const Traces& traces, size_t arrays);

}  // namespace litmus::kernel::testing
