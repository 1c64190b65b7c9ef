// The tensor memory of a block (ISA 9.7.16.1).
#pragma once

#include <cstdint>
#include <map>

#include "sweep/shadow.h"
#include "sweep/sweep.h"

namespace litmus::sweep {

inline constexpr uint32_t lanes_of_cell = 16;

// A rectangle of tensor memory: a set of cells of 16 lanes, and columns.
struct TensorPart {
    uint32_t cells = 0, first = 0, columns = 0;
};

struct TensorMemory {
    std::map<uint32_t, uint32_t> allocated;  // columns, by the first
    uint32_t last_columns = 0;               // of the last allocation
    bool relinquished = false;
    uint32_t with_peer = 0;  // operations with .cta_group::2 that the block has come to
    Access latest;           // of the thread that came to the last of them
    Place allocation;        // the last one
    Shadow shadow;

    bool has_room(uint32_t columns) const;
    uint32_t allocate(uint32_t columns);
    bool holds(uint32_t column) const;
};

}  // namespace litmus::sweep
