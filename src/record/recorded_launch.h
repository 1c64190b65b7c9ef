// From a recorded launch to one that the sweep takes.
#pragma once

#include <string>
#include <vector>

#include "kernel/arguments.h"
#include "kernel/launch.h"
#include "kernel/module.h"
#include "record/recording.h"

namespace litmus::record {

// The launch that a folder has, of its kernel.ptx. What `instead` says (entry, grid, block, cluster, dynamic shared memory) takes the place
// of what was recorded; it has no arguments. An allocation becomes an array, called after the parameter that leads to it; bytes that were
// not recorded are zeros, and a note says how many. Throws Failure where a file is missing or has another size than is said, where the
// parameters are not those of the kernel, and as kernel::launch_of() does; and OverBudget. The recording is as read_recording() gives it.
kernel::Launch recorded_launch(const kernel::Module& module, const Recording& recording, const std::string& folder,
                               const kernel::LaunchTexts& instead, const Budget& budget = {});

// Launches of one program, each with the module of its kernel.ptx and its folder: all have the same arrays, so that one can find what
// another has left. Allocations that overlap are one array. Throws as recorded_launch() does.
std::vector<kernel::Launch> recorded_launches(const std::vector<const kernel::Module*>& modules, const std::vector<Recording>& recordings,
                                              const std::vector<std::string>& folders, const Budget& budget = {});

}  // namespace litmus::record
