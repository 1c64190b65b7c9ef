// The shapes that tensor maps have (CUDA driver API, cuTensorMapEncodeTiled; PTX ISA 9.1, 5.5).
//
// Sizes, strides and boxes are looked at here before anything is made of them. They come from a recording, from an argument of the command
// line, or from a map that a kernel has changed. Then no sum of them is too large for a number of 64 bits, and every box has an end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace litmus::kernel {

inline constexpr size_t most_dimensions = 5;
inline constexpr uint64_t most_in_dimension = uint64_t{1} << 32;  // elements of a tensor
inline constexpr uint64_t most_in_box = 256;                      // elements of a box, in one dimension
inline constexpr uint64_t most_stride = (uint64_t{1} << 40) - 1;  // bytes

// Says what is wrong with a tensor that begins at this address and whose elements have at most so many bytes; empty: nothing.
// Dimensions stand with the innermost one first, which has no stride; without strides the tensor has no gaps.
std::string wrong_shape(uint64_t address, uint64_t element_bytes, const std::vector<uint64_t>& sizes, const std::vector<uint64_t>& strides);

// The same of the box of a copy.
std::string wrong_box(const std::vector<uint64_t>& box, size_t dimensions);

}  // namespace litmus::kernel
