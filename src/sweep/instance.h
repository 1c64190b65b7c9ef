// A piece of memory: what it holds, who touched it, and what its strong writes carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ptx/operators.h"
#include "sweep/clock.h"
#include "sweep/left.h"
#include "sweep/log.h"
#include "sweep/shadow.h"
#include "sweep/value.h"

namespace litmus::sweep {

// The change that a strong write makes; a store is an exchange. Those that are equal leave the same in any order.
struct Change {
    Operator does = Operator::exch;
    Type type = Type::b32;
    std::optional<uint64_t> by = {}, swapped = {};  // what cas compares with, and what it writes
    friend bool operator==(const Change&, const Change&) = default;
};

// A value that a strong write has left; `number` 0 of the access: it was there before.
struct Written {
    Value value;
    Access access;
    Change change;
    bool unordered = false;  // with another strong write before it
};

// A reader of a strong write may acquire this: of the write, and of those from which atomic operations lead to it (ISA 8.9.2).
struct Release {
    std::map<std::pair<Scope, uint32_t>, Knowledge> within;  // by scope, and the number of its group; see Levels
    Time time;                                               // how far the threads had come
    Access by;
};

// The strong writes of other threads that come before an access in this run, and in another run may come after it.
enum class Unordered : uint8_t { none, alike, unlike };  // alike: reductions like the access itself, of one kind (Step::reduction)

// A piece of memory: an array, or a variable in the shared memory of one block.
struct Instance : Contents {
    size_t object = 0;
    std::map<uint64_t, std::vector<Written>> written;  // by offset: what strong writes have left, where one has
    Shadow shadow;
    std::map<uint64_t, Release> releases;  // by offset: of the last strong write
    // From the first mbarrier object that was initialised here to the end of the last.
    uint64_t objects_begin = UINT64_MAX, objects_end = 0;

    // At most 8 bytes; more are not computed.
    Value get(uint64_t offset, uint32_t size, Doubts& joined) const;
    void put(uint64_t offset, uint32_t size, const Value& value);
};

struct Spot {
    size_t number = 0;  // of the instance
    uint64_t offset = 0;
    uint32_t block = 0;  // whose shared memory
    bool shared = false;
    uint8_t address = 0;  // as of an Access
    size_t object = 0;    // of kernel::MemoryLayout::objects
};

inline Memory memory_of(const Spot& spot, uint64_t offset) {
    return {spot.object, spot.shared ? spot.block : 0, offset};
}
inline Memory memory_of(const Spot& spot) {
    return memory_of(spot, spot.offset);
}

}  // namespace litmus::sweep
