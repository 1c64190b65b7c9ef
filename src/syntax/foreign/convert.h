// Tests from one format to another, with the same meaning.
#pragma once

#include "test/test.h"

namespace litmus {

// Each returns a test of the named dialect (the test itself when it is one already), and throws
// Failure, naming the construct, when the target cannot express it.

// Types and state spaces explicit, CTA numbers unique, branches on comparisons as setp and a guarded
// bra, quorum barriers as bar.sync with a count, initial registers as mov, expectations as a filter.
Test to_native(const Test& test);
Test to_column(const Test& test);
Test to_braces(const Test& test);

}  // namespace litmus
