// The arithmetic of shapes, and the layout of matrices in shared memory.
#include "ptx/matrix.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <string>
#include <utility>

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

// The bits of an element of a matrix of mma.sync; 0: the word names no such type. What has fewer than 8 bits and is no integer stands in a
// byte, but for the kinds of 4 bits.
int element_bits(const std::string& word) {
    struct Element {
        std::string_view name;
        int bits;
    };
    static constexpr std::array<Element, 15> elements = {{{"f32", 32},
                                                          {"s32", 32},
                                                          {"tf32", 32},
                                                          {"f16", 16},
                                                          {"bf16", 16},
                                                          {"e4m3", 8},
                                                          {"e5m2", 8},
                                                          {"e3m2", 8},
                                                          {"e2m3", 8},
                                                          {"e2m1", 8},
                                                          {"u8", 8},
                                                          {"s8", 8},
                                                          {"u4", 4},
                                                          {"s4", 4},
                                                          {"b1", 1}}};
    for (const Element& element : elements)
        if (element.name == word) return element.bits;
    return 0;
}

// Of d, a, b and c of mma.sync, whose types stand in this order.
int multiplied_registers(const std::vector<std::string>& words, std::string_view operand) {
    constexpr std::string_view order = "dabc";
    constexpr int lanes = 32, register_bits = 32;
    const size_t nth = order.find(operand);
    int m = 0, n = 0, k = 0;
    bool sparse = false;
    std::vector<int> types;
    for (const std::string& word : words) {
        if (word[0] == 'm' && number_after(word, 'k') > 0)
            m = number_after(word, 'm'), n = number_after(word, 'n'), k = number_after(word, 'k');
        if (const int bits = element_bits(word)) types.push_back(bits);
        sparse = sparse || word == "sp" || word == "mma.sp";
    }
    int elements = nth == 1 ? m * k : nth == 2 ? k * n : m * n;
    if (nth == 1 && sparse) elements /= 2;
    if (m * n * k == 8 * 8 * 4) elements *= 4;                         // each quarter of the warp multiplies matrices of its own
    const int bits = nth < types.size() ? types[nth] : register_bits;  // a name that lacks a type is refused elsewhere
    return std::max(1, elements * bits / lanes / register_bits);
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

int tile_registers(const std::vector<std::string>& words, std::string_view operand) {
    int repeated = 1, each = 1;
    for (const std::string& word : words) {
        if (word[0] == 'm' && number_after(word, 'k') > 0) return multiplied_registers(words, operand);
        if (word[0] == 'x' && number_after(word, 'x') > 0) repeated = number_after(word, 'x');
        if (word == "m16n16") each = 2;
        if (word == "16x128b") each = 2;
        if (word == "16x256b") each = 4;
    }
    return repeated * each;
}

int lanes_with_rows(const Instruction& instruction) {
    int rows = 8, matrices = 1;
    for (const std::string& word : instruction.qualifiers) {
        if (word == "m16n16") rows = 16;
        if (word[0] == 'x' && number_after(word, 'x') > 0) matrices = number_after(word, 'x');
    }
    return rows * matrices;
}

MatrixShape described_shape(uint64_t idesc) {
    constexpr int m_at = 24, n_at = 17;
    return {static_cast<int>(idesc >> m_at & 31) * 16, static_cast<int>(idesc >> n_at & 63) * 8};
}

int64_t described_bytes(const Instruction& instruction, uint64_t idesc, size_t nth) {
    const MatrixShape shape = described_shape(idesc);
    const int64_t row = nth == 1 && is_sparse(instruction) ? 2 * matrix_row_bytes : matrix_row_bytes;
    return row * (nth == 0 ? shape.m : shape.n) / cta_group(instruction);
}

int pipeline_of(std::string_view name, uint64_t idesc) {
    struct Kind {
        std::string_view word;
        uint32_t k;  // of dense matrices
    };
    static constexpr std::array<Kind, 7> kinds = {
        {{"f16", 16}, {"tf32", 8}, {"f8f6f4", 32}, {"mxf8f6f4", 32}, {"i8", 32}, {"mxf4", 64}, {"mxf4nvf4", 64}}};
    constexpr std::string_view before = ".kind::", scaled = "mx";
    constexpr uint32_t longer_k = 96;  // of 4 bits, where bit 31 says so (table 44)
    const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
    const size_t at = name.find(before);
    const std::string_view word =
        at == std::string_view::npos ? "" : name.substr(at + before.size(), name.find('.', at + 1) - at - before.size());
    const auto* kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.word == word; });
    if (kind == kinds.end()) throw std::logic_error("no kind: " + std::string(name));
    const bool is_scaled = word.starts_with(scaled), of_four_bits = word.starts_with("mxf4");
    uint32_t k = of_four_bits && (idesc >> 31 & 1) != 0 ? longer_k : kind->k;
    if (has(".sp.")) k *= 2;
    const uint64_t type = is_scaled ? 0 : idesc >> 4 & 3;  // with factors it is .f32, and these bits are others (tables 43 and 44)
    const MatrixShape shape = described_shape(idesc);
    int all = 0;
    for (const auto& [part, width] : {std::pair<uint64_t, int>{shape.m / 16, 5},
                                      {shape.n / 8, 6},
                                      {k / 8, 5},
                                      {type, 2},
                                      {has(".cta_group::2") ? 1 : 0, 1},
                                      {has(".ws.") ? 1 : 0, 1}})
        all = all << width | static_cast<int>(part);
    return all;
}

bool is_sparse(const Instruction& instruction) {
    return instruction.find(Role::metadata) != nullptr;
}

bool is_weight_stationary(const Instruction& instruction) {
    return instruction.mnemonic.rfind("tcgen05.mma.ws", 0) == 0;
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
