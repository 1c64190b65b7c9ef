// Test -> Program: threads are executed symbolically, once, all paths merged.
//
// A state is what one path knows: the condition under which it is taken, an expression per register, and the reads each
// register and the control flow depend on. Forward branches put a state at their target, where states meet and merge (a
// register becomes an if-then-else of its two values). Backward branches make loops (loop.cpp).
#include <algorithm>
#include <stdexcept>

#include "event/builder.h"
#include "language/aligned.h"
#include "ptx/traits.h"

namespace litmus {

using Kind = Traits::Kind;

namespace {

constexpr size_t most_steps = 100000;  // instructions executed: some seconds

// Exits matter where threads wait for others or execute an instruction with others, where shared memory is reached from another CTA, and
// where a grid waits for another.
bool needs_exits(const Test& test, size_t ctas) {
    const bool shared =
        std::any_of(test.locations.begin(), test.locations.end(), [](const Location& l) { return l.space == Space::shared; });
    if (shared && test.dialect == Dialect::native && ctas > 1) return true;
    return std::any_of(test.threads.begin(), test.threads.end(), [&](const Thread& thread) {
        return std::any_of(thread.body.begin(), thread.body.end(),
                           [&](const Instruction& i) { return meets_others(i.op) || is_executed_with_others(test, i, thread); });
    });
}

// Where the claim or the filter first names a register.
std::optional<Span> named_in(const Condition& condition, int thread, const std::string& name) {
    for (const Term* term : {&condition.left, &condition.right})
        if (condition.kind == Condition::Kind::atom && term->kind == Term::Kind::reg && term->thread == thread && term->name == name)
            return term->span;
    for (const Condition& part : condition.operands)
        if (const auto found = named_in(part, thread, name)) return found;
    return std::nullopt;
}

std::optional<Span> named_in_claim(const Test& test, int thread, const std::string& name) {
    if (const auto found = named_in(test.claim.condition, thread, name)) return found;
    return test.filter ? named_in(*test.filter, thread, name) : std::nullopt;
}

}  // namespace

void Builder::arrive(Pending& pending, size_t at, const State& state) {
    if (state.guard == ExprPool::no) return;
    const auto it = pending.find(at);
    if (it == pending.end()) {
        pending.emplace(at, state);
    } else {
        it->second = merge(exprs_, it->second, state);
    }
}

size_t Builder::label_target(const Operand& operand) const {
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

void Builder::build_thread(int t) {
    thread_ = t;
    iteration_ = 0;
    draft_.thread = {};
    regions_ = find_regions();
    matrix_registers_ = matrix_registers(thread());
    opaque_registers_ = unknown_cluster_registers(test_, thread());
    opaque_registers_.insert(matrix_registers_.begin(), matrix_registers_.end());
    const RegisterNames observed = observed_registers(test_, static_cast<size_t>(t));
    live_ = live_registers(thread(), observed);
    Pending pending;
    State start;
    for (const auto& [name, value] : thread().registers) {
        note_register(name, Type::u32);
        start.registers[name] = {exprs_.constant(value, 32), false, {}, ExprPool::yes};
    }
    begin_thread(start);
    if (start.guard == ExprPool::no) return;
    pending.emplace(0, std::move(start));
    const size_t end = thread().body.size();
    run(0, end, nullptr, pending);
    const auto last = pending.find(end);
    if (last == pending.end()) return;  // no path leaves the thread
    if (has_grids() || needs_exits(test_, draft_.ctas.size())) {
        Event e;
        e.kind = Event::Kind::exit;
        if (options_.blocked) e.guard = last->second.guard;
        const size_t id = add_event(e);
        depend_control(last->second, id);
        draft_.notes.exits[t] = id;
    }
    for (auto& [name, r] : last->second.registers) {
        if (has_read(exprs_, r.value, forgotten)) continue;
        if (is_unknown(r.value)) {
            if (test_.claim.kind != Claim::Kind::none && observed.count(name) > 0)
                fail(named_in_claim(test_, t, name).value_or(thread().span),
                     "the value of `" + name + "` is known to nobody: it comes of a clock, or is a cache policy",
                     "claim what needs no value: `racefree` instead");
            continue;
        }
        if (has_read(exprs_, r.value, opaque_value)) {
            if (test_.claim.kind != Claim::Kind::none && observed.count(name) > 0)
                fail_unknown(named_in_claim(test_, t, name).value_or(thread().span), name, "claim what needs no value: `racefree` instead");
            continue;
        }
        const auto type = draft_.register_types.find({t, name});
        if (type != draft_.register_types.end() && type->second == Type::b128) continue;  // an answer: no value to compare
        Register out;
        out.thread = t;
        out.name = name;
        out.type = type == draft_.register_types.end() ? Type::u32 : type->second;
        out.value = exprs_.resize(r.value, bits(out.type), r.sign);
        out.written = type != draft_.register_types.end();
        draft_.registers.push_back(out);
    }
}

void Builder::run(size_t first, size_t end, const Region* current, Pending& pending) {
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

void Builder::step(size_t index, State state, Pending& pending, const Region* current) {
    budget_.check();
    const Instruction& instruction = thread().body[index];
    if (++executed_ > most_steps)
        fail(instruction.span, "the loops of this test unroll to more than " + std::to_string(most_steps) + " instructions",
             "lower --unroll, or write fewer loops into one another");
    Context c{instruction, static_cast<int>(index), state.guard, ExprPool::yes, {}};
    if (instruction.guard) {
        c.when = read_register(exprs_, state, instruction.guard->reg, Type::pred);
        if (instruction.guard->negated) c.when = exprs_.negate(c.when);
        c.guard_reads = register_reads(state, instruction.guard->reg);
        c.guard = exprs_.both(state.guard, c.when);
    }
    choose_alternative(c, state);
    require_written(c, state);
    note_matrix_registers(c, state);
    check_tensor_results(c);
    wait_for_operands(c, state);
    refuse_unknown(c, state);
    if (instruction.op == Op::trap) {
        trap(c, std::move(state), pending);
        return;
    }
    if (kind(instruction.op) == Kind::branch || kind(instruction.op) == Kind::exit) {
        branch(c, std::move(state), pending, current);
        return;
    }
    if (c.guard != ExprPool::no) execute_everywhere(c, state);
    arrive(pending, index + 1, state);
}

// In an open program an alternative of a slot takes part only if it is chosen.
void Builder::choose_alternative(Context& c, const State& state) {
    if (options_.slots == nullptr) return;
    const int slot = options_.slots->at(static_cast<size_t>(thread_)).at(static_cast<size_t>(c.index));
    if (slot < 0) return;
    const ExprId chosen = exprs_.choice(draft_.choices++);
    draft_.alternatives.push_back({thread_, c.index, slot, chosen});
    c.when = exprs_.both(c.when, chosen);
    c.guard = exprs_.both(state.guard, c.when);
}

// Of the alternatives of each slot exactly one is chosen.
void Builder::close_slots() {
    std::map<int, std::vector<ExprId>> slots;
    for (const SlotChoice& a : draft_.alternatives) slots[a.slot].push_back(a.chosen);
    for (const auto& [slot, choices] : slots) {
        ExprId some = ExprPool::no;
        for (size_t i = 0; i < choices.size(); ++i) {
            some = exprs_.either(some, choices[i]);
            for (size_t j = i + 1; j < choices.size(); ++j)
                draft_.constraints.push_back(exprs_.negate(exprs_.both(choices[i], choices[j])));
        }
        draft_.constraints.push_back(some);
    }
}

void Builder::branch(const Context& c, State state, Pending& pending, const Region* current) {
    const Instruction& i = c.instruction;
    ExprId when = c.when;
    add_reads(exprs_, state.control, c.guard_reads);
    const bool compares = i.find(Role::source);  // beq/bne a, b, L of the column format
    if (compares) {
        Dependencies reads;
        const ExprId a = value_of(state, i.at(Role::source, 0), Type::u32, reads);
        const ExprId b = value_of(state, i.at(Role::source, 1), Type::u32, reads);
        add_reads(exprs_, state.control, reads);
        when = exprs_.both(when, exprs_.compare(i.mnemonic == "beq" ? Operator::eq : Operator::ne, Type::u32, a, b));
    }
    const size_t index = static_cast<size_t>(c.index);
    const size_t target = kind(i.op) == Kind::exit ? thread().body.size() : label_target(i.at(Role::label));
    const bool back = target <= index, out = current && target > current->last;  // to the loop's start, or out of it
    if (current && (back || out) && (i.guard || compares)) {
        if (exprs_.is_constant(when))
            turns_.decided = true;
        else
            (back ? turns_.open : turns_.may_leave) = true;
    }
    State taken = state;
    taken.guard = exprs_.both(state.guard, when);
    state.guard = exprs_.both(state.guard, exprs_.negate(when));
    if (target <= index && current && target >= current->first) {
        arrive(back_edges_, target, taken);
    } else {
        arrive(pending, target, taken);
    }
    arrive(pending, index + 1, state);
}

void Builder::perform(const Context& c, State& state) {
    if (c.instruction.await && options_.blocked)
        execute_or_block(c, state);
    else
        execute(c, state);
}

// The thread has no exit: nobody who waits for one gets past there, and nobody who waits is stuck.
void Builder::trap(const Context& c, State state, Pending& pending) {
    add_reads(exprs_, state.control, c.guard_reads);
    draft_.constraints.push_back(exprs_.either(exprs_.negate(c.guard), options_.blocked ? divert() : ExprPool::no));
    draft_.traps.push_back(c.guard);
    state.guard = exprs_.both(state.guard, exprs_.negate(c.when));
    arrive(pending, static_cast<size_t>(c.index) + 1, state);
}

// An event that orders nothing: where the thread executes what others have to execute, too.
void Builder::note_aligned(const Context& c, const State& state) {
    if (test_.dialect != Dialect::native || !is_executed_with_others(test_, c.instruction, thread())) return;
    Event e = event_of(c, Event::Kind::group_wait);
    e.scope = Scope::none;
    BarrierUse use;
    use.event = add_event(e);
    use.instruction = &thread().body[static_cast<size_t>(c.index)];
    depend_control(state, use.event);
    depend("ctrl", c.guard_reads, use.event);
    draft_.notes.aligned.push_back(use);
}

void Builder::execute(const Context& c, State& state) {
    check_static_rules(c, state);
    note_aligned(c, state);
    const Kind what = kind(c.instruction.op);
    if (is_multimem(c.instruction.op) && what != Kind::bulk && what != Kind::from_registers) return multimem(c, state);
    switch (what) {
        case Kind::load:
            return load(c, state);
        case Kind::store:
            return store(c, state);
        case Kind::atomic:
            return atomic(c, state);
        case Kind::fence:
        case Kind::proxy_fence:
            return fence(c, state);
        case Kind::cta_barrier:
        case Kind::quorum:
        case Kind::warp_barrier:
        case Kind::cluster_barrier:
        case Kind::warp_reduction:
            return barrier(c, state);
        case Kind::warp_matrix:
            return warp_matrix(c, state);
        case Kind::from_registers:
            return from_registers(c, state);
        case Kind::bulk:
            return bulk(c, state);
        case Kind::tensor:
            return tensor(c, state);
        case Kind::map_write:
            if (c.instruction.op == Op::map_field) return replace_field(c, state);
            return c.instruction.op == Op::map_copy ? copy_map(c, state) : replace_array(c, state);
        case Kind::bulk_commit:
            return commit(c, draft_.thread.bulk_groups);
        case Kind::bulk_wait:
            return wait_group(c, state, draft_.thread.bulk_groups);
        case Kind::copy:
            return copy(c, state);
        case Kind::copy_commit:
            return commit(c, draft_.thread.copy_groups);
        case Kind::copy_wait:
            return wait_group(c, state, draft_.thread.copy_groups);
        case Kind::copy_arrive:
            return asynchronous_arrive(c, state);
        case Kind::mbarrier_life:
        case Kind::mbarrier_count:
        case Kind::mbarrier_arrival:
        case Kind::mbarrier_wait:
        case Kind::mbarrier_query:
            return mbarrier(c, state);
        case Kind::mma:
            return mma(c, state);
        case Kind::mma_fence:
            draft_.thread.matrix_steps.push_back({MatrixStep::Kind::fence, c.guard});
            return;
        case Kind::mma_commit:
            draft_.thread.matrix_steps.push_back({MatrixStep::Kind::commit, c.guard});
            return commit(c, draft_.thread.mma_groups);
        case Kind::mma_wait:
            wait_group(c, state, draft_.thread.mma_groups);
            draft_.thread.matrix_steps.push_back({MatrixStep::Kind::wait, c.guard});
            draft_.thread.matrix_steps.back().pending = c.instruction.at(Role::groups).value;
            return;
        case Kind::tcgen:
            return operate_on_tensor_memory(c, state);
        case Kind::tcgen_commit:
            return tensor_commit(c, state);
        case Kind::tcgen_wait:
            return tensor_wait(c, state);
        case Kind::tcgen_fence:
            return fence(c, state);
        case Kind::tcgen_life:
            return tensor_life(c, state);
        case Kind::fill:
            return fill(c, state);
        case Kind::cancellation:
            return request_cancellation(c, state);
        case Kind::cancellation_query:
            return query_cancellation(c, state);
        case Kind::arithmetic:
            return compute(c, state);
        case Kind::hint:
            return;
        case Kind::grid_trigger:
            return trigger_grids(c, state);
        case Kind::grid_wait:
            return wait_for_grids(c, state);
        case Kind::branch:
        case Kind::exit:
            throw std::logic_error("where control goes on is no matter of execution");
    }
}

}  // namespace litmus
