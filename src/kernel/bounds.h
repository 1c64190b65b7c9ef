// What every thread of a launch keeps to, chosen for the test or not: it touches the bytes of objects, and no others.
#pragma once

#include "kernel/touch.h"

namespace litmus::kernel {

// Throws Failure, with the PTX line and the CUDA line, where an access or a copy ends outside of the object that it begins in, and where
// anything but an mbarrier operation touches the memory of an mbarrier object (ISA 9.7.13.15.1). That memory may be data before its
// initialisation and behind `mbarrier.inval`: a kernel that uses it so is refused, too.
void check_bounds(const Module& module, const Traces& traces, const Memory& memory);

}  // namespace litmus::kernel
