// What a native test must satisfy beyond its grammar (model/semantics.md section 9, "Static rules").
#pragma once

#include <vector>

#include "base/source.h"
#include "language/test.h"

namespace litmus::dsl {

// All violations, in the order of the text: accesses (state space, size, alignment, bounds, CTA), barrier
// operands, labels, registers, placements, the target. Names of locations are known to exist. Not `complete`: some
// instructions or threads could not be read, so nothing is said to be missing.
std::vector<Diagnostic> check(const Test& test, bool complete = true);

}  // namespace litmus::dsl
