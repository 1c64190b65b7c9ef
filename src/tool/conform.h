// `litmus conform`: what was observed on GPUs against what a model allows.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Reads the files of observations, finds their tests again, compares, reports. The exit status: 0 nothing forbidden was
// observed; 1 something was; 2 a model, a reading or a file that cannot be used, or nothing to compare; 3 something was not
// decided; 70 an internal error.
int conform(const Options& options, Output& out);

}  // namespace litmus
