// A piece of memory: what it holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sweep/left.h"
#include "sweep/value.h"

namespace litmus::sweep {

// A piece of memory: an array, or a variable in the shared memory of one block.
struct Instance : Contents {
    size_t object = 0;  // of kernel::MemoryLayout::objects

    // At most 8 bytes; more are not computed.
    Value get(uint64_t offset, uint32_t size, Doubts& joined) const;
    void put(uint64_t offset, uint32_t size, const Value& value);
};

}  // namespace litmus::sweep
