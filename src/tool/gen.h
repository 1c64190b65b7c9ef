// litmus gen: tests from cycles of edges.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Writes the tests that the options ask for to the output, or to files of their names. Returns the exit status; throws Failure
// for words that are none.
int generate(const Options& options, Output& out);

}  // namespace litmus
