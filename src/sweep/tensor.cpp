// Copies of boxes of tensors, and the maps that they go by (ISA 9.7.9.27.1, 9.7.9.28).
#include <algorithm>

#include "sweep/machine.h"
#include "sweep/tensor_map.h"

namespace litmus::sweep {

using kernel::Argument;
using kernel::Pointee;

// ---- tensor maps -------------------------------------------------------------------------------------------------------------------

// The maps among the arguments, in the layout of tensor_map.h; those that lie in arrays get there with the array (memory.cpp).
void Machine::lay_out_maps() {
    parameters_ = task_.layout.parameters();
    for (size_t p = 0; p < task_.launch.arguments.size(); ++p)
        for (const kernel::TensorMap& map : task_.launch.arguments[p].maps)
            put_map(map, parameters_, task_.layout.parameter_begins().at(p) + map.at);
}

void Machine::put_map(const kernel::TensorMap& map, std::vector<uint8_t>& bytes, uint64_t at) const {
    const MapWords words = encoded(map, kernel::window::global + map.array * kernel::window::global_stride);  // arrays come first
    for (uint64_t i = 0; i < map_bytes && at + i < bytes.size(); ++i) bytes[at + i] = static_cast<uint8_t>(words[i / 8] >> (8 * (i % 8)));
}

std::optional<MapWords> Machine::map_words(const Warp& warp, const Pointee& place) {
    MapWords words{};
    if (place.kind == Pointee::Kind::own) return std::nullopt;
    if (place.kind == Pointee::Kind::object) {
        size_t number = 0;
        const Instance& memory = instance(place.object, place.cta >= 0 ? static_cast<uint32_t>(place.cta) : warp.block, number);
        for (size_t w = 0; w < words.size(); ++w) {
            const Value word = memory.get(place.offset + 8 * w, 8, doubts_);
            if (!word) return std::nullopt;
            words[w] = *word;
        }
        return words;
    }
    const std::vector<uint8_t>& bytes = place.kind == Pointee::Kind::parameter ? parameters_ : task_.layout.constants();
    if (place.offset + map_bytes > bytes.size()) return std::nullopt;
    for (uint64_t i = 0; i < map_bytes; ++i) words[i / 8] |= static_cast<uint64_t>(bytes[place.offset + i]) << (8 * (i % 8));
    return words;
}

// A map in global memory is read through a proxy of its own; others are constant.
Tensor Machine::read_map(const Warp& warp, uint32_t lane, const Step& step, uint64_t address, const Access* reader) {
    const Pointee there = pointee(warp, lane, step, "", address);
    const auto words = map_words(warp, there);
    const auto tensor = words ? decoded(*words) : std::nullopt;
    if (!tensor)
        fail(warp, lane, step,
             "here lies no tensor map: it is given as an argument, as in --arg map=tensor(u16[128,64],box=64,64), or copied from one");
    if (const std::string why = wrong(*tensor); !why.empty())
        fail(warp, lane, step, "here lies no tensor map that a copy can go by: " + why);
    if (there.kind != Pointee::Kind::object || reader == nullptr) return *tensor;
    Spot map;
    map.object = there.object;
    map.offset = there.offset;
    instance(there.object, warp.block, map.number);
    observer_.read_map(thread(warp, lane), map, address, *reader, step);
    return *tensor;
}

// fence.proxy.tensormap::generic (9.7.13.4).
void Machine::map_fence(Warp& warp, uint32_t lane, const Step& step) {
    Thread& own = thread(warp, lane);
    if (step.has("release"))
        observer_.release_map(own, own.known.order);
    else
        observer_.acquire_map(own, address(warp, lane, step, step.statement->arguments.at(0)));
}

// tensormap.replace (9.7.9.28): a weak access to all of the map.
void Machine::replace_field(Warp& warp, uint32_t lane, const Step& step) {
    const auto& arguments = step.statement->arguments;
    const auto& words = step.statement->words;
    const auto refuse = [&] { fail(warp, lane, step, "`" + kernel::dotted(words) + "` is not executed by the sweep"); };
    if (words.size() < 4 || arguments.size() < 2) refuse();
    const uint64_t ordinal = arguments.size() > 2 ? need(warp, lane, step, arguments[1], "a dimension") : 0;
    const uint64_t value = need(warp, lane, step, arguments.back(), "a field of a tensor map");
    const Spot spot = this->spot(warp, lane, step, Role::address).value();
    Thread& own = thread(warp, lane);
    observer_.touch(spot, map_bytes, observer_.own_access(own, step, true), step);
    auto map = map_words(warp, {Pointee::Kind::object, instances_[spot.number].object, spot.offset, static_cast<int>(spot.block)});
    if (!map || !decoded(*map)) fail(warp, lane, step, "here lies no tensor map");
    if (!replace(*map, words[3], ordinal, value)) refuse();
    for (size_t w = 0; w < map->size(); ++w) instances_[spot.number].put(spot.offset + 8 * w, 8, (*map)[w]);
}

// tensormap.cp_fenceproxy (9.7.13.16): the warp copies a map to global memory, and releases it.
void Machine::copy_map(Warp& warp, Lanes lanes, const Step& step) {
    if (!gather(warp, lanes, step)) return;
    const uint32_t first = *each(lanes).begin();
    const Spot to = spot(warp, first, step, Role::copy_to).value(), from = spot(warp, first, step, Role::copy_from).value();
    Thread& own = thread(warp, first);
    observer_.touch(from, map_bytes, observer_.own_access(own, step, false), step);
    observer_.touch(to, map_bytes, observer_.own_access(own, step, true), step);
    for (uint64_t i = 0; i < map_bytes; i += 8)
        instances_[to.number].put(to.offset + i, 8, instances_[from.number].get(from.offset + i, 8, doubts_));
    const Clock released = own.known.order;
    for (const uint32_t lane : each(lanes)) observer_.release_map(thread(warp, lane), released);
    next(warp, lanes);
}

// ---- copies ------------------------------------------------------------------------------------------------------------------------

// The box lies in shared memory without gaps, row by row. The parts outside of the tensor are filled with zeros, or not written (5.5.3.3).
std::vector<Machine::Run> Machine::rows_of(const Tensor& tensor, const std::vector<int64_t>& corner) {
    std::vector<Run> rows;
    const auto element = static_cast<uint64_t>(bits(tensor.type) / 8);
    const int64_t first = std::max<int64_t>(corner[0], 0),
                  last = std::min(corner[0] + static_cast<int64_t>(tensor.box[0]), static_cast<int64_t>(tensor.sizes[0]));
    std::vector<uint64_t> in_box(tensor.box.size());
    uint64_t place = static_cast<uint64_t>(first - corner[0]) * element;
    for (bool more = first < last; more; place += tensor.box[0] * element) {
        uint64_t row = static_cast<uint64_t>(first) * element;
        bool inside = true;
        for (size_t d = 1; d < tensor.box.size(); ++d) {
            const int64_t x = corner[d] + static_cast<int64_t>(in_box[d]);
            inside = inside && x >= 0 && x < static_cast<int64_t>(tensor.sizes[d]);
            row += static_cast<uint64_t>(x) * tensor.strides[d - 1];
        }
        if (inside) rows.push_back({place, row, static_cast<uint64_t>(last - first) * element});
        size_t d = 1;
        while (d < tensor.box.size() && ++in_box[d] == tensor.box[d]) in_box[d++] = 0;
        more = d < tensor.box.size();
    }
    return rows;
}

// In shared memory a box lies without gaps (9.7.9.27.1).
void Machine::tensor(Warp& warp, uint32_t lane, const Step& step) {
    const Argument* const named = step.find(Role::tensor);
    if (named == nullptr || named->elements.size() < 2) fail(warp, lane, step, "it names no tensor map and coordinates");
    const uint64_t at = need(warp, lane, step, named->elements[0], "the address of a tensor map") + static_cast<uint64_t>(named->offset);
    if (step.form->op == Op::tensor_prefetch) return;
    for (const std::string& word : step.statement->words)
        if (word.rfind("im2col", 0) == 0 || word.rfind("tile::", 0) == 0)
            fail(warp, lane, step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    const Tensor map = read_map(warp, lane, step, at, nullptr);
    std::vector<Argument> coordinates(named->elements.begin() + 1, named->elements.end());
    if (coordinates.size() == 1 && coordinates[0].kind == Argument::Kind::vector) coordinates = coordinates[0].elements;
    if (coordinates.size() != map.sizes.size()) fail(warp, lane, step, "the tensor map has another number of dimensions");
    std::vector<int64_t> corner;
    for (const Argument& each : coordinates) corner.push_back(static_cast<int32_t>(need(warp, lane, step, each, "a coordinate")));
    ask_coordinates(warp, lane, step, map, corner);
    uint64_t bytes = static_cast<uint64_t>(bits(map.type) / 8);
    for (const uint64_t each : map.box) bytes *= each;

    const Spot tensor = spot_of(warp, lane, step, "global", map.address);
    const bool loads = step.find(Role::mbarrier) != nullptr;
    const auto from = loads ? tensor : spot(warp, lane, step, Role::copy_from);
    auto to = loads ? spot(warp, lane, step, Role::copy_to) : tensor;
    const auto by = spot(warp, lane, step, Role::mbarrier);
    if (!from || !to) fail(warp, lane, step, "it names no shared memory");
    if (bytes > instances_[(loads ? *to : *from).number].bytes.size())
        fail(warp, lane, step, "its box has " + std::to_string(bytes) + " bytes, which is more than there is");
    task_.options.budget.check();
    std::vector<Run> runs = rows_of(map, corner);
    Ranges rows;
    for (Run& run : runs) rows.emplace_back(run.to += tensor.offset, run.bytes);
    // Where a map swizzles, the sweep does not know which element lies where.
    const bool reduces = traits(step.form->op).reduces && !map.swizzled;
    if (reduces)
        for (Run& run : runs) run.from += from->offset;
    const auto move = [&](const Spot& destination, const Spot* object) {
        const Ranges box{{by ? destination.offset : from->offset, bytes}};
        std::vector<Value> left;
        if (reduces) left = update_from_memory(step, map.type, *from, destination, runs);
        const Moved moved = move_async(warp, lane, step, *from, by ? rows : box, destination, by ? box : rows, object);
        if (reduces) put_updated(step, map.type, destination, runs, left, moved.others);
        read_map(warp, lane, step, at, &moved.reads);
    };
    const bool pair = step.has("cta_group::2");
    const Argument* const mask = step.find(Role::cta_mask);
    if (mask == nullptr) return move(*to, by ? &*by : nullptr);
    const uint64_t blocks = need(warp, lane, step, *mask, "a mask of blocks");
    for (uint32_t rank = 0; rank < task_.geometry.cluster_size(); ++rank) {
        if ((blocks >> rank & 1) == 0) continue;
        Spot object = *by;
        const uint32_t of_pair = pair ? (rank & ~1U) | (task_.geometry.rank(by->block) & 1) : rank;  // whose object is told (9.7.9.27.1.2)
        for (const auto& [moved, to_rank] : {std::pair(&*to, rank), std::pair(&object, of_pair)}) {
            moved->block = task_.geometry.block_of_rank(warp.block, to_rank);
            instance(instances_[moved->number].object, moved->block, moved->number);
        }
        move(*to, &object);
    }
}

}  // namespace litmus::sweep
