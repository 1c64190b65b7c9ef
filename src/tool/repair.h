// `litmus repair`: what is missing in tests, as patches.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Gives the exit status. Throws Failure for a mistake in the options.
int repair_tests(const Options& options, Output& out);

}  // namespace litmus
