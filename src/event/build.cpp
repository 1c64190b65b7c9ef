// Test -> Program: threads are executed symbolically, once, all paths merged.
//
// A state is what one path knows: the condition under which it is taken, an expression per register,
// and the reads each register and the control flow depend on. Forward branches put a state at their
// target, where states meet and merge (a register becomes an if-then-else of its two values). A
// backward branch makes the instructions between target and branch a loop region, which is executed
// again with the state that came back, up to the unroll bound; nested regions recurse.
//
// A loop is an await (semantics.md section 1) when its failing iterations write nothing and change no
// register that is read later. That is tried first: one iteration is executed with every register
// that the region assigns set to a poison value. If no event that can happen in a failing iteration
// writes or synchronizes, and no poison is left in anything that survives, only the last iteration
// is kept, under the constraint that it does not fail.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "event/barrier.h"
#include "event/program.h"
#include "ptx/value.h"

namespace litmus {

namespace {

constexpr size_t max_events = 1024;
constexpr uint32_t first_poison = 0xffff0000U;  // leaves from here on stand for no event

// the reads something depends on, each with the condition under which the dependency exists
using Dependencies = std::map<size_t, ExprId>;

struct RegisterState {
    ExprId value = 0;
    bool sign = false;  // extends as a signed value when read at a wider type
    Dependencies reads;
};

struct State {
    ExprId guard = ExprPool::yes;
    std::map<std::string, RegisterState> registers;
    Dependencies control;
};

class Builder {
public:
    Builder(const Test& test, const BuildOptions& options) : options_(options) {
        program_.test = &test;
        for (const Thread& thread : test.threads) cta_index(thread.at);
        for (const Location& location : test.locations) {
            if (location.space == Space::shared && location.cta) shared_cta(*location.cta);
        }
        declare_cells();
    }

    Program build() {
        const Test& test = *program_.test;
        for (size_t t = 0; t < test.threads.size(); ++t) build_thread(static_cast<int>(t));
        finish_relations();
        add_barriers(program_, barriers_, exits_);
        add_value_flow();
        return std::move(program_);
    }

private:
    // ---- locations --------------------------------------------------------------------------

