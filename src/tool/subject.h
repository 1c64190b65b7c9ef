// A test with the outcome that a command line asks about in place of its claim.
#pragma once

#include <string>

#include "language/test.h"

namespace litmus {

// The test with the claim `word` ("exists", "~exists") of the outcome, in its text, too. `outcome` as parse_outcome takes it. Throws
// Failure for a mistake in the outcome, and for a test that is not in the DSL, whose text does not hold such a claim.
Test with_outcome(const Test& test, const std::string& word, const std::string& outcome);

}  // namespace litmus
