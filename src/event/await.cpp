// Awaits: what waits in a loop or in one instruction until a condition holds (model/semantics.md section 1).
//
// A loop is an await when its failing iterations write nothing and change no register that is read later. Whether it is one is
// found by a trial: one iteration is executed with every register that the region assigns set to a poison value. If no event
// that can happen in a failing iteration writes or synchronizes, and no poison is left in anything that survives, only the
// last iteration is kept, under the constraint that it does not fail. Otherwise the trial is undone.
//
// For races and undefined behaviour (BuildOptions::blocked) an await is preceded by one failing iteration, whole, that a
// choice switches on, and another choice says whether the thread stays there for ever.
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

constexpr uint32_t first_poison = 0xffff0000U;  // leaves from here on stand for no event

}  // namespace

// ---- one awaited instruction ----------------------------------------------------------------------

// A choice that outcomes do not make.
ExprId Builder::divert() {
    program_.diverted.push_back(program_.choices);
    return program_.exprs.choice(program_.choices++);
}

// An awaited instruction at which the thread may stay: it does when what it awaits, which the constraints that
// it brings say, does not hold of the final state. Before, it may have failed once.
void Builder::execute_or_block(Context c, State& state) {
    ExprPool& exprs = program_.exprs;
    const uint32_t stays = program_.choices;
    const ExprId stay = divert(), fails = divert();
    const ExprId here = exprs.both(c.guard, stay);
    const ExprId passes = exprs.negate(stay);
    program_.constraints.push_back(exprs.either(exprs.negate(here), fails));
    fail_once(c, state, fails);
    c.guard = exprs.both(c.guard, passes);
    const size_t before = program_.constraints.size(), first = program_.events.size();
    execute(c, state);
    ExprId met = ExprPool::yes;
    for (size_t i = before; i < program_.constraints.size(); ++i) met = exprs.both(met, program_.constraints[i]);
    program_.blocked.push_back({thread_, c.index, here, exprs.negate(at_end(met, stays, first))});
    state.guard = exprs.both(state.guard, exprs.negate(exprs.both(c.when, stay)));
}

// The awaited instruction, when `fails`, as it is executed without meeting its condition. What follows waits for it.
void Builder::fail_once(Context c, State& state, ExprId fails) {
    c.guard = program_.exprs.both(c.guard, fails);
    c.fails = true;
    State aside = state;  // the registers that it writes are written again
    const int outer = std::exchange(iteration_, ++iterations_);
    execute(c, aside);
    iteration_ = outer;
    const auto under_fails = [&](const Dependencies& after) { return under(after, fails); };
    add_reads(state.control, under_fails(aside.control));
    add_reads(state.blocking, under_fails(aside.blocking));
    add_reads(state.awaited, under_fails(aside.awaited));
}

// What an expression comes to when the reads from event `first` on read the final state, in the execution without the
// choice. Earlier reads have happened and keep their values.
ExprId Builder::at_end(ExprId e, uint32_t choice, size_t first) {
    return substitute(program_.exprs, e, [&](const Expr& leaf) -> std::optional<ExprId> {
        if (leaf.op == Expr::Op::choice && leaf.index == choice) return ExprPool::no;
        if (leaf.op != Expr::Op::read || leaf.index < first || leaf.index >= program_.events.size()) return std::nullopt;
        if (program_.events[leaf.index].cell < 0) return std::nullopt;
        return program_.exprs.final_value(static_cast<uint32_t>(program_.events[leaf.index].cell), leaf.bits);
    });
}

// ---- loops ------------------------------------------------------------------------------------------

std::set<std::string> Builder::assigned_registers(const Region& region) const {
    std::set<std::string> names;
    for (size_t i = region.first; i <= region.last; ++i)
        for (const std::string& name : written_registers(thread().body[i])) names.insert(name);
    return names;
}

bool Builder::has_leaf(ExprId e, uint32_t index) const {
    program_.budget.check();  // over all of the expression
    bool found = false;
    for_each_leaf(program_.exprs, e, [&](const Expr& leaf) { found = found || (leaf.op == Expr::Op::read && leaf.index == index); });
    return found;
}

// What holds wherever e does: its conjuncts, with negations pushed inside.
std::vector<ExprId> Builder::conjuncts(ExprId e) {
    std::vector<ExprId> open{e}, result;
    while (!open.empty()) {
        const ExprId next = open.back();
        open.pop_back();
        const Expr x = program_.exprs[next], inner = x.op == Expr::Op::not_ ? Expr(program_.exprs[x.a]) : x;
        if (x.op == Expr::Op::and_)
            open.insert(open.end(), {x.a, x.b});
        else if (x.op == Expr::Op::not_ && inner.op == Expr::Op::or_)
            open.insert(open.end(), {program_.exprs.negate(inner.a), program_.exprs.negate(inner.b)});
        else
            result.push_back(next);
    }
    return result;
}

// Whether two conditions contradict each other, as far as their conjuncts show: one of them denies another.
bool Builder::exclude(ExprId a, ExprId b) {
    std::set<ExprId> all;
    for (const ExprId e : {a, b})
        for (const ExprId part : conjuncts(e)) all.insert(part);
    return std::any_of(all.begin(), all.end(),
                       [&](ExprId part) { return part == ExprPool::no || all.count(program_.exprs.negate(part)) != 0; });
}