    int cta_index(const Placement& at) {
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

    // The CTA that a declaration `.shared.ctaN` means; one without threads lives in cluster 0 of gpu 0.
    int shared_cta(int number) {
        for (size_t i = 0; i < program_.ctas.size(); ++i) {
            if (program_.ctas[i].cta == number) return static_cast<int>(i);
        }
        Placement at;
        at.cta = number;
        return cta_index(at);
    }

    // Cells that instructions name directly, in the order of declaration; the rest is added when met.
    void declare_cells() {
        const Test& test = *program_.test;
        for (size_t l = 0; l < test.locations.size(); ++l) {
            const Location& location = test.locations[l];
            if (!location.alias_of.empty() || location.is_mbarrier || location.array) continue;
            if (location.space == Space::shared && !location.cta) continue;
            cell(static_cast<int>(l), location.space == Space::shared ? shared_cta(*location.cta) : -1, 0);
        }
    }

    int cell(int location, int instance, int element) {
        const auto key = std::tuple(location, instance, element);
        const auto found = cell_ids_.find(key);
        if (found != cell_ids_.end()) return found->second;
        const Location& declared = program_.test->locations[static_cast<size_t>(location)];
        Cell c;
        c.location = location;
        c.instance = instance;
        c.element = element;
        c.type = declared.type;
        c.name = declared.name;
        if (declared.space == Space::shared && !declared.cta)
            c.name += "@cta" + std::to_string(program_.ctas[static_cast<size_t>(instance)].cta);
        if (declared.array) c.name += "[" + std::to_string(element) + "]";
        const int id = static_cast<int>(program_.cells.size());
        program_.cells.push_back(c);
        cell_ids_[key] = id;

        Event init;
        init.kind = Event::Kind::init;
        init.cell = id;
        init.address = address_id(location, instance, element);
        init.type = declared.type;
        const size_t e = static_cast<size_t>(element);
        init.value = program_.exprs.constant(e < declared.init.size() ? declared.init[e] : 0, bits(declared.type));
        program_.events.push_back(init);
        return id;
    }

    int address_id(int location, int instance, int element) {
        return address_ids_.try_emplace(std::tuple(location, instance, element), static_cast<int>(address_ids_.size())).first->second;
    }

    int location_index(const std::string& name) const {
        const auto& all = program_.test->locations;
        for (size_t i = 0; i < all.size(); ++i) {
            if (all[i].name == name) return static_cast<int>(i);
        }
        return -1;
    }

    // Addresses as values: each location (and instance of it) starts at its own multiple of 1 MiB, so
    // that address arithmetic that stays inside an array finds its way back.
    static constexpr int address_shift = 20;
    uint64_t address_value(int location, int instance) const {
        const uint64_t slot = static_cast<uint64_t>(location) * 4096U + static_cast<uint64_t>(instance + 1) + 1;
        return slot << address_shift;
    }

    struct Place {
        int cell = -1;
        int address = -1;
        Proxy proxy = Proxy::generic;
    };

    [[noreturn]] void fail(const Span& span, std::string message, std::string hint = {}) const {
        throw Failure(program_.test->source, span, std::move(message), std::move(hint));
    }

    int instance_of(const Location& location, int named_cta) {
        if (location.space != Space::shared) return -1;
        if (location.cta) return shared_cta(*location.cta);
        return named_cta >= 0 ? shared_cta(named_cta) : cta_index(thread().at);
    }

    Place place(int location, int instance, uint64_t offset, Type access, const Span& span) {
        // a non-generic alias is another way to the virtual address it names; a generic one is an address of its own
        const auto& all = program_.test->locations;
        int virtual_ = location;
        Proxy proxy = all[static_cast<size_t>(location)].proxy;
        if (proxy != Proxy::generic) virtual_ = location_index(all[static_cast<size_t>(location)].alias_of);
        int physical = virtual_;
        for (size_t steps = 0; !all[static_cast<size_t>(physical)].alias_of.empty() && steps <= all.size(); ++steps)
            physical = location_index(all[static_cast<size_t>(physical)].alias_of);
        const Location& declared = all[static_cast<size_t>(physical)];
        const uint64_t size = static_cast<uint64_t>(bits(declared.type)) / 8;
        if (offset % size != 0 || bits(access) != bits(declared.type)) {
            fail(span,
                 "this " + std::to_string(bits(access) / 8) + "-byte access overlaps only part of the ." +
                     std::string(name(declared.type)) + " elements of " + declared.name,
                 "accesses overlap completely or not at all (PTX ISA 8.7.2): access it as ." + std::string(name(declared.type)));
        }
        const uint64_t element = offset / size;
        if (element >= static_cast<uint64_t>(declared.count)) fail(span, "this address is outside " + declared.name);
        Place result;
        result.cell = cell(physical, instance, static_cast<int>(element));
        result.address = address_id(virtual_, instance, static_cast<int>(element));
        result.proxy = proxy;
        return result;
    }

    Place resolve(const Operand& operand, Type access, uint64_t extra, const State& state) {
        if (!operand.indirect) {
            const int location = location_index(operand.name);
            if (location < 0) fail(operand.span, "unknown location " + operand.name);
            const int instance = instance_of(program_.test->locations[static_cast<size_t>(location)], operand.cta);
            return place(location, instance, static_cast<uint64_t>(operand.offset) + extra, access, operand.span);
        }
        const ExprId base = read_register(state, operand.name, Type::u64);
        if (!program_.exprs.is_constant(base)) {
            fail(operand.span, "the address in " + operand.name + " depends on a value read from memory: not modelled",
                 "write an address dependency so that the address itself is fixed: xor r1, r0, r0; add it to the address");
        }
        const uint64_t address = program_.exprs[base].value + static_cast<uint64_t>(operand.offset) + extra;
        const uint64_t slot = address >> address_shift;
        const auto location = slot / 4096U;
        if (slot % 4096U == 0 || location >= program_.test->locations.size())
            fail(operand.span, "register " + operand.name + " holds no address of a location");
        return place(static_cast<int>(location), static_cast<int>(slot % 4096U) - 2, address & ((uint64_t{1} << address_shift) - 1), access,
                     operand.span);
    }

    // ---- registers and values ---------------------------------------------------------------

    const Thread& thread() const { return program_.test->threads[static_cast<size_t>(thread_)]; }

    ExprId read_register(const State& state, const std::string& name, Type type) {
        const auto it = state.registers.find(name);
        if (it == state.registers.end()) return program_.exprs.constant(0, bits(type));
        return program_.exprs.resize(it->second.value, bits(type), it->second.sign);
    }

    static const Dependencies& register_reads(const State& state, const std::string& name) {
        static const Dependencies none;
        const auto it = state.registers.find(name);
        return it == state.registers.end() ? none : it->second.reads;
    }

    // A source operand: its value at `type`, its reads added to `reads`.
    ExprId value_of(const State& state, const Operand& operand, Type type, Dependencies& reads) {
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

    void add_reads(Dependencies& to, const Dependencies& from) {
        for (const auto& [read, when] : from) {
            const auto [it, fresh] = to.try_emplace(read, when);
            if (!fresh) it->second = program_.exprs.either(it->second, when);
        }
    }

    Dependencies under(const Dependencies& reads, ExprId condition) {
        Dependencies result;
        for (const auto& [read, when] : reads) {
            const ExprId both = program_.exprs.both(when, condition);
            if (both != ExprPool::no) result[read] = both;
        }
        return result;
    }

    // Assigns a register under the instruction's guard `when` (relative to the path).
    void assign(State& state, const Operand& destination, Type type, ExprId value, Dependencies reads, ExprId when,
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
        state.registers[destination.name] = {value, is_signed(type), std::move(reads)};
    }

    // A register has the widest type it is written at, the first of those.
    void note_register(const std::string& name, Type type) {
        Type& known = register_types_.try_emplace({thread_, name}, type).first->second;
        if (bits(type) > bits(known)) known = type;
    }

    // ---- events -----------------------------------------------------------------------------

    size_t add_event(Event event) {
        event.thread = thread_;
        event.iteration = iteration_;
        if (program_.events.size() >= max_events) fail(thread().span, "this test has more than " + std::to_string(max_events) + " events");
        program_.events.push_back(event);
        return program_.events.size() - 1;
    }

    void depend(const char* relation, const Dependencies& reads, size_t event) {
        for (const auto& [read, when] : reads) {
            if (read == event) continue;
            dependencies_.push_back({relation, read, event, when});
        }
    }

    // What one instruction brings to all of its events.
    struct Context {
        const Instruction& instruction;
        int index;
        ExprId guard;              // path and @p
        ExprId when;               // @p alone
        Dependencies guard_reads;  // of @p
    };

    Event event_of(const Context& c, Event::Kind kind) {
        Event e;
        e.kind = kind;
        e.guard = c.guard;
        e.instruction = c.index;
        e.scope = scope(c.instruction);
        e.volatile_ = c.instruction.has("volatile");
        e.mmio = c.instruction.has("mmio");
        return e;
    }

    size_t memory_event(const Context& c, const State& state, Event::Kind kind, const Place& at, Type type, int element) {
        Event e = event_of(c, kind);
        e.cell = at.cell;
        e.address = at.address;
        e.proxy = at.proxy != Proxy::generic ? at.proxy : proxy(c.instruction);
        e.type = type;
        e.element = element;
        const size_t id = add_event(e);
        depend("ctrl", state.control, id);
        depend("ctrl", c.guard_reads, id);
        return id;
    }

    void depend_address(const State& state, const Operand& operand, size_t event) {
        if (operand.indirect) depend("addr", register_reads(state, operand.name), event);
    }

    static const Operand& element_of(const Operand& operand, int i) {
        return operand.kind == Operand::Kind::vector ? operand.elements[static_cast<size_t>(i)] : operand;
    }

    void expect(const Context& c, State& state, ExprId value, Type type, Dependencies reads) {
        if (!c.instruction.expect) return;
        const ExprId right = value_of(state, c.instruction.expect->value, type, reads);
        const ExprId met = program_.exprs.compare(c.instruction.expect->comparison, type, value, right);
        program_.constraints.push_back(program_.exprs.either(program_.exprs.negate(c.guard), met));
        if (c.instruction.await) add_reads(state.control, reads);
    }

    void load(const Context& c, State& state) {
        const Type type = data_type(c.instruction);
        const int width = vector_width(c.instruction);
        const Operand& address = c.instruction.operands.at(1);
        const Type part = part_of_wide_load(address, type, width).value_or(type);
        const int parts = bits(type) / bits(part);
        for (int i = 0; i < width; ++i) {
            Dependencies reads;
            ExprId value = program_.exprs.constant(0, bits(type));
            for (int k = 0; k < parts; ++k) {
                const int element = i * parts + k;
                const Place at = resolve(address, part, static_cast<uint64_t>(element * bits(part) / 8), state);
                const size_t id = memory_event(c, state, Event::Kind::read, at, part, element);
                Event& e = program_.events[id];
                e.sem = semantics(c.instruction);
                e.value = program_.exprs.read(static_cast<uint32_t>(id), bits(part));
                depend_address(state, address, id);
                reads[id] = ExprPool::yes;
                value = parts == 1 ? e.value : place_part(value, e.value, type, k * bits(part));
            }
            assign(state, element_of(c.instruction.operands.at(0), i), type, value, reads, c.when, c.guard_reads);
            expect(c, state, value, type, reads);
        }
    }

    // One wider load may read what vector operations wrote, element by element (semantics.md section
    // 3): the type of those elements. That nothing else writes them is checked where the test is read.
    std::optional<Type> part_of_wide_load(const Operand& address, Type type, int width) const {
        if (address.indirect || width != 1) return std::nullopt;
        const int location = location_index(address.name);
        if (location < 0) return std::nullopt;
        const Location& declared = program_.test->locations[static_cast<size_t>(location)];
        if (!declared.alias_of.empty() || bits(type) <= bits(declared.type) || declared.count == 1) return std::nullopt;
        return declared.type;
    }

    ExprId place_part(ExprId whole, ExprId part, Type type, int shift) {
        ExprPool& exprs = program_.exprs;
        const Type unsigned_type = bits(type) == 64 ? Type::u64 : bits(type) == 32 ? Type::u32 : Type::u16;
        const ExprId wide = exprs.resize(part, bits(type), false);
        return exprs.apply("or", unsigned_type, whole,
                           exprs.apply("shl", unsigned_type, wide, exprs.constant(static_cast<uint64_t>(shift), bits(type))));
    }

    void store(const Context& c, State& state) {
        const Type type = data_type(c.instruction);
        const int width = vector_width(c.instruction);
        const Operand& address = c.instruction.operands.at(0);
        for (int i = 0; i < width; ++i) {
            const Place at = resolve(address, type, static_cast<uint64_t>(i * bits(type) / 8), state);
            const size_t id = memory_event(c, state, Event::Kind::write, at, type, i);
            Dependencies reads;
            const ExprId value = value_of(state, element_of(c.instruction.operands.at(1), i), type, reads);
            program_.events[id].sem = semantics(c.instruction);
            program_.events[id].value = value;
            depend_address(state, address, id);
            depend("data", reads, id);
        }
    }

    // atom and red: R then W, related by rmw; a failed cas has no W.
    void atomic(const Context& c, State& state) {
        const bool returns = c.instruction.op == Op::atom;
        const std::string operation(litmus::operation(c.instruction));
        const Type type = data_type(c.instruction);
        const int width = vector_width(c.instruction);
        const size_t address_at = returns ? 1 : 0;
        const Operand& address = c.instruction.operands.at(address_at);
        const Sem sem = semantics(c.instruction);
        if (operation != "cas" && operation != "exch" && !apply(operation, type, 0, 0))
            fail(c.instruction.span, "." + operation + " on ." + std::string(name(type)) + " is not modelled yet");
        for (int i = 0; i < width; ++i) {
            const Place at = resolve(address, type, static_cast<uint64_t>(i * bits(type) / 8), state);
            const size_t r = memory_event(c, state, Event::Kind::read, at, type, i);
            const ExprId old = program_.exprs.read(static_cast<uint32_t>(r), bits(type));
            Dependencies data;
            const ExprId operand = value_of(state, element_of(c.instruction.operands.at(address_at + 1), i), type, data);
            Context write = c;
            ExprId stored = operand;
            if (operation == "cas") {
                write.guard = program_.exprs.both(c.guard, program_.exprs.compare("==", type, old, operand));
                stored = value_of(state, element_of(c.instruction.operands.at(address_at + 2), i), type, data);
            } else {
                stored = program_.exprs.apply(operation, type, old, operand);
            }
            const size_t w = memory_event(write, state, Event::Kind::write, at, type, i);
            Event& read_event = program_.events[r];
            read_event.value = old;
            read_event.partner = static_cast<int>(w);
            read_event.reduction = c.instruction.op == Op::red;
            read_event.sem = sem == Sem::acquire || sem == Sem::acq_rel ? Sem::acquire : Sem::relaxed;
            Event& write_event = program_.events[w];
            write_event.value = stored;
            write_event.partner = static_cast<int>(r);
            write_event.sem = sem == Sem::release || sem == Sem::acq_rel ? Sem::release : Sem::relaxed;
            depend_address(state, address, r);
            depend_address(state, address, w);
            if (operation == "cas") depend("data", data, r);
            depend("data", data, w);
            if (operation != "exch") dependencies_.push_back({"data", r, w, ExprPool::yes});
            const Dependencies reads{{r, ExprPool::yes}};
            if (returns) assign(state, element_of(c.instruction.operands.at(0), i), type, old, reads, c.when, c.guard_reads);
            expect(c, state, old, type, reads);
        }
    }

    void fence(const Context& c, const State& state) {
        Event e = event_of(c, c.instruction.op == Op::fence_proxy ? Event::Kind::proxy_fence : Event::Kind::fence);
        e.sem = semantics(c.instruction);
        e.proxy = proxy(c.instruction);
        e.alias_fence = c.instruction.op == Op::fence_proxy && c.instruction.has("alias");
        const size_t id = add_event(e);
        depend("ctrl", state.control, id);
        depend("ctrl", c.guard_reads, id);
    }

    void barrier(const Context& c, State& state) {
        Event e = event_of(c, Event::Kind::barrier);
        e.scope = Scope::none;
        if (c.instruction.op == Op::cluster_arrive || c.instruction.op == Op::cluster_wait) e.sem = semantics(c.instruction);
        BarrierUse use;
        use.event = add_event(e);
        depend("ctrl", state.control, use.event);
        depend("ctrl", c.guard_reads, use.event);
        const auto& operands = c.instruction.operands;
        Dependencies reads;
        const auto argument = [&](size_t i) {
            return i < operands.size() ? value_of(state, operands[i], Type::u32, reads) : BarrierUse::absent;
        };
        switch (c.instruction.op) {
            case Op::bar_sync:
            case Op::bar_arrive:
                use.barrier = argument(0);
                use.count = argument(1);
                break;
            case Op::bar_red:
                bar_red(c, state, use, reads);
                break;
            case Op::bar_quorum:
                use.instance = argument(0);
                use.barrier = argument(1);
                use.count = argument(2);
                break;
            case Op::bar_warp_sync:
                use.count = argument(0);
                break;
            default:
                break;
        }
        depend("ctrl", reads, use.event);
        use.instruction = &c.instruction;
        barriers_.push_back(use);
        if (blocks(use)) state.control[use.event] = ExprPool::yes;
    }

    // bar.red.popc.u32 d, a{, b}, {!}c;  bar.red.{and,or}.pred p, a{, b}, {!}c;
    void bar_red(const Context& c, State& state, BarrierUse& use, Dependencies& reads) {
        const auto& operands = c.instruction.operands;
        if (operands.size() < 3) fail(c.instruction.span, "bar.red takes a destination, a barrier, an optional count and a predicate");
        use.barrier = value_of(state, operands[1], Type::u32, reads);
        if (operands.size() > 3) use.count = value_of(state, operands[2], Type::u32, reads);
        use.contribution = value_of(state, operands.back(), Type::pred, reads);
        const bool popc = operation(c.instruction) == "popc";
        const Type type = popc ? Type::u32 : Type::pred;
        // the result is a value of its own, defined once the generations are known
        use.result = program_.exprs.read(static_cast<uint32_t>(use.event), bits(type));
        program_.events[use.event].type = type;
        program_.events[use.event].value = use.result;
        assign(state, operands[0], type, use.result, {{use.event, ExprPool::yes}}, c.when, c.guard_reads);
    }

    // ---- plain computation ------------------------------------------------------------------

    void compute(const Context& c, State& state) {
        const Instruction& i = c.instruction;
        const Type type = data_type(i);
        Dependencies reads;
        const auto source = [&](size_t at) { return value_of(state, i.operands.at(at), type, reads); };
        ExprPool& exprs = program_.exprs;
        ExprId value = 0;
        const auto arithmetic = [&](std::string_view operation) {
            if (!apply(operation, type, 0, 0)) fail(i.span, i.mnemonic + " on ." + std::string(name(type)) + " is not modelled yet");
            const ExprId a = source(1);
            const bool shift = operation == "shl" || operation == "shr";
            const ExprId b = shift ? shift_amount(state, i.operands.at(2), type, reads) : source(2);
            return exprs.apply(operation, type, a, b);
        };
        switch (i.op) {
            case Op::mov:
                value = source(1);
                break;
            case Op::cvt: {
                // cvt.dtype.atype d, a: the first type is the destination's
                const Type from = source_type(i).value_or(type);
                value = exprs.resize(value_of(state, i.operands.at(1), from, reads), bits(type), is_signed(from));
                break;
            }
            case Op::add:
                value = arithmetic("add");
                break;
            case Op::sub:
                value = arithmetic("sub");
                break;
            case Op::mul:
                value = arithmetic("mul");
                break;
            case Op::and_:
                value = arithmetic("and");
                break;
            case Op::or_:
                value = arithmetic("or");
                break;
            case Op::xor_:
                value = arithmetic("xor");
                break;
            case Op::shl:
                value = arithmetic("shl");
                break;
            case Op::shr:
                value = arithmetic("shr");
                break;
            case Op::min:
                value = arithmetic("min");
                break;
            case Op::max:
                value = arithmetic("max");
                break;
            case Op::not_:
                value = exprs.apply("xor", type, source(1), exprs.constant(~uint64_t{0}, bits(type)));
                break;
            case Op::neg:
                value = exprs.apply("sub", type, exprs.constant(0, bits(type)), source(1));
                break;
            case Op::setp:
                set_predicate(c, state);
                return;
            case Op::selp: {
                const ExprId a = source(1), b = source(2);
                value = exprs.ite(value_of(state, i.operands.at(3), Type::pred, reads), a, b);
                break;
            }
            default:
                throw std::logic_error("no computation: " + i.mnemonic);
        }
        assign(state, i.operands.at(0), type, value, std::move(reads), c.when, c.guard_reads);
    }

    // Shift amounts are .u32 whatever the type; those above the width act as the width (9.7.8.7, 9.7.8.8).
    ExprId shift_amount(const State& state, const Operand& operand, Type type, Dependencies& reads) {
        ExprPool& exprs = program_.exprs;
        const ExprId amount = value_of(state, operand, Type::u32, reads);
        return exprs.resize(exprs.apply("min", Type::u32, amount, exprs.constant(static_cast<uint64_t>(bits(type)), 32)), bits(type),
                            false);
    }

    static std::optional<Type> source_type(const Instruction& i) {
        std::optional<Type> last;
        for (const std::string& q : i.qualifiers) {
            if (const auto t = type_named(q)) last = t;
        }
        return last;
    }

    // setp.<cmp>.type p{|q}, a, b;
    void set_predicate(const Context& c, State& state) {
        static const std::map<std::string, std::string, std::less<>> comparisons{{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="},
                                                                                 {"gt", ">"},  {"ge", ">="}, {"lo", "<"}, {"ls", "<="},
                                                                                 {"hi", ">"},  {"hs", ">="}};
        const Instruction& i = c.instruction;
        std::string comparison;
        for (const std::string& q : i.qualifiers) {
            if (const auto it = comparisons.find(q); it != comparisons.end()) comparison = it->second;
        }
        const Type type = data_type(i);
        Dependencies reads;
        const Operand& a = i.operands.at(i.operands.size() - 2);
        const Operand& b = i.operands.back();
        const ExprId left = value_of(state, a, type, reads);
        const ExprId holds = program_.exprs.compare(comparison, type, left, value_of(state, b, type, reads));
        assign(state, i.operands.at(0), Type::pred, holds, reads, c.when, c.guard_reads);
        if (i.operands.size() > 3) assign(state, i.operands.at(1), Type::pred, program_.exprs.negate(holds), reads, c.when, c.guard_reads);
    }

    // ---- control flow -----------------------------------------------------------------------

    State merge(State a, const State& b) {
        ExprPool& exprs = program_.exprs;
        const ExprId either = exprs.either(a.guard, b.guard);
        std::set<std::string> names;
        for (const auto& [name, r] : a.registers) names.insert(name);
        for (const auto& [name, r] : b.registers) names.insert(name);
        for (const std::string& name : names) {
            const bool in_a = a.registers.count(name) != 0, in_b = b.registers.count(name) != 0;
            RegisterState x = in_a ? a.registers[name] : RegisterState{};
            RegisterState y = in_b ? b.registers.at(name) : RegisterState{};
            if (!in_a) x.value = exprs.constant(0, exprs[y.value].bits);
            if (!in_b) y.value = exprs.constant(0, exprs[x.value].bits);
            RegisterState merged;
            merged.sign = in_a ? x.sign : y.sign;
            const int width = std::max(exprs[x.value].bits, exprs[y.value].bits);
            merged.value = exprs.ite(a.guard, exprs.resize(x.value, width, x.sign), exprs.resize(y.value, width, y.sign));
            merged.reads = merge_reads(x.reads, a.guard, y.reads, b.guard);
            a.registers[name] = std::move(merged);
        }
        a.control = merge_reads(a.control, a.guard, b.control, b.guard);
        a.guard = either;
        return a;
    }

    Dependencies merge_reads(const Dependencies& x, ExprId x_guard, const Dependencies& y, ExprId y_guard) {
        Dependencies result;
        for (const auto& [read, when] : x) {
            const auto other = y.find(read);
            result[read] = other != y.end() && other->second == when ? when : program_.exprs.both(when, x_guard);
        }
        for (const auto& [read, when] : y) {
            const auto other = x.find(read);
            if (other != x.end() && other->second == when) continue;
            const ExprId here = program_.exprs.both(when, y_guard);
            const auto [it, fresh] = result.try_emplace(read, here);
            if (!fresh) it->second = program_.exprs.either(it->second, here);
        }
        return result;
    }

    using Pending = std::map<size_t, State>;  // by instruction index; size of the body: the end

    void arrive(Pending& pending, size_t at, const State& state) {
        if (state.guard == ExprPool::no) return;
        const auto it = pending.find(at);
        if (it == pending.end()) {
            pending.emplace(at, state);
        } else {
            it->second = merge(it->second, state);
        }
    }

    size_t label_target(const Operand& operand) const {
        const auto& body = thread().body;
        for (size_t i = 0; i < body.size(); ++i) {
            for (const std::string& label : body[i].labels) {
                if (label == operand.name) return i;
            }
        }
        for (const std::string& label : thread().end_labels) {
            if (label == operand.name) return body.size();
        }
        fail(operand.span, "unknown label " + operand.name);
    }

    struct Region {
        size_t first, last;  // instruction indices, inclusive
    };

    // Loop regions: from the target of a backward branch to the branch; overlapping ones that do not
    // nest, and ones with the same first instruction, are one region.
    std::vector<Region> find_regions() const {
        std::vector<Region> regions;
        const auto& body = thread().body;
        for (size_t i = 0; i < body.size(); ++i) {
            if (body[i].op != Op::bra) continue;
            const size_t target = label_target(body[i].operands.back());
            if (target <= i) regions.push_back({target, i});
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = 0; i < regions.size() && !changed; ++i) {
                for (size_t j = 0; j < regions.size() && !changed; ++j) {
                    if (i == j) continue;
                    Region& a = regions[i];
                    const Region& b = regions[j];
                    const bool crossing = a.first < b.first && b.first <= a.last && a.last < b.last;
                    if (a.first != b.first && !crossing) continue;
                    a.last = std::max(a.last, b.last);
                    regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(j));
                    changed = true;
                }
            }
        }
        return regions;
    }

    void build_thread(int t) {
        thread_ = t;
        iteration_ = 0;
        regions_ = find_regions();
        Pending pending;
        State start;
        for (const auto& [name, value] : thread().registers) {
            note_register(name, Type::u32);
            start.registers[name] = {program_.exprs.constant(value, 32), false, {}};
        }
        pending.emplace(0, std::move(start));
        const size_t end = thread().body.size();
        run(0, end, nullptr, pending);
        const auto last = pending.find(end);
        if (last == pending.end()) return;  // no path leaves the thread
        if (has_barriers()) {
            Event e;
            e.kind = Event::Kind::exit;
            const size_t id = add_event(e);
            depend("ctrl", last->second.control, id);
            exits_[t] = id;
        }
        for (auto& [name, r] : last->second.registers) {
            Register out;
            out.thread = t;
            out.name = name;
            const auto type = register_types_.find({t, name});
            out.type = type == register_types_.end() ? Type::u32 : type->second;
            out.value = program_.exprs.resize(r.value, bits(out.type), r.sign);
            out.written = type != register_types_.end();
            program_.registers.push_back(out);
        }
    }

    bool has_barriers() const {
        const auto& threads = program_.test->threads;
        return std::any_of(threads.begin(), threads.end(), [](const Thread& thread) {
            return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) {
                return i.op == Op::bar_sync || i.op == Op::bar_red || i.op == Op::bar_arrive || i.op == Op::bar_quorum ||
                       i.op == Op::bar_warp_sync || i.op == Op::cluster_arrive || i.op == Op::cluster_wait;
            });
        });
    }

