// `litmus compare`: the tests on which two models, or two readings of one, differ.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// The exit status: 0 no test differs; 1 some does; 2 a model, a reading or a test that cannot be used; 3 not decided, or not
// compared because a model has no word for a test; 70 an internal error.
int compare(const Options& options, Output& out);

}  // namespace litmus
