// The arithmetic of shapes, and the layout of matrices in shared memory.
#include "ptx/matrix.h"

#include <array>
#include <cctype>
#include <stdexcept>
#include <string>

namespace litmus {
namespace {

constexpr int64_t core_rows = 8, core_row_bytes = 16, core_bytes = core_rows * core_row_bytes;

// The number after the letter, or nothing: "64" of "m64n8k16" after 'm'.
int number_after(const std::string& word, char letter) {
    const size_t at = word.find(letter);
    int number = 0;
    for (size_t i = at + 1; at != std::string::npos && i < word.size() && std::isdigit(static_cast<unsigned char>(word[i])) != 0; ++i)
        number = 10 * number + (word[i] - '0');
    return number;
}

}  // namespace

MatrixShape matrix_shape(const Instruction& instruction) {
    for (const std::string& word : instruction.qualifiers) {
        const MatrixShape shape{number_after(word, 'm'), number_after(word, 'n')};
        if (word[0] == 'm' && shape.m > 0 && shape.n > 0) return shape;
    }
    throw std::logic_error("no shape: " + instruction.mnemonic);
}

int fragment_registers(const Instruction& instruction, Role role) {
    constexpr int lanes = 128, of_a = 4;
    if (role == Role::fragment) return of_a;
    const MatrixShape shape = matrix_shape(instruction);
    const int elements = shape.m * shape.n / lanes;
    return data_type(instruction) == Type::f16 ? elements / 2 : elements;
}

int tile_registers(const std::vector<std::string>& qualifiers) {
    int repeated = 1, each = 1;
    for (const std::string& word : qualifiers) {
        if (word[0] == 'x') repeated = number_after(word, 'x');
        if (word == "16x128b") each = 2;
        if (word == "16x256b") each = 4;
    }
    return repeated * each;
}

MatrixShape described_shape(uint64_t idesc) {
    constexpr int m_at = 24, n_at = 17;
    return {static_cast<int>(idesc >> m_at & 31) * 16, static_cast<int>(idesc >> n_at & 63) * 8};
}

int64_t described_bytes(uint64_t idesc, size_t nth, int ctas) {
    const MatrixShape shape = described_shape(idesc);
    return matrix_row_bytes * (nth == 0 ? shape.m : shape.n) / ctas;
}

int64_t copied_bytes(const Instruction& instruction) {
    for (const std::string& word : instruction.qualifiers) {
        const size_t x = word.find('x');
        if (x == std::string::npos || word.back() != 'b' || std::isdigit(static_cast<unsigned char>(word[0])) == 0) continue;
        return std::stoll(word) * std::stoll(word.substr(x + 1)) / 8;
    }
    throw std::logic_error("no shape: " + instruction.mnemonic);
}

int cta_group(const Instruction& instruction) {
    return instruction.has("cta_group::2") ? 2 : 1;
}

int64_t matrix_bytes(const Instruction& instruction, size_t nth) {
    const MatrixShape shape = matrix_shape(instruction);
    const bool is_a = nth == 0 && instruction.find(Role::fragment) == nullptr;
    return matrix_row_bytes * (is_a ? shape.m : shape.n);
}

bool has_exact_result(const Instruction& instruction) {
    const bool bytes = instruction.has("u8") || instruction.has("s8");
    return bytes && !instruction.has("satfinite") && instruction.find(Role::fragment) == nullptr;
}

int64_t matrix_offset(int64_t row, int64_t byte) {
    constexpr int64_t core_columns = matrix_row_bytes / core_row_bytes;
    return (row / core_rows * core_columns + byte / core_row_bytes) * core_bytes + row % core_rows * core_row_bytes + byte % core_row_bytes;
}

}  // namespace litmus
