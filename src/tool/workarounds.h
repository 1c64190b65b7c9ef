// `litmus repair --compiled`: other spellings of tests, of which ptxas keeps what the model forbids it to change.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

int work_around(const Options& options, Output& out);

}  // namespace litmus
