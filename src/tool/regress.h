// `litmus regress`: what tests come to, against a committed baseline.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Checks the inputs and says how each stands to the baseline; with --promote, writes the baseline. The exit status: 0 nothing
// changed, or the baseline is written; 1 something changed; 3 something was not decided; 2 an input or a baseline that cannot be used
// (2 before 1 before 3). Throws Failure for a model, a reading or a baseline that cannot be used.
int regress(const Options& options, Output& out);

}  // namespace litmus
