// `litmus check` and `litmus outcomes`: all results of many tests.
#pragma once

#include "options.h"
#include "tool/output.h"

namespace litmus {

// Both return the exit status, and throw Failure for a model, a reading or a file to go on from that cannot be used.
int check(const Options& options, Output& out);
int outcomes(const Options& options, Output& out);

}  // namespace litmus
