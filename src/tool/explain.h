// `litmus explain`: why an outcome of a test cannot happen, or the execution that shows how it can.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// The exit status: 0 explained; 1 there is nothing to explain or to draw; 3 not decided, or only in part.
// Throws Failure for wrong input, OverBudget when the time or the memory is spent before anything is known.
int explain(const Options& options, Output& out);

}  // namespace litmus
