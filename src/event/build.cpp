// Test -> Program: locations, registers, and the static relations once every thread is built.
//
// Threads are executed symbolically (control.cpp); what one instruction becomes stands in
// instructions.cpp and async.cpp.
#include <algorithm>
#include <stdexcept>

#include "event/builder.h"
#include "ptx/mbarrier.h"
#include "ptx/traits.h"

namespace litmus {

Builder::Builder(const Test& test, const BuildOptions& options) : options_(options) {
    options_.blocked = options.blocked && test.dialect == Dialect::native;  // the others' authors mean executions that end
    program_.test = &test;
    program_.budget = options.budget;
    for (const Thread& thread : test.threads) cta_index(thread.at);
    for (const Location& location : test.locations) {
        if (location.space == Space::shared && location.cta) shared_cta(*location.cta);
    }
    mark_elements();
    declare_cells();
}

Program Builder::build() {
    const Test& test = *program_.test;
    for (size_t t = 0; t < test.threads.size(); ++t) build_thread(static_cast<int>(t));
    check_wide_loads();
    relate_phases();
    relate_exits();
    drop_idle_reads();
    drop_unused_results();
    relate_performed();
    finish_relations();
    check_counts();
    add_barriers(program_, barriers_, exits_);
    add_value_flow();
    return std::move(program_);
}

// ---- locations --------------------------------------------------------------------------

int Builder::cta_index(const Placement& at) {
    for (size_t i = 0; i < program_.ctas.size(); ++i) {
        const Placement& c = program_.ctas[i];
        if (c.gpu == at.gpu && c.cluster == at.cluster && c.cta == at.cta) return static_cast<int>(i);
    }
    Placement c = at;
    c.warp = c.lane = 0;
    c.warp_named = false;
    program_.ctas.push_back(c);
    return static_cast<int>(program_.ctas.size()) - 1;
}

int Builder::shared_cta(int number) {
    for (size_t i = 0; i < program_.ctas.size(); ++i) {
        if (program_.ctas[i].cta == number) return static_cast<int>(i);
    }
    Placement at;
    at.cta = number;
    return cta_index(at);
}

void Builder::declare_cells() {
    const Test& test = *program_.test;
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (!location.alias_of.empty() || location.is_mbarrier || location.array) continue;
        if (location.space == Space::shared && !location.cta) continue;
        cell(static_cast<int>(l), location.space == Space::shared ? shared_cta(*location.cta) : -1, 0);
    }
}

int Builder::physical(int location) const {
    return physical_location(*program_.test, location);
}

bool Builder::is_split(int location) const {
    const Type type = program_.test->locations[static_cast<size_t>(location)].type;
    if (lanes(type) == 1) return false;
    const auto reaches = [&](const Instruction& i) {
        const bool reduces = kind(i.op) == Traits::Kind::atomic || i.op == Op::bulk_reduce;
        if (!reduces || !is_float(data_type(i)) || bits(lane_type(data_type(i))) != bits(lane_type(type))) return false;
        return std::any_of(i.operands.begin(), i.operands.end(), [&](const Operand& o) {
            if (o.kind != Operand::Kind::address) return false;
            const int named = o.indirect ? -1 : location_index(o.name);
            return o.indirect || (named >= 0 && physical(named) == location);  // a register may hold any address
        });
    };
    const auto& threads = program_.test->threads;
    return std::any_of(threads.begin(), threads.end(),
                       [&](const Thread& thread) { return std::any_of(thread.body.begin(), thread.body.end(), reaches); });
}

Type Builder::cell_type(int location) const {
    const Type type = program_.test->locations[static_cast<size_t>(location)].type;
    return is_split(location) ? lane_type(type) : type;
}

