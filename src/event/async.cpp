// What asynchronous operations, mbarriers and their completion become (model/semantics.md sections 5 and 6).
//
// An asynchronous operation X puts one issue event I(X) into program order. Its memory events and its
// completion are in no program order; `iss` leads from I(X) to each of them and `aio` orders them
// among themselves: a source read before the write made of it, an atomic's read before its write,
// everything before the completion. A completion is an update of an mbarrier object, or an event
// that `grp` leads from to the wait_group that waits for it.
//
// An mbarrier object is one memory cell whose value is its whole state (ptx/mbarrier.h). Each
// operation on it is an atomic read and write of that state; which phase an arrival falls in and
// whether it completes it is then a matter of values, like everything else that atomics do.
//
// A bulk operation touches many elements, and one that nothing else touches and no condition mentions
// behaves like any other such element. Only the first of an operation, those that are named somewhere,
// and those that meet one of these through another bulk operation become events.
#include <algorithm>

#include "event/builder.h"
#include "ptx/mbarrier.h"
#include "ptx/traits.h"
#include "ptx/value.h"
#include "test/layout.h"

namespace litmus {

using Kind = Traits::Kind;

namespace {

// The words of "red.async.relaxed.cluster...", mnemonic and qualifiers.
bool has_word(const Instruction& i, std::string_view word) {
    if (i.has(word)) return true;
    const std::string dotted = "." + i.mnemonic + ".";
    return dotted.find("." + std::string(word) + ".") != std::string::npos;
}

constexpr int32_t most_count = (1 << mbarrier_pending.width) - 1;
constexpr size_t most_phases = size_t{1} << mbarrier_phase.width;

}  // namespace

// ---- small things ---------------------------------------------------------------------------------

uint64_t Builder::constant_operand(const State& state, const Operand& operand, const char* what) {
    Dependencies reads;
    const ExprId value = value_of(state, operand, Type::u32, reads);
    if (!program_.exprs.is_constant(value))
        throw UnknownOperand(program_.test->source, operand.span, std::string(what) + " depends on a value read from memory: not modelled",
                             "write it as a constant");
    return program_.exprs[value].value;
}

size_t Builder::issue(const Context& c, const State& state) {
    Event e = event_of(c, Event::Kind::issue);
    e.scope = Scope::none;
    e.operation = operation_count_++;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    return id;
}

size_t Builder::asynchronous_event(const Context& c, size_t issue, Event::Kind kind, const Place& at, Type type, int element) {
    Event e = event_of(c, kind);
    e.asynchronous = true;
    e.operation = program_.events[issue].operation;
    e.cell = at.cell;
    e.address = at.address;
    e.type = type;
    e.element = element;
    const size_t id = add_event(e);
    if (kind == Event::Kind::read) program_.events[id].value = program_.exprs.read(static_cast<uint32_t>(id), bits(type));
    pairs_.push_back({"iss", issue, id, ExprPool::yes});
    return id;
}

void Builder::inside(size_t from, size_t to) {
    pairs_.push_back({"aio", from, to, ExprPool::yes});
}

// An RMW of an asynchronous reduction; `operand` is combined with what is there.
std::pair<size_t, size_t> Builder::asynchronous_reduction(const Context& c, size_t issue, const Place& at, Type type, int element,
                                                          ExprId operand, const Dependencies& data) {
    const bool global = program_.cells[static_cast<size_t>(at.cell)].instance < 0;
    const std::string operation(memory_operation(litmus::operation(c.instruction), type, global));
    if (!apply(operation, type, 0, 0))
        fail(c.instruction.span, "." + operation + " on ." + std::string(name(type)) + " is not modelled yet");
    const size_t r = asynchronous_event(c, issue, Event::Kind::read, at, type, element);
    const size_t w = asynchronous_event(c, issue, Event::Kind::write, at, type, element);
    program_.events[r].reduction = true;
    program_.events[r].partner = static_cast<int>(w);
    program_.events[w].partner = static_cast<int>(r);
    program_.events[w].value = program_.exprs.apply(operation, type, program_.events[r].value, operand);
    inside(r, w);
    depend("data", data, w);
    dependencies_.push_back({"data", r, w, ExprPool::yes});
    return {r, w};
}

// ---- mbarrier objects (ISA 9.7.13.15) --------------------------------------------------------------

// One update of an object: an atomic read and write of its state. Of an asynchronous operation when
// `issue` is given.
Builder::Update Builder::update(const Context& c, const State& state, const Place& at, const MbarrierStep& step, Sem sem, Scope scope,
                                std::optional<size_t> issue) {
    ExprPool& exprs = program_.exprs;
    const auto event = [&](Event::Kind kind) {
        return issue ? asynchronous_event(c, *issue, kind, at, Type::b64, 0) : memory_event(c, state, kind, at, Type::b64, 0);
    };
    const size_t r = event(Event::Kind::read);
    const ExprId old = exprs.read(static_cast<uint32_t>(r), bits(Type::b64));
    const size_t w = event(Event::Kind::write);
    Event& read = program_.events[r];
    read.value = old;
    read.sem = Sem::relaxed;
    read.partner = static_cast<int>(w);
    Event& write = program_.events[w];
    write.value = exprs.apply("mbarrier.step", Type::b64, old, exprs.constant(pack(step), bits(Type::b64)));
    write.sem = sem;
    write.partner = static_cast<int>(r);
    for (const size_t e : {r, w}) {
        program_.events[e].scope = scope;
        program_.events[e].proxy = Proxy::generic;
    }
    dependencies_.push_back({"data", r, w, ExprPool::yes});
    check_update(at, step, r);
    std::vector<MbarrierStep>& steps = steps_[at.cell];
    steps.push_back(step);
    if (steps.size() >= most_phases)
        fail(c.instruction.span, "more than " + std::to_string(most_phases - 1) + " operations on the mbarrier object `" +
                                     program_.cells[static_cast<size_t>(at.cell)].name + "`: not modelled");
    return {r, w};
}

ExprId Builder::field(ExprId state, Field field) {
    ExprPool& exprs = program_.exprs;
    const ExprId shifted = exprs.apply("shr", Type::u64, state, exprs.constant(static_cast<uint64_t>(field.at), 64));
    return exprs.apply("and", Type::u64, shifted, exprs.constant((uint64_t{1} << field.width) - 1, 64));
}

void Builder::must_be_live(const Place& at, size_t read) {
    const ExprId life = field(program_.events[read].value, mbarrier_life);
    program_.violations.push_back({read, program_.exprs.compare("==", Type::u64, life, program_.exprs.constant(0, 64)),
                                   "`" + program_.cells[static_cast<size_t>(at.cell)].name +
                                       "` is not an initialised mbarrier object when this operation comes (ISA 9.7.13.15.9)"});
}

// Undefined behaviour of an update: an object that is not live, more arrivals than are pending, more
// drops than are expected (ISA 9.7.13.15.2).
void Builder::check_update(const Place& at, const MbarrierStep& step, size_t read) {
    ExprPool& exprs = program_.exprs;
    must_be_live(at, read);
    const std::string object = "`" + program_.cells[static_cast<size_t>(at.cell)].name + "`";
    const ExprId state = program_.events[read].value;
    if (step.tx != 0) {
        // the tx-count before is in its range, or this is not the first fault: what is added may leave it
        const ExprId count =
            exprs.apply("add", Type::u64, field(state, mbarrier_tx), exprs.constant(static_cast<uint64_t>(int64_t{step.tx} + most_tx), 64));
        const ExprId shifted = exprs.apply("and", Type::u64, count, exprs.constant((uint64_t{1} << mbarrier_tx.width) - 1, 64));
        program_.violations.push_back({read, exprs.compare("<", Type::u64, exprs.constant(2 * uint64_t{most_tx}, 64), shifted),
                                       "the tx-count of " + object + " leaves its range (ISA 9.7.13.15.2)"});
    }
    if (step.arrivals > 0) {
        const ExprId pending = field(state, mbarrier_pending);
        const ExprId few = exprs.compare("<", Type::u64, pending, exprs.constant(static_cast<uint64_t>(step.arrivals), 64));
        program_.violations.push_back(
            {read, few, "the current phase of " + object + " waits for fewer arrivals than this (ISA 9.7.13.15.2)"});
    }
}

// The place of the object that an operand names.
Builder::Place Builder::object(const Operand& operand, const State& state) {
    return resolve(operand, Type::b64, 0, state);
}

void Builder::mbarrier(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const auto address =
        std::find_if(i.operands.begin(), i.operands.end(), [](const Operand& o) { return o.kind == Operand::Kind::address; });
    if (kind(i.op) == Kind::mbarrier_query) {
        Dependencies reads;
        const ExprId token = value_of(state, i.operands.at(1), Type::u64, reads);
        check_pending_count(c, token);
        const ExprId count = program_.exprs.resize(field(token, mbarrier_pending), 32, false);
        assign(state, i.operands.at(0), Type::u32, count, std::move(reads), c.when, c.guard_reads);
        return;
    }
    const Place at = object(*address, state);
    const auto argument = static_cast<size_t>(address - i.operands.begin()) + 1;
    if (kind(i.op) == Kind::mbarrier_wait) return wait(c, state, at, argument);
    const auto number = [&](const char* what) {
        return argument < i.operands.size() ? static_cast<int32_t>(constant_operand(state, i.operands[argument], what)) : 1;
    };
    const auto count = [&] {
        const int32_t n = number("the count");
        if (n > most_count) fail(i.operands[argument].span, "the count is above " + std::to_string(most_count) + ": not modelled");
        return n;
    };
    const auto bytes = [&] { return number("the number of bytes"); };
    if (kind(i.op) == Kind::mbarrier_life) {
        const size_t w = memory_event(c, state, Event::Kind::write, at, Type::b64, 0);
        MbarrierState s;
        if (i.op == Op::mbarrier_init) {
            s.life = next_life(at.cell, i.span);
            s.pending = s.expected = static_cast<uint32_t>(count());
        }
        Event& e = program_.events[w];
        e.value = program_.exprs.constant(pack(s), bits(Type::b64));
        e.initialises = s.life > 0;
        e.invalidates = s.life == 0;
        depend_address(state, *address, w);
        return;
    }
    MbarrierStep step;
    if (i.op == Op::mbarrier_expect_tx) {
        step.tx = bytes();
    } else if (i.op == Op::mbarrier_complete_tx) {
        step.tx = -bytes();
    } else if (has_word(i, "expect_tx")) {
        step = {bytes(), 1, i.op == Op::mbarrier_arrive_drop ? 1 : 0};
    } else {
        step.arrivals = count();
        step.drops = i.op == Op::mbarrier_arrive_drop ? step.arrivals : 0;
    }
    const Update u = update(c, state, at, step, semantics(i), scope(i), std::nullopt);
    depend_address(state, *address, u.read);
    depend_address(state, *address, u.write);
    if (has_word(i, "noComplete")) {
        const Event& w = program_.events[u.write];
        const ExprId before = field(program_.events[u.read].value, mbarrier_phase);
        const ExprId after = field(w.value, mbarrier_phase);
        program_.violations.push_back({u.write, program_.exprs.negate(program_.exprs.compare("==", Type::u64, before, after)),
                                       "this `.noComplete` arrival completes the phase (ISA 9.7.13.15.13)"});
    }
    if (step.arrivals > 0) arrivals_.push_back({u.write, at.cell, field(program_.events[u.read].value, mbarrier_phase), ExprPool::yes});
    const bool returns = kind(i.op) == Kind::mbarrier_arrival;
    if (returns && i.operands.at(0).kind == Operand::Kind::reg)
        assign(state, i.operands[0], Type::b64, token(at, u.read, has_word(i, "noComplete")), {{u.read, ExprPool::yes}}, c.when,
               c.guard_reads);
}

// The number of the life that an mbarrier.init begins. The declaration begins the first, where it initialises the object.
uint32_t Builder::next_life(int cell, const Span& span) {
    const Cell& object = program_.cells[static_cast<size_t>(cell)];
    const bool declared = program_.test->locations[static_cast<size_t>(object.location)].arrivals.has_value();
    const uint32_t life = ++lives_.try_emplace(cell, declared ? 1 : 0).first->second;
    if (life >= uint32_t{1} << mbarrier_life.width)
        fail(span, "more than " + std::to_string((1 << mbarrier_life.width) - 1) + " initialisations of the mbarrier object `" +
                       object.name + "`: not modelled");
    return life;
}

// Undefined behaviour (ISA 9.7.13.15.17, 9.1): the pending count of a state that no `.noComplete` arrival gave. It is told
// where the state comes from memory; the reader of the text sees the rest.
void Builder::check_pending_count(const Context& c, ExprId token) {
    std::optional<size_t> from;
    for_each_leaf(program_.exprs, token, [&](const Expr& leaf) {
        if (leaf.op == Expr::Op::read && leaf.index < program_.events.size()) from = leaf.index;
    });
    if (!from) return;
    const ExprId given = program_.exprs.compare("==", Type::u64, field(token, token_no_complete), program_.exprs.constant(1, 64));
    program_.violations.push_back({*from, program_.exprs.both(c.guard, program_.exprs.negate(given)),
                                   "mbarrier.pending_count of a state that no `.noComplete` arrival gave (ISA 9.7.13.15.17)"});
}

// The state token of an arrival, from the state that it found.
ExprId Builder::token(const Place& at, size_t read, bool no_complete) {
    ExprPool& exprs = program_.exprs;
    const uint64_t kept = (uint64_t{1} << token_object.at) - 1;
    const uint64_t object = static_cast<uint64_t>(at.cell + 1) << token_object.at;
    const ExprId fields = exprs.apply("and", Type::u64, program_.events[read].value, exprs.constant(kept, 64));
    const uint64_t mark = no_complete ? uint64_t{1} << token_no_complete.at : 0;
    return exprs.apply("or", Type::u64, fields, exprs.constant(object | mark, 64));
}

// Whether the wait on a state token returns true. Undefined behaviour (ISA 9.7.13.15.16, 9.1): a token that is not of this
// object and life, or neither of the current phase nor of the one before; such a wait does not return true.
ExprId Builder::wait_for_token(const Place& at, size_t read, ExprId token) {
    ExprPool& exprs = program_.exprs;
    const ExprId object = program_.events[read].value;
    const auto equal = [&](ExprId a, ExprId b) { return exprs.compare("==", Type::u64, a, b); };
    const ExprId mine = exprs.both(equal(field(token, token_object), exprs.constant(static_cast<uint64_t>(at.cell) + 1, 64)),
                                   equal(field(token, mbarrier_life), field(object, mbarrier_life)));
    const ExprId current = field(object, mbarrier_phase), phase = field(token, mbarrier_phase);
    const ExprId done = equal(exprs.apply("add", Type::u64, phase, exprs.constant(1, 64)), current);
    const std::string text = "the state token is not of this object and its life, or neither of the current phase nor of the one before";
    program_.violations.push_back(
        {read, exprs.negate(exprs.both(mine, exprs.either(done, equal(phase, current)))), text + " (ISA 9.7.13.15.16)"});
    return exprs.both(mine, done);
}

// test_wait and try_wait: true when the phase of that parity, or of that state token, has completed
// (ISA 9.7.13.15.16). Awaited, only the time that returns true leaves an event.
void Builder::wait(const Context& c, State& state, const Place& at, size_t argument) {
    ExprPool& exprs = program_.exprs;
    const Instruction& i = c.instruction;
    const size_t r = memory_event(c, state, Event::Kind::read, at, Type::b64, 0);
    const ExprId object = exprs.read(static_cast<uint32_t>(r), bits(Type::b64));
    Event& e = program_.events[r];
    e.value = object;
    e.sem = semantics(i);
    depend_address(state, i.operands.at(argument - 1), r);
    must_be_live(at, r);
    Dependencies reads{{r, ExprPool::yes}};
    Dependencies of_operand;
    const ExprId operand = value_of(state, i.operands.at(argument), Type::u64, of_operand);
    ExprId done;
    if (has_word(i, "parity")) {
        const ExprId parity = exprs.apply("and", Type::u64, operand, exprs.constant(1, 64));
        done = exprs.negate(exprs.compare("==", Type::u64, field(object, {mbarrier_phase.at, 1}), parity));
    } else {
        done = wait_for_token(at, r, operand);
    }
    depend("ctrl", of_operand, r);
    const ExprId returned = !i.await ? done : c.fails ? ExprPool::no : ExprPool::yes;
    pairs_.push_back({"returned", r, r, returned});
    waits_.push_back({r, at.cell, field(object, mbarrier_phase), returned});
    if (i.await) {
        await_that(c, done);
        block(c, state, reads, of_operand, done);
        return;
    }
    add_reads(reads, of_operand);
    assign(state, i.operands.at(0), Type::pred, done, std::move(reads), c.when, c.guard_reads);
}

// ---- asynchronous operations -----------------------------------------------------------------------

// red.async (9.7.13.7) and st.async (9.7.9.12): the data is in registers.
void Builder::direct(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Type type = data_type(i);
    const int width = vector_width(i);
    const size_t start = issue(c, state);
    depend_address(state, i.operands.at(0), start);
    std::vector<size_t> events;
    for (int k = 0; k < width; ++k) {
        const Place at = resolve(i.operands[0], type, static_cast<uint64_t>(k * bits(type) / 8), state);
        Dependencies data;
        const ExprId value = value_of(state, element_of(i.operands.at(1), k), type, data);
        if (i.op == Op::st_async) {
            const size_t w = asynchronous_event(c, start, Event::Kind::write, at, type, k);
            program_.events[w].value = value;
            program_.events[w].sem = semantics(i);
            depend("data", data, w);
            events.push_back(w);
        } else {
            const auto [r, w] = asynchronous_reduction(c, start, at, type, k, value, data);
            program_.events[r].sem = Sem::relaxed;
            program_.events[w].sem = semantics(i);
            events.insert(events.end(), {r, w});
        }
    }
    if (i.operands.size() < 3) return;  // completes with the end of the CTA, where nothing observes it
    depend_address(state, i.operands[2], start);
    complete_on(c, state, start, object(i.operands[2], state), width * bits(type) / 8, events);
}

// The complete-tx of an asynchronous operation: release at cluster scope, after the events of `before`. Returns its write.
size_t Builder::complete_on(const Context& c, const State& state, size_t start, const Place& at, int64_t bytes,
                            const std::vector<size_t>& before) {
    const Update u = update(c, state, at, {static_cast<int32_t>(-bytes), 0, 0}, Sem::release, Scope::cluster, start);
    program_.events[u.read].completes = true;
    program_.events[u.write].completes = true;
    inside(u.read, u.write);
    for (const size_t e : before) {
        inside(e, u.read);
        inside(e, u.write);
    }
    return u.write;
}

size_t Builder::group_completion(const Context& c, size_t start, const std::vector<size_t>& before) {
    Event e = event_of(c, Event::Kind::completion);
    e.scope = Scope::none;
    e.asynchronous = true;
    e.completes = true;
    e.operation = program_.events[start].operation;
    const size_t id = add_event(e);
    pairs_.push_back({"iss", start, id, ExprPool::yes});
    for (const size_t b : before) inside(b, id);
    return id;
}

// The CTAs that a multicast writes: bit k of the mask is the k-th CTA of the executing thread's cluster.
std::vector<int> Builder::multicast_ctas(uint64_t mask) {
    std::vector<std::pair<int, int>> ctas;  // number, index
    const Placement& here = thread().at;
    for (size_t k = 0; k < program_.ctas.size(); ++k) {
        const Placement& at = program_.ctas[k];
        if (at.gpu == here.gpu && at.cluster == here.cluster) ctas.emplace_back(at.cta, static_cast<int>(k));
    }
    std::sort(ctas.begin(), ctas.end());
    std::vector<int> result;
    for (size_t bit = 0; bit < 16; ++bit) {
        if ((mask >> bit & 1) == 0) continue;
        result.push_back(ctas[bit].second);
    }
    return result;
}

// What an operand means in another CTA of the cluster: the address of the same offset there.
Operand Builder::counterpart(const Operand& operand, int cta) const {
    const Test& test = *program_.test;
    const int number = program_.ctas[static_cast<size_t>(cta)].cta;
    const int location = location_index(operand.name);
    if (operand.indirect || location < 0) fail(operand.span, "the address of a multicast is named directly: other ways are not modelled");
    const Location& here = test.locations[static_cast<size_t>(location)];
    const int own = operand.cta >= 0 ? operand.cta : here.cta.value_or(thread().at.cta);
    const auto there = shared_place(test, number, shared_offset(test, here, own) + operand.offset);
    if (!there || there->location->type != here.type || there->location->is_mbarrier != here.is_mbarrier)
        fail(operand.span, "nothing of this kind lies at the offset of `" + operand.name + "` in cta" + std::to_string(number),
             "declare it without a CTA (`.shared`), which makes one instance in each");
    Operand result = operand;
    result.name = there->location->name;
    result.offset = there->offset;
    result.cta = number;
    return result;
}

// cp.async.bulk and cp.reduce.async.bulk (9.7.9.25.4): through the async proxy, element by element.
void Builder::bulk(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const auto size = static_cast<int64_t>(constant_operand(state, i.operands.at(2), "the size of a bulk operation"));
    const bool reduces = i.op == Op::bulk_reduce;
    const bool grouped = has_word(i, "bulk_group");
    const Operand &to = i.operands[0], &from = i.operands[1];
    const Type type = reduces ? data_type(i) : element_type(to, state);
    const int64_t step = bits(type) / 8;
    const size_t start = issue(c, state);
    depend_address(state, to, start);
    depend_address(state, from, start);
    if (!grouped) depend_address(state, i.operands.at(3), start);

    std::vector<int> ctas{-1};  // -1: where the operands say
    if (has_word(i, "multicast::cluster")) ctas = multicast_ctas(constant_operand(state, i.operands.at(4), "the CTA mask"));
    std::vector<size_t> reads;
    std::vector<std::vector<size_t>> writes(ctas.size());
    for (const int64_t k : kept_elements(to, from, size / step, step, state)) {
        const auto offset = static_cast<uint64_t>(k * step);
        const size_t r = asynchronous_event(c, start, Event::Kind::read, resolve(from, type, offset, state), type, static_cast<int>(k));
        program_.events[r].sem = Sem::weak;
        program_.events[r].scope = Scope::none;
        program_.events[r].proxy = Proxy::async;
        reads.push_back(r);
        const ExprId value = program_.events[r].value;
        for (size_t n = 0; n < ctas.size(); ++n) {
            const Place at = resolve(ctas[n] < 0 ? to : counterpart(to, ctas[n]), type, offset, state);
            std::vector<size_t> made;
            if (reduces) {
                const auto [rr, w] = asynchronous_reduction(c, start, at, type, static_cast<int>(k), value, {{r, ExprPool::yes}});
                made = {rr, w};
            } else {
                made = {asynchronous_event(c, start, Event::Kind::write, at, type, static_cast<int>(k))};
                program_.events[made[0]].value = value;
                depend("data", {{r, ExprPool::yes}}, made[0]);
            }
            for (const size_t e : made) {
                program_.events[e].sem = reduces ? Sem::relaxed : Sem::weak;
                program_.events[e].scope = reduces ? Scope::gpu : Scope::none;
                program_.events[e].proxy = Proxy::async;
                writes[n].push_back(e);
            }
            inside(r, made.back());
        }
    }
    const auto with_reads = [&reads](std::vector<size_t> events) {
        events.insert(events.end(), reads.begin(), reads.end());
        return events;
    };
    if (grouped) {
        GroupMember member{program_.events.size(), c.guard, 0, std::nullopt};
        member.completion = group_completion(c, start, with_reads(writes[0]));
        if (waits_for_reads()) member.read_completion = group_completion(c, start, reads);
        bulk_groups_.members.push_back(member);
        return;
    }
    for (size_t n = 0; n < ctas.size(); ++n) {
        const Operand& bar = i.operands.at(3);
        const size_t completion =
            complete_on(c, state, start, object(ctas[n] < 0 ? bar : counterpart(bar, ctas[n]), state), size, with_reads(writes[n]));
        for (size_t m = 0; m < ctas.size(); ++m)
            for (const size_t e : writes[m])
                if (m != n) pairs_.push_back({"aio-multicast", e, completion, ExprPool::yes});
    }
}

bool Builder::waits_for_reads() const {
    const auto& body = thread().body;
    return std::any_of(body.begin(), body.end(), [](const Instruction& i) { return kind(i.op) == Kind::bulk_wait && has_word(i, "read"); });
}

// cp.async (9.7.9.25.3): through the generic proxy; what src-size leaves out is filled with zeros.
void Builder::copy(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    const Operand &to = i.operands.at(0), &from = i.operands.at(1);
    const auto size = static_cast<int64_t>(constant_operand(state, i.operands.at(2), "the size of a copy"));
    const int64_t read_size =
        i.operands.size() > 3 ? static_cast<int64_t>(constant_operand(state, i.operands[3], "the source size of a copy")) : size;
    const Type type = element_type(to, state);
    const int64_t step = bits(type) / 8;
    if (read_size % step != 0) fail(i.operands.at(3).span, "the source ends inside an element: not modelled");
    const size_t start = issue(c, state);
    depend_address(state, to, start);
    depend_address(state, from, start);
    std::vector<size_t> events;
    for (const int64_t k : kept_elements(to, from, size / step, step, state)) {
        const auto offset = static_cast<uint64_t>(k * step);
        ExprId value = program_.exprs.constant(0, bits(type));
        std::optional<size_t> r;
        if (k * step < read_size) {
            r = asynchronous_event(c, start, Event::Kind::read, resolve(from, type, offset, state), type, static_cast<int>(k));
            value = program_.events[*r].value;
            events.push_back(*r);
        }
        const size_t w = asynchronous_event(c, start, Event::Kind::write, resolve(to, type, offset, state), type, static_cast<int>(k));
        program_.events[w].value = value;
        events.push_back(w);
        if (!r) continue;
        inside(*r, w);
        depend("data", {{*r, ExprPool::yes}}, w);
    }
    GroupMember member{program_.events.size(), c.guard, 0, std::nullopt};
    member.completion = group_completion(c, start, events);
    copy_groups_.members.push_back(member);
    copies_.push_back(events);
}

// cp.async.mbarrier.arrive{.noinc} (9.7.13.15.15): an arrive-on after all prior cp.async of the thread. Without
// .noinc the pending count is raised first, so that the arrival takes back what it added.
void Builder::asynchronous_arrive(const Context& c, State& state) {
    const Place at = object(c.instruction.operands.at(0), state);
    if (!has_word(c.instruction, "noinc")) {
        const Update raised = update(c, state, at, {0, -1, 0}, Sem::relaxed, Scope::cta, std::nullopt);
        depend_address(state, c.instruction.operands.at(0), raised.read);
        depend_address(state, c.instruction.operands.at(0), raised.write);
    }
    const size_t start = issue(c, state);
    depend_address(state, c.instruction.operands.at(0), start);
    const Update u = update(c, state, at, {0, 1, 0}, Sem::release, Scope::cta, start);
    arrivals_.push_back({u.write, at.cell, field(program_.events[u.read].value, mbarrier_phase), ExprPool::yes});
    program_.events[u.read].completes = program_.events[u.write].completes = true;
    inside(u.read, u.write);
    for (const auto& events : copies_)
        for (const size_t e : events)
            for (const size_t to : {u.read, u.write}) inside(e, to);
}

// ---- groups ----------------------------------------------------------------------------------------

void Builder::commit(const Context& c, Groups& groups) {
    if (&groups == &copy_groups_) check_group(c.guard);
    groups.commits.emplace_back(program_.events.size(), c.guard);
}

// Undefined behaviour (ISA 9.7.9.25.3.2): two cp.async of the group that is closed here write one location.
void Builder::check_group(ExprId closed) {
    ExprPool& exprs = program_.exprs;
    std::vector<std::pair<size_t, ExprId>> writes;  // of the operations so far, each with the condition that it is in this group
    for (const auto& events : copies_) {
        for (const size_t e : events) {
            if (program_.events[e].kind != Event::Kind::write) continue;
            ExprId member = exprs.both(program_.events[e].guard, closed);
            for (const auto& [position, guard] : copy_groups_.commits)
                if (position > e) member = exprs.both(member, exprs.negate(guard));
            if (member != ExprPool::no) writes.emplace_back(e, member);
        }
    }
    for (size_t i = 0; i < writes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (program_.events[writes[i].first].cell != program_.events[writes[j].first].cell) continue;
            program_.violations.push_back({writes[i].first, exprs.both(writes[i].second, writes[j].second),
                                           "another `cp.async` of the same group writes this location (ISA 9.7.9.25.3.2)"});
        }
    }
}

