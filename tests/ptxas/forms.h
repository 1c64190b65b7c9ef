// The instructions that the table is compared with the assembler on: every name that its rows accept, and names
// one qualifier away that they do not.
#pragma once

#include <string>
#include <vector>

#include "ptx/table.h"

namespace litmus::ptxas {

struct Case {
    std::string name;  // "red.relaxed.gpu.global.add.u32"
    std::string text;  // with operands, which registers() declares
    bool legal = false;
    Version least;  // of a legal one
};

// Forms that have a row but no model yet are legal here. What the table knows by mnemonic only is left out: it says
// nothing about its qualifiers.
std::vector<Case> cases();

// The declarations that the operands of every case need, as PTX of that version (90 is 9.0) has them.
std::string registers(int version);

}  // namespace litmus::ptxas