    // Executes instructions [first, end) once. States that leave stay in `pending`; those that jump
    // back inside `current` are in back_edges_.
    void run(size_t first, size_t end, const Region* current, Pending& pending) {
        for (size_t i = first; i < end; ++i) {
            const Region* inner = nullptr;
            for (const Region& r : regions_) {
                const bool same = current && r.first == current->first && r.last == current->last;
                if (r.first == i && !same && r.last < end && (!inner || r.last > inner->last)) inner = &r;
            }
            if (inner) {
                loop(*inner, pending);
                i = inner->last;
                continue;
            }
            const auto here = pending.find(i);
            if (here == pending.end()) continue;
            State state = std::move(here->second);
            pending.erase(here);
            step(i, std::move(state), pending, current);
        }
    }

    void step(size_t index, State state, Pending& pending, const Region* current) {
        const Instruction& instruction = thread().body[index];
        Context c{instruction, static_cast<int>(index), state.guard, ExprPool::yes, {}};
        if (instruction.guard) {
            c.when = read_register(state, instruction.guard->reg, Type::pred);
            if (instruction.guard->negated) c.when = program_.exprs.negate(c.when);
            c.guard_reads = register_reads(state, instruction.guard->reg);
            c.guard = program_.exprs.both(state.guard, c.when);
        }
        if (instruction.op == Op::bra || instruction.op == Op::exit) {
            branch(c, std::move(state), pending, current);
            return;
        }
        if (c.guard != ExprPool::no) execute(c, state);
        arrive(pending, index + 1, state);
    }

