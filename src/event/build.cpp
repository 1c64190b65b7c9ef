// Test -> Program: locations, registers, and the static relations once every thread is built.
//
// Threads are executed symbolically (control.cpp); what one instruction becomes stands in instructions.cpp, async.cpp,
// mbarrier.cpp and groups.cpp.
#include <algorithm>
#include <stdexcept>

#include "event/builder.h"
#include "event/relations.h"
#include "ptx/mbarrier.h"
#include "ptx/traits.h"

namespace litmus {

Builder::Builder(const Test& test, const BuildOptions& options) : test_(test), budget_(options.budget), options_(options) {
    options_.blocked = options.blocked && test.dialect == Dialect::native;  // the others' authors mean executions that end
    for (const Thread& thread : test.threads) cta_index(thread.at);
    for (const Location& location : test.locations) {
        if (location.space == Space::shared && location.cta) shared_cta(*location.cta);
    }
    mark_elements();
    declare_cells();
}

Program Builder::build() {
    for (size_t t = 0; t < test_.threads.size(); ++t) build_thread(static_cast<int>(t));
    Program program;
    static_cast<Unrolled&>(program) = draft_;
    program.test = &test_;
    program.budget = budget_;
    program.exprs = std::move(exprs_);
    check_wide_loads(program);
    Relations(program, draft_.notes, options_.blocked).make();
    return program;
}

// ---- locations --------------------------------------------------------------------------

int Builder::cta_index(const Placement& at) {
    for (size_t i = 0; i < draft_.ctas.size(); ++i) {
        const Placement& c = draft_.ctas[i];
        if (c.gpu == at.gpu && c.cluster == at.cluster && c.cta == at.cta) return static_cast<int>(i);
    }
    Placement c = at;
    c.warp = c.lane = 0;
    c.warp_named = false;
    draft_.ctas.push_back(c);
    return static_cast<int>(draft_.ctas.size()) - 1;
}

int Builder::shared_cta(int number) {
    for (size_t i = 0; i < draft_.ctas.size(); ++i) {
        if (draft_.ctas[i].cta == number) return static_cast<int>(i);
    }
    Placement at;
    at.cta = number;
    return cta_index(at);
}

void Builder::declare_cells() {
    const Test& test = test_;
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (!location.alias_of.empty() || location.is_mbarrier || location.array) continue;
        if (location.space == Space::shared && !location.cta) continue;
        cell(static_cast<int>(l), location.space == Space::shared ? shared_cta(*location.cta) : -1, 0);
    }
}

int Builder::physical(int location) const {
    return physical_location(test_, location);
}

bool Builder::is_split(int location) const {
    const Type type = test_.locations[static_cast<size_t>(location)].type;
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
    const auto& threads = test_.threads;
    return std::any_of(threads.begin(), threads.end(),
                       [&](const Thread& thread) { return std::any_of(thread.body.begin(), thread.body.end(), reaches); });
}

Type Builder::cell_type(int location) const {
    const Type type = test_.locations[static_cast<size_t>(location)].type;
    return is_split(location) ? lane_type(type) : type;
}

int Builder::cell(int location, int instance, int index) {
    const auto key = std::tuple(location, instance, index);
    const auto found = draft_.cell_ids.find(key);
    if (found != draft_.cell_ids.end()) return found->second;
    const Location& declared = test_.locations[static_cast<size_t>(location)];
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
    if (declared.space == Space::shared && !declared.cta) c.name += "@cta" + std::to_string(draft_.ctas[static_cast<size_t>(instance)].cta);
    if (declared.array) c.name += "[" + std::to_string(element) + "]";
    if (c.lane >= 0) c.name += c.lane == 0 ? ".lo" : ".hi";
    const int id = static_cast<int>(draft_.cells.size());
    draft_.cells.push_back(c);
    draft_.cell_ids[key] = id;

    Event init;
    init.kind = Event::Kind::init;
    init.cell = id;
    init.address = address_id(location, instance, index);
    init.type = c.type;
    const size_t e = static_cast<size_t>(element);
    const uint64_t whole = e < declared.init.size() ? declared.init[e] : 0;
    init.value = exprs_.constant(whole >> (std::max(c.lane, 0) * bits(c.type)), bits(c.type));
    if (declared.arrivals)  // an mbarrier object initialised before the test
        init.value = exprs_.constant(pack(MbarrierState{1, 0, *declared.arrivals, *declared.arrivals, 0}), bits(c.type));
    draft_.events.push_back(init);
    return id;
}

int Builder::address_id(int location, int instance, int element) {
    return draft_.address_ids.try_emplace(std::tuple(location, instance, element), static_cast<int>(draft_.address_ids.size()))
        .first->second;
}

int Builder::location_index(const std::string& name) const {
    return litmus::location_index(test_, name);
}

