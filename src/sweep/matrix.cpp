// Boxes of tensors, and matrices in shared memory: which bytes an operation on them touches.
#include <algorithm>
#include <array>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

// The map at this generic address: among the bytes of an argument, or an array. Null: there is none.
const kernel::TensorMap* Machine::map_at(uint64_t address, uint32_t block) const {
    const auto found = layout_.find("", address, block);
    if (!found) return nullptr;
    if (found->kind == kernel::Pointee::Kind::parameter) {
        const auto parameter = layout_.parameter_at(found->offset);
        if (!parameter || parameter->first >= launch_.arguments.size()) return nullptr;
        for (const kernel::TensorMap& map : launch_.arguments[parameter->first].maps)
            if (map.at == parameter->second) return &map;
        return nullptr;
    }
    if (found->kind != kernel::Pointee::Kind::object || found->offset != 0) return nullptr;
    for (const kernel::Array& array : launch_.arrays)
        if (array.map && array.name == layout_.objects()[found->object].name) return &*array.map;
    return nullptr;
}

// A box of a tensor (9.7.9.27.1): in shared memory it lies without gaps, in global memory row by row. What sticks out is filled with zeros,
// or not written.
void Machine::tensor(Warp& warp, uint32_t lane, const Step& step) {
    const Argument* const named = step.find(Role::tensor);
    if (named == nullptr || named->elements.size() < 2) fail(warp, lane, step, "it names no tensor map and coordinates");
    const uint64_t at = need(warp, lane, step, named->elements[0], "the address of a tensor map") + static_cast<uint64_t>(named->offset);
    const kernel::TensorMap* const given = map_at(at, warp.block);
    if (given == nullptr)
        fail(warp, lane, step, "the tensor map is no argument that is given as one, as in --arg map=tensor(u16[128,64],box=64,64)");
    if (step.form->op == Op::tensor_prefetch) return;
    const kernel::TensorMap& map = *given;
    std::vector<Argument> coordinates(named->elements.begin() + 1, named->elements.end());
    if (coordinates.size() == 1 && coordinates[0].kind == Argument::Kind::vector) coordinates = coordinates[0].elements;
    if (coordinates.size() != map.sizes.size()) fail(warp, lane, step, "the tensor map has another number of dimensions");
    std::vector<int64_t> corner;
    for (const Argument& each : coordinates) corner.push_back(static_cast<int32_t>(need(warp, lane, step, each, "a coordinate")));
    const auto element = static_cast<uint64_t>(bits(map.type) / 8);
    uint64_t bytes = element;
    for (const uint64_t each : map.box) bytes *= each;

    Ranges rows;  // in the array
    std::vector<uint64_t> in_box(map.box.size());
    const int64_t first = std::max<int64_t>(corner[0], 0),
                  last = std::min(corner[0] + static_cast<int64_t>(map.box[0]), static_cast<int64_t>(map.sizes[0]));
    for (bool more = first < last; more;) {
        uint64_t row = map.offset, stride = map.sizes[0] * element;
        bool inside = true;
        for (size_t d = 1; d < map.box.size(); ++d) {
            const int64_t x = corner[d] + static_cast<int64_t>(in_box[d]);
            inside = inside && x >= 0 && x < static_cast<int64_t>(map.sizes[d]);
            row += static_cast<uint64_t>(x) * (map.strides.empty() ? stride : map.strides[d - 1]);
            stride *= map.sizes[d];
        }
        if (inside) rows.emplace_back(row + static_cast<uint64_t>(first) * element, static_cast<uint64_t>(last - first) * element);
        size_t d = 1;
        while (d < map.box.size() && ++in_box[d] == map.box[d]) in_box[d++] = 0;
        more = d < map.box.size();
    }
    size_t number = 0;
    while (layout_.objects()[number].name != launch_.arrays[map.array].name) ++number;
    Spot tensor;
    instance(number, warp.block, tensor.number);
    const auto by = spot(warp, lane, step, Role::mbarrier);
    if (!by) {
        const auto from = spot(warp, lane, step, Role::copy_from);
        if (!from) fail(warp, lane, step, "it names no shared memory");
        return move_async(warp, lane, step, *from, {{from->offset, bytes}}, tensor, rows, nullptr);
    }
    auto to = spot(warp, lane, step, Role::copy_to);
    if (!to) fail(warp, lane, step, "it names no shared memory");
    const Argument* const mask = step.find(Role::cta_mask);
    if (mask == nullptr) return move_async(warp, lane, step, tensor, rows, *to, {{to->offset, bytes}}, &*by);
    const uint64_t blocks = need(warp, lane, step, *mask, "a mask of blocks");
    for (uint32_t rank = 0; rank < geometry_.cluster_size(); ++rank) {
        if ((blocks >> rank & 1) == 0) continue;
        Spot object = *by;
        for (Spot* moved : {&*to, &object}) {
            moved->block = geometry_.block_of_rank(warp.block, rank);
            instance(instances_[moved->number].object, moved->block, moved->number);
        }
        move_async(warp, lane, step, tensor, rows, *to, {{to->offset, bytes}}, &object);
    }
}

