// Tensor maps and the boxes that tensor copies move (ISA 5.5, 9.7.9.27.1), without swizzle, interleaving and traversal strides.
//
// A map says how an array in global memory is a tensor: its elements lie densely, dimension 0 innermost. In each mode a copy moves a
// sequence of boxes: the modes differ in where their corners lie, and in nothing else. In shared memory the boxes lie one behind the other,
// and the elements of a box in the tensor's order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "language/test.h"

namespace litmus {

constexpr int most_dimensions = 5;         // ISA 9.7.9.27.1.2
constexpr int least_dimensions = 3;        // of the modes im2col: C, W and N (ISA 9.7.9.27.1.2)
constexpr int64_t tensor_unit = 16;        // bytes: the box's innermost extent, and the distance of rows, are multiples (ISA 5.5.3.1)
constexpr int64_t tensor_alignment = 128;  // bytes: of the shared memory side (CUDA Programming Guide, tensor memory access)
constexpr int64_t map_bytes = 128;         // a tensor map has (ISA 5.5.8)
constexpr size_t gathered_rows = 4;        // of .tile::gather4 and .tile::scatter4 (ISA 5.5.3.4)

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

// How a copy goes through the tensor (ISA 5.5.2, 5.5.3.4).
enum class TensorMode : uint8_t {
    tile,    // one box
    rows,    // .tile::gather4, .tile::scatter4: four boxes of a row each
    column,  // .im2col, .im2col_no_offs: a box for each pixel of the column
};
TensorMode tensor_mode(const Instruction& instruction);

// The numbers that a copy has in its operands.
struct TensorPlace {
    std::vector<int64_t> coordinates;
    std::vector<int64_t> offsets;  // .im2col: to W, H and D
};

// How many coordinates and how many offsets a copy has (ISA 9.7.9.27.1.2).
size_t coordinate_count(const Instruction& instruction);
size_t offset_count(const Instruction& instruction);

// All that a copy moves, what lies outside of the tensor included.
int64_t tensor_bytes(const Test& test, const Instruction& copy);

// By element in the order of shared memory: the array's element; none where the box reaches over the tensor's bounds.
std::vector<std::optional<int64_t>> elements_at(const TensorMap& map, TensorMode mode, const TensorPlace& place);

// The bounding box in which a column lies, in dimension `d` of W, H and D: its first and its last index (ISA 5.5.4.1).
struct Interval {
    int64_t first = 0, last = 0;
};
Interval bounding_box(const TensorMap& map, size_t d);

// Whether all boxes of a copy begin inside of the tensor's dimension `d`.
bool begins_inside(const TensorMap& map, TensorMode mode, const TensorPlace& place, size_t d);

// The place of a copy, as far as all of it are numbers in the text.
std::optional<TensorPlace> written_place(const Instruction& copy);

}  // namespace litmus
