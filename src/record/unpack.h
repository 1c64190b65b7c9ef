// The two ways in which NVIDIA's tools compress what a fatbin holds.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace litmus::record {

// A block of LZ4 (its "Block Format Description") that becomes this many bytes. Throws std::runtime_error where it does not.
std::string unpack_lz4(std::string_view packed, size_t bytes);

// A frame of Zstandard, by libzstd.so.1, which is opened when it is first needed. Throws std::runtime_error where there is no such library,
// or the frame does not become this many bytes.
std::string unpack_zstd(std::string_view packed, size_t bytes);

}  // namespace litmus::record
