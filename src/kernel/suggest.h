// A launch to begin with, guessed from the kernel: what its parameters are used for says what they are.
#pragma once

#include <string>
#include <vector>

#include "kernel/arguments.h"
#include "kernel/module.h"

namespace litmus::kernel {

// The type of the elements of the array whose address a parameter is: memory is accessed through it, and no other parameter is part of that
// address. Empty: nothing in the kernel shows that.
std::string element_behind(const Function& entry, size_t parameter);

// The options of a launch, "--grid", "2", ..., of this kernel: what is said stays, and what is missing is guessed. A parameter through
// which memory is accessed is an array with a few elements for each thread, of the type that it is accessed with; others are the number 1.
// Nothing in the kernel says which number it is: `guessed` names these arguments, "n=1". A launch with them may do little.
struct Suggestion {
    std::vector<std::string> options;
    std::vector<std::string> guessed;
};
Suggestion suggested_options(const Module& module, const Function& entry, const LaunchTexts& said);

}  // namespace litmus::kernel