    void branch(const Context& c, State state, Pending& pending, const Region* current) {
        const Instruction& i = c.instruction;
        ExprId when = c.when;
        add_reads(state.control, c.guard_reads);
        if (i.op == Op::bra && i.operands.size() == 3) {  // beq/bne a, b, L of the column format
            Dependencies reads;
            const ExprId a = value_of(state, i.operands[0], Type::u32, reads);
            const ExprId b = value_of(state, i.operands[1], Type::u32, reads);
            add_reads(state.control, reads);
            when = program_.exprs.both(when, program_.exprs.compare(i.mnemonic == "beq" ? "==" : "!=", Type::u32, a, b));
        }
        const size_t index = static_cast<size_t>(c.index);
        const size_t target = i.op == Op::exit ? thread().body.size() : label_target(i.operands.back());
        State taken = state;
        taken.guard = program_.exprs.both(state.guard, when);
        state.guard = program_.exprs.both(state.guard, program_.exprs.negate(when));
        if (target <= index && current && target >= current->first) {
            arrive(back_edges_, target, taken);
        } else {
            arrive(pending, target, taken);
        }
        arrive(pending, index + 1, state);
    }

    void execute(const Context& c, State& state) {
        switch (c.instruction.op) {
            case Op::ld:
            case Op::suld:
            case Op::tld:
            case Op::ldc:
                load(c, state);
                break;
            case Op::st:
            case Op::sust:
                store(c, state);
                break;
            case Op::atom:
            case Op::red:
                atomic(c, state);
                break;
            case Op::fence:
            case Op::fence_proxy:
                fence(c, state);
                break;
            case Op::bar_sync:
            case Op::bar_arrive:
            case Op::bar_red:
            case Op::bar_quorum:
            case Op::bar_warp_sync:
            case Op::cluster_arrive:
            case Op::cluster_wait:
                barrier(c, state);
                break;
            default:
                compute(c, state);
        }
    }

