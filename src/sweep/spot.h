// A place in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/program.h"
#include "sweep/log.h"

namespace litmus::sweep {

struct Spot {
    size_t number = 0;  // of the piece of memory
    uint64_t offset = 0;
    uint32_t block = 0;  // whose shared memory
    bool shared = false;
    uint8_t address = 0;  // as of an Access
    size_t object = 0;    // of kernel::MemoryLayout::objects
};

inline Memory memory_of(const Spot& spot, uint64_t offset) {
    return {spot.object, spot.shared ? spot.block : 0, offset};
}
// The place of an element of a vector.
inline Spot element_at(Spot spot, const kernel::Step& step, uint32_t element) {
    spot.offset += uint64_t{element} * step.bytes;
    return spot;
}
inline Memory memory_of(const Spot& spot) {
    return memory_of(spot, spot.offset);
}

}  // namespace litmus::sweep
