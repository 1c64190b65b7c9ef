// `litmus repair --compiled`: other spellings of tests, of which ptxas keeps what the model forbids it to change.
#pragma once

#include "tool/output.h"
#include "options.h"

namespace litmus {

int work_around(const Options& options, Output& out);

}  // namespace litmus
