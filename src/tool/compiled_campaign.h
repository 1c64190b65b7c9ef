// `litmus compiled --random N --triples N --waits N`: the search for what an assembler breaks.
#pragma once

#include "analysis/compiled/assemble.h"
#include "options.h"
#include "tool/output.h"

namespace litmus {

// The exit status, as of compiled_tests().
int compiled_campaign(const Options& options, const compiled::Settings& settings, Output& out);

}  // namespace litmus
