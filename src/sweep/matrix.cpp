// Matrices in shared memory: which bytes an operation on them touches.
#include <algorithm>
#include <array>
#include <utility>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr uint64_t chunk = 16, group = 8;  // bytes that swizzling keeps together; rows of an atom

uint64_t field(uint64_t descriptor, unsigned at, uint64_t mask) {
    return descriptor >> at & mask;
}

Matrix strides_of(uint64_t descriptor) {
    return {field(descriptor, 0, 0x3fff) << 4, field(descriptor, 16, 0x3fff) << 4, field(descriptor, 32, 0x3fff) << 4, chunk};
}

}  // namespace

// The matrix descriptor of wgmma (ISA 9.7.15.5.1).
Matrix Machine::wgmma_matrix(uint64_t descriptor) {
    constexpr std::array<uint64_t, 4> widths{chunk, 128, 64, 32};
    Matrix matrix = strides_of(descriptor);
    matrix.width = widths[field(descriptor, 62, 3)];
    return matrix;
}

// The shared memory descriptor of tcgen05 (ISA 9.7.16.4.1). Its mode 1 swizzles 32 bytes at once.
Matrix Machine::tensor_matrix(uint64_t descriptor) {
    constexpr std::array<uint64_t, 8> widths{chunk, 128, 128, chunk, 64, chunk, 32, chunk};
    Matrix matrix = strides_of(descriptor);
    const uint64_t mode = field(descriptor, 61, 7);
    matrix.width = widths[mode];
    if (mode == 1) matrix.swizzled = 2 * chunk;
    return matrix;
}

// `bytes` of each row, which go along K. Groups of eight rows lie the stride offset apart; where there is no swizzling, chunks of 16 bytes
// lie the leading offset apart, and else they change places by an exclusive or with the number of the row in its group. A transposed
// matrix is taken in whole atoms of eight rows along K; without swizzling its two offsets change places.
Machine::Ranges Machine::matrix(const Matrix& matrix, uint32_t rows, uint32_t bytes, bool transposed, uint32_t element) {
    Ranges found;
    const auto [base, leading, stride, width, swizzled] = matrix;
    if (transposed) {
        const uint64_t atoms = (uint64_t{rows} * element + width - 1) / width, deep = bytes / element / group;
        const uint64_t across = width == chunk ? stride : leading, along = width == chunk ? leading : stride;
        for (uint64_t a = 0; a < atoms; ++a)
            for (uint64_t k = 0; k < deep; ++k) found.emplace_back(base + a * across + k * along, group * width);
        return found;
    }
    for (uint64_t row = 0; row < rows; ++row)
        for (uint64_t c = 0; c < bytes / chunk; ++c) {
            if (width == chunk) {
                found.emplace_back(base + row / group * stride + row % group * chunk + c * leading, chunk);
                continue;
            }
            uint64_t at = base + row / group * stride + row % group * width + c * chunk;
            at ^= (at >> 7 & (width / swizzled - 1)) * swizzled;
            found.emplace_back(at, chunk);
        }
    return found;
}

void Machine::touch_shared(const Warp& warp, uint32_t lane, const Step& step, uint32_t block, const Ranges& ranges, const Access& access) {
    Spot spot;
    uint64_t begin = 0, end = 0;  // of the object that had the last range
    Ranges here;                  // in that object
    for (const auto& [at, bytes] : ranges) {
        if (at < begin || at >= end) {
            if (!here.empty()) touch(spot, std::exchange(here, {}), access, step);
            spot = spot_of(warp, lane, step, "shared::cta", shared_window(warp.block) + at);
            spot.block = block;
            begin = at - spot.offset;
            end = begin + instance(instances_[spot.number].object, block, spot.number).bytes.size();
        }
        here.emplace_back(at - begin, bytes);
    }
    if (!here.empty()) touch(spot, here, access, step);
}

// The first warp of the warpgroup that comes to an operation stands for all four.
void Machine::multiply(Warp& warp, uint32_t lane, const Step& step, Products& queue) {
    const uint32_t number = ++warp.products;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.roles[i] == Role::accumulator) write_alike(warp, warp.exists, step.statement->arguments[i], {});
    if (number <= queue.issued) return;
    queue.issued = number;
    constexpr uint32_t k_bytes = 32, element = 2;  // of a row along K; only elements of 16 bits can be transposed
    uint32_t columns = 8;
    for (const std::string& word : step.statement->words)
        if (word.rfind("m64n", 0) == 0) columns = static_cast<uint32_t>(std::stoul(word.substr(4)));
    std::vector<bool> transposed;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.roles[i] == Role::transpose) transposed.push_back(need(warp, lane, step, step.statement->arguments[i], "a layout") != 0);
    Thread& own = thread(warp, lane);
    Access access = own_access(own, step, false);
    access.component = queue.component;
    access.number = number;
    access.asynchronous = true;
    access.apart = true;
    access.scope = Scope::none;
    std::vector<const Argument*> matrices;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.roles[i] == Role::matrix && step.statement->arguments[i].kind == Argument::Kind::reg)
            matrices.push_back(&step.statement->arguments[i]);
    for (size_t m = 0; m < matrices.size(); ++m) {
        const bool is_b = m + 1 == matrices.size();
        const bool across = transposed.empty() ? false : is_b ? transposed.back() : transposed.front();
        const uint64_t descriptor = need(warp, lane, step, *matrices[m], "the descriptor of a matrix");
        const Ranges ranges = matrix(wgmma_matrix(descriptor), is_b ? columns : 64, k_bytes, across, element);
        const bool watched =
            options_.watch && std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
                return watches(spot_of(warp, lane, step, "shared::cta", shared_window(warp.block) + range.first), range.second);
            });
        if (watched) log({.what = Event::What::copy, .reads = true}, own, step);
        touch_shared(warp, lane, step, warp.block, ranges, access);
    }
}

}  // namespace litmus::sweep
