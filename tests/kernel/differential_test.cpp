// A part of what kernel_differential does: the evaluator against an interpreter of its own, one thread of each role against more.
#include <doctest/doctest.h>

#include "against_interpreter.h"

using namespace litmus::kernel::testing;

TEST_CASE("evaluated threads leave the memory that an interpreter leaves") {
    size_t same = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        const Comparison result = compare_with_interpreter(seed);
        INFO("seed ", seed, ": ", result.difference, "\n", result.ptx);
        CHECK(result.difference.empty());
        same += !result.refused && !result.opaque;
    }
    CHECK(same == 200);
}

TEST_CASE("more threads of each role give the same verdict") {
    size_t races = 0, right = 0;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        const std::string one = verdict_with(seed, 1), two = verdict_with(seed, 2);
        INFO("seed ", seed, ": ", one, ", with two of each role ", two);
        if (one != "unknown" && two != "unknown") CHECK(one == two);
        races += one == "race";
        right += one == "ok";
    }
    CHECK(races > 0);
    CHECK(right > 0);
}
