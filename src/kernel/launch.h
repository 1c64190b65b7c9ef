// Launch: how a kernel is started, with the memory that it finds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/type.h"

namespace litmus::kernel {

using Dimensions = std::array<uint32_t, 3>;  // x, y, z

// The address of an array, among bytes.
struct Pointer {
    uint32_t at = 0;      // bytes from their beginning; 8 are taken
    size_t array = 0;     // of Launch::arrays
    uint64_t offset = 0;  // into it, bytes
};

// A tensor map: boxes of an array. Dimensions stand as in coordinates: the innermost, without gaps, first.
struct TensorMap {
    size_t array = 0;  // of Launch::arrays
    Type type = Type::u32;
    std::vector<uint64_t> sizes;         // elements
    std::vector<uint64_t> box;           // elements
    std::vector<uint64_t> strides = {};  // bytes from an element to the next one in the second dimension, the third, ...; empty: no gaps
    uint64_t offset = 0;                 // of the tensor in the array, bytes
    bool swizzled = false;               // in shared memory its elements change places
    uint32_t at = 0;                     // of the map, where it lies among other bytes
};

// An array in global memory that an argument points to.
struct Array {
    std::string name;
    Type type = Type::u32;
    std::vector<uint8_t> bytes;         // what it holds when the kernel starts
    std::vector<Pointer> pointers;      // in them: a table of arrays
    std::optional<TensorMap> map = {};  // where they are one
    std::vector<size_t> points_to =
        {};             // of a multimem address (ISA 8.2.3): the arrays that it stands for, each as large; it holds nothing
    bool typed = true;  // false: of what type its elements are is not known
    // Where each part that was recorded begins, and its bytes. An earlier launch of the stream may have written the others.
    std::vector<std::pair<uint64_t, uint64_t>> recorded = {};
};

// What a parameter gets.
struct Value {
    std::string text;                  // as it was given: "in=s32[96]:iota"
    std::vector<uint8_t> bytes;        // as many as the parameter has
    std::vector<Pointer> pointers;     // in them
    std::vector<TensorMap> maps = {};  // in them
};

struct Launch {
    std::string entry;
    Dimensions grid = {1, 1, 1};     // blocks
    Dimensions block = {1, 1, 1};    // threads of a block
    Dimensions cluster = {1, 1, 1};  // blocks of a cluster
    uint32_t shared_bytes = 0;       // dynamic shared memory
    uint32_t unlaunched = 0;         // clusters, the last ones of the grid, that have not started
    uint32_t gpus = 1;               // whose blocks the grid has: as many of each, in the order of their numbers
    std::vector<Array> arrays;
    std::vector<Value> arguments;  // in the order of the parameters
    // Of one that comes behind another one in a stream: it may begin when all blocks of that have triggered it, or ended
    // (programmatic dependent launch); otherwise when that has ended.
    bool programmatic = false;
    std::vector<std::string> notes;  // what of it is not as it was, where it was recorded
    std::vector<std::string> taken;  // what was not said and the kernel says, in words
};

}  // namespace litmus::kernel