void Builder::wait_group(const Context& c, State& state, Groups& groups) {
    const Instruction& i = c.instruction;
    Event e = event_of(c, Event::Kind::group_wait);
    e.scope = Scope::none;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    if (has_word(i, "wait_all")) commit(c, groups);
    const uint64_t pending = i.operands.empty() ? 0 : constant_operand(state, i.operands[0], "the number of groups");
    finish_groups(groups, id, pending, has_word(i, "read"));
    block(state, {{id, ExprPool::yes}});
}

// Which completions a wait_group N waits for: those of operations whose group has N later ones, that is,
// after which more than N commits happen before the wait.
void Builder::finish_groups(const Groups& groups, size_t wait, uint64_t pending, bool reads) {
    ExprPool& exprs = program_.exprs;
    for (const GroupMember& member : groups.members) {
        ExprId commits = exprs.constant(0, 16);
        for (const auto& [position, guard] : groups.commits)
            if (position > member.position)
                commits = exprs.apply("add", Type::u16, commits, exprs.ite(guard, exprs.constant(1, 16), exprs.constant(0, 16)));
        const ExprId done = exprs.compare("<", Type::u16, exprs.constant(pending, 16), commits);
        if (done == ExprPool::no) continue;
        const size_t from = reads ? member.read_completion.value_or(member.completion) : member.completion;
        pairs_.push_back({"grp", from, wait, done});
    }
}

