// `litmus report`: tests as a site of static HTML.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// The exit status: that of `check` about the same tests; 2 for an observation that cannot be used, too. Throws Failure for a mistake in the
// options and for a folder that cannot be written.
int report(const Options& options, Output& out);

}  // namespace litmus
