// A condition of the native format.
#pragma once

#include "language/syntax/native/dsl_reader.h"
#include "language/test.h"

namespace litmus::dsl {

// Reads a condition in parentheses. Its registers and locations are those of the test as far as it is read. Throws Failure.
Condition parse_condition(Reader& in);

// Reads an outcome, up to the end of the text: a condition without parentheses, or as outcomes are printed, "P1:r0=1; x=2;".
Condition parse_outcome(Reader& in);

}  // namespace litmus::dsl
