// The code of a whole kernel, read for the threads of the test that `litmus kernel` made of it.
//
// The assembler is given the kernel's own PTX, so what is read is what runs, with all that stands around the accesses of the test. An
// instruction of the test comes from a statement of the PTX, whose line leads to its code. A statement that a thread executes several times
// is left out, since its line does not tell its turns apart. A statement in a function that the kernel calls is left out, too, and so are
// matrices: the code accesses them by an instruction of another kind.
#pragma once

#include <string>
#include <vector>

#include "analysis/compiled/assemble.h"
#include "kernel/module.h"

namespace litmus::compiled {

struct KernelCode {
    std::vector<Assembled> assembled;   // for the target that the PTX names
    std::vector<std::string> left_out;  // lines: instructions that were not looked at
};

// The test is of threads of this entry. `statements` says by thread and instruction where the statement of the PTX begins that it comes
// from. The assemblers and levels of `settings` count.
KernelCode assemble_kernel(const kernel::Module& module, const std::string& entry, const Test& test,
                           const std::vector<std::vector<size_t>>& statements, const Settings& settings);

}  // namespace litmus::compiled
