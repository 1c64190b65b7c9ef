// `litmus fmt`: canonical text, and conversion between the three formats.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Prints, checks or rewrites the files named in the options. A file that cannot be read, converted or
// rewritten is reported and does not stop the others. Returns the exit status: 0; 1 when --check
// found a file that is not canonical; 2.
int format_files(const Options& options, Output& out);

}  // namespace litmus
