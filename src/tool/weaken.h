// `litmus weaken`: what of tests' synchronization can go, as patches.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Gives the exit status. Throws Failure for a mistake in the options.
int weaken_tests(const Options& options, Output& out);

}  // namespace litmus