    // What a trial iteration may have added and must be able to take back.
    struct Mark {
        size_t events, dependencies, barriers, constraints, bounds;
        std::map<std::pair<int, std::string>, Type> register_types;
    };
    Mark mark() const {
        return {program_.events.size(),      dependencies_.size(),   barriers_.size(),
                program_.constraints.size(), program_.bounds.size(), register_types_};
    }

    void roll_back(const Mark& m) {
        for (size_t e = m.events; e < program_.events.size(); ++e) {
            const Event& event = program_.events[e];
            if (event.kind != Event::Kind::init) continue;
            for (auto it = cell_ids_.begin(); it != cell_ids_.end();) it = it->second == event.cell ? cell_ids_.erase(it) : std::next(it);
            program_.cells.pop_back();
        }
        program_.events.resize(m.events);
        dependencies_.resize(m.dependencies);
        barriers_.resize(m.barriers);
        program_.constraints.resize(m.constraints);
        program_.bounds.resize(m.bounds);
        register_types_ = m.register_types;
    }

    void loop(const Region& region, Pending& pending) {
        const Pending outer_back = std::exchange(back_edges_, {});
        Pending inside;
        for (auto it = pending.lower_bound(region.first); it != pending.end() && it->first <= region.last;) {
            inside.insert(pending.extract(it++));
        }
        if (inside.empty()) {
            back_edges_ = outer_back;
            return;
        }
        Pending exits;
        if (!await(region, inside, exits)) unroll(region, std::move(inside), exits);
        back_edges_ = outer_back;
        // a jump from here to before the region is a back edge of an enclosing one
        for (const auto& [at, state] : exits) arrive(at < region.first ? back_edges_ : pending, at, state);
    }

