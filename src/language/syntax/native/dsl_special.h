// Special registers (ISA 10). A thread of a test has a place, so they are constants: what a launch of the test's threads would give.
#pragma once

#include <optional>

#include "language/syntax/native/dsl_reader.h"

namespace litmus::dsl {

// A special register whose first word, with its `%`, is taken already: an immediate that carries its name, and gets its value later.
// None: the word is no such register. Throws Failure for one that has no value in a test.
std::optional<Operand> take_special_register(Reader& in, const DslToken& token);

// Gives the special registers of all threads their values; the threads have their warps.
void set_special_registers(Test& test);

}  // namespace litmus::dsl
