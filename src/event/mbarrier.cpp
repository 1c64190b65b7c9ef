// mbarrier objects: what their operations become, and what the phases of one object relate (ISA 9.7.13.15,
// model/semantics.md section 6).
//
// An mbarrier object is one memory cell whose value is its whole state (ptx/mbarrier.h). Each operation on it is an atomic
// read and write of that state. Which phase an arrival falls in, and whether it completes that phase, is then a matter of
// values, like everything else that atomics do.
#include "ptx/mbarrier.h"

#include <algorithm>

#include "event/builder.h"
#include "event/relations.h"
#include "ptx/traits.h"

namespace litmus {

using Kind = Traits::Kind;

namespace {

constexpr int64_t smallest_part = 16;  // bytes: what bulk operations are multiples of (ISA 9.7.9.25.4.1)

}  // namespace

// ---- operations -----------------------------------------------------------------------------------

// One update of an object: an atomic read and write of its state. Of an asynchronous operation when
// `issue` is given.
Builder::Update Builder::update(const Context& c, const State& state, const MemoryPlace& at, const MbarrierStep& step, Sem sem, Scope scope,
                                std::optional<size_t> issue) {
    const auto event = [&](Event::Kind kind) {
        return issue ? asynchronous_event(c, *issue, kind, at, Type::b64, 0) : memory_event(c, state, kind, at, Type::b64, 0);
    };
    const size_t r = event(Event::Kind::read);
    const ExprId old = exprs_.read(static_cast<uint32_t>(r), bits(Type::b64));
    const size_t w = event(Event::Kind::write);
    Event& read = draft_.events[r];
    read.value = old;
    read.sem = Sem::relaxed;
    read.partner = static_cast<int>(w);
    Event& write = draft_.events[w];
    write.value = exprs_.apply(Operator::mbarrier_step, Type::b64, old, exprs_.constant(pack(step), bits(Type::b64)));
    write.sem = sem;
    write.partner = static_cast<int>(r);
    for (const size_t e : {r, w}) {
        draft_.events[e].scope = scope;
        draft_.events[e].proxy = Proxy::generic;
    }
    draft_.notes.dependencies.push_back({"data", r, w, ExprPool::yes});
    check_update(at, step, r);
    draft_.notes.steps[at.cell].push_back(step);
    return {r, w};
}

ExprId field(ExprPool& pool, ExprId state, Field field) {
    const ExprId shifted = pool.apply(Operator::shr, Type::u64, state, pool.constant(static_cast<uint64_t>(field.at), 64));
    return pool.apply(Operator::and_, Type::u64, shifted, pool.constant((uint64_t{1} << field.width) - 1, 64));
}

void Builder::must_be_live(const MemoryPlace& at, size_t read) {
    const ExprId life = field(exprs_, draft_.events[read].value, mbarrier_life);
    draft_.violations.push_back({read, exprs_.compare(Operator::eq, Type::u64, life, exprs_.constant(0, 64)),
                                 "`" + draft_.cells[static_cast<size_t>(at.cell)].name +
                                     "` is not an initialised mbarrier object when this operation comes (ISA 9.7.13.15.9)"});
}

// Undefined behaviour of an update: an object that is not live, more arrivals than are pending, more
// drops than are expected (ISA 9.7.13.15.2).
void Builder::check_update(const MemoryPlace& at, const MbarrierStep& step, size_t read) {
    must_be_live(at, read);
    const std::string object = "`" + draft_.cells[static_cast<size_t>(at.cell)].name + "`";
    const ExprId state = draft_.events[read].value;
    if (step.tx != 0) {
        // before this step the tx-count is in its range, else an earlier step is the fault; this step may take it out
        const ExprId count = exprs_.apply(Operator::add, Type::u64, field(exprs_, state, mbarrier_tx),
                                          exprs_.constant(static_cast<uint64_t>(int64_t{step.tx} + most_tx), 64));
        const ExprId shifted = exprs_.apply(Operator::and_, Type::u64, count, exprs_.constant((uint64_t{1} << mbarrier_tx.width) - 1, 64));
        draft_.violations.push_back({read, exprs_.compare(Operator::lt, Type::u64, exprs_.constant(2 * uint64_t{most_tx}, 64), shifted),
                                     "the tx-count of " + object + " leaves its range (ISA 9.7.13.15.2)"});
    }
    if (step.arrivals > 0) {
        const ExprId pending = field(exprs_, state, mbarrier_pending);
        const ExprId few = exprs_.compare(Operator::lt, Type::u64, pending, exprs_.constant(static_cast<uint64_t>(step.arrivals), 64));
        draft_.violations.push_back(
            {read, few, "the current phase of " + object + " waits for fewer arrivals than this (ISA 9.7.13.15.2)"});
    }
}

// A copy brings its bytes in parts of 16 bytes or more, and an H200 counts each as it comes (litmus/observed). So where the phase waits for
// nothing but fewer bytes than these, it completes in the middle of the copy. 9.7.9.27.1.2 has one complete-tx for the whole.
void Builder::check_parts(const MemoryPlace& at, size_t read, int64_t bytes) {
    const auto number = [&](int64_t value) { return exprs_.constant(static_cast<uint64_t>(value), 64); };
    const ExprId state = draft_.events[read].value, tx = field(exprs_, state, mbarrier_tx);
    const auto equals_zero = [&](ExprId value) { return exprs_.compare(Operator::eq, Type::u64, value, number(0)); };
    const ExprId arrived = equals_zero(field(exprs_, state, mbarrier_pending));
    const ExprId in_units = equals_zero(exprs_.apply(Operator::and_, Type::u64, tx, number(smallest_part - 1)));
    const ExprId fewer = exprs_.both(exprs_.negate(equals_zero(tx)), exprs_.compare(Operator::lt, Type::u64, tx, number(bytes)));
    draft_.violations.push_back({read, exprs_.both(exprs_.both(arrived, in_units), fewer),
                                 "the phase of `" + draft_.cells[static_cast<size_t>(at.cell)].name + "` waits for fewer than the " +
                                     std::to_string(bytes) + " bytes of this copy, and completes when so many have come",
                                 "overfills"});
}

// The place of the object that an operand names.
Builder::MemoryPlace Builder::object(const Operand& operand, const State& state) {
    return resolve(operand, Type::b64, 0, state);
}

void Builder::mbarrier(const Context& c, State& state) {
    const Instruction& i = c.instruction;
    if (kind(i.op) == Kind::mbarrier_query) {
        Dependencies reads;
        const ExprId token = value_of(state, i.at(Role::state), Type::u64, reads);
        check_pending_count(c, token);
        const ExprId count = exprs_.resize(field(exprs_, token, mbarrier_pending), 32, false);
        assign(state, i.at(Role::result), Type::u32, count, std::move(reads), c.when, c.guard_reads);
        return;
    }
    const Operand& address = i.at(Role::mbarrier);
    const MemoryPlace at = object(address, state);
    if (kind(i.op) == Kind::mbarrier_wait) return wait(c, state, at);
    const auto count = [&] {
        const Operand* operand = i.find(Role::count);
        const int32_t n = operand ? static_cast<int32_t>(constant_operand(state, *operand, "the count")) : 1;
        if (n > static_cast<int32_t>(most_count))
            fail(operand->span, "the count is above " + std::to_string(most_count) + ": not modelled");
        return n;
    };
    const auto bytes = [&] { return static_cast<int32_t>(constant_operand(state, i.at(Role::tx_count), "the number of bytes")); };
    if (kind(i.op) == Kind::mbarrier_life) {
        const size_t w = memory_event(c, state, Event::Kind::write, at, Type::b64, 0);
        MbarrierState s;
        if (i.op == Op::mbarrier_init) {
            s.life = next_life(at.cell, i.span);
            s.pending = s.expected = static_cast<uint32_t>(count());
        }
        Event& e = draft_.events[w];
        e.value = exprs_.constant(pack(s), bits(Type::b64));
        e.initialises = s.life > 0;
        e.invalidates = s.life == 0;
        depend_address(state, address, w);
        return;
    }
    MbarrierStep step;
    if (i.op == Op::mbarrier_expect_tx) {
        step.tx = bytes();
    } else if (i.op == Op::mbarrier_complete_tx) {
        step.tx = -bytes();
    } else if (i.find(Role::tx_count)) {
        step = {bytes(), 1, i.op == Op::mbarrier_arrive_drop ? 1 : 0};
    } else {
        step.arrivals = count();
        step.drops = i.op == Op::mbarrier_arrive_drop ? step.arrivals : 0;
    }
    const Update u = update(c, state, at, step, semantics(i), scope(i), std::nullopt);
    depend_address(state, address, u.read);
    depend_address(state, address, u.write);
    if (i.has("noComplete")) {
        const Event& w = draft_.events[u.write];
        const ExprId before = field(exprs_, draft_.events[u.read].value, mbarrier_phase);
        const ExprId after = field(exprs_, w.value, mbarrier_phase);
        draft_.violations.push_back({u.write, exprs_.negate(exprs_.compare(Operator::eq, Type::u64, before, after)),
                                     "this `.noComplete` arrival completes the phase (ISA 9.7.13.15.13)"});
    }
    if (step.arrivals > 0)
        draft_.notes.arrivals.push_back({u.write, at.cell, field(exprs_, draft_.events[u.read].value, mbarrier_phase), ExprPool::yes});
    const Operand* result = i.find(Role::result);
    if (result && result->kind == Operand::Kind::reg)
        assign(state, *result, Type::b64, token(at, u.read, i.has("noComplete")), {{u.read, ExprPool::yes}}, c.when, c.guard_reads);
}

// The lives of an object are numbered. A declaration that initialises it begins the first, each mbarrier.init the next.
uint32_t Builder::next_life(int cell, const Span& span) {
    const Cell& object = draft_.cells[static_cast<size_t>(cell)];
    const bool declared = test_.locations[static_cast<size_t>(object.location)].arrivals.has_value();
    const uint32_t life = ++draft_.lives.try_emplace(cell, declared ? 1 : 0).first->second;
    if (life >= uint32_t{1} << mbarrier_life.width)
        fail(span, "more than " + std::to_string((1 << mbarrier_life.width) - 1) + " initialisations of the mbarrier object `" +
                       object.name + "`: not modelled");
    return life;
}

// Undefined behaviour (ISA 9.7.13.15.17, 9.1): the pending count of a state that no `.noComplete` arrival gave. Here is noted
// what an execution decides, where the state comes from memory; the rest is a static rule (language/static_rules_async.cpp).
void Builder::check_pending_count(const Context& c, ExprId token) {
    std::optional<size_t> from;
    for_each_leaf(exprs_, token, [&](const Expr& leaf) {
        if (leaf.op == Expr::Op::read && leaf.index < draft_.events.size()) from = leaf.index;
    });
    if (!from) return;
    const ExprId given = exprs_.compare(Operator::eq, Type::u64, field(exprs_, token, token_no_complete), exprs_.constant(1, 64));
    draft_.violations.push_back({*from, exprs_.both(c.guard, exprs_.negate(given)),
                                 "mbarrier.pending_count of a state that no `.noComplete` arrival gave (ISA 9.7.13.15.17)"});
}

// The state token of an arrival, from the state that it found.
ExprId Builder::token(const MemoryPlace& at, size_t read, bool no_complete) {
    const uint64_t kept = (uint64_t{1} << token_object.at) - 1;
    const uint64_t object = static_cast<uint64_t>(at.cell + 1) << token_object.at;
    const ExprId fields = exprs_.apply(Operator::and_, Type::u64, draft_.events[read].value, exprs_.constant(kept, 64));
    const uint64_t mark = no_complete ? uint64_t{1} << token_no_complete.at : 0;
    return exprs_.apply(Operator::or_, Type::u64, fields, exprs_.constant(object | mark, 64));
}

// Whether the wait on a state token returns true. Undefined behaviour (ISA 9.7.13.15.16, 9.1): a token that is not of this
// object and life, or neither of the current phase nor of the one before; such a wait does not return true.
ExprId Builder::wait_for_token(const MemoryPlace& at, size_t read, ExprId token) {
    const ExprId object = draft_.events[read].value;
    const auto equal = [&](ExprId a, ExprId b) { return exprs_.compare(Operator::eq, Type::u64, a, b); };
    const ExprId mine = exprs_.both(equal(field(exprs_, token, token_object), exprs_.constant(static_cast<uint64_t>(at.cell) + 1, 64)),
                                    equal(field(exprs_, token, mbarrier_life), field(exprs_, object, mbarrier_life)));
    const ExprId current = field(exprs_, object, mbarrier_phase), phase = field(exprs_, token, mbarrier_phase);
    const ExprId done = equal(exprs_.apply(Operator::add, Type::u64, phase, exprs_.constant(1, 64)), current);
    const std::string text = "the state token is not of this object and its life, or neither of the current phase nor of the one before";
    draft_.violations.push_back(
        {read, exprs_.negate(exprs_.both(mine, exprs_.either(done, equal(phase, current)))), text + " (ISA 9.7.13.15.16)"});
    return exprs_.both(mine, done);
}

// test_wait and try_wait: true when the phase of that parity, or of that state token, has completed
// (ISA 9.7.13.15.16). Of an awaited one, only the try that returns true becomes an event.
void Builder::wait(const Context& c, State& state, const MemoryPlace& at) {
    const Instruction& i = c.instruction;
    const size_t r = memory_event(c, state, Event::Kind::read, at, Type::b64, 0);
    const ExprId object = exprs_.read(static_cast<uint32_t>(r), bits(Type::b64));
    Event& e = draft_.events[r];
    e.value = object;
    e.sem = semantics(i);
    depend_address(state, i.at(Role::mbarrier), r);
    must_be_live(at, r);
    Dependencies reads{{r, ExprPool::yes}};
    Dependencies of_operand;
    ExprId done;
    if (const Operand* named = i.find(Role::parity)) {
        const ExprId operand = value_of(state, *named, Type::u64, of_operand);
        const ExprId parity = exprs_.apply(Operator::and_, Type::u64, operand, exprs_.constant(1, 64));
        done = exprs_.negate(exprs_.compare(Operator::eq, Type::u64, field(exprs_, object, {mbarrier_phase.at, 1}), parity));
    } else {
        done = wait_for_token(at, r, value_of(state, i.at(Role::state), Type::u64, of_operand));
    }
    depend("ctrl", of_operand, r);
    const ExprId returned = !i.await ? done : c.fails ? ExprPool::no : ExprPool::yes;
    draft_.notes.pairs.push_back({"returned", r, r, returned});
    draft_.notes.waits.push_back({r, at.cell, field(exprs_, object, mbarrier_phase), returned});
    if (i.await) {
        await_that(c, done);
        block(c, state, reads, of_operand, done);
        return;
    }
    add_reads(exprs_, reads, of_operand);
    assign(state, i.at(Role::result), Type::pred, done, std::move(reads), c.when, c.guard_reads);
}

// ---- what the phases and lives of an object relate ---------------------------------------------------

// ISA 9.7.13.15.4: an arrival in a later phase comes after a wait that saw the phase before complete. `later-phase`
// marks such arrivals, `confirms` leads to them from the waits that saw their phase begin.
void Relations::relate_phases() {
    for (const Notes::PhaseSeen& a : notes_.arrivals) {
        program_.budget.check();
        const ExprId first = program_.exprs.compare(Operator::eq, Type::u64, a.phase, program_.exprs.constant(0, bits(Type::b64)));
        notes_.pairs.push_back({"later-phase", a.event, a.event, program_.exprs.negate(first)});
        for (const Notes::PhaseSeen& w : notes_.waits)
            if (w.cell == a.cell)
                notes_.pairs.push_back({"confirms", w.event, a.event,
                                        program_.exprs.both(w.when, program_.exprs.compare(Operator::eq, Type::u64, w.phase, a.phase))});
    }
}

// `leaves-live` and `leaves-dead`: whether an object is alive after a write to it, for those that the test initialises or
// invalidates.
void Relations::relate_lives() {
    std::set<int> changing;
    for (const Event& e : program_.events)
        if (e.initialises || e.invalidates) changing.insert(e.cell);
    for (size_t e = 0; e < program_.events.size(); ++e) {
        const Event& event = program_.events[e];
        if (!event.is_write() || changing.count(event.cell) == 0) continue;
        const ExprId dead = program_.exprs.compare(Operator::eq, Type::u64, field(program_.exprs, event.value, mbarrier_life),
                                                   program_.exprs.constant(0, 64));
        notes_.pairs.push_back({"leaves-live", e, e, program_.exprs.negate(dead)});
        notes_.pairs.push_back({"leaves-dead", e, e, dead});
    }
}

// The counts of an mbarrier object are fields of one value. Whatever the order of the updates, the pending count stays
// within the sum of what is added to it: when that fits, it never runs into the next field, and otherwise the test is
// refused. The tx-count has room for one step out of its range, and that step is undefined behaviour.
void Relations::check_counts() {
    for (const auto& [cell, steps] : notes_.steps) {
        int64_t count = 0;
        for (const MbarrierStep& step : steps) count += std::max(0, -step.arrivals);
        for (const Event& e : program_.events) {
            if (e.cell != cell || !e.is_write() || !program_.exprs.is_constant(e.value)) continue;
            count += unpack(program_.exprs[e.value].value).pending;
        }
        if (count >= int64_t{1} << mbarrier_pending.width)
            throw Failure(program_.test->source,
                          program_.test->locations[static_cast<size_t>(program_.cells[static_cast<size_t>(cell)].location)].span,
                          "the counts of this mbarrier object could leave their range: not modelled");
    }
}

}  // namespace litmus
