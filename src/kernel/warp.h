// Exchanges between the lanes of a warp (ISA 9.7.9.6, 9.7.13.9 to 9.7.13.11, 9.7.13.14, 9.7.14.5.15, 9.7.14.5.16).
//
// shfl.sync, vote.sync and match.sync give each lane something of the others. The walks of a warp therefore go on side by side: each
// until all of its paths have ended or stand at an exchange. One takes place when every lane of its mask that has not ended stands at the
// same instruction (the same name and mask, for the same number of times on its path). What a lane brings must be the same on all of
// its paths. A value that is not known, or that a lane would bring which does not come on one of its paths, is opaque to the others. The
// dependency of what one lane does on what another one has read is left out: a test has no word for it, and without it more may happen,
// not less.
//
// `elect.sync` needs no value of others: the ISA leaves open which lane it elects, hardware takes the lowest of the mask. `activemask` is
// answered when nothing else goes on: the lanes that stand there.
//
// `ldmatrix` gives each lane parts of rows that others have read: opaque words. `stmatrix` gives nothing.
//
// What is computed so is the result. That a lane waits at the exchange until all lanes of the mask have come or exited stays in the
// residual program (Walker::wait_for_lanes): others may keep it waiting for ever.
#pragma once

#include <memory>
#include <vector>

#include "kernel/walk.h"

namespace litmus::kernel {

// Evaluates the lanes of one warp. Throws Failure where lanes wait for others that do not come.
void run_warp(std::vector<std::unique_ptr<Walker>>& lanes);

}  // namespace litmus::kernel
