// Registers that hold the same whenever they are read, whichever way their thread has gone.
//
// Compilers write most registers once. A register is fixed if one statement writes it, and computes it from special registers, parameters,
// numbers, and fixed registers. Then it depends on the thread and the launch, and on nothing else. So `%ctaid.x * 4 + pointer` is the same
// before a choice and behind it, wherever the compiler computes it (exchange.h).
#pragma once

#include <cstddef>
#include <vector>

#include "kernel/program.h"

namespace litmus::sweep {

// By register. The time is proportional to statements, times the longest chain of fixed registers that the text has in contrary order.
std::vector<bool> fixed_registers(const std::vector<kernel::Step>& steps, size_t registers);

}  // namespace litmus::sweep