int Builder::cell(int location, int instance, int index) {
    const auto key = std::tuple(location, instance, index);
    const auto found = cell_ids_.find(key);
    if (found != cell_ids_.end()) return found->second;
    const Location& declared = program_.test->locations[static_cast<size_t>(location)];
    Cell c;
    c.location = location;
    c.instance = instance;
    c.type = cell_type(location);
    const int parts = bits(declared.type) / bits(c.type);
    const int element = index / parts;
    c.element = element;
    if (parts > 1) c.lane = index % parts;
    c.is_mbarrier = declared.is_mbarrier;
    c.name = declared.name;
    if (declared.space == Space::shared && !declared.cta)
        c.name += "@cta" + std::to_string(program_.ctas[static_cast<size_t>(instance)].cta);
    if (declared.array) c.name += "[" + std::to_string(element) + "]";
    if (c.lane >= 0) c.name += c.lane == 0 ? ".lo" : ".hi";
    const int id = static_cast<int>(program_.cells.size());
    program_.cells.push_back(c);
    cell_ids_[key] = id;

    Event init;
    init.kind = Event::Kind::init;
    init.cell = id;
    init.address = address_id(location, instance, index);
    init.type = c.type;
    const size_t e = static_cast<size_t>(element);
    const uint64_t whole = e < declared.init.size() ? declared.init[e] : 0;
    init.value = program_.exprs.constant(whole >> (std::max(c.lane, 0) * bits(c.type)), bits(c.type));
    if (declared.arrivals)  // an mbarrier object initialised before the test
        init.value = program_.exprs.constant(pack(MbarrierState{1, 0, *declared.arrivals, *declared.arrivals, 0}), bits(c.type));
    program_.events.push_back(init);
    return id;
}

int Builder::address_id(int location, int instance, int element) {
    return address_ids_.try_emplace(std::tuple(location, instance, element), static_cast<int>(address_ids_.size())).first->second;
}

int Builder::location_index(const std::string& name) const {
    return litmus::location_index(*program_.test, name);
}

uint64_t Builder::address_value(int location, int instance) {
    size_t slot = 0;
    while (slot < slots_.size() && (slots_[slot].location != location || slots_[slot].instance != instance)) ++slot;
    if (slot == slots_.size()) slots_.push_back({location, instance});
    if (slots_.size() >= most_slots) fail(thread().span, "more than 4094 locations have their addresses taken");
    return (static_cast<uint64_t>(slot) + 1) * slot_bytes;
}

const Builder::Slot* Builder::slot_of(uint64_t address) const {
    const uint64_t slot = (address + slot_bytes / 2) / slot_bytes;
    return slot == 0 || slot > slots_.size() ? nullptr : &slots_[slot - 1];
}

void Builder::fail(const Span& span, std::string message, std::string hint) const {
    throw Failure(program_.test->source, span, std::move(message), std::move(hint));
}

int Builder::instance_of(const Location& location, int named_cta) {
    if (location.space != Space::shared) return -1;
    if (location.cta) return shared_cta(*location.cta);
    return named_cta >= 0 ? shared_cta(named_cta) : cta_index(thread().at);
}

Builder::Place Builder::place(int location, int instance, uint64_t offset, Type access, const Span& span) {
    // a non-generic alias is another way to the virtual address it names; a generic one is an address of its own
    const auto& all = program_.test->locations;
    int virtual_ = location;
    Proxy proxy = all[static_cast<size_t>(location)].proxy;
    if (proxy != Proxy::generic) virtual_ = location_index(all[static_cast<size_t>(location)].alias_of);
    const int physical = this->physical(virtual_);
    const Location& declared = all[static_cast<size_t>(physical)];
    const Type scalar = cell_type(physical);
    const uint64_t size = static_cast<uint64_t>(bits(scalar)) / 8;
    if (bits(access) > bits(scalar) && scalar != declared.type) {
        fail(span,
             "this " + std::to_string(bits(access) / 8) + "-byte access overlaps both halves of " + declared.name +
                 ", which packed operations of this test access one by one (PTX ISA 9.7.13.5)",
             "accesses overlap completely or not at all (PTX ISA 8.7.2), but for loads: reduce it as ." + std::string(name(declared.type)) +
                 ", or load it");
    }
    if (offset % size != 0 || bits(access) != bits(scalar)) {
        fail(span,
             "this " + std::to_string(bits(access) / 8) + "-byte access overlaps only part of the ." + std::string(name(declared.type)) +
                 " elements of " + declared.name,
             "accesses overlap completely or not at all (PTX ISA 8.7.2): access it as ." + std::string(name(declared.type)));
    }
    const uint64_t index = offset / size;
    if (index >= static_cast<uint64_t>(declared.count * bits(declared.type) / bits(scalar)))
        fail(span, "this address is outside " + declared.name);
    Place result;
    result.cell = cell(physical, instance, static_cast<int>(index));
    result.address = address_id(virtual_, instance, static_cast<int>(index));
    result.proxy = proxy;
    return result;
}

