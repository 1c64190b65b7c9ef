// Whether a CTA has started when another one of its cluster accesses its shared memory.
//
// A test takes it that all its CTAs run. A kernel has to make sure that the shared memory of a peer CTA exists before it communicates with
// it (ISA 2.2.2), which barrier.cluster tells, or anything that comes from a thread of that CTA. Asked of each access to the memory of
// another CTA, by whichever thread of the launch:
//
// * behind a barrier.cluster.wait that the thread surely executes, all CTAs of the cluster have started;
// * where the thread, or one of its CTA by whom it could know, has read or waited for something that threads of other CTAs write, it may be
//   known: that it is, is presumed, and said;
// * else nothing can tell it: undefined.
#pragma once

#include "kernel/findings.h"
#include "kernel/touch.h"

namespace litmus::kernel {

Findings accesses_before_start(const Module& module, const Traces& traces, const Memory& memory);

}  // namespace litmus::kernel
