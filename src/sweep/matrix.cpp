// The canonical layouts of the ISA (9.7.15.5.1.2.1.3, 9.7.16.3.3), in chunks of 16 bytes, which each of them keeps whole.
#include "sweep/matrix.h"

#include <algorithm>
#include <array>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr uint64_t chunk = 16, line = 128;  // bytes; swizzling counts lines

uint64_t field(uint64_t descriptor, unsigned at, uint64_t mask) {
    return descriptor >> at & mask;
}

Matrix strides_of(uint64_t descriptor) {
    Matrix matrix;
    matrix.base = field(descriptor, 0, 0x3fff) << 4;
    matrix.leading = field(descriptor, 16, 0x3fff) << 4;
    matrix.stride = field(descriptor, 32, 0x3fff) << 4;
    matrix.phase = field(descriptor, 49, 7);
    return matrix;
}

// Swizzling: chunks of a line change places, by an exclusive or with the number of the line.
uint64_t place_of(const Matrix& matrix, uint64_t at) {
    return at ^ ((at / line - matrix.phase) & (matrix.width / matrix.swizzled - 1)) * matrix.swizzled;
}

}  // namespace

// The matrix descriptor of wgmma.
Matrix wgmma_matrix(uint64_t descriptor) {
    constexpr std::array<uint64_t, 4> widths{chunk, 128, 64, 32};
    Matrix matrix = strides_of(descriptor);
    matrix.width = widths[field(descriptor, 62, 3)];
    return matrix;
}

// The shared memory descriptor of tcgen05. Its mode 1 swizzles 32 bytes at once.
Matrix tensor_matrix(uint64_t descriptor) {
    constexpr std::array<uint64_t, 8> widths{chunk, 128, 128, chunk, 64, chunk, 32, chunk};
    Matrix matrix = strides_of(descriptor);
    const uint64_t mode = field(descriptor, 61, 7);
    matrix.width = widths[mode];
    if (mode == 1) matrix.swizzled = 2 * chunk;
    return matrix;
}

// A chunk is 16 bytes of what follows each other in memory: along K, or, across, along M or N. A swizzled atom has eight lines of such
// chunks, but four where 32 bytes are swizzled at once (9.7.16.10, table of the atoms). Without swizzling the strides of a matrix across
// change places.
std::vector<std::pair<uint64_t, uint64_t>> bytes_of(const Matrix& matrix, uint32_t rows, uint32_t bytes, bool across, uint32_t element) {
    const bool plain = matrix.width == chunk;
    const uint64_t lines = across ? bytes / element : rows, length = across ? uint64_t{rows} * element : bytes;  // of a line
    const uint64_t of_atom = across && matrix.swizzled != chunk ? 4 : 8, in_line = matrix.width / chunk;
    const uint64_t down = across && plain ? matrix.leading : matrix.stride;
    const uint64_t along = !across && !plain ? matrix.width : across && plain ? matrix.stride : matrix.leading;
    std::vector<std::pair<uint64_t, uint64_t>> places, found;
    for (uint64_t l = 0; l < lines; ++l)
        for (uint64_t c = 0; c * chunk < length; ++c)
            places.emplace_back(
                place_of(matrix, matrix.base + l / of_atom * down + l % of_atom * matrix.width + c / in_line * along + c % in_line * chunk),
                std::min(chunk, length - c * chunk));
    std::sort(places.begin(), places.end());
    for (const auto& [at, size] : places) {
        if (found.empty() || at > found.back().first + found.back().second)
            found.emplace_back(at, size);
        else
            found.back().second = std::max(found.back().second, at + size - found.back().first);
    }
    return found;
}

void Machine::touch_shared(const Warp& warp, uint32_t lane, const Step& step, uint32_t block, const Ranges& ranges, const Access& access) {
    Spot spot;
    uint64_t begin = 0, end = 0;  // of the object that had the last range
    Ranges here;                  // in that object
    for (const auto& [at, bytes] : ranges) {
        if (at < begin || at >= end) {
            if (!here.empty()) observer_.touch(spot, std::exchange(here, {}), access, step);
            spot = spot_of(warp, lane, step, "shared::cta", shared_window(warp.block) + at);
            spot.block = block;
            begin = at - spot.offset;
            end = begin + instance(instances_[spot.number].object, block, spot.number).bytes.size();
        }
        here.emplace_back(at - begin, bytes);
    }
    if (!here.empty()) observer_.touch(spot, here, access, step);
}

// The first warp of the warpgroup that comes to an operation stands for all four. A log of everything has it of each thread.
void Machine::multiply(Warp& warp, Lanes lanes, const Step& step, Products& queue) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(lanes));
    const uint32_t number = ++warp.products;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.roles[i] == Role::accumulator) write_alike(warp, warp.exists, step.statement->arguments[i], {});
    const bool is_first = number > queue.issued;
    if (!is_first && !account_.events().has_everything()) return;
    queue.issued = std::max(queue.issued, number);
    constexpr uint32_t k_bytes = 32, element = 2;  // of a row along K; only elements of 16 bits can be transposed
    uint32_t columns = 8;
    for (const std::string& word : step.statement->words)
        if (word.rfind("m64n", 0) == 0) columns = static_cast<uint32_t>(std::stoul(word.substr(4)));
    std::vector<bool> transposed;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.roles[i] == Role::transpose) transposed.push_back(need(warp, lane, step, step.statement->arguments[i], "a layout") != 0);
    Thread& own = thread(warp, lane);
    Access access = observer_.own_access(own, step, false);
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
        const Ranges ranges = bytes_of(wgmma_matrix(descriptor), is_b ? columns : 64, k_bytes, across, element);
        const bool watched =
            account_.events().is_kept() && std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
                return account_.events().watches(
                    memory_of(spot_of(warp, lane, step, "shared::cta", shared_window(warp.block) + range.first)), range.second);
            });
        Event event{.what = Event::What::copy, .reads = watched};
        if (account_.events().has_everything()) {
            for (const auto& [at, bytes] : ranges)
                event.read_from.push_back({memory_of(spot_of(warp, lane, step, "shared::cta", shared_window(warp.block) + at)), bytes});
            for (const uint32_t each_lane : each(lanes)) account_.log(event, thread(warp, each_lane), step);
        } else if (watched) {
            account_.log(event, own, step);
        }
        if (is_first) touch_shared(warp, lane, step, warp.block, ranges, access);
    }
}

}  // namespace litmus::sweep