Builder::Place Builder::resolve(const Operand& operand, Type access, uint64_t extra, const State& state) {
    const Target t = target(operand, state);
    return place(t.location, t.instance, t.offset + extra, access, operand.span);
}

Builder::Target Builder::target(const Operand& operand, const State& state) {
    if (!operand.indirect) {
        const int location = location_index(operand.name);
        if (location < 0) fail(operand.span, "unknown location " + operand.name);
        const int instance = instance_of(program_.test->locations[static_cast<size_t>(location)], operand.cta);
        return {location, instance, static_cast<uint64_t>(operand.offset)};
    }
    const ExprId base = read_register(state, operand.name, Type::u64);
    if (!program_.exprs.is_constant(base)) {
        throw UnknownOperand(program_.test->source, operand.span,
                             "the address in " + operand.name + " depends on a value read from memory: not modelled",
                             "write an address dependency so that the address itself is fixed: xor r1, r0, r0; add it to the address");
    }
    const uint64_t address = program_.exprs[base].value + static_cast<uint64_t>(operand.offset);
    const Slot* slot = slot_of(address);
    if (slot == nullptr) fail(operand.span, "register " + operand.name + " holds no address of a location");
    return {slot->location, slot->instance, address - address_value(slot->location, slot->instance)};
}

// ---- registers and values ---------------------------------------------------------------

ExprId Builder::read_register(const State& state, const std::string& name, Type type) {
    const auto it = state.registers.find(name);
    if (it == state.registers.end()) return program_.exprs.constant(0, bits(type));
    return program_.exprs.resize(it->second.value, bits(type), it->second.sign);
}

ExprId Builder::written(const State& state, const std::string& name) {
    const auto it = state.registers.find(name);
    return it == state.registers.end() ? ExprPool::no : it->second.written;
}

void Builder::require_written(const Context& c, const State& state) {
    if (program_.test->dialect != Dialect::native) return;  // in the foreign formats registers start as 0
    const auto require = [&](const std::string& name, const Span& span, ExprId when) {
        const ExprId before = written(state, name);
        if (program_.exprs.both(when, program_.exprs.negate(before)) == ExprPool::no) return;
        const std::string reading = before == ExprPool::no ? "is" : "may be";
        fail(span, "`" + name + "` " + reading + " read here before it is written",
             "a register starts without a value; give it one on every way to this place");
    };
    const auto require_operand = [&](const Operand& operand) {
        if (operand.kind == Operand::Kind::reg || operand.indirect) require(operand.name, operand.span, c.guard);
    };
    const Instruction& i = c.instruction;
    if (i.guard) require(i.guard->reg, i.span, state.guard);
    const size_t results = !written_type(i) ? 0 : i.op == Op::setp && i.operands.size() > 3 ? 2 : 1;
    for (size_t k = results; k < i.operands.size(); ++k) {
        require_operand(i.operands[k]);
        for (const Operand& element : i.operands[k].elements) require_operand(element);
    }
    if (i.expect) require_operand(i.expect->value);
}

const Dependencies& Builder::register_reads(const State& state, const std::string& name) {
    static const Dependencies none;
    const auto it = state.registers.find(name);
    return it == state.registers.end() ? none : it->second.reads;
}

