// The differential run on programs with asynchronous operations (random_async.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace litmus {

struct AsyncRunOptions {
    size_t programs = 0;
    uint64_t seed = 20;
    bool mutate = false;
    std::optional<uint64_t> show;  // only print this program
    bool complete = false;         // every reading must decide some outcome, and every mutation be told
    unsigned jobs = 1;
};

// Compares both engines on random programs under the readings weakest, default and strongest, and prints what was
// exercised; the exit status.
int run_async(const AsyncRunOptions& options);

}  // namespace litmus
