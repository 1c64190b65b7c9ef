// Whether a model has the words for a test, and whether a test's claim can matter.
#pragma once

#include <vector>

#include "solve/solve.h"

namespace litmus {

// Refuses a model that knows nothing of something the program does (a proxy, a barrier, a second
// address of a location): it would answer as if that were not there. Throws Failure that names what
// the model lacks and points at the first instruction that needs it.
void require_support(const Program& program, const Model& model);

// Warnings for a claim that can never matter: a register that nothing writes, a filter that no
// execution passes. (A constant that its type cannot hold is an error of the reader.)
std::vector<Diagnostic> claim_warnings(const Program& program, const Answer& answer);

}  // namespace litmus
