// One random kernel, in two ways.
#pragma once

#include <cstdint>
#include <string>

namespace litmus::kernel::testing {

struct Comparison {
    std::string difference;  // empty: the same memory
    std::string ptx;
};

// The final memory of the kernel of this seed, of the interpreter and of the sweep, which finds nothing and is sure.
Comparison compare_with_interpreter(uint64_t seed);

}  // namespace litmus::kernel::testing
