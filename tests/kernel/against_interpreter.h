// One random kernel, in two ways.
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

// The verdict on the kernel of random_shared_kernel of this seed, with so many threads of each role: "ok", "race", ...; "unknown" where
// the test says that it does not judge all that threads share, "refused" with why where no test comes out.
std::string verdict_with(uint64_t seed, size_t per_role);

}  // namespace litmus::kernel::testing
