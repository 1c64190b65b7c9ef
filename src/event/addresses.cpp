// Instructions on addresses (ISA 9.7.9.19, 9.7.9.20, 9.7.9.23, 9.7.9.24). Of an address that is known, their results are constants: a
// location, an instance of it and an offset. One that depends on what was read is one of several (choose_place.cpp). What lies in shared
// memory has a generic address besides that in its window; of global memory the two are one.
#include <algorithm>

#include "event/builder.h"
#include "language/layout.h"

namespace litmus {

// The CTAs of this thread's cluster, by rank: their numbers' order.
std::vector<int> Builder::cluster_ctas() const {
    std::vector<std::pair<int, int>> ctas;  // number, index
    for (size_t k = 0; k < draft_.ctas.size(); ++k)
        if (same_cluster(draft_.ctas[k], thread().at)) ctas.emplace_back(draft_.ctas[k].cta, static_cast<int>(k));
    std::sort(ctas.begin(), ctas.end());
    std::vector<int> result;
    for (const auto& [number, index] : ctas) result.push_back(index);
    return result;
}

namespace {

// Whether an address is one of the state space that the instruction names: of shared memory or not, of the executing CTA's or not.
bool is_in(const Instruction& names, bool shared, bool own) {
    if (names.has("global")) return !shared;
    if (names.has("shared") || names.has("shared::cta")) return shared && own;
    return names.has("shared::cluster") && shared;
}

// Whether it takes a generic address.
bool takes_generic(const Instruction& i) {
    if (i.op == Op::cvta) return i.has("to");
    return i.op == Op::isspacep || !i.has("shared::cluster");
}

}  // namespace

ExprId Builder::convert_address(const Context& c, const State& state, Dependencies& reads) {
    const Instruction& i = c.instruction;
    const Operand& source = i.at(Role::source);
    const ExprId given = value_of(state, source, operand_type(i, source), reads);
    return exprs_.is_constant(given) ? convert_address(c, state, exprs_[given].value) : convert_unknown_address(c, state, given);
}

ExprId Builder::convert_address(const Context& c, const State& state, uint64_t address) {
    const Instruction& i = c.instruction;
    const Operand& source = i.at(Role::source);
    const Type type = operand_type(i, source);
    const auto found = places_.location_at(address);
    if (!found) fail(source.span, "this is no address of a location");
    const auto [index, instance] = *found;
    const Location& location = test_.locations[static_cast<size_t>(index)];
    const bool shared = location.space == Space::shared, generic = (address & Places::generic_bit) != 0;
    if (shared && generic != takes_generic(i))
        fail(source.span,
             "this is " + std::string(generic ? "a generic address" : "an address in the window of shared memory") + ", and `" +
                 spelling(i) + "` takes " + (generic ? "one in the window of shared memory" : "a generic one") + " (ISA " +
                 i.row.form->section + ")",
             generic ? "convert it with `cvta.to.shared.u64`" : "convert it with `cvta.shared.u64`");
    const std::vector<int> ctas = cluster_ctas();
    if (i.op == Op::isspacep || i.op == Op::cvta) {
        const bool inside = is_in(i, shared, shared && same_cta(draft_.ctas[static_cast<size_t>(instance)], thread().at));
        if (i.op == Op::isspacep) return inside ? ExprPool::yes : ExprPool::no;
        if (!inside)
            fail(source.span, "`" + location.name + "` is not in the state space that `" + spelling(i) + "` names (ISA 9.7.9.20)",
                 "guard it with `isspacep`, or name the space of the location");
        return exprs_.constant(shared && !generic ? address | Places::generic_bit : address & ~Places::generic_bit, 64);
    }
    if (!shared) fail(source.span, "`" + location.name + "` is no shared memory (ISA 9.7.9.23, 9.7.9.24)");
    if (i.op == Op::getctarank) {
        const auto rank = std::find(ctas.begin(), ctas.end(), instance);
        if (rank == ctas.end()) fail(source.span, "`" + location.name + "` is in the shared memory of another cluster");
        return exprs_.constant(static_cast<uint64_t>(rank - ctas.begin()), 32);
    }
    const Operand& named = i.at(Role::source, 1);
    const uint64_t rank = constant_operand(state, named, "the rank");
    if (rank >= ctas.size())
        fail(named.span, "there is no CTA of rank " + std::to_string(rank) + ": the cluster has " + std::to_string(ctas.size()),
             "a CTA of a test has a thread, or shared memory of its own");
    const int there = ctas[static_cast<size_t>(rank)];
    const auto number = [&](int cta) { return draft_.ctas[static_cast<size_t>(cta)].cta; };
    const auto inside = static_cast<int64_t>((address & ~Places::generic_bit) - places_.address_value(index, instance, source.span));
    const auto place = shared_place(test_, number(there), shared_offset(test_, location, number(instance)) + inside);
    if (!place || place->location->type != location.type || is_opaque(*place->location) != is_opaque(location))
        fail(source.span, "nothing of this kind lies at the offset of `" + location.name + "` in cta" + std::to_string(number(there)),
             "declare it without a CTA (`.shared`), which makes one instance in each");
    const int mapped = location_index(test_, place->location->name);
    const uint64_t there_at = places_.address_value(mapped, there, source.span) + static_cast<uint64_t>(place->offset);
    return exprs_.constant(generic ? there_at | Places::generic_bit : there_at, bits(type));
}

}  // namespace litmus
