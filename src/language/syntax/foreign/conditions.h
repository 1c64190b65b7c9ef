// The conditions of the two foreign formats.
#pragma once

#include <string>

#include "language/syntax/foreign/tokens.h"
#include "language/test.h"

namespace litmus::foreign {

// A condition over the threads and locations of `test`. Column: `P1:r0`, `1:r0`, `x`, `[x]`.
// Braces: `r0`, `d0.b0.t0:r0`.
Condition parse_condition(Cursor& in, const Test& test);
std::string print_condition(const Condition& condition, const Test& test);
Term parse_term(Cursor& in, const Test& test);
std::string print_term(const Term& term, const Test& test);

}  // namespace litmus::foreign
