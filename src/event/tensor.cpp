// Tensor copies and reductions (ISA 9.7.9.27.1, model/semantics.md section 6): what a bulk operation is for the elements of
// the boxes that are copied.
//
// A map that is a parameter is constant, so that reading it is no event. One in memory is read first, through the tensormap proxy, and what
// was read decides which array the accesses are to: each array that it may stand for has its own, under a condition.
#include "language/tensor.h"

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

TensorPlace Builder::tensor_place(const Instruction& copy, const State& state) {
    TensorPlace place;
    for (const Operand& element : copy.at(Role::tensor).elements)
        place.coordinates.push_back(static_cast<int32_t>(constant_operand(state, element, "a coordinate of a tensor")));
    if (const Operand* offsets = copy.find(Role::image))
        for (const Operand& element : offsets->elements)
            place.offsets.push_back(static_cast<uint16_t>(constant_operand(state, element, "an offset in a tensor")));
    return place;
}

void Builder::tensor(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Operand &box = i.at(Role::tensor), *to = i.find(Role::copy_to), *bar = i.find(Role::mbarrier);
    const TensorMap& map = *find_tensor_map(test_, box.name);
    Transfer t{issue(c, state), {-1}, {}, {}};
    depend_address(state, to ? *to : i.at(Role::copy_from), t.start);
    if (bar) depend_address(state, *bar, t.start);
    if (const Operand* mask = i.find(Role::cta_mask)) t.ctas = multicast_ctas(constant_operand(state, *mask, "the CTA mask"));
    t.writes.resize(t.ctas.size());

    if (is_changeable(test_, map)) t.map = read_map(c, t.start, box);
    for (const int array : possible_arrays(test_, map)) {
        Context here = c;
        if (t.map) {
            const ExprId number = exprs_.constant(static_cast<uint64_t>(array), bits(Type::b32));
            here.guard = exprs_.both(c.guard, exprs_.compare(Operator::eq, Type::b32, draft_.events[*t.map].value, number));
        }
        const size_t first = draft_.events.size();
        move_box(here, state, t, map, test_.locations[static_cast<size_t>(array)]);
        for (size_t e = first; t.map && e < draft_.events.size(); ++e) {
            inside(*t.map, e);
            depend("addr", {{*t.map, ExprPool::yes}}, e);
        }
    }
    complete_transfer(c, state, t, tensor_bytes(test_, i));
}

// The accesses of a box, element by element, where the map stands for this array.
void Builder::move_box(const Context& c, const State& state, Transfer& t, const TensorMap& map, const Location& declared) {
    const Instruction& i = c.instruction;
    const Operand &box = i.at(Role::tensor), *to = i.find(Role::copy_to);
    const Operand &shared = to ? *to : i.at(Role::copy_from), array = whole_array(declared, box.span);
    const Type type = traits(i.op).reduces ? tensor_type(declared.type) : element_type(shared, state);
    const auto step = static_cast<uint64_t>(bits(type) / 8);
    const std::vector<std::optional<int64_t>> elements = elements_at(map, tensor_mode(i), tensor_place(i, state));
    const Target side = target(shared, state), tensor = target(array, state);
    std::vector<Sweep::Row> rows(elements.size());
    for (const int cta : t.ctas) {
        const Target there = cta < 0 ? side : target(counterpart(shared, cta), state);
        for (size_t k = 0; k < rows.size(); ++k) {
            const auto in_box = static_cast<int64_t>(k * step), in_array = elements[k].value_or(0) * static_cast<int64_t>(step);
            if (elements[k]) rows[k].from = to ? element_at(tensor, in_array) : element_at(there, in_box);
            if (to) rows[k].to.push_back(element_at(there, in_box));
            if (!to && elements[k]) rows[k].to = {element_at(tensor, in_array)};  // out of the tensor's bounds nothing is written
        }
    }
    for (const size_t k : kept_rows(c, std::move(rows))) {
        const uint64_t in_box = k * step, in_array = elements[k] ? static_cast<uint64_t>(*elements[k]) * step : 0;
        const auto element = static_cast<int>(k);
        std::optional<size_t> read;
        if (elements[k])
            read = transfer_read(c, t, to ? resolve(array, type, in_array, state) : resolve(shared, type, in_box, state), type, element);
        for (size_t n = 0; n < t.ctas.size(); ++n) {
            const Operand there = to ? (t.ctas[n] < 0 ? shared : counterpart(shared, t.ctas[n])) : array;
            transfer_write(c, t, n, resolve(there, type, to ? in_box : in_array, state), type, element, read);
        }
    }
}

}  // namespace litmus
