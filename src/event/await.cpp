// Awaits: what waits in a loop or in one instruction until a condition holds (model/semantics.md section 1).
//
// A loop is an await when its failing iterations write nothing, or by an atomic the value that this reads (write_back.cpp), and change no
// register that matters later (liveness.h). Whether it is one is found by a trial: one iteration is executed with every register that the
// region assigns set to a poison value. If no event that can happen in a failing iteration writes otherwise or synchronizes, and no poison
// is left in anything that survives, only the last iteration is kept, under the constraint that it does not fail. Otherwise the trial is
// undone.
//
// For races and undefined behaviour (BuildOptions::blocked) an await is preceded by one failing iteration, whole, that a
// choice switches on, and another choice says whether the thread stays there for ever.
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

constexpr uint32_t first_poison = 0xffff0000U;  // leaves from here on stand for no event

std::set<std::string> assigned_registers(const Thread& thread, size_t first, size_t last) {
    std::set<std::string> names;
    for (size_t i = first; i <= last; ++i)
        for (const std::string& name : written_registers(thread.body[i])) names.insert(name);
    return names;
}

}  // namespace

// ---- one awaited instruction ----------------------------------------------------------------------

// A choice for hazards only: executions that give outcomes do not take it (Program::diverted).
ExprId Builder::divert() {
    draft_.diverted.push_back(draft_.choices);
    return exprs_.choice(draft_.choices++);
}

// An awaited instruction at which the thread may stay for ever. It stays only if its condition (the constraints that it brings)
// does not hold in the final state. Before that it may fail once.
void Builder::execute_or_block(Context c, State& state) {
    const uint32_t stays = draft_.choices;
    const ExprId stay = divert(), fails = divert();
    const ExprId here = exprs_.both(c.guard, stay);
    const ExprId passes = exprs_.negate(stay);
    draft_.constraints.push_back(exprs_.either(exprs_.negate(here), fails));
    fail_once(c, state, fails);
    c.guard = exprs_.both(c.guard, passes);
    const size_t before = draft_.constraints.size(), first = draft_.events.size();
    execute(c, state);
    ExprId met = ExprPool::yes;
    for (size_t i = before; i < draft_.constraints.size(); ++i) met = exprs_.both(met, draft_.constraints[i]);
    draft_.blocked.push_back({thread_, c.index, here, exprs_.negate(at_end(met, stays, first))});
    state.guard = exprs_.both(state.guard, exprs_.negate(exprs_.both(c.when, stay)));
}

// One failing execution of the awaited instruction, when `fails`. What follows waits for it, too.
void Builder::fail_once(Context c, State& state, ExprId fails) {
    c.guard = exprs_.both(c.guard, fails);
    c.fails = true;
    State aside = state;  // its registers do not count: the execution that succeeds writes them
    const int outer = std::exchange(iteration_, ++draft_.thread.iterations);
    const size_t first = draft_.events.size();
    execute(c, aside);
    draft_.notes.failing_iterations.emplace_back(first, draft_.events.size());
    iteration_ = outer;
    const auto under_fails = [&](const Dependencies& after) { return under(exprs_, after, fails); };
    add_reads(exprs_, state.control, under_fails(aside.control));
    add_reads(exprs_, state.blocking, under_fails(aside.blocking));
    add_reads(exprs_, state.awaited, under_fails(aside.awaited));
}

// What an expression is in the final state, if the choice is not taken: each read from event `first` on has the final value of
// its cell. Earlier reads have happened and keep their values.
ExprId Builder::at_end(ExprId e, uint32_t choice, size_t first) {
    return substitute(exprs_, e, [&](const Expr& leaf) -> std::optional<ExprId> {
        if (leaf.op == Expr::Op::choice && leaf.index == choice) return ExprPool::no;
        if (leaf.op != Expr::Op::read || leaf.index < first || leaf.index >= draft_.events.size()) return std::nullopt;
        if (draft_.events[leaf.index].cell < 0) return std::nullopt;
        return exprs_.final_value(static_cast<uint32_t>(draft_.events[leaf.index].cell), leaf.bits);
    });
}

// ---- loops ------------------------------------------------------------------------------------------

