// What the claim of a test speaks of.
#pragma once

#include "language/test.h"

namespace litmus {

// Whether the condition names the value that this element of a location, or of an alias of it, has in the end. `location` is an index of
// Test::locations; elements count from 0.
bool speaks_of(const Test& test, const Condition& condition, int location, int element);

}  // namespace litmus
