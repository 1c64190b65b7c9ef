// Where a thread stands in its launch.
#pragma once

#include <cstdint>

namespace litmus::kernel {

struct Seat {
    uint32_t block = 0;    // linear in the grid
    uint32_t thread = 0;   // linear in the block
    uint32_t cluster = 0;  // linear
    uint32_t gpu = 0;
    uint32_t warp() const { return thread / 32; }
    uint32_t lane() const { return thread % 32; }
};

}  // namespace litmus::kernel
