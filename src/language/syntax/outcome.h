// An outcome that a user asks about, on a command line.
#pragma once

#include <string>

#include "language/test.h"

namespace litmus {

// "P1:r0=1; x=2", as outcomes are printed, or any condition of the DSL, about registers and locations of the test. Throws
// Failure, with what can be named as the hint.
Condition parse_outcome(const Test& test, const std::string& text);

}  // namespace litmus
