// The canonical text of a native test.
#pragma once

#include <string>

#include "language/test.h"

namespace litmus {

// Prints so that parse_dsl(print(t)) equals t; comments are not kept. The test must be
// of the native dialect: a foreign one goes through to_native first (std::logic_error otherwise).
std::string print(const Test& test);

// One instruction as print writes it, without labels and the ';'.
std::string print(const Instruction& instruction);

// One condition as print writes it; `test` names the threads.
std::string print(const Condition& condition, const Test& test);

}  // namespace litmus