uint64_t Builder::address_value(int location, int instance) {
    auto& slots = draft_.slots;
    const auto slot = std::find(slots.begin(), slots.end(), std::pair(location, instance));
    const auto before = static_cast<uint64_t>(slot - slots.begin());
    if (slot == slots.end()) slots.emplace_back(location, instance);
    if (slots.size() >= most_slots) fail(thread().span, "more than 4094 locations have their addresses taken");
    return (before + 1) * slot_bytes;
}

std::optional<std::pair<int, int>> Builder::location_at(uint64_t address) const {
    const uint64_t slot = (address + slot_bytes / 2) / slot_bytes;  // the first is 1
    if (slot == 0 || slot > draft_.slots.size()) return std::nullopt;
    return draft_.slots[slot - 1];
}

void Builder::fail(const Span& span, std::string message, std::string hint) const {
    throw Failure(test_.source, span, std::move(message), std::move(hint));
}

int Builder::instance_of(const Location& location, int named_cta) {
    if (location.space != Space::shared) return -1;
    if (location.cta) return shared_cta(*location.cta);
    return named_cta >= 0 ? shared_cta(named_cta) : cta_index(thread().at);
}

Builder::Place Builder::place(int location, int instance, uint64_t offset, Type access, const Span& span) {
    // a non-generic alias is another way to the virtual address it names; a generic one is an address of its own
    const auto& all = test_.locations;
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
        const int instance = instance_of(test_.locations[static_cast<size_t>(location)], operand.cta);
        return {location, instance, static_cast<uint64_t>(operand.offset)};
    }
    const ExprId base = read_register(state, operand.name, Type::u64);
    if (!exprs_.is_constant(base)) {
        throw UnknownOperand(test_.source, operand.span,
                             "the address in " + operand.name + " depends on a value read from memory: not modelled",
                             "write an address dependency so that the address itself is fixed: xor r1, r0, r0; add it to the address");
    }
    const uint64_t address = exprs_[base].value + static_cast<uint64_t>(operand.offset);
    const auto found = location_at(address);
    if (!found) fail(operand.span, "register " + operand.name + " holds no address of a location");
    const auto [location, instance] = *found;
    return {location, instance, address - address_value(location, instance)};
}

// ---- registers and values ---------------------------------------------------------------

ExprId Builder::read_register(const State& state, const std::string& name, Type type) {
    const auto it = state.registers.find(name);
    if (it == state.registers.end()) return exprs_.constant(0, bits(type));
    return exprs_.resize(it->second.value, bits(type), it->second.sign);
}

const Dependencies& Builder::register_reads(const State& state, const std::string& name) {
    static const Dependencies none;
    const auto it = state.registers.find(name);
    return it == state.registers.end() ? none : it->second.reads;
}

ExprId Builder::value_of(const State& state, const Operand& operand, Type type, Dependencies& reads) {
    switch (operand.kind) {
        case Operand::Kind::immediate:
            return exprs_.constant(operand.value, bits(type));
        case Operand::Kind::reg:
            add_reads(reads, register_reads(state, operand.name));
            return operand.negated ? exprs_.negate(read_register(state, operand.name, type)) : read_register(state, operand.name, type);
        case Operand::Kind::symbol: {
            const int location = location_index(operand.name);
            if (location < 0) fail(operand.span, "unknown location " + operand.name);
            const int instance = instance_of(test_.locations[static_cast<size_t>(location)], operand.cta);
            return exprs_.constant(address_value(location, instance) + static_cast<uint64_t>(operand.offset), bits(type));
        }
        default:
            fail(operand.span, "a register or an immediate was expected here");
    }
}

uint64_t Builder::constant_operand(const State& state, const Operand& operand, const char* what) {
    Dependencies reads;
    const ExprId value = value_of(state, operand, Type::u32, reads);
    if (!exprs_.is_constant(value))
        throw UnknownOperand(test_.source, operand.span, std::string(what) + " depends on a value read from memory: not modelled",
                             "write it as a constant");
    return exprs_[value].value;
}

void Builder::add_reads(Dependencies& to, const Dependencies& from) {
    for (const auto& [read, when] : from) {
        const auto [it, fresh] = to.try_emplace(read, when);
        if (!fresh) it->second = exprs_.either(it->second, when);
    }
}

Dependencies Builder::under(const Dependencies& reads, ExprId condition) {
    Dependencies result;
    for (const auto& [read, when] : reads) {
        const ExprId both = exprs_.both(when, condition);
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
        Dependencies merged = under(register_reads(state, destination.name), exprs_.negate(when));
        add_reads(merged, under(reads, when));
        add_reads(merged, guard_reads);
        reads = std::move(merged);
        value = exprs_.ite(when, value, old);
    }
    state.registers[destination.name] = {value, is_signed(type), std::move(reads)};
}

void Builder::note_register(const std::string& name, Type type) {
    Type& known = draft_.register_types.try_emplace({thread_, name}, type).first->second;
    if (bits(type) > bits(known)) known = type;
}

Program build_program(const Test& test, const BuildOptions& options) {
    return Builder(test, options).build();
}

}  // namespace litmus
