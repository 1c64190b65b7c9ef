// What asynchronous operations and their completion become (model/semantics.md sections 5 and 6).
//
// An asynchronous operation X puts one issue event I(X) into program order. Its memory events and its
// completion are in no program order; `iss` leads from I(X) to each of them and `aio` orders them
// among themselves: a source read before the write made of it, an atomic's read before its write,
// everything before the completion. A completion is an update of an mbarrier object, or an event
// that `grp` leads from to the wait_group that waits for it.
//
// The mbarrier objects that completions update stand in mbarrier.cpp, the groups that waits name in groups.cpp, and which
// elements of a bulk operation become events in bulk_elements.cpp.
#include <algorithm>

#include "event/builder.h"
#include "language/layout.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"
#include "ptx/value.h"

namespace litmus {

using Kind = Traits::Kind;

size_t Builder::issue(const Context& c, const State& state) {
    Event e = event_of(c, Event::Kind::issue);
    e.scope = Scope::none;
    e.operation = draft_.operations++;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    return id;
}

size_t Builder::asynchronous_event(const Context& c, size_t issue, Event::Kind kind, const MemoryPlace& at, Type type, int element) {
    Event e = event_of(c, kind);
    e.asynchronous = true;
    e.operation = draft_.events[issue].operation;
    e.cell = at.cell;
    e.address = at.address;
    e.type = type;
    e.element = element;
    const size_t id = add_event(e);
    if (kind == Event::Kind::read) draft_.events[id].value = exprs_.read(static_cast<uint32_t>(id), bits(type));
    draft_.notes.pairs.push_back({"iss", issue, id, ExprPool::yes});
    return id;
}

void Builder::inside(size_t from, size_t to) {
    draft_.notes.pairs.push_back({"aio", from, to, ExprPool::yes});
}

std::pair<size_t, size_t> Builder::asynchronous_reduction(const Context& c, size_t issue, const MemoryPlace& at, Type type, int element,
                                                          ExprId operand, const Dependencies& data) {
    const bool global = draft_.cells[static_cast<size_t>(at.cell)].instance < 0;
    const Operator operation = memory_operation(litmus::operation(c.instruction), type, global);
    if (!apply(operation, type, 0, 0))
        fail(c.instruction.span, "." + std::string(name(operation)) + " on ." + std::string(name(type)) + " is not modelled yet");
    const size_t r = asynchronous_event(c, issue, Event::Kind::read, at, type, element);
    const size_t w = asynchronous_event(c, issue, Event::Kind::write, at, type, element);
    draft_.events[r].reduction = true;
    draft_.events[r].partner = static_cast<int>(w);
    draft_.events[w].partner = static_cast<int>(r);
    draft_.events[w].value = exprs_.apply(operation, type, draft_.events[r].value, operand);
    inside(r, w);
    depend("data", data, w);
    draft_.notes.dependencies.push_back({"data", r, w, ExprPool::yes});
    return {r, w};
}

// ---- asynchronous operations -----------------------------------------------------------------------

// red.async (9.7.13.7) and st.async (9.7.9.12): the data is in registers. Those of multimem addresses access each location that the address
// points to.
void Builder::from_registers(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Type type = data_type(i);
    const int width = vector_width(i);
    const size_t start = issue(c, state);
    const Operand& address = i.at(Role::address);
    depend_address(state, address, start);
    std::vector<size_t> events;
    for (int k = 0; k < width; ++k) {
        Dependencies data;
        const ExprId value = value_of(state, element_of(i.at(Role::source), k), type, data);
        for (const MemoryPlace& at : resolve_all(address, type, static_cast<uint64_t>(k * bits(type) / 8), state)) {
            if (!traits(i.op).reduces) {
                const size_t w = asynchronous_event(c, start, Event::Kind::write, at, type, k);
                draft_.events[w].value = value;
                draft_.events[w].sem = semantics(i);
                depend("data", data, w);
                events.push_back(w);
            } else {
                const auto [r, w] = asynchronous_reduction(c, start, at, type, k, value, data);
                draft_.events[r].sem = Sem::relaxed;
                draft_.events[w].sem = semantics(i);
                events.insert(events.end(), {r, w});
            }
        }
    }
    const Operand* bar = i.find(Role::mbarrier);
    if (!bar) return;  // nothing observes its completion
    depend_address(state, *bar, start);
    complete_on(c, state, start, object(*bar, state), width * bits(type) / 8, events);
}

size_t Builder::complete_on(const Context& c, const State& state, size_t start, const MemoryPlace& at, int64_t bytes,
                            const std::vector<size_t>& before) {
    const Update u = update(c, state, at, {static_cast<int32_t>(-bytes), 0, 0}, Sem::release, Scope::cluster, start);
    draft_.events[u.read].completes = true;
    draft_.events[u.write].completes = true;
    inside(u.read, u.write);
    for (const size_t e : before) {
        inside(e, u.read);
        inside(e, u.write);
    }
    return u.write;
}

// The CTAs that a multicast writes: bit k of the mask is the k-th CTA of the executing thread's cluster.
std::vector<int> Builder::multicast_ctas(uint64_t mask) {
    const std::vector<int> ctas = cluster_ctas();
    std::vector<int> result;
    for (size_t bit = 0; bit < 16; ++bit)
        if ((mask >> bit & 1) != 0) result.push_back(ctas[bit]);
    return result;
}

// What an operand means in another CTA of the cluster: the address of the same offset there.
Operand Builder::counterpart(const Operand& operand, int cta) const {
    const Test& test = test_;
    const int number = draft_.ctas[static_cast<size_t>(cta)].cta;
    const int location = location_index(test_, operand.name);
    if (operand.indirect || location < 0) fail(operand.span, "the address of a multicast is named directly: other ways are not modelled");
    const Location& here = test.locations[static_cast<size_t>(location)];
    const int own = operand.cta >= 0 ? operand.cta : here.cta.value_or(thread().at.cta);
    const auto there = shared_place(test, number, shared_offset(test, here, own) + operand.offset);
    if (!there || there->location->type != here.type || is_opaque(*there->location) != is_opaque(here))
        fail(operand.span, "nothing of this kind lies at the offset of `" + operand.name + "` in cta" + std::to_string(number),
             "declare it without a CTA (`.shared`), which makes one instance in each");
    Operand result = operand;
    result.name = there->location->name;
    result.offset = there->offset;
    result.cta = number;
    return result;
}

// Where one destination of a multicast is signalled: in its own CTA or, by a tensor copy with `.cta_group::2`, in that of its pair whose
// rank is as even or odd as that of the mbarrier object's CTA (9.7.9.27.1.2).
int Builder::signalled_cta(const Context& c, int destination) const {
    const Operand& bar = c.instruction.at(Role::mbarrier);
    if (c.instruction.op != Op::tensor_copy || cta_group(c.instruction) == 1 || bar.indirect) return destination;
    const int owner = bar.cta >= 0 ? bar.cta : find_location(test_, bar.name)->cta.value_or(thread().at.cta);
    const std::vector<int> ctas = cluster_ctas();
    size_t rank = 0, parity = 0;
    for (size_t k = 0; k < ctas.size(); ++k) {
        if (ctas[k] == destination) rank = k;
        if (draft_.ctas[static_cast<size_t>(ctas[k])].cta == owner) parity = k % 2;
    }
    return ctas.at(rank / 2 * 2 + parity);
}

// The type of the elements that a bulk operand names.
Type Builder::element_type(const Operand& operand, const State& state) {
    return test_.locations[static_cast<size_t>(target(operand, state).location)].type;
}

ElementPlace Builder::element_at(const Target& target, int64_t offset) const {
    const int physical = physical_location(test_, target.location);
    const int64_t bytes = bits(test_.locations[static_cast<size_t>(physical)].type) / 8;
    return {physical, target.instance, (static_cast<int64_t>(target.offset) + offset) / bytes};
}

void Builder::add_elements(const Target& target, int64_t offset, std::vector<ElementPlace>& places) const {
    const Location& named = test_.locations[static_cast<size_t>(target.location)];
    if (named.points_to.empty()) places.push_back(element_at(target, offset));
    for (const std::string& name : named.points_to) places.push_back(element_at({location_index(test_, name), -1, target.offset}, offset));
}

std::vector<size_t> Builder::kept_rows(const Context& c, std::vector<Sweep::Row> rows) {
    std::vector<size_t> result;
    for (size_t k = 0; k < rows.size(); ++k)
        if (kept_.contains(rows[k])) result.push_back(k);
    draft_.sweeps.push_back(std::make_shared<const Sweep>(Sweep{thread_, c.index, c.instruction.op == Op::discard, std::move(rows)}));
    return result;
}

// Likewise of an operation that only writes: `count` elements of `step` bytes.
std::vector<size_t> Builder::kept_writes(const Context& c, const Operand& to, int64_t count, int64_t step, const State& state) {
    const Target t = target(to, state);
    std::vector<Sweep::Row> rows(static_cast<size_t>(std::max<int64_t>(count, 0)));
    for (size_t k = 0; k < rows.size(); ++k) add_elements(t, static_cast<int64_t>(k) * step, rows[k].to);
    return kept_rows(c, std::move(rows));
}

// The read of one element of a bulk operation.
size_t Builder::transfer_read(const Context& c, Transfer& t, const MemoryPlace& from, Type type, int element) {
    const size_t r = asynchronous_event(c, t.start, Event::Kind::read, from, type, element);
    draft_.events[r].sem = Sem::weak;
    draft_.events[r].scope = Scope::none;
    draft_.events[r].proxy = Proxy::async;
    t.reads.push_back(r);
    return r;
}

// The write, or reduction, that is made of what `read` read, at the n-th of the destinations; without a read, of a zero.
void Builder::transfer_write(const Context& c, Transfer& t, size_t n, const MemoryPlace& to, Type type, int element,
                             std::optional<size_t> read) {
    const Instruction& i = c.instruction;
    const bool reduces = traits(i.op).reduces;
    const ExprId value = read ? draft_.events[*read].value : exprs_.constant(0, bits(type));
    const Dependencies data = read ? Dependencies{{*read, ExprPool::yes}} : Dependencies{};
    std::vector<size_t> made;
    if (reduces) {
        const auto [rr, w] = asynchronous_reduction(c, t.start, to, type, element, value, data);
        made = {rr, w};
    } else {
        made = {asynchronous_event(c, t.start, Event::Kind::write, to, type, element)};
        draft_.events[made[0]].value = value;
        depend("data", data, made[0]);
    }
    for (const size_t e : made) {
        draft_.events[e].sem = reduces ? Sem::relaxed : Sem::weak;
        draft_.events[e].scope = reduces ? scope(i) : Scope::none;
        draft_.events[e].proxy = Proxy::async;
        t.writes[n].push_back(e);
    }
    if (read) inside(*read, made.back());
}

// What tells that a bulk operation is complete: its mbarrier object, or else its group.
void Builder::complete_transfer(const Context& c, const State& state, const Transfer& t, int64_t bytes) {
    const auto with_reads = [&t](std::vector<size_t> events) {
        events.insert(events.end(), t.reads.begin(), t.reads.end());
        if (t.map) events.push_back(*t.map);
        return events;
    };
    const Operand* bar = c.instruction.find(Role::mbarrier);
    Groups::Member member{draft_.events.size(), c.guard, 0, std::nullopt};
    if (!bar) {
        member.completion = group_completion(c, t.start, with_reads(t.writes[0]));
        if (waits_for_reads()) {
            member.read_completion = group_completion(c, t.start, t.reads);
            if (t.map) draft_.notes.pairs.push_back({"aio-map", *t.map, *member.read_completion, ExprPool::yes});
        }
        draft_.thread.bulk_groups.members.push_back(member);
        return;
    }
    if (t.map && waits_for_groups()) {  // of what an mbarrier completes a group has the reading of the tensor map (9.7.9.27.1.2)
        member.completion = group_completion(c, t.start, {*t.map});
        draft_.thread.bulk_groups.members.push_back(member);
    }
    for (size_t n = 0; n < t.ctas.size(); ++n) {
        const MemoryPlace object = this->object(t.ctas[n] < 0 ? *bar : counterpart(*bar, signalled_cta(c, t.ctas[n])), state);
        const size_t completion = complete_on(c, state, t.start, object, bytes, with_reads(t.writes[n]));
        check_parts(object, static_cast<size_t>(draft_.events[completion].partner), bytes);
        for (size_t m = 0; m < t.ctas.size(); ++m)
            for (const size_t e : t.writes[m])
                if (m != n) draft_.notes.pairs.push_back({"aio-multicast", e, completion, ExprPool::yes});
    }
}

// cp.async.bulk and cp.reduce.async.bulk (9.7.9.25.4): through the async proxy, element by element.
void Builder::bulk(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const auto size = static_cast<int64_t>(constant_operand(state, i.at(Role::size), "the size of a bulk operation"));
    const Operand* bar = i.find(Role::mbarrier);  // or none: its group tells that it is complete
    const Operand &to = i.at(Role::copy_to), &from = i.at(Role::copy_from);
    const Type type = traits(i.op).reduces ? data_type(i) : element_type(to, state);
    const int64_t step = bits(type) / 8;
    Transfer t{issue(c, state), {-1}, {}, {}};
    depend_address(state, to, t.start);
    depend_address(state, from, t.start);
    if (bar) depend_address(state, *bar, t.start);
    if (const Operand* mask = i.find(Role::cta_mask)) t.ctas = multicast_ctas(constant_operand(state, *mask, "the CTA mask"));
    t.writes.resize(t.ctas.size());
    std::vector<Sweep::Row> rows(static_cast<size_t>(size / step));
    const Target source = target(from, state);
    for (const int cta : t.ctas) {
        const Target there = target(cta < 0 ? to : counterpart(to, cta), state);
        for (size_t k = 0; k < rows.size(); ++k) add_elements(there, static_cast<int64_t>(k) * step, rows[k].to);
    }
    for (size_t k = 0; k < rows.size(); ++k) rows[k].from = element_at(source, static_cast<int64_t>(k) * step);
    for (const size_t k : kept_rows(c, std::move(rows))) {
        const uint64_t offset = k * static_cast<uint64_t>(step);
        const auto element = static_cast<int>(k);
        const size_t read = transfer_read(c, t, resolve(from, type, offset, state), type, element);
        for (size_t n = 0; n < t.ctas.size(); ++n)
            for (const MemoryPlace& at : resolve_all(t.ctas[n] < 0 ? to : counterpart(to, t.ctas[n]), type, offset, state))
                transfer_write(c, t, n, at, type, element, read);
    }
    complete_transfer(c, state, t, size);
}

// cp.async (9.7.9.25.3): through the generic proxy; what src-size leaves out is filled with zeros.
void Builder::copy(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Operand &to = i.at(Role::copy_to), &from = i.at(Role::copy_from), *present = i.find(Role::source_size);
    const auto size = static_cast<int64_t>(constant_operand(state, i.at(Role::size), "the size of a copy"));
    const int64_t read_size = present ? static_cast<int64_t>(constant_operand(state, *present, "the source size of a copy")) : size;
    const Type type = element_type(to, state);
    const int64_t step = bits(type) / 8;
    if (read_size % step != 0) fail(present->span, "the source ends inside an element: not modelled");
    const size_t start = issue(c, state);
    depend_address(state, to, start);
    depend_address(state, from, start);
    std::vector<size_t> events;
    std::vector<Sweep::Row> rows(static_cast<size_t>(size / step));
    const Target source = target(from, state), destination = target(to, state);
    for (size_t k = 0; k < rows.size(); ++k) {
        const int64_t offset = static_cast<int64_t>(k) * step;
        rows[k].to = {element_at(destination, offset)};
        if (offset < read_size) rows[k].from = element_at(source, offset);
    }
    for (const size_t k : kept_rows(c, rows)) {
        const uint64_t offset = k * static_cast<uint64_t>(step);
        ExprId value = exprs_.constant(0, bits(type));
        std::optional<size_t> r;
        if (rows[k].from) {
            r = asynchronous_event(c, start, Event::Kind::read, resolve(from, type, offset, state), type, static_cast<int>(k));
            value = draft_.events[*r].value;
            events.push_back(*r);
        }
        const size_t w = asynchronous_event(c, start, Event::Kind::write, resolve(to, type, offset, state), type, static_cast<int>(k));
        draft_.events[w].value = value;
        events.push_back(w);
        if (!r) continue;
        inside(*r, w);
        depend("data", {{*r, ExprPool::yes}}, w);
    }
    Groups::Member member{draft_.events.size(), c.guard, 0, std::nullopt};
    member.completion = group_completion(c, start, events);
    draft_.thread.copy_groups.members.push_back(member);
    draft_.thread.copies.push_back(events);
}

// cp.async.mbarrier.arrive{.noinc} (9.7.13.15.15): an arrive-on after all prior cp.async of the thread. Without
// .noinc the pending count is raised first, so that the arrival takes back what it added.
void Builder::asynchronous_arrive(const Context& c, State& state) {
    const Operand& bar = c.instruction.at(Role::mbarrier);
    const MemoryPlace at = object(bar, state);
    if (!c.instruction.has("noinc")) {
        const Update raised = update(c, state, at, {0, -1, 0}, Sem::relaxed, Scope::cta, std::nullopt);
        depend_address(state, bar, raised.read);
        depend_address(state, bar, raised.write);
    }
    const size_t start = issue(c, state);
    depend_address(state, bar, start);
    const Update u = update(c, state, at, {0, 1, 0}, Sem::release, Scope::cta, start);
    draft_.notes.arrivals.push_back({u.write, at.cell, field(exprs_, draft_.events[u.read].value, mbarrier_phase), ExprPool::yes});
    draft_.events[u.read].completes = draft_.events[u.write].completes = true;
    inside(u.read, u.write);
    for (const auto& events : draft_.thread.copies)
        for (const size_t e : events)
            for (const size_t to : {u.read, u.write}) inside(e, to);
}

}  // namespace litmus
