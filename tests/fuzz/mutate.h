// Semantic mutants of litmus tests: a parsed test with a few things changed, most of them still tests.
#pragma once

#include <random>
#include <vector>

#include "language/test.h"

namespace litmus {

using Random = std::mt19937_64;

// A test of `library` (native, not empty) with one to four changes: qualifiers within what the instruction's form has, operands,
// immediates, instructions doubled, left out, moved, taken from other tests, loops around a few of them, awaits, guards, scopes,
// placements, sizes, counts and kinds of locations, claims. Whether it is well formed is for the parser to say.
Test mutant(const std::vector<Test>& library, Random& random);

}  // namespace litmus
