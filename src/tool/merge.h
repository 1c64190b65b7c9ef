// `litmus merge`: the parts of a run that several machines shared, as one.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Reads the JSON lines that `check --shard` wrote and prints what the whole run would have printed. The exit status is that of the whole
// run. Throws Failure for a file that cannot be read or is no part, for parts of different runs, and when a result is missing or there
// twice.
int merge(const Options& options, Output& out);

}  // namespace litmus
