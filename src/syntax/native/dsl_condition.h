// A condition of the native format.
#pragma once

#include "syntax/native/dsl_reader.h"
#include "test/test.h"

namespace litmus::dsl {

// Reads a condition in parentheses. Its registers and locations are those of the test as far as it is read. Throws Failure.
Condition parse_condition(Reader& in);

}  // namespace litmus::dsl
