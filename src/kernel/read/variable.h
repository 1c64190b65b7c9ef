// Declarations of memory and of parameters (PTX ISA 9.1, 5.1, 5.2 and 5.4).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/module.h"
#include "kernel/read/constant.h"
#include "kernel/read/lexer.h"

namespace litmus::kernel {

// Bytes of a type of memory by its name ("u64", "f16x2"); 0: none is named so.
uint32_t bytes_of_type(std::string_view name);

// Whether the token is a state space that variables are declared in; `.reg` is none of them.
bool is_space(const PtxToken& token);

// `.shared .align 8 .b8 x[16], y;` from the state space to the semicolon. `declare` is told each name before its initialiser is
// read; it gives the name under which the variable is kept, or throws Failure.
using Declare = std::function<std::string(const PtxToken&)>;
std::vector<Variable> read_variables(Cursor& cursor, const Declare& declare, const FindSymbol& find);

// `.param .u64 .ptr .global .align 16 x` or `.param .align 8 .b8 s[24]`.
Parameter read_parameter(Cursor& cursor);

}  // namespace litmus::kernel
