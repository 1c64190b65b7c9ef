// The shapes of wgmma.mma_async (ISA 9.7.15.2): how large its operands are.
//
// A row of A, and a column of B, is 32 bytes in every form: 16 elements of 16 bits, 32 of 8, 8 of 32, 256 of one bit. So a matrix
// in shared memory has 32 bytes for each of A's 64 rows or B's N columns, whatever the type of its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.h"

namespace litmus {

inline constexpr int64_t matrix_row_bytes = 32;

// The rows of A and the columns of B, from the word `m64nNkK`; throws std::logic_error for an instruction that has none.
struct MatrixShape {
    int m = 0, n = 0;
};
MatrixShape matrix_shape(const Instruction& instruction);

// The registers that each lane has of such a matrix (ISA 9.7.15.5.1.1): one for each element of 32 bits, or each pair of 16.
int fragment_registers(const Instruction& instruction, Role role);

// The registers that each lane has of an operand in braces, of the name that the box gives it, by the words of the instruction: of what
// tcgen05.ld and tcgen05.st move, by shape and repetition (ISA 9.7.16.8.3, table 49), of ldmatrix and stmatrix (9.7.14.5.15), and of each
// matrix that mma.sync multiplies (9.7.14.5.14).
int tile_registers(const std::vector<std::string>& words, std::string_view operand);

// What ldmatrix and stmatrix move by the address of one lane: a row of a matrix (ISA 9.7.14.5.15). How many lanes give an address, from
// lane 0 on.
inline constexpr int64_t row_of_lane_bytes = 16;
int lanes_with_rows(const Instruction& instruction);

// The shape that an instruction descriptor of tcgen05.mma says (ISA 9.7.16.4.2, table 42): the rows of A and the columns of B.
MatrixShape described_shape(uint64_t idesc);

// The bytes of the n-th matrix that a form of tcgen05.mma reads in the shared memory of each CTA, of such a shape: beside a sparse A, whose
// rows hold half of their elements, columns of B are twice as long.
int64_t described_bytes(const Instruction& instruction, uint64_t idesc, size_t nth);

// Two tcgen05.mma on one place are pipelined where these numbers are equal ("same N and accumulator and shape", ISA 9.7.16.6.2). A number
// is made of M, N and K, the type of the accumulator, the number of CTAs, and whether the form is weight stationary. It is not 0. K is
// "implicitly determined by the MMA-kind and the sparsity" (9.7.16.2.2, table 39). `name` is the instruction's name with all qualifiers.
// Throws std::logic_error for a name without a kind.
int pipeline_of(std::string_view name, uint64_t idesc);

// Of the forms of tcgen05.mma: with a sparse matrix A; weight stationary, whose collector buffers hold B.
bool is_sparse(const Instruction& instruction);
bool is_weight_stationary(const Instruction& instruction);

// The bytes that tcgen05.cp reads, by the word of its shape.
int64_t copied_bytes(const Instruction& instruction);

// How many CTAs an operation of tcgen05 concerns: `.cta_group::2` a pair.
int cta_group(const Instruction& instruction);

// The bytes of the n-th matrix that the instruction reads in shared memory: A, if no register holds it, then B.
int64_t matrix_bytes(const Instruction& instruction, size_t nth);

// Whether its result is computed: of integers of 8 bits, both matrices in shared memory (model/semantics.md section 3).
bool has_exact_result(const Instruction& instruction);

// Where the canonical layout without swizzling has byte `byte` of row `row` of A, or column `row` of B, when core matrices of 8 rows
// of 16 bytes lie one behind the other (ISA 9.7.15.5.1.2): in bytes from the start of the matrix.
int64_t matrix_offset(int64_t row, int64_t byte);

}  // namespace litmus
