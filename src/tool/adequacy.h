// `litmus adequacy`: which parts of a model the tests need.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// The exit status: 0 every part is needed by some test, or known to be redundant; 1 some is not; 2 a model or a test that cannot
// be used; 3 not decided; 70 an internal error.
int adequacy(const Options& options, Output& out);

}  // namespace litmus
