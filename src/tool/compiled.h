// `litmus compiled`: whether what the assembler makes of tests may do what the tests may not.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// The exit status: 0 nothing forbidden; 1 something is; 2 a test or an assembler that cannot be used; 3 something is unknown; 70 an
// internal error. Throws Failure where there is no assembler, saying where it was looked for.
int compiled_tests(const Options& options, Output& out);

}  // namespace litmus
