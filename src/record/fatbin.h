// PTX in the images that a program gives to the CUDA driver: text, or entries of a fatbin, which may be compressed.
//
// The format of fatbins is not documented by NVIDIA. What is relied on here is what `fatbinary` of CUDA 13.0 writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace litmus::record {

inline constexpr size_t most_ptx_bytes = size_t{64} << 20;  // of one module, as text

// PTX as an image holds it.
struct PackedPtx {
    enum class Packing : uint8_t { none, lz4, zstd };
    Packing packing = Packing::none;
    uint32_t architecture = 0;  // 90 of sm_90; 0: not said
    uint64_t bytes = 0;         // of the text
    std::string packed;
};

struct Image {
    std::string what;  // "PTX", "a fatbin", "a cubin"
    std::vector<PackedPtx> ptx;
};

// Reads an image. One that is cut short or of another kind has no PTX.
Image read_image(std::string_view bytes);

// The bytes of an image in memory, whose length nobody says: as many as its own headers say. A wrapper, as nvcc makes for the runtime, is
// followed. Empty: it is of no kind that has PTX.
std::string_view image_at(const void* image);

// The text. Throws std::runtime_error where it cannot be unpacked.
std::string unpack(const PackedPtx& ptx);

// The PTX that is meant for a device of this compute capability (90): of those that it can run the latest. Null: there is none.
const PackedPtx* chosen(const std::vector<PackedPtx>& ptx, uint32_t capability);

}  // namespace litmus::record
