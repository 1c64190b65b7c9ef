// The steps of a kernel (kernel/program.h), with what the run of all threads has to know of several of them together.
#pragma once

#include <vector>

#include "base/budget.h"
#include "kernel/link.h"
#include "kernel/program.h"

namespace litmus::sweep {

using kernel::Callee;
using kernel::Demands;
using kernel::element_of;
using kernel::link;
using kernel::Linked;
using kernel::outside;
using kernel::Piece;
using kernel::Step;

// Notes of each step which reads it waits for, and of a read whether it is the first round of a loop. Registers that it reads and writes are left where wgmma or
// tcgen05.ld writes some later. Throws as kernel::decoded() does.
std::vector<Step> steps_of(const SourcePtr& file, const kernel::Function& function, const Budget& budget);

}  // namespace litmus::sweep
