// Tensor maps in memory.
//
// A kernel may copy a map, and replace fields of the copy (ISA 9.7.9.28), so that what a tensor copy does depends on 128 bytes. How the
// driver lays them out it does not say. This layout is the sweep's own: words of 64 bits. They are a mark, with rank, type and whether
// the box is swizzled, the address, five sizes, four strides, and the five lengths of the box.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernel/launch.h"

namespace litmus::sweep {

inline constexpr uint64_t map_bytes = 128;
using MapWords = std::array<uint64_t, map_bytes / 8>;

// A tensor in global memory, and the box of it that a copy takes.
struct Tensor {
    Type type = Type::u32;
    uint64_t address = 0;
    std::vector<uint64_t> sizes;    // elements; the innermost dimension first
    std::vector<uint64_t> strides;  // bytes; of the dimensions but the innermost
    std::vector<uint64_t> box;      // elements
    bool swizzled = false;          // the box does not lie in shared memory row by row
};

// The words of a map whose array begins at this address. Its box has as many lengths as it has sizes, at most five.
MapWords encoded(const kernel::TensorMap& map, uint64_t array);
// None: it is no map.
std::optional<Tensor> decoded(const MapWords& words);
// Why no copy can go by this tensor, in words; empty: copies can. A kernel may have put any number into a field.
std::string wrong(const Tensor& tensor);
// tensormap.replace.tile: the field, as `global_dim` with its ordinal, holds the value then. How elements change places in shared memory,
// and what they are filled with, is not kept: only whether they do. False: the field is not modelled.
bool replace(MapWords& words, const std::string& field, uint64_t ordinal, uint64_t value);

}  // namespace litmus::sweep
