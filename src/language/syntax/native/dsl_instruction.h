// One instruction of the native format.
#pragma once

#include "language/syntax/native/dsl_reader.h"
#include "ptx/instruction.h"

namespace litmus::dsl {

// Reads an instruction with its guard, its operands and its semicolon, and binds it to its row. Throws Failure.
Instruction parse_instruction(Reader& in);

// Reads what an operand of an `asm` statement is bound to: a register, a location or a number. Throws Failure.
Bound take_bound(Reader& in);

}  // namespace litmus::dsl
