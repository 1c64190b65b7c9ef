// Tensor maps and the boxes that tensor copies move (ISA 5.5, 9.7.9.27.1), of which only the tiled mode without swizzle is modelled.
//
// A map says how an array in global memory is a tensor: its elements lie densely, dimension 0 innermost. A copy names a corner of a box
// by coordinates; the elements of the box lie densely in shared memory, in the same order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "test/test.h"

namespace litmus {

constexpr int most_dimensions = 5;         // ISA 9.7.9.27.1.2
constexpr int64_t tensor_unit = 16;        // bytes: the box's innermost extent, and the distance of rows, are multiples (ISA 5.5.3.1)
constexpr int64_t tensor_alignment = 128;  // bytes: of the shared memory side (CUDA Programming Guide, tensor memory access)
constexpr int64_t map_bytes = 128;         // a tensor map has (ISA 5.5.8)

const TensorMap* find_tensor_map(const Test& test, std::string_view name);

// The array that a map stands for.
const Location& tensor_array(const Test& test, const TensorMap& map);

// Whether instructions may change the map: it lies in memory.
bool is_changeable(const Test& test, const TensorMap& map);

// The arrays that a map may stand for while the test runs, by their places among the locations: its own; and, of one that may change,
// each that some other such map is declared with or whose address is taken, if it has the type of the elements and room for the tensor.
std::vector<int> possible_arrays(const Test& test, const TensorMap& map);

// The operand that names all of an array, in the place of an operand `[map, ...]`.
Operand whole_array(const Location& array, const TextSpan& span);

// The type of a tensor's elements: `.b32` is no such type, and means `.u32`.
Type tensor_type(Type type);

// N of a tensor copy's `.Nd`.
int dimensions(const Instruction& instruction);

int64_t box_elements(const TensorMap& map);
int64_t box_bytes(const Test& test, const TensorMap& map);

// By element of the box at these coordinates: the array's element there; none where the box reaches over the tensor's bounds.
std::vector<std::optional<int64_t>> elements_at(const TensorMap& map, const std::vector<int64_t>& coordinates);

// The coordinates of an operand `[map, {c0, c1}]`, as far as all of them are numbers in the text.
std::optional<std::vector<int64_t>> written_coordinates(const Operand& operand);

}  // namespace litmus
