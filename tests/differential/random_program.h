// Random litmus tests, as Test values: the same ones from the same seed with every compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "language/test.h"

namespace litmus {

// splitmix64: a counter and a mixing function, enough for choosing shapes.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next();
    int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }  // n > 0
    bool chance(int percent) { return below(100) < percent; }
    template <typename T>
    const T& pick(const std::vector<T>& from) {
        return from[static_cast<size_t>(below(static_cast<int>(from.size())))];
    }

private:
    uint64_t state_;
};

// The seed of the i-th program of a run.
uint64_t program_seed(uint64_t run_seed, uint64_t i);

struct RandomOptions {
    int memory_events = 7;  // at most; an atomic operation counts as two, a vector access as its elements
    bool barriers = true;
    bool aliases = false;  // virtual aliases, fence.proxy.alias
    int threads = 3;       // at most
    bool floats = true;    // some programs on floating-point locations
};

// Two or three threads over two locations, placed somewhere in the hierarchy, with a claim.
Test random_program(uint64_t seed, const RandomOptions& options);

}  // namespace litmus
