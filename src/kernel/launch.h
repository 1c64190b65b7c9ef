// Launch: how a kernel is started, with the memory that it finds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ptx/type.h"

namespace litmus::kernel {

using Dimensions = std::array<uint32_t, 3>;  // x, y, z

// An array in global memory that an argument points to.
struct Array {
    std::string name;
    Type type = Type::u32;
    std::vector<uint8_t> bytes;    // what it holds when the kernel starts
    std::vector<size_t> pointers;  // a table of addresses: of Launch::arrays, 8 bytes each, in place of what `bytes` has there
};

// What a parameter gets: bytes, or the addresses of arrays.
struct Value {
    enum class Kind : uint8_t { bytes, pointers };
    Kind kind = Kind::bytes;
    std::vector<uint8_t> bytes;
    std::vector<size_t> arrays;  // pointers: of Launch::arrays, 8 bytes each
};

struct Launch {
    std::string entry;
    Dimensions grid = {1, 1, 1};     // blocks
    Dimensions block = {1, 1, 1};    // threads of a block
    Dimensions cluster = {1, 1, 1};  // blocks of a cluster
    uint32_t shared_bytes = 0;       // dynamic shared memory
    std::vector<Array> arrays;
    std::vector<Value> arguments;  // in the order of the parameters
};

}  // namespace litmus::kernel
