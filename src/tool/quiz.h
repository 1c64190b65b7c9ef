// `litmus quiz`: questions about lessons and tests, asked in the terminal.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Reads answers from standard input until all is asked, `q` comes or it ends, and then prints the score. Gives the exit status, 0 whatever
// was answered. Throws Failure for what is no lesson and no test.
int quiz(const Options& options, Output& out);

}  // namespace litmus
