// Which bytes of shared memory a matrix of wgmma or tcgen05 has (ISA 9.7.15.5.1.2, 9.7.16.3, 9.7.16.4.1).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace litmus::sweep {

// As a descriptor says it, in bytes: where the matrix begins, its two strides, and how it is swizzled.
struct Matrix {
    uint64_t base = 0, leading = 0, stride = 0;
    uint64_t width = 16;     // of a row of an atom: 16 where there is no swizzling
    uint64_t swizzled = 16;  // bytes that swizzling keeps together
    uint64_t phase = 0;      // the matrix base offset: in which row of 128 bytes the pattern of swizzling begins
};

Matrix wgmma_matrix(uint64_t descriptor);   // 9.7.15.5.1.2.2
Matrix tensor_matrix(uint64_t descriptor);  // 9.7.16.4.1

// Beginnings and lengths, ascending and apart, of a matrix that has so many rows (along M or N), each of so many bytes along K. `across`:
// it is MN-major, so that elements, of `element` bytes, that follow each other lie in different rows.
std::vector<std::pair<uint64_t, uint64_t>> bytes_of(const Matrix& matrix, uint32_t rows, uint32_t bytes, bool across, uint32_t element);

}  // namespace litmus::sweep
