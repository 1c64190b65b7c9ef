// Operands of instructions (PTX ISA 9.1, section 6).
#pragma once

#include <string_view>

#include "kernel/module.h"
#include "kernel/read/lexer.h"
#include "kernel/read/names.h"

namespace litmus::kernel {

// What is known of the instruction whose operands are read.
struct OperandContext {
    std::string_view type;  // its last word, in which decimals are kept: "f32"
};

// Reads one operand of an instruction other than the names that branches and calls have.
Argument read_operand(Cursor& cursor, Names& names, const OperandContext& context);

// `(a, b)` of a call.
Argument read_list(Cursor& cursor, Names& names, const OperandContext& context);

// A name that is resolved later: the target of a branch, a function, a list of targets or a prototype.
Argument label_of(const PtxToken& name);

}  // namespace litmus::kernel