bool Builder::await(const Region& region, const Pending& inside, Pending& exits) {
    if (inside.size() != 1 || inside.begin()->first != region.first) return false;
    const Mark before = mark();
    State entry = inside.begin()->second;
    Pending trial;
    if (!last_iteration(region, entry, trial)) {
        roll_back(before);
        return false;
    }
    if (options_.blocked) {
        roll_back(before);
        trial.clear();
        const uint32_t stays = program_.choices;
        const ExprId stay = divert(), fails = divert();
        const ExprId here = program_.exprs.both(entry.guard, stay);
        program_.constraints.push_back(program_.exprs.either(program_.exprs.negate(here), fails));
        entry = failing_iteration(region, entry, fails);
        entry.guard = program_.exprs.both(entry.guard, program_.exprs.negate(stay));
        const size_t first = program_.events.size();
        const std::optional<ExprId> failing = last_iteration(region, entry, trial);
        if (!failing) {  // the failing iteration has decided its condition: it is no await, and unrolls
            roll_back(before);
            return false;
        }
        program_.blocked.push_back({thread_, static_cast<int>(region.last), here, at_end(*failing, stays, first)});
    }
    for (auto& [at, state] : trial) {
        if (trial.size() == 1) state.guard = entry.guard;  // the only way out is taken
        arrive(exits, at, state);
    }
    return true;
}

std::optional<ExprId> Builder::last_iteration(const Region& region, const State& entry, Pending& trial) {
    const Mark before = mark();
    const uint32_t poison = first_poison + trials_;  // that of an enclosing trial is another matter
    State start = entry;
    for (const std::string& name : assigned_registers(region)) {
        // a dependency on itself marks the poison even where folding removes the value
        start.registers[name] = {program_.exprs.read(poison, 64), false, {{poison, ExprPool::yes}}};
    }
    trial.emplace(region.first, std::move(start));
    back_edges_.clear();
    const int outer = std::exchange(iteration_, ++iterations_);
    ++trials_;
    try {
        run(region.first, region.last + 1, &region, trial);
    } catch (const UnknownOperand&) {  // it depends on the iterations before
        --trials_;
        iteration_ = outer;
        back_edges_.clear();
        return std::nullopt;
    }
    --trials_;
    iteration_ = outer;
    ExprId failing = ExprPool::no;
    for (const auto& [at, state] : std::exchange(back_edges_, {})) failing = program_.exprs.either(failing, state.guard);
    if (failing == ExprPool::no || !is_await(before, poison, failing, trial)) return std::nullopt;
    program_.constraints.push_back(program_.exprs.negate(failing));
    for (auto& [at, state] : trial)
        for (const auto& [read, when] : state.control)  // inner awaits block already
            if (can_change(read, failing)) {
                state.blocking[read] = when;
                wait_always(state, {{read, when}});
            }
    return failing;
}

// One whole iteration, when `fails`, that ends where the loop begins again. Returns the state there, whether it came to pass
// or not: what the region assigns, nothing reads without assigning it anew.
State Builder::failing_iteration(const Region& region, const State& entry, ExprId fails) {
    ExprPool& exprs = program_.exprs;
    State start = entry;
    start.guard = exprs.both(entry.guard, fails);
    Pending inside{{region.first, start}};
    back_edges_.clear();
    const int outer = std::exchange(iteration_, ++iterations_);
    run(region.first, region.last + 1, &region, inside);
    iteration_ = outer;
    State next = entry;
    ExprId failing = ExprPool::no;
    const Pending back = std::exchange(back_edges_, {});
    for (const auto& [at, state] : back) failing = exprs.either(failing, state.guard);
    for (const auto& [at, state] : back) {
        const Dependencies control = under(state.control, fails);
        add_reads(next.control, control);
        for (const auto& [read, when] : control)
            if (can_change(read, failing)) add_reads(next.blocking, {{read, when}});
        add_reads(next.awaited, under(state.awaited, fails));
    }
    program_.constraints.push_back(exprs.either(exprs.negate(start.guard), failing));
    return next;
}

bool Builder::is_await(const Mark& before, uint32_t poison, ExprId failing, const Pending& exits) {
    const auto poisoned = [&](ExprId e) { return has_leaf(e, poison); };
    if (poisoned(failing) || barriers_.size() != before.barriers || program_.bounds.size() != before.bounds) return false;
    if (bulk_groups_.commits.size() != before.bulk_groups.commits.size() ||
        copy_groups_.commits.size() != before.copy_groups.commits.size())
        return false;
    for (size_t i = before.constraints; i < program_.constraints.size(); ++i) {
        if (poisoned(program_.constraints[i])) return false;
    }
    for (size_t i = before.events; i < program_.events.size(); ++i) {
        const Event& e = program_.events[i];
        if (e.kind == Event::Kind::init) continue;
        if (e.kind == Event::Kind::issue || poisoned(e.guard)) return false;
        if (e.kind == Event::Kind::write && (!exclude(e.guard, failing) || poisoned(e.value))) return false;
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

}  // namespace litmus