// ---- which elements become events --------------------------------------------------------------------

// The type of the elements that a bulk operand names.
Type Builder::element_type(const Operand& operand, const State& state) {
    return program_.test->locations[static_cast<size_t>(target(operand, state).location)].type;
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
    const Test& test = *program_.test;
    const Operand& to = copy.operands[0];
    const int location = location_index(to.name);
    std::vector<std::pair<int, int64_t>> result{{location, to.offset}};
    if (!has_word(copy, "multicast::cluster")) return result;
    const Location& here = test.locations[static_cast<size_t>(location)];
    const int64_t offset = shared_offset(test, here, to.cta >= 0 ? to.cta : here.cta.value_or(thread.at.cta)) + to.offset;
    for (const Placement& cta : program_.ctas) {
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
    const Test& test = *program_.test;
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
        const int from = location_index(copy.operands[1].name);
        for (const auto& [to, offset] : destinations(thread, copy)) {
            const int64_t step = copy.op == Op::bulk_reduce ? bits(data_type(copy)) / 8 : size_of(to);
            const auto count = static_cast<int64_t>(copy.operands[2].value) / step;
            links.push_back({to, from, offset, copy.operands[1].offset, step, count});
            keep(to, offset, step);
        }
    };
    for (const Thread& t : test.threads) {
        for (const Instruction& i : t.body) {
            const bool direct = is_copy(i.op) && !i.operands[0].indirect && !i.operands[1].indirect;
            if (direct && i.operands[2].kind == Operand::Kind::immediate) {
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
            if (is_copy(i.op) && has_word(i, "multicast::cluster") && !i.operands[0].indirect)
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
