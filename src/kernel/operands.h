// Whether a statement has the operands that its instruction takes: as many, and each where it can stand. The walk and the sweep rely on
// that, and do not look at it again.
#pragma once

#include <string>

#include "kernel/module.h"
#include "ptx/table.h"

namespace litmus::kernel {

// Operands on which the meaning of the instruction depends, not only a value: each is one number.
bool steers(Role role);

// Says what is wrong with the operands; empty: nothing. `form`: as the table has the instruction; null: the table lacks it. Then only what
// is executed all the same is looked at.
std::string wrong_operands(const Statement& statement, const Form* form);

}  // namespace litmus::kernel
