// Instructions with `.aligned`: what is wrong where not all threads that have to execute the same. Private to this folder.
#pragma once

#include "event/barrier.h"

namespace litmus {

// Adds the violations of executions in which one thread executes such an instruction, and another that has to as well executes another one,
// or exits without it (language/aligned.h). `exits`: each thread's exit event. Throws OverBudget.
void add_aligned(Program& program, const std::vector<BarrierUse>& uses, const std::map<int, size_t>& exits);

}  // namespace litmus
