// The differential run on programs with asynchronous operations (random_async.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "turn.h"

namespace litmus {

struct AsyncRunOptions {
    size_t programs = 0;
    uint64_t seed = 20;
    std::vector<std::string> kinds;  // of programs, in turn (random_async.h); none: of any
    bool mutate = false;
    std::optional<uint64_t> show;  // only print this program
    bool complete = false;         // every reading must decide some outcome
    bool all_told = false;         // every mutation must be told that programs of these kinds are to tell
    unsigned jobs = 1;
    Turn turn = Turn(1);  // which of them are asked
};

// Compares both engines on random programs under the readings weakest, default and strongest, and prints what was
// exercised; the exit status.
int run_async(const AsyncRunOptions& options);

}  // namespace litmus
