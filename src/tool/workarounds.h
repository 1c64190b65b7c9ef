// `litmus repair --compiled`: other spellings of tests, of which ptxas keeps what the model forbids it to change.
#pragma once

#include "tool/each_test.h"
#include "tool/output.h"

namespace litmus {

// As each_test().
int work_around(const EachTestOptions& options, const ModelOptions& model, const CompiledOptions& compiled, bool apply, Output& out);

}  // namespace litmus
