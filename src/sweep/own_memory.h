// The memory of a thread alone: `.local`, and what calls pass. A byte that is not here is not computed.
#pragma once

#include <cstdint>
#include <map>

#include "sweep/doubt.h"
#include "sweep/value.h"

namespace litmus::sweep {

class OwnMemory {
public:
    Value get(uint64_t offset, uint32_t bytes, Doubts& doubts) const {
        Gathered gathered(bytes);
        for (uint32_t i = 0; i < bytes; ++i)
            if (const auto byte = bytes_.find(offset + i); byte != bytes_.end())
                gathered.add(i, byte->second.bits, byte->second.doubt, doubts);
        return gathered.value();
    }
    void put(uint64_t offset, uint32_t bytes, const Value& value) {
        for (uint32_t i = 0; i < bytes; ++i) {
            if (value.knows_byte(i))
                bytes_[offset + i] = {value.byte(i), value.doubt};
            else
                bytes_.erase(offset + i);
        }
    }
    void copy(uint64_t from, uint64_t to, uint32_t bytes, Doubts& doubts) {
        for (uint32_t i = 0; i < bytes; ++i) put(to + i, 1, get(from + i, 1, doubts));
    }
    // Calls `add` with numbers that are the same where the memory holds the same.
    template <typename Add>
    void sum_up(const Add& add) const {
        for (const auto& [at, byte] : bytes_) {
            add(at << 8U | byte.bits);
            add(byte.doubt);
        }
    }

private:
    struct Byte {
        uint8_t bits = 0;
        Doubt doubt = 0;
    };
    std::map<uint64_t, Byte> bytes_;  // by offset
};

}  // namespace litmus::sweep