ExprId Builder::value_of(const State& state, const Operand& operand, Type type, Dependencies& reads) {
    switch (operand.kind) {
        case Operand::Kind::immediate:
            return program_.exprs.constant(operand.value, bits(type));
        case Operand::Kind::reg:
            add_reads(reads, register_reads(state, operand.name));
            return operand.negated ? program_.exprs.negate(read_register(state, operand.name, type))
                                   : read_register(state, operand.name, type);
        case Operand::Kind::symbol: {
            const int location = location_index(operand.name);
            if (location < 0) fail(operand.span, "unknown location " + operand.name);
            const int instance = instance_of(program_.test->locations[static_cast<size_t>(location)], operand.cta);
            return program_.exprs.constant(address_value(location, instance) + static_cast<uint64_t>(operand.offset), bits(type));
        }
        default:
            fail(operand.span, "a register or an immediate was expected here");
    }
}

void Builder::add_reads(Dependencies& to, const Dependencies& from) {
    for (const auto& [read, when] : from) {
        const auto [it, fresh] = to.try_emplace(read, when);
        if (!fresh) it->second = program_.exprs.either(it->second, when);
    }
}

Dependencies Builder::under(const Dependencies& reads, ExprId condition) {
    Dependencies result;
    for (const auto& [read, when] : reads) {
        const ExprId both = program_.exprs.both(when, condition);
        if (both != ExprPool::no) result[read] = both;
    }
    return result;
}

void Builder::assign(State& state, const Operand& destination, Type type, ExprId value, Dependencies reads, ExprId when,
                     const Dependencies& guard_reads) {
    if (destination.kind == Operand::Kind::sink) return;
    if (destination.kind != Operand::Kind::reg) fail(destination.span, "a register was expected here");
    note_register(destination.name, type);
    if (when != ExprPool::yes) {
        const ExprId old = read_register(state, destination.name, type);
        Dependencies merged = under(register_reads(state, destination.name), program_.exprs.negate(when));
        add_reads(merged, under(reads, when));
        add_reads(merged, guard_reads);
        reads = std::move(merged);
        value = program_.exprs.ite(when, value, old);
    }
    const ExprId now = program_.exprs.either(when, written(state, destination.name));
    state.registers[destination.name] = {value, is_signed(type), std::move(reads), now};
}

void Builder::note_register(const std::string& name, Type type) {
    Type& known = register_types_.try_emplace({thread_, name}, type).first->second;
    if (bits(type) > bits(known)) known = type;
}

// ---- relations --------------------------------------------------------------------------

void Builder::finish_relations() {
    const size_t n = program_.events.size();
    for (const char* name : {"po", "addr", "data", "ctrl", "blocks", "performed", "rmw"}) program_.relations.emplace(name, Relation(n));
    Relation& po = program_.relations.find("po")->second;
    for (size_t a = 0; a < n; ++a) {
        program_.budget.check();
        const Event& x = program_.events[a];
        if (x.kind == Event::Kind::read && x.partner >= 0) program_.relations.find("rmw")->second.add(a, static_cast<size_t>(x.partner));
        if (x.thread < 0 || x.asynchronous) continue;
        for (size_t b = a + 1; b < n; ++b) {
            const Event& y = program_.events[b];
            if (x.thread != y.thread || y.asynchronous) continue;
            const bool same =
                x.instruction == y.instruction && x.iteration == y.iteration && x.kind != Event::Kind::exit && y.kind != Event::Kind::exit;
            if (same && x.element != y.element) continue;  // elements of one access are unordered
            po.add(a, b);
        }
    }
    for (const char* name : {"iss", "aio", "aio-multicast"}) program_.relations.emplace(name, Relation(n));
    for (const Pair& p : pairs_) {
        program_.budget.check();
        const auto stored = program_.relations.find(p.relation);
        if (stored != program_.relations.end() && p.when == ExprPool::yes)
            stored->second.add(p.from, p.to);
        else
            program_.conditional[p.relation].push_back({p.from, p.to, p.when});
    }
    for (const Dependency& d : dependencies_) {
        program_.budget.check();
        const ExprId holds =
            program_.exprs.both(program_.exprs.both(program_.events[d.read].guard, program_.events[d.event].guard), d.when);
        const ExprId both = program_.exprs.both(program_.events[d.read].guard, program_.events[d.event].guard);
        if (holds == ExprPool::no) continue;
        if (holds == both) {
            program_.relations.find(d.relation)->second.add(d.read, d.event);
        } else {
            program_.conditional[d.relation].push_back({d.read, d.event, d.when});
        }
    }
}