// Tries one iteration. With BuildOptions::blocked, the trial that showed an await is undone, too, and followed by the executions
// of which the program is made: a failing iteration, and then the last one.
bool Builder::await(const Region& region, const Pending& inside, Pending& exits) {
    if (inside.size() != 1 || inside.begin()->first != region.first) return false;
    const Draft before = draft_;
    State entry = inside.begin()->second;
    Pending trial;
    if (!last_iteration(region, entry, trial)) {
        draft_ = before;
        return false;
    }
    if (options_.blocked) {
        draft_ = before;
        trial.clear();
        const uint32_t stays = draft_.choices;
        const ExprId stay = divert(), fails = divert();
        const ExprId here = exprs_.both(entry.guard, stay);
        draft_.constraints.push_back(exprs_.either(exprs_.negate(here), fails));
        entry = failing_iteration(region, entry, fails);
        entry.guard = exprs_.both(entry.guard, exprs_.negate(stay));
        const size_t first = draft_.events.size();
        const size_t inner = draft_.blocked.size();
        const uint32_t unknown = draft_.unknown;
        const std::optional<ExprId> failing = last_iteration(region, entry, trial);
        if (!failing) {  // the failing iteration has decided its condition: it is no await, and unrolls
            draft_ = before;
            return false;
        }
        for (size_t i = inner; i < draft_.blocked.size(); ++i)
            entry.guard = exprs_.both(entry.guard, exprs_.negate(draft_.blocked[i].when));
        draft_.blocked.push_back({thread_, static_cast<int>(region.last), here, whenever(at_end(*failing, stays, first), unknown)});
    }
    for (auto& [at, state] : trial) {
        if (trial.size() == 1 && draft_.traps.size() == before.traps.size())
            state.guard = entry.guard;  // the only way out: whoever enters the loop, and does not stay in it, leaves it there
        arrive(exits, at, state);
    }
    return true;
}

std::optional<ExprId> Builder::last_iteration(const Region& region, const State& entry, Pending& trial) {
    const Draft before = draft_;
    const uint32_t poison = first_poison + trials_;  // an enclosing trial has another one
    State start = entry;
    for (const std::string& name : assigned_registers(thread(), region.first, region.last)) {
        // a dependency on itself marks the poison even where folding removes the value
        start.registers[name] = {exprs_.read(poison, 64), false, {{poison, ExprPool::yes}}};
    }
    trial.emplace(region.first, std::move(start));
    back_edges_.clear();
    const int outer = std::exchange(iteration_, ++draft_.thread.iterations);
    ++trials_;
    try {
        run(region.first, region.last + 1, &region, trial);
    } catch (const UnknownOperand&) {  // it depends on earlier iterations
        --trials_;
        iteration_ = outer;
        back_edges_.clear();
        return std::nullopt;
    }
    --trials_;
    iteration_ = outer;
    ExprId failing = ExprPool::no;
    for (const auto& [at, state] : std::exchange(back_edges_, {})) failing = exprs_.either(failing, state.guard);
    forget_dead(trial, poison);
    if (failing == ExprPool::no || !is_await(region, before, poison, failing, trial)) return std::nullopt;
    draft_.constraints.push_back(exprs_.negate(failing));
    for (auto& [at, state] : trial)
        for (const auto& [read, when] : state.control)  // inner awaits block already
            if (influence_.can_change(read, failing)) {
                state.blocking[read] = when;
                wait_always(state, {{read, when}});
            }
    return failing;
}

