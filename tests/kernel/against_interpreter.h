// One random kernel, both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace litmus::kernel::testing {

struct Comparison {
    bool refused = false;    // the evaluator said that it cannot
    bool opaque = false;     // something was abstracted, so that values may differ
    std::string difference;  // empty: the same memory, or nothing to compare
    std::string ptx;
};

// The final memory of the kernel of this seed: of the interpreter, and of the residual programs of its threads.
Comparison compare_with_interpreter(uint64_t seed);

}  // namespace litmus::kernel::testing
