// The steps of a kernel (kernel/program.h), with what the run of all threads has to know of several of them together.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "base/budget.h"
#include "kernel/launch.h"
#include "kernel/layout.h"
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

// The steps of a function. Lanes may stand at some of them while others go on: at strong accesses, fences and meetings, and behind
// branches. The registers whose values matter there are kept. A statement that is not in the map: nobody has found out.
struct Steps {
    std::vector<Step> code;
    std::map<size_t, std::vector<size_t>> live;
    std::vector<bool> fixed;  // registers (fixed.h)
};

// Notes of each step which reads it waits for, and of a read whether it is the first round of a loop. Registers that it reads and writes
// are left where wgmma or tcgen05.ld writes some later. Throws as kernel::decoded() does.
Steps steps_of(const SourcePtr& file, const kernel::Function& function, const Budget& budget);

// A kernel with what it calls: all runs of a launch have it in common. Steps point into it.
struct Decoded {
    const kernel::Module* module;
    const kernel::Launch* launch;
    std::shared_ptr<const Linked> linked;
    std::vector<Step> code;
    std::map<size_t, std::vector<size_t>> live;  // as of Steps
    std::vector<bool> fixed;                     // likewise
};

// `known`, if it is that of this launch; else it is decoded. Throws as kernel::decoded() does, and Failure where the launch does not fit.
std::shared_ptr<const Decoded> decoded(const kernel::Module& module, const kernel::Launch& launch, const Budget& budget,
                                       const std::shared_ptr<const Decoded>& known = {});

}  // namespace litmus::sweep
