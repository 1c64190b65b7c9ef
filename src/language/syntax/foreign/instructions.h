// The instructions of the two foreign formats: the same few, which differ in the order of an atomic's qualifiers and in
// whether an address stands in brackets. Every access is to a 32-bit word, and no name says so.
#pragma once

#include <string>
#include <vector>

#include "language/syntax/foreign/tokens.h"
#include "language/test.h"

namespace litmus::foreign {

// One instruction, up to but not including its end (`;` or `|`). Names are not resolved. Throws
// Failure for what the dialect does not have.
Instruction parse_instruction(Cursor& in, Dialect dialect);
// The same as text. Throws Failure when the dialect has no such instruction.
std::string print_instruction(const Instruction& instruction, const Test& test, Dialect dialect);

// Registers an instruction writes (at most one) and reads.
std::string written_register(const Instruction& instruction);
std::vector<std::string> read_registers(const Instruction& instruction);

}  // namespace litmus::foreign