    // Executes the region up to the bound; what leaves it is added to `exits`.
    void unroll(const Region& region, Pending inside, Pending& exits) {
        const int outer_iteration = iteration_;
        for (int k = 0; k < options_.unroll && !inside.empty(); ++k) {
            back_edges_.clear();
            iteration_ = outer_iteration * options_.unroll + k;
            run(region.first, region.last + 1, &region, inside);
            for (auto& [at, state] : inside) arrive(exits, at, state);
            inside = std::exchange(back_edges_, {});
        }
        iteration_ = outer_iteration;
        for (const auto& [at, state] : inside) program_.bounds.push_back(state.guard);
    }

    std::set<std::string> assigned_registers(const Region& region) const {
        std::set<std::string> names;
        for (size_t i = region.first; i <= region.last; ++i) {
            const Instruction& instruction = thread().body[i];
            const auto note = [&names](const Operand& o) {
                if (o.kind == Operand::Kind::reg) names.insert(o.name);
                for (const Operand& e : o.elements) names.insert(e.name);
            };
            switch (instruction.op) {
                case Op::st:
                case Op::sust:
                case Op::red:
                case Op::fence:
                case Op::fence_proxy:
                case Op::bra:
                case Op::exit:
                case Op::bar_sync:
                case Op::bar_arrive:
                case Op::bar_quorum:
                case Op::bar_warp_sync:
                case Op::cluster_arrive:
                case Op::cluster_wait:
                    break;
                case Op::setp:
                    if (instruction.operands.size() > 3) note(instruction.operands[1]);
                    [[fallthrough]];
                default:
                    if (!instruction.operands.empty()) note(instruction.operands[0]);
            }
        }
        return names;
    }

