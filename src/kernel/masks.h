// Whether each lane is in the mask of what it executes.
//
// `bar.warp.sync`, `redux.sync`, `shfl.sync` and what else names lanes by `membermask` are undefined where the executing lane is not among
// them (ISA 9.7.9.6, 9.7.13.2, 9.7.13.9, 9.7.13.10, 9.7.13.12, 9.7.13.14). A test has some threads of the kernel: this is asked of all.
#pragma once

#include "kernel/findings.h"
#include "kernel/trace.h"

namespace litmus::kernel {

// Broken: an instruction that a lane surely executes, and whose mask leaves it out. Presumed: what it reads decides whether it comes there.
Findings lanes_outside_masks(const Module& module, const Traces& traces);

}  // namespace litmus::kernel
