// Test -> Program, in three steps: the threads are executed symbolically into a draft (control.cpp), the draft becomes the
// program's events, and of all of them the relations are made (relations.cpp).
//
// What one instruction becomes stands in instructions.cpp, async.cpp, mbarrier.cpp and groups.cpp; what its operands mean, here.
#include <algorithm>

#include "event/builder.h"
#include "event/relations.h"
#include "ptx/traits.h"

namespace litmus {

Builder::Builder(const Test& test, const BuildOptions& options, const KeptElements& kept, std::set<Loop> unrolled)
    : test_(test), budget_(options.budget), options_(options), unrolled_(std::move(unrolled)), kept_(kept) {
    options_.blocked = options.blocked && test.dialect == Dialect::native;  // the others' authors mean executions that end
}

const Draft& Builder::run() {
    for (const Grid& grid : grids_)
        for (size_t t = 0; t < test_.threads.size(); ++t)
            if (grid_of(test_.threads[t].at.cta) == grid.number) build_thread(static_cast<int>(t));
    std::stable_sort(draft_.registers.begin(), draft_.registers.end(),
                     [](const Register& a, const Register& b) { return a.thread < b.thread; });
    return draft_;
}

std::variant<Program, std::set<Loop>> Builder::build() {
    close_slots();
    limit_cancellations();
    std::set<Loop> writing = loops_that_write(draft_, draft_.notes, test_, exprs_, budget_);
    if (!writing.empty()) return writing;
    Program program;
    static_cast<SymbolicRun&>(program) = draft_;
    program.test = &test_;
    program.budget = budget_;
    program.exprs = std::move(exprs_);
    check_wide_loads(program);
    Relations(program, draft_.notes, options_.blocked).make();
    return program;
}

// ---- locations --------------------------------------------------------------------------

void Builder::fail(const Span& span, std::string message, std::string hint) const {
    throw Failure(test_.source, span, std::move(message), std::move(hint));
}

Builder::MemoryPlace Builder::resolve(const Operand& operand, Type access, uint64_t extra, const State& state) {
    const Target t = target(operand, state);
    return places_.place(t.location, t.instance, t.offset + extra, access, operand.span);
}

std::vector<Builder::MemoryPlace> Builder::resolve_all(const Operand& operand, Type access, uint64_t extra, const State& state) {
    const Target t = target(operand, state);
    return places_.all_places(t.location, t.instance, t.offset + extra, access, operand.span);
}

Builder::Target Builder::target(const Operand& operand, const State& state) {
    if (!operand.indirect) {
        const int location = location_index(test_, operand.name);
        if (location < 0) fail(operand.span, "unknown location " + operand.name);
        const int instance = places_.instance_of(test_.locations[static_cast<size_t>(location)], operand.cta, thread().at);
        return {location, instance, static_cast<uint64_t>(operand.offset)};
    }
    const ExprId base = read_register(exprs_, state, operand.name, Type::u64);
    if (!exprs_.is_constant(base)) {
        throw UnknownOperand(test_.source, operand.span,
                             "the address in " + operand.name + " depends on a value read from memory: not modelled",
                             "write an address dependency so that the address itself is fixed: xor r1, r0, r0; add it to the address");
    }
    const uint64_t address = exprs_[base].value + static_cast<uint64_t>(operand.offset);
    const auto found = places_.location_at(address);
    if (!found) fail(operand.span, "register " + operand.name + " holds no address of a location");
    const auto [location, instance] = *found;
    return {location, instance, (address & ~Places::generic_bit) - places_.address_value(location, instance, operand.span)};
}

// ---- registers and values ---------------------------------------------------------------

void Builder::require_written(const Context& c, const State& state) {
    if (test_.dialect != Dialect::native) return;  // in the foreign formats registers start as 0
    if (options_.slots != nullptr) return;         // of the alternatives of a slot, each may write it
    const auto require = [&](const std::string& name, const Span& span, ExprId when, const std::string& shown = {}) {
        const ExprId before = written(state, name);
        if (exprs_.both(when, exprs_.negate(before)) == ExprPool::no) return;
        const std::string reading = before == ExprPool::no ? "is" : "may be";
        fail(span, "`" + (shown.empty() ? name : shown) + "` " + reading + " read here before it is written",
             "a register starts without a value; give it one on every way to this place");
    };
    const auto require_operand = [&](const Operand& operand) {
        if (operand.kind == Operand::Kind::reg || operand.indirect) require(operand.name, operand.span, c.guard);
    };
    const Instruction& i = c.instruction;
    if (i.guard) require(i.guard->reg, i.span, state.guard);
    const Operand* adds = i.find(Role::scale_d);
    const bool overwrites = adds != nullptr && adds->kind == Operand::Kind::immediate && adds->value == 0;
    for (const Operand& operand : i.operands) {
        if (!is_read(operand.role) || (operand.role == Role::accumulator && overwrites)) continue;
        require_operand(operand);
        for (const Operand& element : operand.elements) {
            if (is_wide(operand))
                require(element.name, operand.span, c.guard, operand.name);
            else
                require_operand(element);
        }
    }
    if (i.expect) require_operand(i.expect->value);
}

ExprId Builder::value_of(const State& state, const Operand& operand, Type type, Dependencies& reads) {
    switch (operand.kind) {
        case Operand::Kind::immediate:
            return exprs_.constant(operand.value, bits(type));
        case Operand::Kind::reg:
            add_reads(exprs_, reads, register_reads(state, operand.name));
            return operand.negated ? exprs_.negate(read_register(exprs_, state, operand.name, type))
                                   : read_register(exprs_, state, operand.name, type);
        case Operand::Kind::symbol: {
            const int location = location_index(test_, operand.name);
            if (location < 0) fail(operand.span, "unknown location " + operand.name);
            const int instance = places_.instance_of(test_.locations[static_cast<size_t>(location)], operand.cta, thread().at);
            return exprs_.constant(places_.address_value(location, instance, operand.span) + static_cast<uint64_t>(operand.offset),
                                   bits(type));
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

void Builder::assign(State& state, const Operand& destination, Type type, ExprId value, Dependencies reads, ExprId when,
                     const Dependencies& guard_reads) {
    if (destination.kind == Operand::Kind::sink) return;
    if (destination.kind != Operand::Kind::reg) fail(destination.span, "a register was expected here");
    note_register(destination.name, type);
    if (when != ExprPool::yes) {
        const ExprId old = read_register(exprs_, state, destination.name, type);
        Dependencies merged = under(exprs_, register_reads(state, destination.name), exprs_.negate(when));
        add_reads(exprs_, merged, under(exprs_, reads, when));
        add_reads(exprs_, merged, guard_reads);
        reads = std::move(merged);
        value = exprs_.ite(when, value, old);
    }
    const ExprId now = exprs_.either(when, written(state, destination.name));
    state.registers[destination.name] = {value, is_signed(type), std::move(reads), now};
}

void Builder::note_register(const std::string& name, Type type) {
    Type& known = draft_.register_types.try_emplace({thread_, name}, type).first->second;
    if (bits(type) > bits(known)) known = type;
}

Program build_program(const Test& test, const BuildOptions& options) {
    std::set<Loop> unrolled;
    for (KeptElements kept(test);;) {
        Builder builder(test, options, kept, unrolled);
        if (kept.grow(builder.run())) continue;
        auto built = builder.build();
        if (Program* program = std::get_if<Program>(&built)) return std::move(*program);
        unrolled.merge(std::get<std::set<Loop>>(built));
    }
}

}  // namespace litmus