    bool has_leaf(ExprId e, uint32_t index) const {
        bool found = false;
        for_each_leaf(program_.exprs, e, [&](const Expr& leaf) { found = found || (leaf.op == Expr::Op::read && leaf.index == index); });
        return found;
    }

    // Tries the region as an await; on success what leaves it is added to `exits`.
    bool await(const Region& region, const Pending& inside, Pending& exits) {
        if (inside.size() != 1 || inside.begin()->first != region.first) return false;
        const Mark before = mark();
        const uint32_t poison = first_poison + trials_;  // that of an enclosing trial is another matter
        Pending trial = inside;
        State& entry = trial.begin()->second;
        const ExprId entry_guard = entry.guard;
        for (const std::string& name : assigned_registers(region)) {
            // a dependency on itself marks the poison even where folding removes the value
            entry.registers[name] = {program_.exprs.read(poison, 64), false, {{poison, ExprPool::yes}}};
        }
        back_edges_.clear();
        ++trials_;
        run(region.first, region.last + 1, &region, trial);
        --trials_;
        ExprId failing = ExprPool::no;
        for (const auto& [at, state] : back_edges_) failing = program_.exprs.either(failing, state.guard);
        if (failing == ExprPool::no || !is_await(before, poison, failing, trial)) {
            back_edges_.clear();
            roll_back(before);
            return false;
        }
        back_edges_.clear();
        program_.constraints.push_back(program_.exprs.negate(failing));
        for (auto& [at, state] : trial) {
            if (trial.size() == 1) state.guard = entry_guard;  // the only way out is taken
            arrive(exits, at, state);
        }
        return true;
    }

