// What is found on a kernel as a whole, and no test of some of its threads would show.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace litmus::kernel {

struct KernelFinding {
    size_t thread = 0, instruction = 0;  // of Traces::threads, and of its body
    std::string message;
};

struct Findings {
    std::vector<KernelFinding> broken;  // undefined behaviour; one for each statement
    std::vector<std::string> presumed;  // what could not be judged, a line for each statement
};

}  // namespace litmus::kernel