// `leaves-live` and `leaves-dead`: what each write to an object leaves of it, where a test initialises or invalidates it.
void Builder::relate_lives() {
    ExprPool& exprs = program_.exprs;
    std::set<int> changing;
    for (const Event& e : program_.events)
        if (e.initialises || e.invalidates) changing.insert(e.cell);
    for (size_t e = 0; e < program_.events.size(); ++e) {
        const Event& event = program_.events[e];
        if (!event.is_write() || changing.count(event.cell) == 0) continue;
        const ExprId dead = exprs.compare("==", Type::u64, field(event.value, mbarrier_life), exprs.constant(0, 64));
        pairs_.push_back({"leaves-live", e, e, exprs.negate(dead)});
        pairs_.push_back({"leaves-dead", e, e, dead});
    }
}

// `outlived`: with threads that stay blocked, a CTA may never exit, and its shared memory stays.
void Builder::relate_exits() {
    if (!options_.blocked) return;
    ExprPool& exprs = program_.exprs;
    for (size_t e = 0; e < program_.events.size(); ++e) {
        program_.budget.check();
        const Event& event = program_.events[e];
        if (event.cell < 0 || event.thread < 0) continue;
        const int instance = program_.cells[static_cast<size_t>(event.cell)].instance;
        if (instance < 0) continue;
        ExprId all_exit = ExprPool::yes;
        for (size_t t = 0; t < program_.test->threads.size(); ++t) {
            const auto exit = exits_.find(static_cast<int>(t));
            if (cta_index(program_.test->threads[t].at) != instance) continue;
            all_exit = exprs.both(all_exit, exit == exits_.end() ? ExprPool::no : program_.events[exit->second].guard);
        }
        if (all_exit != ExprPool::yes) pairs_.push_back({"outlived", e, e, exprs.negate(all_exit)});
    }
}

// ISA 9.7.13.15.4: an arrival in a later phase comes after a wait that saw the phase before complete. `later-phase`
// marks such arrivals, `confirms` leads to them from the waits that saw their phase begin.
void Builder::relate_phases() {
    ExprPool& exprs = program_.exprs;
    for (const PhaseSeen& a : arrivals_) {
        program_.budget.check();
        const ExprId first = exprs.compare("==", Type::u64, a.phase, exprs.constant(0, bits(Type::b64)));
        pairs_.push_back({"later-phase", a.event, a.event, exprs.negate(first)});
        for (const PhaseSeen& w : waits_)
            if (w.cell == a.cell)
                pairs_.push_back({"confirms", w.event, a.event, exprs.both(w.when, exprs.compare("==", Type::u64, w.phase, a.phase))});
    }
    relate_lives();
    for (const Violation& v : program_.violations) pairs_.push_back({"faulty", v.event, v.event, v.when});
}

// The counts of an mbarrier object are fields of one value. Whatever the order of the updates, the pending count stays
// within the sum of what is added to it: when that fits, it never runs into the next field, and otherwise the test is
// refused. The tx-count has room for one step out of its range, and that step is undefined behaviour.
void Builder::check_counts() {
    for (const auto& [cell, steps] : steps_) {
        int64_t count = 0;
        for (const MbarrierStep& step : steps) count += std::max(0, -step.arrivals);
        for (const Event& e : program_.events) {
            if (e.cell != cell || !e.is_write() || !program_.exprs.is_constant(e.value)) continue;
            count += unpack(program_.exprs[e.value].value).pending;
        }
        if (count >= int64_t{1} << mbarrier_pending.width)
            fail(program_.test->locations[static_cast<size_t>(program_.cells[static_cast<size_t>(cell)].location)].span,
                 "the counts of this mbarrier object could leave their range: not modelled");
    }
}

Program build_program(const Test& test, const BuildOptions& options) {
    return Builder(test, options).build();
}

}  // namespace litmus
