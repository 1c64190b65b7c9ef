// Which elements of a bulk operation become events.
//
// A bulk operation touches many elements, and one that nothing else touches and no condition mentions behaves like any other
// such element. Only these become events: the first of an operation, those that are named somewhere, and those that meet
// one of these through another bulk operation. The set is found once, before threads are executed: it begins with the bytes
// that instructions and conditions name, and grows along the copies, in both directions, until nothing is added.
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"
#include "test/layout.h"

namespace litmus {

// The type of the elements that a bulk operand names.
Type Builder::element_type(const Operand& operand, const State& state) {
    return test_.locations[static_cast<size_t>(target(operand, state).location)].type;
}

void Builder::keep(int location, int64_t first, int64_t bytes) {
    for (int64_t byte = first; byte < first + bytes; ++byte) kept_.insert({physical(location), byte});
}

bool Builder::is_kept(int location, int64_t first, int64_t bytes) const {
    const auto from = kept_.lower_bound({physical(location), first});
    return from != kept_.end() && *from < std::pair(physical(location), first + bytes);
}

std::vector<int64_t> Builder::kept_elements(const Operand& to, const Operand& from, int64_t count, int64_t step, const State& state) {
    const Target t = target(to, state), f = target(from, state);
    std::vector<int64_t> result;
    for (int64_t k = 0; k < count; ++k)
        if (k == 0 || is_kept(t.location, static_cast<int64_t>(t.offset) + k * step, step) ||
            is_kept(f.location, static_cast<int64_t>(f.offset) + k * step, step))
            result.push_back(k);
    return result;
}

// The destinations of a copy: where the operand says or, of a multicast, at the same offset in every CTA of the cluster.
std::vector<std::pair<int, int64_t>> Builder::destinations(const Thread& thread, const Instruction& copy) const {
    const Test& test = test_;
    const Operand& to = copy.at(Role::copy_to);
    const int location = location_index(to.name);
    std::vector<std::pair<int, int64_t>> result{{location, to.offset}};
    if (!copy.find(Role::cta_mask)) return result;
    const Location& here = test.locations[static_cast<size_t>(location)];
    const int64_t offset = shared_offset(test, here, to.cta >= 0 ? to.cta : here.cta.value_or(thread.at.cta)) + to.offset;
    for (const Placement& cta : draft_.ctas) {
        if (cta.gpu != thread.at.gpu || cta.cluster != thread.at.cluster) continue;
        if (const auto there = shared_place(test, cta.cta, offset))
            result.emplace_back(location_index(there->location->name), there->offset);
    }
    return result;
}

// Marks the elements that are named: by instructions other than copies, by conditions; then those that meet a
// marked one through a copy, in either direction. An address in a register may be that of any element of a
// location whose address is taken.
void Builder::mark_elements() {
    const Test& test = test_;
    const auto size_of = [&](int location) { return bits(test.locations[static_cast<size_t>(location)].type) / 8; };
    const auto keep_whole = [&](int location) {
        keep(location, 0, int64_t{size_of(location)} * test.locations[static_cast<size_t>(location)].count);
    };
    struct Link {
        int to, from;
        int64_t to_offset, from_offset, step, count;
    };
    std::vector<Link> links;
    const auto link = [&](const Thread& thread, const Instruction& copy) {
        const Operand& source = copy.at(Role::copy_from);
        const int from = location_index(source.name);
        for (const auto& [to, offset] : destinations(thread, copy)) {
            const int64_t step = copy.op == Op::bulk_reduce ? bits(data_type(copy)) / 8 : size_of(to);
            const auto count = static_cast<int64_t>(copy.at(Role::size).value) / step;
            links.push_back({to, from, offset, source.offset, step, count});
            keep(to, offset, step);
        }
    };
    for (const Thread& t : test.threads) {
        for (const Instruction& i : t.body) {
            const bool direct = is_copy(i.op) && !i.at(Role::copy_to).indirect && !i.at(Role::copy_from).indirect;
            if (direct && i.at(Role::size).kind == Operand::Kind::immediate) {
                link(t, i);
                continue;
            }
            for (const Operand& o : i.operands) {
                const int location = location_index(o.name);
                if (location < 0 || o.indirect) continue;
                if (o.kind == Operand::Kind::symbol || is_copy(i.op)) keep_whole(location);
                if (o.kind == Operand::Kind::address)
                    keep(location, o.offset, std::max<int64_t>(size_of(location), vector_width(i) * bits(data_type(i)) / 8));
            }
            if (i.find(Role::cta_mask) && !i.at(Role::copy_to).indirect)
                for (const auto& [to, offset] : destinations(t, i)) keep_whole(to);
        }
    }
    const auto mention = [&](auto&& self, const Condition& condition) -> void {
        for (const Condition& part : condition.operands) self(self, part);
        if (condition.kind != Condition::Kind::atom) return;
        for (const Term* term : {&condition.left, &condition.right}) {
            if (term->kind != Term::Kind::location) continue;
            const int location = location_index(term->name);
            keep(location, int64_t{term->element} * size_of(location), size_of(location));
        }
    };
    if (test.filter) mention(mention, *test.filter);
    if (test.claim.kind != Claim::Kind::none) mention(mention, test.claim.condition);
    for (bool changed = true; changed;) {
        changed = false;
        for (const Link& l : links) {
            for (int64_t k = 0; k < l.count; ++k) {
                const int64_t to = l.to_offset + k * l.step, from = l.from_offset + k * l.step;
                if (is_kept(l.to, to, l.step) == is_kept(l.from, from, l.step)) continue;
                keep(l.to, to, l.step);
                keep(l.from, from, l.step);
                changed = true;
            }
        }
    }
}

}  // namespace litmus