// The bytes of a matrix of wgmma that its descriptor names, as offsets in shared memory (ISA 9.7.15.5.1): 32 bytes of each row. Groups of
// eight rows lie the stride offset apart; chunks of 16 bytes change places by an exclusive or with the number of the row in its group.
// A transposed matrix is taken whole: its atoms have eight rows of the swizzle's width.
Machine::Ranges Machine::matrix(uint64_t descriptor, uint32_t rows, bool transposed) {
    const auto field = [&](unsigned at, uint64_t bits) { return descriptor >> at & bits; };
    const uint64_t base = field(0, 0x3fff) << 4, leading = field(16, 0x3fff) << 4, stride = field(32, 0x3fff) << 4;
    constexpr std::array<uint64_t, 4> widths{16, 128, 64, 32};  // of a row of an atom, by the swizzle mode
    const uint64_t width = widths[field(62, 3)];
    constexpr uint64_t chunk = 16, group = 8, k_bytes = 32;
    Ranges found;
    if (transposed) {
        const uint64_t atoms = (uint64_t{rows} * 2 + width - 1) / width;  // along the rows, in elements of 16 bits
        for (uint64_t a = 0; a < atoms; ++a)
            for (uint64_t k = 0; k < 2; ++k) found.emplace_back(base + a * leading + k * stride, group * width);
        return found;
    }
    for (uint64_t row = 0; row < rows; ++row)
        for (uint64_t c = 0; c < k_bytes / chunk; ++c) {
            if (width == chunk) {
                found.emplace_back(base + row / group * stride + row % group * chunk + c * leading, chunk);
                continue;
            }
            uint64_t at = base + row / group * stride + row % group * width + c * chunk;
            at ^= (at >> 7 & (width / chunk - 1)) << 4;
            found.emplace_back(at, chunk);
        }
    return found;
}

// The first warp of the warpgroup that comes to an operation stands for all four.
void Machine::multiply(Warp& warp, uint32_t lane, const Step& step, Products& queue) {
    const uint32_t number = ++warp.products;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.roles[i] == Role::accumulator)
            for (const uint32_t each : each(warp.exists)) write(warp, each, step.statement->arguments[i], {});
    if (number <= queue.issued) return;
    queue.issued = number;
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
    access.scope = Scope::none;
    std::vector<const Argument*> matrices;
    for (size_t i = 0; i < step.roles.size(); ++i)
        if (step.roles[i] == Role::matrix && step.statement->arguments[i].kind == Argument::Kind::reg)
            matrices.push_back(&step.statement->arguments[i]);
    for (size_t m = 0; m < matrices.size(); ++m) {
        const bool is_b = m + 1 == matrices.size();
        const bool across = transposed.empty() ? false : is_b ? transposed.back() : transposed.front();
        const uint64_t descriptor = need(warp, lane, step, *matrices[m], "the descriptor of a matrix");
        const Ranges ranges = matrix(descriptor, is_b ? columns : 64, across);
        const bool watched = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
            return watches(spot_of(warp, lane, step, "shared::cta", range.first), range.second);
        });
        if (watched) log({.what = Event::What::copy, .reads = true}, own, step);
        for (const auto& [at, bytes] : ranges) touch(spot_of(warp, lane, step, "shared::cta", at), bytes, access, step);
    }
}

}  // namespace litmus::sweep