    bool is_await(const Mark& before, uint32_t poison, ExprId failing, const Pending& exits) {
        const auto poisoned = [&](ExprId e) { return has_leaf(e, poison); };
        if (poisoned(failing) || barriers_.size() != before.barriers || program_.bounds.size() != before.bounds) return false;
        for (size_t i = before.constraints; i < program_.constraints.size(); ++i) {
            if (poisoned(program_.constraints[i])) return false;
        }
        for (size_t i = before.events; i < program_.events.size(); ++i) {
            const Event& e = program_.events[i];
            if (e.kind == Event::Kind::init) continue;
            if (poisoned(e.guard)) return false;
            if (e.kind == Event::Kind::write && (program_.exprs.both(e.guard, failing) != ExprPool::no || poisoned(e.value))) return false;
        }
        for (size_t i = before.dependencies; i < dependencies_.size(); ++i) {
            if (dependencies_[i].read == poison) return false;
        }
        for (const auto& [at, state] : exits) {
            if (state.control.count(poison)) return false;
            for (const auto& [name, r] : state.registers) {
                if (poisoned(r.value) || r.reads.count(poison)) return false;
            }
        }
        return true;
    }

    // ---- relations --------------------------------------------------------------------------

    struct Dependency {
        const char* relation;
        size_t read, event;
        ExprId when;
    };

    void finish_relations() {
        const size_t n = program_.events.size();
        for (const char* name : {"po", "addr", "data", "ctrl", "rmw"}) program_.relations.emplace(name, Relation(n));
        Relation& po = program_.relations.find("po")->second;
        for (size_t a = 0; a < n; ++a) {
            const Event& x = program_.events[a];
            if (x.thread < 0) continue;
            for (size_t b = a + 1; b < n; ++b) {
                const Event& y = program_.events[b];
                if (x.thread != y.thread) continue;
                const bool same = x.instruction == y.instruction && x.iteration == y.iteration && x.kind != Event::Kind::exit &&
                                  y.kind != Event::Kind::exit;
                if (same && x.element != y.element) continue;  // elements of one access are unordered
                po.add(a, b);
            }
            if (x.kind == Event::Kind::read && x.partner >= 0)
                program_.relations.find("rmw")->second.add(a, static_cast<size_t>(x.partner));
        }
        for (const Dependency& d : dependencies_) {
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

    // "values": from each read (or bar.red) to the writes and bar.reds whose value or existence its value
    // decides.
    void add_value_flow() {
        const size_t n = program_.size();
        Relation flow(n);
        const auto into = [&](size_t event, ExprId e) {
            for_each_leaf(program_.exprs, e, [&](const Expr& leaf) {
                if (leaf.op == Expr::Op::read) flow.add(leaf.index, event);
            });
        };
        for (size_t e = 0; e < n; ++e) {
            if (program_.events[e].kind != Event::Kind::write) continue;
            into(e, program_.events[e].guard);
            into(e, program_.events[e].value);
        }
        for (const auto& [event, value] : program_.results) into(event, value);
        program_.relations.emplace("values", std::move(flow));
    }

    BuildOptions options_;
    Program program_;
    int thread_ = 0;
    int iteration_ = 0;
    uint32_t trials_ = 0;  // awaits being tried, one inside the other
    std::vector<Region> regions_;
    Pending back_edges_;
    std::vector<Dependency> dependencies_;
    std::vector<BarrierUse> barriers_;
    std::map<int, size_t> exits_;  // by thread
    std::map<std::tuple<int, int, int>, int> cell_ids_;
    std::map<std::tuple<int, int, int>, int> address_ids_;
    std::map<std::pair<int, std::string>, Type> register_types_;
};

}  // namespace

Program build_program(const Test& test, const BuildOptions& options) {
    return Builder(test, options).build();
}

}  // namespace litmus
