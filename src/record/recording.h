// A recorded launch: what the file launch.json in its folder says (src/schemas/recorded.json).
//
//   launch.json       this
//   kernel.ptx        the PTX that the kernel was loaded with
//   parameters.bin    the bytes of all parameters, as they lie one after the other
//   memory-I-J.bin    piece J of what allocation I held when the kernel was launched
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"

namespace litmus::record {

// Bytes of an allocation that are kept in a file.
struct Piece {
    uint64_t at = 0;  // from the beginning of the allocation
    uint64_t bytes = 0;
    std::string file;
};

inline constexpr uint64_t pointer_bytes = 8, map_bytes = 128;

// An address among the bytes of the parameters, or of an allocation, that leads into an allocation.
struct RecordedPointer {
    uint64_t at = 0;
    size_t allocation = 0;  // of Recording::allocations
    uint64_t offset = 0;    // into it
};

struct Allocation {
    uint64_t address = 0, bytes = 0;
    std::vector<Piece> pieces = {};              // in order, apart from each other
    std::vector<RecordedPointer> pointers = {};  // in them, in order and apart; of a small one that a parameter leads to
};

// What cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col was asked for; enumerations as numbers of the driver API.
struct TensorMap {
    uint64_t at = 0;  // 128 bytes of the parameters
    bool im2col = false;
    uint32_t type = 0;  // CUtensorMapDataType
    uint64_t address = 0;
    std::vector<uint64_t> sizes, strides;
    std::vector<uint32_t> box, steps;
    std::vector<int32_t> lower, upper;  // of im2col, as the next two; it has no box
    uint32_t channels = 0, pixels = 0;
    uint32_t interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

// What the call of a map of this kind was given, each with its key in launch.json: for the writer and for the reader.
template <typename Map, typename Visit>
void each_argument(Map& map, const Visit& visit) {
    visit("type", map.type);
    visit("address", map.address);
    visit("sizes", map.sizes);
    visit("strides", map.strides);
    visit("steps", map.steps);
    visit("interleave", map.interleave);
    visit("swizzle", map.swizzle);
    visit("promotion", map.promotion);
    visit("fill", map.fill);
    if (!map.im2col) return visit("box", map.box);
    visit("lower", map.lower);
    visit("upper", map.upper);
    visit("channels", map.channels);
    visit("pixels", map.pixels);
}

struct Recording {
    std::string kernel;   // its whole name
    std::string program;  // that launched it
    std::string call;     // "cuLaunchKernel"
    uint64_t number = 1;  // of the launches of this kernel
    std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
    std::optional<std::array<uint32_t, 3>> cluster;  // where the launch says it
    uint32_t shared_bytes = 0;
    std::string without_ptx;  // why there is no PTX; empty: there is
    std::vector<Allocation> allocations;
    std::vector<RecordedPointer> pointers;
    std::vector<TensorMap> tensor_maps;
    std::vector<std::string> notes;  // what else is not as it was
};

inline constexpr const char *launch_file = "launch.json", *ptx_file = "kernel.ptx", *parameters_file = "parameters.bin";

// The text of launch.json.
std::string to_json(const Recording& recording);

// Reads launch.json of a folder. Throws Failure where it is none, is not as the schema says, or contradicts itself; and OverBudget. In what
// it gives, parts lie within their allocations. Allocations have no byte in common. The end of each has an address of 64 bits. Tensor maps
// have shapes that there are (kernel/tensor_shape.h).
Recording read_recording(const std::string& folder, const Budget& budget = {});

}  // namespace litmus::record
