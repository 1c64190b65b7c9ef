// The sweep in two orders of the threads.
//
// Where nothing depends on the order, one run is enough. Where something does, as on who draws the last ticket, a second run has the warps
// and blocks in the contrary order: of two contenders each has been the first one then. That is no proof for the other orders.
#pragma once

#include "sweep/sweep.h"

namespace litmus::sweep {

// As sweep(). What only the second run shows is marked so (Finding::backwards).
Swept sweep_in_orders(const kernel::Module& module, const kernel::Launch& launch, const Options& options = {});

}  // namespace litmus::sweep
