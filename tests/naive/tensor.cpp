// Tensor copies and reductions: each box is walked with a counter for each dimension. A map in memory is read first, and holds the address
// of its array.
#include <algorithm>

#include "machine.h"
#include "ptx/value.h"

namespace litmus::naive {

namespace {

const TensorMap& map_named(const Test& test, const std::string& name) {
    for (const TensorMap& map : test.tensor_maps)
        if (map.name == name) return map;
    throw Unsupported("no tensor map");
}

// What a tensor calls the bits that a location has: only whole numbers and floats are types of tensors.
Type type_in_tensor(const Location& array) {
    return array.type == Type::b32 ? Type::u32 : array.type == Type::b64 ? Type::u64 : array.type;
}

using Index = std::vector<int64_t>;

// What is copied: boxes of one shape, one behind the other in shared memory.
struct Boxes {
    std::vector<int64_t> extent;
    std::vector<Index> begins;
};

// The pixel that lies `number` behind the base in the bounding box of the images: the box's pixels are counted as the digits of a number,
// the image being what is carried out of the last.
Index pixel(const TensorMap& map, const Index& base, int64_t number) {
    const size_t digits = base.size() - 2;
    const auto width = [&](size_t d) { return map.dim[d + 1] + map.column->upper[d] - map.column->lower[d]; };
    int64_t count = 0;
    for (size_t d = digits; d-- > 0;) count = count * width(d) + base[d + 1] - map.column->lower[d];
    count += number;
    Index at = base;
    for (size_t d = 0; d < digits; ++d) {
        at[d + 1] = map.column->lower[d] + count % width(d);
        count /= width(d);
    }
    at.back() += count;
    return at;
}

Boxes boxes(const TensorMap& map, const Instruction& i, const Index& numbers, const Index& offsets) {
    Boxes all{{map.box.begin(), map.box.end()}, {}};
    if (map.column) {
        for (int64_t k = 0; k < map.column->pixels; ++k) {
            all.begins.push_back(pixel(map, numbers, k));
            for (size_t d = 0; d < offsets.size(); ++d) all.begins.back()[d + 1] += offsets[d];
        }
    } else if (i.has("tile::gather4") || i.has("tile::scatter4")) {
        for (const size_t row : {1, 2, 3, 4}) all.begins.push_back({numbers.at(0), numbers.at(row)});
    } else {
        all.begins = {numbers};
    }
    return all;
}

// The elements of all boxes, in the order of shared memory: which of the tensor each is, if it is one.
std::vector<std::optional<uint64_t>> elements(const TensorMap& map, const Boxes& boxes) {
    std::vector<std::optional<uint64_t>> found;
    for (const Index& begin : boxes.begins) {
        Index at(begin.size(), 0);
        for (size_t d = 0; d < at.size();) {
            bool is_one = true;
            uint64_t place = 0;
            for (size_t e = at.size(); e-- > 0;) {
                const int64_t index = begin[e] + at[e];
                is_one = is_one && 0 <= index && index < map.dim[e];
                place = place * static_cast<uint64_t>(map.dim[e]) + static_cast<uint64_t>(index);
            }
            found.push_back(is_one ? std::optional(place) : std::nullopt);
            for (d = 0; d < at.size() && ++at[d] == boxes.extent[d]; ++d) at[d] = 0;
        }
    }
    return found;
}

}  // namespace

void Machine::tensor() {
    const Instruction& i = instruction();
    const bool loads = i.operands.at(1).kind == Operand::Kind::tensor, reduces = i.op == Op::tensor_reduce;
    const Operand &box = i.operands[loads ? 1 : 0], &side = i.operands[loads ? 0 : 1];
    const TensorMap& map = map_named(test_, box.name);
    const Type type = type_in_tensor(*find_location(test_, map.array));
    const auto bytes = static_cast<uint64_t>(bits(type)) / 8;
    const uint64_t shared = address(side), object = loads ? address(i.operands.at(2)) : 0;
    Index numbers, offsets;
    for (const Operand& c : box.elements) numbers.push_back(static_cast<int32_t>(value(c, Type::s32)));
    if (has_word("im2col"))
        for (const Operand& c : i.operands.at(3).elements) offsets.push_back(static_cast<int64_t>(value(c, Type::u16)));
    auto moved = elements(map, boxes(map, i, numbers, offsets));

    const size_t start = issue(loads ? std::vector<Operand>{side, i.operands[2]} : std::vector<Operand>{side});
    if (!loads && std::any_of(numbers.begin(), numbers.end(), [](int64_t n) { return n < 0; })) {  // ISA 9.7.9.27.1.1
        trace_.steps[start].is_faulty = true;
        std::fill(moved.begin(), moved.end(), std::nullopt);
    }
    std::vector<int> ctas{-1};
    if (has_word("multicast::cluster")) ctas = multicast_ctas(value(i.operands.back(), Type::u32));
    uint64_t global = memory_.address_of(memory_.array_of(map.name), cta_);
    std::optional<size_t> map_read;
    if (find_location(test_, map.name)) {
        Operand in_memory;
        in_memory.kind = Operand::Kind::address;
        in_memory.name = map.name;
        const MemoryPlace from = memory_.at(memory_.address_of(in_memory, cta_), Type::b32);
        global = ask(from);
        map_read = inside(start, Event::Kind::read, from, Type::b32, 0, global);
        Event& e = trace_.steps[*map_read].event;
        e.sem = Sem::weak;
        e.scope = Scope::none;
        e.proxy = Proxy::tensormap;
    }
    const size_t first_access = trace_.steps.size();
    std::vector<size_t> reads;
    std::vector<std::vector<size_t>> writes(ctas.size());
    for (size_t k = 0; k < moved.size(); ++k) {
        const auto element = static_cast<int>(k);
        const uint64_t near = shared + k * bytes, far = global + moved[k].value_or(0) * bytes;
        uint64_t found = 0;
        std::optional<size_t> r;
        if (moved[k]) {
            const MemoryPlace source = memory_.at(loads ? far : near, type);
            found = ask(source);
            r = inside(start, Event::Kind::read, source, type, element, found);
            trace_.steps[*r].event.sem = Sem::weak;
            trace_.steps[*r].event.scope = Scope::none;
            reads.push_back(*r);
        }
        for (size_t n = 0; n < ctas.size() && (moved[k] || loads); ++n) {
            const MemoryPlace to = memory_.at(!loads ? far : ctas[n] < 0 ? near : memory_.counterpart(near, ctas[n]), type);
            std::vector<size_t> made;
            if (reduces) {
                const Update u = reduce(start, to, type, element, found);
                made = {u.read, u.write};
            } else {
                made = {inside(start, Event::Kind::write, to, type, element, found)};
            }
            for (const size_t e : made) {
                trace_.steps[e].event.sem = reduces ? Sem::relaxed : Sem::weak;
                trace_.steps[e].event.scope = reduces ? Scope::gpu : Scope::none;
                writes[n].push_back(e);
            }
            if (!r) continue;
            trace_.aio.emplace(*r, made.back());
            trace_.data.emplace(*r, made.back());
        }
    }
    if (map_read) {
        for (size_t e = first_access; e < trace_.steps.size(); ++e) {
            trace_.aio.emplace(*map_read, e);
            trace_.addr.emplace(*map_read, e);
        }
        reads.push_back(*map_read);
        if (loads && waits_for_groups(false))  // 9.7.9.27.1.2: the bulk group of a load waits for the reading of its map
            bulk_groups_.members.push_back({completion(start, {*map_read}), std::nullopt, bulk_groups_.commits});
    }
    end_transfer(start, reads, writes, loads ? &i.operands[2] : nullptr, object, ctas, static_cast<int64_t>(bytes * moved.size()));
}

// tensormap.replace: another array.
void Machine::replace_array() {
    const Instruction& i = instruction();
    const Operand &map = i.operands.at(0), &array = i.operands.at(1);
    const MemoryPlace to = memory_.at(address(map), Type::b32);
    if (!memory_.cells()[static_cast<size_t>(to.cell)].is_tensor_map) throw Unsupported("no tensor map");
    const size_t write = access(Event::Kind::write, to, Type::b32, 0, map, value(array, Type::u64));
    depend(trace_.data, reads_of(array), write);
}

// Another field: it holds what it held, so that the map stands for what it stood for.
void Machine::replace_field() {
    const Instruction& i = instruction();
    const Operand &map = i.operands.at(0), &given = i.operands.back();
    const MemoryPlace to = memory_.at(address(map), Type::b32);
    value(given, Type::u64);
    const uint64_t found = ask(to);
    const size_t read = access(Event::Kind::read, to, Type::b32, 0, map, found),
                 write = access(Event::Kind::write, to, Type::b32, 0, map, found);
    trace_.data.emplace(read, write);
    depend(trace_.data, reads_of(given), write);
    for (const size_t e : {read, write}) trace_.steps[e].event.scope = Scope::none;
}

// tensormap.cp_fenceproxy: a read, a write, and the releasing half of a proxy fence for what was written.
void Machine::copy_map() {
    const Instruction& i = instruction();
    const Operand &to = i.operands.at(0), &from = i.operands.at(1);
    const MemoryPlace source = memory_.at(address(from), Type::b32), target = memory_.at(address(to), Type::b32);
    const uint64_t found = ask(source);
    const size_t read = access(Event::Kind::read, source, Type::b32, 0, from, found);
    const size_t write = access(Event::Kind::write, target, Type::b32, 0, to, found);
    trace_.data.emplace(read, write);
    for (const size_t e : {read, write}) {
        trace_.steps[e].event.sem = Sem::weak;
        trace_.steps[e].event.scope = Scope::none;
    }
    Event fence = event(Event::Kind::proxy_fence);
    fence.sem = Sem::release;
    fence.proxy = Proxy::tensormap;
    fence.reach = Event::Reach::tensor_map;
    fence.covered = target.cell;
    add(fence, 0);
}

}  // namespace litmus::naive
