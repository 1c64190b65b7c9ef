// What one instruction becomes: memory events, fences, barrier uses, and plain computation (model/semantics.md
// section 2). Asynchronous operations stand in async.cpp, mbarriers in mbarrier.cpp.
#include <algorithm>
#include <stdexcept>

#include "event/builder.h"
#include "language/compared.h"
#include "ptx/mbarrier.h"
#include "ptx/table.h"
#include "ptx/traits.h"
#include "ptx/value.h"

namespace litmus {

using Kind = Traits::Kind;

namespace {

constexpr size_t max_events = 1024;
// An operation on an mbarrier object is a read and a write beside its initial one, and completes at most one phase: all phases have a
// number.
static_assert((max_events - 1) / 2 <= most_phases);

// What a fence is about: Event::Reach.
Event::Reach reach(const Instruction& fence) {
    for (const std::string& word : fence.qualifiers) {
        if (word == "mbarrier_init") return Event::Reach::mbarrier_init;
        if (word == "global") return Event::Reach::global;
        if (word == "shared::cta" || word == "sync_restrict::shared::cta") return Event::Reach::shared_cta;
        if (word == "shared::cluster" || word == "sync_restrict::shared::cluster") return Event::Reach::shared_cluster;
    }
    return Event::Reach::all;
}

}  // namespace

ExprId part_of(ExprPool& pool, ExprId whole, Type type, int shift, int width) {
    const Type unsigned_type = bits(type) == 64 ? Type::u64 : bits(type) == 32 ? Type::u32 : Type::u16;
    const ExprId low = pool.apply(Operator::shr, unsigned_type, whole, pool.constant(static_cast<uint64_t>(shift), bits(type)));
    return pool.resize(low, width, false);
}

ExprId place_part(ExprPool& pool, ExprId whole, ExprId part, Type type, int shift) {
    const Type unsigned_type = bits(type) == 64 ? Type::u64 : bits(type) == 32 ? Type::u32 : Type::u16;
    const ExprId wide = pool.resize(part, bits(type), false);
    return pool.apply(Operator::or_, unsigned_type, whole,
                      pool.apply(Operator::shl, unsigned_type, wide, pool.constant(static_cast<uint64_t>(shift), bits(type))));
}

// ---- events -----------------------------------------------------------------------------

size_t Builder::add_event(Event event) {
    event.thread = thread_;
    event.iteration = iteration_;
    if (draft_.events.size() >= max_events) fail(thread().span, "this test has more than " + std::to_string(max_events) + " events");
    draft_.events.push_back(event);
    return draft_.events.size() - 1;
}

void Builder::depend(const char* relation, const Dependencies& reads, size_t event) {
    for (const auto& [read, when] : reads) {
        if (read == event) continue;
        draft_.notes.dependencies.push_back({relation, read, event, when});
    }
}

Event Builder::event_of(const Context& c, Event::Kind kind) {
    Event e;
    e.kind = kind;
    e.guard = c.guard;
    e.instruction = c.index;
    e.scope = scope(c.instruction);
    e.volatile_ = c.instruction.has("volatile");
    e.mmio = c.instruction.has("mmio");
    return e;
}

size_t Builder::memory_event(const Context& c, const State& state, Event::Kind kind, const MemoryPlace& at, Type type, int element) {
    Event e = event_of(c, kind);
    e.cell = at.cell;
    e.address = at.address;
    e.proxy = at.proxy != Proxy::generic ? at.proxy : proxy(c.instruction);
    e.type = type;
    e.element = element;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    return id;
}

void Builder::depend_control(const State& state, size_t event) {
    depend("ctrl", state.control, event);
    depend("blocks", state.blocking, event);
    note_performed(state, event);
}

void Builder::block(State& state, const Dependencies& reads) {
    add_reads(exprs_, state.control, reads);
    add_reads(exprs_, state.blocking, reads);
    wait_always(state, reads);
}

void Builder::block(const Context& c, State& state, const Dependencies& awaited, const Dependencies& operand, ExprId met) {
    block(state, awaited);
    const Dependencies compared = under(exprs_, operand, c.when);  // where the guard is false nothing waits
    add_reads(exprs_, state.control, compared);
    for (const auto& [read, when] : compared)
        if (influence_.can_change(read, met)) add_reads(exprs_, state.blocking, {{read, when}});
}

void Builder::depend_address(const State& state, const Operand& operand, size_t event) {
    if (operand.indirect) depend("addr", register_reads(state, operand.name), event);
}

const Operand& element_of(const Operand& operand, int i) {
    return operand.kind == Operand::Kind::vector ? operand.elements[static_cast<size_t>(i)] : operand;
}

void Builder::expect(const Context& c, State& state, ExprId value, Type type, const Dependencies& reads) {
    if (!c.instruction.expect) return;
    Dependencies of_operand;
    const ExprId right = value_of(state, c.instruction.expect->value, type, of_operand);
    const ExprId met = exprs_.compare(c.instruction.expect->comparison, type, value, right);
    await_that(c, met);
    if (c.instruction.await) block(c, state, reads, of_operand, met);
}

// What an awaited instruction waits for is met, or, in an iteration that fails, is not.
void Builder::await_that(const Context& c, ExprId met) {
    draft_.constraints.push_back(exprs_.either(exprs_.negate(c.guard), c.fails ? exprs_.negate(met) : met));
}

std::vector<size_t> Builder::read_elements(const Context& c, const State& state, Type part, int first, int count) {
    const Operand& address = c.instruction.at(Role::address);
    std::vector<size_t> reads;
    for (int element = first; element < first + count; ++element) {
        const MemoryPlace at = resolve(address, part, static_cast<uint64_t>(element * bits(part) / 8), state);
        const size_t id = memory_event(c, state, Event::Kind::read, at, part, element);
        Event& e = draft_.events[id];
        e.sem = semantics(c.instruction);
        e.value = exprs_.read(static_cast<uint32_t>(id), bits(part));
        depend_address(state, address, id);
        reads.push_back(id);
    }
    return reads;
}

bool Builder::is_wide_place(const Operand& address, const State& state) {
    return test_.locations[static_cast<size_t>(target(address, state).location)].wide;
}

// One scalar that lies in several cells: it overlaps completely what has as many of them, and in part all else (ISA 8.6, 8.7.2).
void Builder::join(const std::vector<size_t>& parts) {
    for (const size_t part : parts) draft_.events[part].cells = static_cast<int>(parts.size());
}

// A strong access is performed at once (8.10.3).
void Builder::tie(const std::vector<size_t>& parts) {
    join(parts);
    relate_strong("parts", parts);
}

// A vector is several accesses in no order (8.2.4). The reading `vector-whole` has one of up to 16 bytes performed at once.
void Builder::tie_elements(const Context& c, const std::vector<size_t>& elements) {
    const int width = vector_width(c.instruction);
    if (width > 1 && width * bits(data_type(c.instruction)) <= 128) relate_strong("elements", elements);
}

void Builder::relate_strong(const char* relation, const std::vector<size_t>& events) {
    for (const size_t a : events)
        for (const size_t b : events)
            if (a != b && draft_.events[a].sem != Sem::weak) draft_.notes.pairs.push_back({relation, a, b, ExprPool::yes});
}

void Builder::load(const Context& c, State& state) {
    const bool whole = data_type(c.instruction) == Type::b128;
    const Operand& address = c.instruction.at(Role::address);
    if (whole && !is_wide_place(address, state)) return load_answer(c, state);
    if (whole && holds_answer(thread(), c.instruction.at(Role::result).name))
        fail(address.span, "an answer of `clusterlaunchcontrol.try_cancel` lies in elements that are smaller than 128 bits here",
             "declare an array: .shared.cta0 .u64 answer[2];");
    const Type type = whole ? Type::b64 : data_type(c.instruction);
    const int width = whole ? 2 : vector_width(c.instruction);
    const Type part = part_of_wide_load(address, type, width, state).value_or(type);
    const int parts = bits(type) / bits(part);
    std::vector<size_t> all;
    for (int i = 0; i < width; ++i) {
        Dependencies reads;
        ExprId value = exprs_.constant(0, bits(type));
        const std::vector<size_t> elements = read_elements(c, state, part, i * parts, parts);
        all.insert(all.end(), elements.begin(), elements.end());
        if (half_of(address, type, state))
            tie(elements);  // a store may be of this size, too
        else
            join(elements);
        for (int k = 0; k < parts; ++k) {
            const size_t id = elements[static_cast<size_t>(k)];
            const ExprId read = draft_.events[id].value;
            reads[id] = ExprPool::yes;
            value = parts == 1 ? read : place_part(exprs_, value, read, type, k * bits(part));
        }
        assign(state, element_of(c.instruction.at(Role::result), i), type, value, reads, c.when, c.guard_reads);
        expect(c, state, value, type, reads);
    }
    if (whole) tie(all);
    tie_elements(c, all);
}

std::optional<Type> Builder::part_of_wide_load(const Operand& address, Type type, int width, const State& state) {
    if (const std::optional<Type> half = half_of(address, type, state)) return half;
    const int location = physical_location(test_, target(address, state).location);
    const Location& declared = test_.locations[static_cast<size_t>(location)];
    const Type scalar = places_.cell_type(location);
    if (width != 1 || bits(type) <= bits(declared.type) || declared.count == 1) return std::nullopt;
    return scalar;
}

std::optional<Type> Builder::half_of(const Operand& address, Type type, const State& state) {
    const int location = physical_location(test_, target(address, state).location);
    const Type declared = test_.locations[static_cast<size_t>(location)].type, scalar = places_.cell_type(location);
    return bits(type) == bits(declared) && scalar != declared ? std::optional(scalar) : std::nullopt;
}

void Builder::store(const Context& c, State& state) {
    const bool whole = data_type(c.instruction) == Type::b128;
    const Type type = whole ? Type::b64 : data_type(c.instruction);
    const int width = whole ? 2 : vector_width(c.instruction);
    const Operand& address = c.instruction.at(Role::address);
    const std::optional<Type> half = half_of(address, type, state);
    const Type part = half.value_or(type);
    const int parts = bits(type) / bits(part);
    std::vector<size_t> all;
    const auto tie_last = [&](int count) { tie({all.end() - count, all.end()}); };
    for (int k = 0; k < width * parts; ++k) {
        const MemoryPlace at = resolve(address, part, static_cast<uint64_t>(k * bits(part) / 8), state);
        const size_t id = memory_event(c, state, Event::Kind::write, at, part, k);
        Dependencies reads;
        const ExprId value = value_of(state, element_of(c.instruction.at(Role::source), k / parts), type, reads);
        draft_.events[id].sem = semantics(c.instruction);
        draft_.events[id].value = half ? part_of(exprs_, value, type, k % parts * bits(part), bits(part)) : value;
        depend_address(state, address, id);
        depend("data", reads, id);
        all.push_back(id);
        if (half && (k + 1) % parts == 0) tie_last(parts);
    }
    if (whole) tie_last(width);
    tie_elements(c, all);
}

void Builder::atomic(const Context& c, State& state) {
    const bool returns = written_type(c.instruction).has_value();
    const Operator operation = litmus::operation(c.instruction);
    const Type type = data_type(c.instruction);
    if (type == Type::b128) return wide_atomic(c, state);
    const bool bitwise = operation == Operator::cas || operation == Operator::exch;
    const Type scalar = bitwise ? type : lane_type(type);
    const int parts = bits(type) / bits(scalar);
    const Operand& address = c.instruction.at(Role::address);
    if (!bitwise && !apply(operation, type, 0, 0))
        fail(c.instruction.span, "." + std::string(name(operation)) + " on ." + std::string(name(type)) + " is not modelled yet");
    for (int i = 0; i < vector_width(c.instruction); ++i) {
        Dependencies data, reads;
        std::vector<ExprId> operands;
        for (const Role role : {Role::source, Role::compare, Role::swap})
            if (const Operand* operand = c.instruction.find(role)) operands.push_back(value_of(state, element_of(*operand, i), type, data));
        ExprId old = exprs_.constant(0, bits(type));
        for (int k = 0; k < parts; ++k) {
            const int element = i * parts + k;
            const MemoryPlace at = resolve(address, scalar, static_cast<uint64_t>(element * bits(scalar) / 8), state);
            std::vector<ExprId> lane = operands;
            if (parts > 1) lane = {part_of(exprs_, operands[0], type, k * bits(scalar), bits(scalar))};
            const size_t r = atomic_scalar(c, state, at, scalar, element, lane, data);
            reads[r] = ExprPool::yes;
            const ExprId part = draft_.events[r].value;
            old = parts == 1 ? part : place_part(exprs_, old, part, type, k * bits(scalar));
        }
        if (returns) assign(state, element_of(c.instruction.at(Role::result), i), type, old, reads, c.when, c.guard_reads);
        expect(c, state, old, type, reads);
    }
}

size_t Builder::atomic_scalar(const Context& c, const State& state, const MemoryPlace& at, Type type, int element,
                              const std::vector<ExprId>& operands, const Dependencies& data) {
    const bool global = draft_.cells[static_cast<size_t>(at.cell)].instance < 0;
    const Operator operation = memory_operation(litmus::operation(c.instruction), type, global);
    const size_t r = atomic_read(c, state, at, type, element);
    const ExprId old = draft_.events[r].value;
    Context write = c;
    if (operation == Operator::cas) write.guard = exprs_.both(c.guard, exprs_.compare(Operator::eq, type, old, operands[0]));
    const ExprId stored = operation == Operator::cas ? operands[1] : exprs_.apply(operation, type, old, operands[0]);
    const size_t w = atomic_write(write, state, at, r, stored);
    if (operation == Operator::cas) depend("data", data, r);
    depend("data", data, w);
    if (operation != Operator::exch) draft_.notes.dependencies.push_back({"data", r, w, ExprPool::yes});
    return r;
}

size_t Builder::atomic_read(const Context& c, const State& state, const MemoryPlace& at, Type type, int element) {
    const Sem sem = semantics(c.instruction);
    const size_t r = memory_event(c, state, Event::Kind::read, at, type, element);
    Event& event = draft_.events[r];
    event.value = exprs_.read(static_cast<uint32_t>(r), bits(type));
    event.reduction = !written_type(c.instruction);
    event.sem = sem == Sem::acquire || sem == Sem::acq_rel ? Sem::acquire : Sem::relaxed;
    depend_address(state, c.instruction.at(Role::address), r);
    return r;
}

size_t Builder::atomic_write(const Context& c, const State& state, const MemoryPlace& at, size_t read, ExprId stored) {
    const Sem sem = semantics(c.instruction);
    const size_t w = memory_event(c, state, Event::Kind::write, at, draft_.events[read].type, draft_.events[read].element);
    draft_.events[read].partner = static_cast<int>(w);
    Event& event = draft_.events[w];
    event.value = stored;
    event.partner = static_cast<int>(read);
    event.sem = sem == Sem::release || sem == Sem::acq_rel ? Sem::release : Sem::relaxed;
    depend_address(state, c.instruction.at(Role::address), w);
    return w;
}

// Both halves are read before either is written: cas writes where both are what it compares with.
void Builder::wide_atomic(const Context& c, State& state) {
    const bool compares = operation(c.instruction) == Operator::cas;
    Dependencies data;
    const auto halves_of = [&](Role role) {
        std::vector<ExprId> values;
        for (int half = 0; half < 2; ++half) values.push_back(value_of(state, element_of(c.instruction.at(role), half), Type::b64, data));
        return values;
    };
    const std::vector<ExprId> compared = compares ? halves_of(Role::compare) : std::vector<ExprId>{};
    const std::vector<ExprId> stored = halves_of(compares ? Role::swap : Role::source);
    std::vector<MemoryPlace> places;
    std::vector<size_t> reads, writes;
    Context write = c;
    for (size_t half = 0; half < 2; ++half) {
        places.push_back(resolve(c.instruction.at(Role::address), Type::b64, half * 8, state));
        reads.push_back(atomic_read(c, state, places[half], Type::b64, static_cast<int>(half)));
        if (!compares) continue;
        const ExprId found = exprs_.compare(Operator::eq, Type::b64, draft_.events[reads[half]].value, compared[half]);
        write.guard = exprs_.both(write.guard, found);
    }
    for (size_t half = 0; half < 2; ++half) {
        const size_t w = atomic_write(write, state, places[half], reads[half], stored[half]);
        writes.push_back(w);
        depend("data", data, w);
        if (!compares) continue;
        depend("data", data, reads[half]);
        for (const size_t r : reads) draft_.notes.dependencies.push_back({"data", r, w, ExprPool::yes});
    }
    tie(reads);
    tie(writes);
    for (int half = 0; half < 2; ++half) {
        const size_t r = reads[static_cast<size_t>(half)];
        assign(state, element_of(c.instruction.at(Role::result), half), Type::b64, draft_.events[r].value, {{r, ExprPool::yes}}, c.when,
               c.guard_reads);
    }
}

void Builder::fence(const Context& c, const State& state) {
    Event e = event_of(c, kind(c.instruction.op) == Kind::proxy_fence ? Event::Kind::proxy_fence : Event::Kind::fence);
    e.sem = semantics(c.instruction);
    e.proxy = proxy(c.instruction);
    e.alias_fence = e.kind == Event::Kind::proxy_fence && c.instruction.has("alias");
    e.reach = reach(c.instruction);
    const Operand* map = c.instruction.find(Role::address);  // fence.proxy.tensormap::generic.acquire
    if (map) {
        e.reach = Event::Reach::tensor_map;
        e.covered = resolve(*map, Type::b32, 0, state).cell;
    }
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    if (map) depend_address(state, *map, id);
}

void Builder::barrier(const Context& c, State& state) {
    Event e = event_of(c, Event::Kind::barrier);
    e.scope = Scope::none;
    if (kind(c.instruction.op) == Kind::cluster_barrier) e.sem = semantics(c.instruction);
    BarrierUse use;
    use.event = add_event(e);
    depend_control(state, use.event);
    depend("ctrl", c.guard_reads, use.event);
    Dependencies reads;
    const auto argument = [&](Role role, size_t nth = 0) {
        const Operand* operand = c.instruction.find(role, nth);
        return operand ? value_of(state, *operand, Type::u32, reads) : BarrierUse::absent;
    };
    switch (kind(c.instruction.op)) {
        case Kind::cta_barrier:
            use.barrier = argument(Role::barrier);
            use.count = argument(Role::threads);
            if (written_type(c.instruction)) bar_red(c, state, use, reads);
            break;
        case Kind::quorum:
            use.instance = argument(Role::barrier);
            use.barrier = argument(Role::barrier, 1);
            use.count = argument(Role::threads);
            break;
        case Kind::warp_barrier:
            use.count = argument(Role::member_mask);
            break;
        case Kind::warp_reduction:
            exchange(c, state, use, reads);
            break;
        case Kind::warp_matrix:
            use.count = exprs_.constant(0xffffffff, 32);
            break;
        default:  // a cluster's barrier has no operands; others are none
            break;
    }
    depend("ctrl", reads, use.event);
    use.instruction = &thread().body[static_cast<size_t>(c.index)];
    if (blocks(use) && options_.blocked) {
        use.stays = divert();
        draft_.blocked.push_back({thread_, c.index, exprs_.both(c.guard, use.stays), ExprPool::yes});
        state.guard = exprs_.both(state.guard, exprs_.negate(exprs_.both(c.when, use.stays)));
    }
    draft_.notes.barriers.push_back(use);
    if (blocks(use)) block(state, {{use.event, ExprPool::yes}});
}

void Builder::bar_red(const Context& c, State& state, BarrierUse& use, Dependencies& reads) {
    use.contribution = value_of(state, c.instruction.at(Role::predicate), Type::pred, reads);
    const bool popc = operation(c.instruction) == Operator::popc;
    const Type type = popc ? Type::u32 : Type::pred;
    // the result is a value of its own, defined once the generations are known
    use.result = exprs_.read(static_cast<uint32_t>(use.event), bits(type));
    draft_.events[use.event].type = type;
    draft_.events[use.event].value = use.result;
    assign(state, c.instruction.at(Role::result), type, use.result, {{use.event, ExprPool::yes}}, c.when, c.guard_reads);
}

// ---- plain computation ------------------------------------------------------------------

void Builder::compute(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Type type = data_type(i);
    Dependencies reads;
    const auto source = [&](size_t nth) { return value_of(state, i.at(Role::source, nth), type, reads); };
    ExprId value = 0;
    if (i.op == Op::warp_mma) return multiply_in_registers(c, state);
    if (i.op == Op::mad || i.has("hi") || i.has("wide")) {
        value = multiply(c, state, reads);
    } else if (i.op == Op::binary) {
        const Operator operation = litmus::operation(i);
        if (!apply(operation, type, 0, 0)) fail(i.span, i.mnemonic + " on ." + std::string(name(type)) + " is not modelled yet");
        const ExprId a = source(0);
        const ExprId b = row(operation).shifts ? shift_amount(state, i.at(Role::source, 1), type, reads) : source(1);
        if (operation == Operator::div || operation == Operator::rem) require_divisor(i, b);
        value = exprs_.apply(operation, type, a, b);
    } else if (i.op == Op::mov) {
        if (i.at(Role::result).kind == Operand::Kind::vector || i.at(Role::source).kind == Operand::Kind::vector)
            return move_parts(c, state);
        const bool clock = i.at(Role::source).kind == Operand::Kind::immediate && width_of_unknown(i.at(Role::source).name);
        value = clock ? unknown(c, type) : source(0);
    } else if (i.op == Op::policy) {
        value = unknown(c, type);
    } else if (i.op == Op::cvt) {  // cvt.dtype.atype d, a: the first type is the destination's
        const Type from = source_type(i);
        value = exprs_.resize(value_of(state, i.at(Role::source), from, reads), bits(type), is_signed(from));
    } else if (i.op == Op::not_) {
        value = exprs_.apply(Operator::xor_, type, source(0), exprs_.constant(~uint64_t{0}, bits(type)));
    } else if (i.op == Op::neg) {
        value = exprs_.apply(Operator::sub, type, exprs_.constant(0, bits(type)), source(0));
    } else if (i.op == Op::selp) {
        const ExprId a = source(0), b = source(1);
        value = exprs_.ite(value_of(state, i.at(Role::predicate), Type::pred, reads), a, b);
    } else if (i.op == Op::setp) {
        return set_predicate(c, state);
    } else if (i.op == Op::activemask) {
        value = active_lanes();
    } else if (traits(i.op).family == Traits::Family::addresses) {
        value = convert_address(c, state, reads);
    } else {
        throw std::logic_error("no computation: " + i.mnemonic);
    }
    assign(state, i.at(Role::result), *written_type(i), value, std::move(reads), c.when, c.guard_reads);
}

// A quotient is a circuit of a constant; by 0 it is not told (ISA 9.7.1.8, 9.7.1.9).
void Builder::require_divisor(const Instruction& i, ExprId divisor) const {
    const Operand& operand = i.at(Role::source, 1);
    if (!exprs_.is_constant(divisor))
        throw UnknownOperand(test_.source, operand.span, "a divisor depends on a value read from memory: not modelled",
                             "divide by a constant, or take the ring's size as a power of two and mask the index (`and.b32`)");
    if (exprs_[divisor].value == 0) fail(operand.span, "a division by 0 has a value that is not told (ISA 9.7.1.8)");
}

// Several registers as one, or one as several (ISA 9.7.9.4). One of 128 bits is two already.
void Builder::move_parts(const Context& c, State& state) {
    const Operand &to = c.instruction.at(Role::result), &from = c.instruction.at(Role::source);
    const auto count = [](const Operand& o) { return o.kind == Operand::Kind::vector ? static_cast<int>(o.elements.size()) : 1; };
    const Type type = data_type(c.instruction), read = operand_type(c.instruction, from), written = operand_type(c.instruction, to);
    std::vector<ExprId> parts;
    std::vector<Dependencies> reads;
    for (int k = 0; k < count(from); ++k) {
        reads.emplace_back();
        parts.push_back(value_of(state, element_of(from, k), read, reads.back()));
    }
    if (count(to) < count(from)) {  // packed
        ExprId value = exprs_.constant(0, bits(type));
        for (int k = 0; k < count(from); ++k) {
            value = place_part(exprs_, value, parts[static_cast<size_t>(k)], type, k * bits(read));
            if (k > 0) add_reads(exprs_, reads[0], reads[static_cast<size_t>(k)]);
        }
        parts = {value};
    } else if (count(to) > count(from)) {  // unpacked
        for (int k = 1; k < count(to); ++k) parts.push_back(part_of(exprs_, parts[0], type, k * bits(written), bits(written)));
        parts[0] = exprs_.resize(parts[0], bits(written), false);
        reads.resize(parts.size(), reads[0]);
    }
    for (int k = 0; k < count(to); ++k)
        assign(state, element_of(to, k), written, parts[static_cast<size_t>(k)], reads[static_cast<size_t>(k)], c.when, c.guard_reads);
}

ExprId Builder::multiply(const Context& c, const State& state, Dependencies& reads) {
    const Instruction& i = c.instruction;
    const Type type = data_type(i), result = *written_type(i);
    const Operand* addend = i.find(Role::source, 2);
    ExprId a = value_of(state, i.at(Role::source, 0), type, reads), b = value_of(state, i.at(Role::source, 1), type, reads);
    ExprId product = 0;
    if (i.has("lo")) {
        product = exprs_.apply(Operator::mul, type, a, b);
    } else {
        const Type wide = bits(type) == 32 ? (is_signed(type) ? Type::s64 : Type::u64) : (is_signed(type) ? Type::s32 : Type::u32);
        a = exprs_.resize(a, bits(wide), is_signed(type));
        b = exprs_.resize(b, bits(wide), is_signed(type));
        product = exprs_.apply(Operator::mul, wide, a, b);
        if (i.has("hi")) {
            const ExprId half = exprs_.constant(static_cast<uint64_t>(bits(type)), bits(wide));
            product = exprs_.resize(exprs_.apply(Operator::shr, wide, product, half), bits(type), false);
        }
    }
    return addend ? exprs_.apply(Operator::add, result, product, value_of(state, *addend, result, reads)) : product;
}

ExprId Builder::shift_amount(const State& state, const Operand& operand, Type type, Dependencies& reads) {
    const ExprId amount = value_of(state, operand, Type::u32, reads);
    return exprs_.resize(exprs_.apply(Operator::min, Type::u32, amount, exprs_.constant(static_cast<uint64_t>(bits(type)), 32)), bits(type),
                         false);
}

void Builder::set_predicate(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    Operator comparison = Operator::none;
    for (const std::string& q : i.qualifiers)
        if (const Operator found = comparison_named(q); found != Operator::none) comparison = found;
    const Type type = data_type(i);
    Dependencies reads;
    const ExprId a = value_of(state, i.at(Role::source, 0), type, reads), b = value_of(state, i.at(Role::source, 1), type, reads);
    ExprId value = decided(exprs_.compare(comparison, type, a, b));
    if (const Operand* other = i.find(Role::predicate)) {
        const ExprId with = value_of(state, *other, Type::pred, reads);
        if (i.has("xor"))
            value = exprs_.ite(with, exprs_.negate(value), value);
        else
            value = i.has("and") ? exprs_.both(value, with) : exprs_.either(value, with);
    }
    assign(state, i.at(Role::result), Type::pred, value, reads, c.when, c.guard_reads);
}

}  // namespace litmus
