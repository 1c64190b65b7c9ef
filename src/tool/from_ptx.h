// `litmus from-ptx`: a litmus test of a kernel, and what is wrong with it.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Gives the exit status. Throws Failure where the file, its launch or the kernel cannot be used.
int from_ptx(const Options& options, Output& out);

}  // namespace litmus