// One whole iteration, when `fails`, that ends where the loop begins again. Returns the state there, for executions with it and
// without. Registers are those of `entry`: nothing in or after an await reads what a failing iteration has assigned.
State Builder::failing_iteration(const Region& region, const State& entry, ExprId fails) {
    State start = entry;
    start.guard = exprs_.both(entry.guard, fails);
    Pending inside{{region.first, start}};
    back_edges_.clear();
    const int outer = std::exchange(iteration_, ++draft_.thread.iterations);
    const size_t first = draft_.events.size();
    run(region.first, region.last + 1, &region, inside);
    draft_.notes.failing_iterations.emplace_back(first, draft_.events.size());
    iteration_ = outer;
    State next = entry;
    ExprId failing = ExprPool::no;
    const Pending back = std::exchange(back_edges_, {});
    for (const auto& [at, state] : back) failing = exprs_.either(failing, state.guard);
    for (const auto& [at, state] : back) {
        const Dependencies control = under(exprs_, state.control, fails);
        add_reads(exprs_, next.control, control);
        for (const auto& [read, when] : control)
            if (influence_.can_change(read, failing)) add_reads(exprs_, next.blocking, {{read, when}});
        add_reads(exprs_, next.awaited, under(exprs_, state.awaited, fails));
    }
    draft_.constraints.push_back(exprs_.either(exprs_.negate(start.guard), failing));
    return next;
}

void Builder::forget_dead(Pending& pending, uint32_t poison) {
    for (auto& [at, state] : pending)
        for (auto& [name, r] : state.registers) {
            if (live_[at].count(name) > 0 || !(has_read(exprs_, r.value, poison) || r.reads.count(poison) > 0)) continue;
            r.value = exprs_.read(forgotten, 64);
            r.reads.clear();
        }
}

bool Builder::may_write_back(const Region& region, const Event& write) const {
    if (write.partner < 0 || write.asynchronous || options_.slots != nullptr || unrolled_.count({thread_, region.first}) != 0) return false;
    const Instruction& i = thread().body[static_cast<size_t>(write.instruction)];
    if (kind(i.op) != Traits::Kind::atomic || data_type(i) == Type::b128) return false;  // write_back.cpp looks at one location
    // what a second execution would leave as it is, whatever the first one has read; or what folding shows to be the value read
    const bool idempotent = row(operation(i)).idempotent;
    return idempotent || write.value == draft_.events[static_cast<size_t>(write.partner)].value;
}

bool Builder::is_await(const Region& region, const Draft& before, uint32_t poison, ExprId failing, const Pending& exits) {
    const auto poisoned = [&](ExprId e) {
        budget_.check();  // over all of the expression
        return has_read(exprs_, e, poison);
    };
    if (poisoned(failing) || draft_.notes.barriers.size() != before.notes.barriers.size() || draft_.bounds.size() != before.bounds.size())
        return false;
    if (draft_.thread.bulk_groups.commits.size() != before.thread.bulk_groups.commits.size() ||
        draft_.thread.copy_groups.commits.size() != before.thread.copy_groups.commits.size() ||
        draft_.thread.matrix_steps.size() != before.thread.matrix_steps.size())
        return false;
    for (size_t i = before.constraints.size(); i < draft_.constraints.size(); ++i) {
        if (poisoned(draft_.constraints[i])) return false;
    }
    for (size_t i = before.events.size(); i < draft_.events.size(); ++i) {
        const Event& e = draft_.events[i];
        if (e.kind == Event::Kind::init) continue;
        if (e.kind == Event::Kind::issue || e.kind == Event::Kind::grid_trigger || e.kind == Event::Kind::grid_wait || poisoned(e.guard))
            return false;
        if (e.kind != Event::Kind::write) continue;
        if (poisoned(e.value)) return false;
        if (exclude(exprs_, e.guard, failing)) continue;  // a cas that fails in a failing iteration, say
        if (!may_write_back(region, e)) return false;
        draft_.notes.write_backs.push_back({thread_, region.first, static_cast<size_t>(e.partner), i, failing});
    }
    for (size_t i = before.notes.dependencies.size(); i < draft_.notes.dependencies.size(); ++i) {
        if (draft_.notes.dependencies[i].read == poison) return false;
    }
    for (size_t i = before.notes.pairs.size(); i < draft_.notes.pairs.size(); ++i) {
        if (poisoned(draft_.notes.pairs[i].when)) return false;
    }
    for (size_t i = before.violations.size(); i < draft_.violations.size(); ++i) {
        if (poisoned(draft_.violations[i].when)) return false;
    }
    for (const auto& [at, state] : exits) {
        if (state.control.count(poison)) return false;
        for (const auto& [name, r] : state.registers) {
            if (poisoned(r.value) || r.reads.count(poison)) return false;
        }
    }
    return true;
}

}  // namespace litmus
