// A test's claim in the DSL's words.
#pragma once

#include <string>

#include "language/test.h"

namespace litmus {

// "(P1:r0 == 1 /\ x == 2)": always in parentheses.
std::string condition_text(const Test& test, const Condition& condition);
// "exists", "~exists", "forall"; without a condition "deadlock", "racefree" or "none".
std::string claim_kind(const Test& test);
// "filter (...) exists (...); racefree".
std::string claim_text(const Test& test);

}  // namespace litmus
