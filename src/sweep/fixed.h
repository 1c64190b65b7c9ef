// Registers that hold the same whenever they are read, whichever way their thread has gone.
//
// Compilers write most registers once. What such a one holds depends on the thread, the launch and on nothing else, if it is computed from
// special registers, parameters, numbers, and registers of the same kind. So `%ctaid.x * 4 + pointer` is the same before a choice and
// behind it, wherever the compiler computes it (exchange.h).
#pragma once

#include <cstddef>
#include <vector>

#include "kernel/program.h"

namespace litmus::sweep {

// By register. Takes time in proportion to statements, times the longest chain of registers that are written in the order contrary to the
// text.
std::vector<bool> fixed_registers(const std::vector<kernel::Step>& steps, size_t registers);

}  // namespace litmus::sweep
