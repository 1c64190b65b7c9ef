// A kernel and the functions that it calls, as one code.
//
// The statements of the functions stand one behind the other, the kernel's first, so that its own keep their numbers; each function has
// registers of its own, and ends in a `ret`. No function is active twice in a thread (a call that would make it so is refused when it
// comes), so one set of registers for each is enough, and its memory, `.local` and the parameters of its calls (ISA 5.1.6.4), has one
// address. Names of variables are resolved here: an operand that is a symbol becomes the number that its address is; of
// one in shared memory, where each block has its own, the symbol stays, with the offset as its `bits`.
//
// A register of 128 bits becomes two of 64, and an operand that names it a vector of both, the lower half first.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/layout.h"
#include "kernel/module.h"

namespace litmus::kernel {

// Where a parameter or a result of a function lies in the memory of its thread, as an offset into the window of that.
struct Piece {
    uint64_t offset = 0;
    uint32_t bytes = 0;
};

struct Callee {
    const Function* function = nullptr;
    size_t first = 0;  // statement
    std::vector<Piece> parameters, results;
};

struct Linked {
    Function code;
    std::vector<const Statement*> originals;  // of each statement, in the module; null: of the `ret` at a function's end
    std::vector<Callee> callees;              // the kernel is the first
};

// In the code, a call names its function by a label whose `bits` are its place among the callees, or `outside`; a variable among its
// results and parameters stays a symbol, whose `bits` are its offset as a Piece has it.
inline constexpr uint64_t outside = UINT64_MAX;  // its code is not in this module

// Throws OverBudget.
Linked link(const Module& module, const Function& entry, const MemoryLayout& layout, const Budget& budget);

}  // namespace litmus::kernel
