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

// The address of an array, among bytes.
struct Pointer {
    uint32_t at = 0;   // bytes from their beginning; 8 are taken
    size_t array = 0;  // of Launch::arrays
};

// An array in global memory that an argument points to.
struct Array {
    std::string name;
    Type type = Type::u32;
    std::vector<uint8_t> bytes;     // what it holds when the kernel starts
    std::vector<Pointer> pointers;  // in them: a table of arrays
};

// What a parameter gets.
struct Value {
    std::string text;               // as it was given: "in=s32[96]:iota"
    std::vector<uint8_t> bytes;     // as many as the parameter has
    std::vector<Pointer> pointers;  // in them
};

struct Launch {
    std::string entry;
    Dimensions grid = {1, 1, 1};     // blocks
    Dimensions block = {1, 1, 1};    // threads of a block
    Dimensions cluster = {1, 1, 1};  // blocks of a cluster
    uint32_t shared_bytes = 0;       // dynamic shared memory
    std::vector<Array> arrays;
    std::vector<Value> arguments;    // in the order of the parameters
    std::vector<std::string> taken;  // what was not said and the kernel says, in words
};

}  // namespace litmus::kernel
