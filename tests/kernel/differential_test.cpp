// A part of what kernel_differential does: the sweep against an interpreter that shares nothing with it but the reader.
#include <doctest/doctest.h>

#include "against_interpreter.h"

using namespace litmus::kernel::testing;

TEST_CASE("the sweep leaves the memory that an interpreter leaves") {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        const Comparison result = compare_with_interpreter(seed);
        INFO("seed ", seed, ": ", result.difference, "\n", result.ptx);
        CHECK(result.difference.empty());
    }
}
