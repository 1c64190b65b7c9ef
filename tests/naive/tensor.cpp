// Tensor copies and reductions: the box is walked with a counter for each dimension.
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
Type element_type(const Location& array) {
    return array.type == Type::b32 ? Type::u32 : array.type == Type::b64 ? Type::u64 : array.type;
}

}  // namespace

void Machine::tensor() {
    const Instruction& i = instruction();
    const bool loads = i.operands.at(1).kind == Operand::Kind::tensor, reduces = i.op == Op::tensor_reduce;
    const Operand &box = i.operands[loads ? 1 : 0], &side = i.operands[loads ? 0 : 1];
    const TensorMap& map = map_named(test_, box.name);
    Operand array;
    array.kind = Operand::Kind::address;
    array.name = map.array;
    const Type type = element_type(*find_location(test_, map.array));
    const auto bytes = static_cast<uint64_t>(bits(type)) / 8;
    const uint64_t shared = address(side), global = memory_.address_of(array, cta_), object = loads ? address(i.operands.at(2)) : 0;
    std::vector<int64_t> corner;
    for (const Operand& c : box.elements) corner.push_back(static_cast<int32_t>(value(c, Type::s32)));

    const size_t start = issue(loads ? std::vector<Operand>{side, i.operands[2]} : std::vector<Operand>{side});
    std::vector<int> ctas{-1};
    if (has_word("multicast::cluster")) ctas = multicast_ctas(value(i.operands.at(3), Type::u32));
    std::vector<size_t> reads;
    std::vector<std::vector<size_t>> writes(ctas.size());
    std::vector<int> at(map.box.size(), 0);
    for (int element = 0;; ++element) {
        bool inside_tensor = true;
        uint64_t place = 0;
        for (size_t d = at.size(); d-- > 0;) {
            const int64_t index = corner[d] + at[d];
            inside_tensor = inside_tensor && 0 <= index && index < map.dim[d];
            place = place * static_cast<uint64_t>(map.dim[d]) + static_cast<uint64_t>(index);
        }
        const uint64_t near = shared + static_cast<uint64_t>(element) * bytes, far = global + place * bytes;
        uint64_t found = 0;
        std::optional<size_t> r;
        if (inside_tensor) {
            const Place source = memory_.at(loads ? far : near, type);
            found = ask(source);
            r = inside(start, Event::Kind::read, source, type, element, found);
            trace_.steps[*r].event.sem = Sem::weak;
            trace_.steps[*r].event.scope = Scope::none;
            reads.push_back(*r);
        }
        for (size_t n = 0; n < ctas.size() && (inside_tensor || loads); ++n) {
            const Place to = memory_.at(!loads ? far : ctas[n] < 0 ? near : memory_.counterpart(near, ctas[n]), type);
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
        size_t d = 0;
        while (d < at.size() && ++at[d] == map.box[d]) at[d++] = 0;
        if (d == at.size()) {
            end_transfer(start, reads, writes, loads ? &i.operands[2] : nullptr, object, ctas, static_cast<int64_t>(bytes) * (element + 1));
            return;
        }
    }
}

}  // namespace litmus::naive
