// Instructions of the language of tests, made of their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/instruction.h"
#include "ptx/table.h"

namespace litmus::kernel {

// An instruction of the language of tests with this dotted name, its operands bound to their roles; none: the language has no such
// word.
std::optional<Instruction> make(const std::string& dotted, std::vector<Operand> operands);

// The same of a name that has been looked up.
Instruction make(const Spelling& spelling, std::vector<Operand> operands);

Operand reg_operand(const std::string& name);
Operand number_operand(uint64_t value);

}  // namespace litmus::kernel
