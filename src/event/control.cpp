// Test -> Program: threads are executed symbolically, once, all paths merged.
//
// A state is what one path knows: the condition under which it is taken, an expression per register,
// and the reads each register and the control flow depend on. Forward branches put a state at their
// target, where states meet and merge (a register becomes an if-then-else of its two values). A
// backward branch makes the instructions between target and branch a loop region, which is executed
// again with the state that came back, up to the unroll bound; nested regions recurse.
//
// A loop is an await (model/semantics.md section 1) when its failing iterations write nothing and change no
// register that is read later. That is tried first: one iteration is executed with every register
// that the region assigns set to a poison value. If no event that can happen in a failing iteration
// writes or synchronizes, and no poison is left in anything that survives, only the last iteration
// is kept, under the constraint that it does not fail.
//
// Where constants decide that a loop goes on (it counts), the iteration does not use up the bound: such loops end as written.
//
// For races and undefined behaviour (BuildOptions::blocked) an await is preceded by one failing iteration, whole, that a
// choice switches on.
//
// Loops within loops unroll to the product of their bounds; max_events bounds what they do to memory, most_steps everything.
#include <algorithm>
#include <stdexcept>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

using Kind = Traits::Kind;

namespace {

constexpr uint32_t first_poison = 0xffff0000U;  // leaves from here on stand for no event
constexpr size_t most_steps = 100000;           // instructions executed: some seconds
constexpr int most_decided = 1024;              // iterations of one loop that do not count against the unroll bound

}  // namespace

// ---- control flow -----------------------------------------------------------------------

State Builder::merge(State a, const State& b) {
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
        merged.written = exprs.either(exprs.both(a.guard, in_a ? x.written : ExprPool::no),
                                      exprs.both(exprs.negate(a.guard), in_b ? y.written : ExprPool::no));
        a.registers[name] = std::move(merged);
    }
    a.control = merge_reads(a.control, a.guard, b.control, b.guard);
    a.blocking = merge_reads(a.blocking, a.guard, b.blocking, b.guard);
    a.awaited = merge_reads(a.awaited, a.guard, b.awaited, b.guard);
    a.guard = either;
    return a;
}

Dependencies Builder::merge_reads(const Dependencies& x, ExprId x_guard, const Dependencies& y, ExprId y_guard) {
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

void Builder::arrive(Pending& pending, size_t at, const State& state) {
    if (state.guard == ExprPool::no) return;
    const auto it = pending.find(at);
    if (it == pending.end()) {
        pending.emplace(at, state);
    } else {
        it->second = merge(it->second, state);
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

std::vector<Builder::Region> Builder::find_regions() const {
    std::vector<Region> regions;
    const auto& body = thread().body;
    for (size_t i = 0; i < body.size(); ++i) {
        if (kind(body[i].op) != Kind::branch) continue;
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
                const bool same = a.first == b.first && a.last == b.last;
                if (!same && !crossing) continue;
                a.last = std::max(a.last, b.last);
                regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(j));
                changed = true;
            }
        }
    }
    return regions;
}

void Builder::build_thread(int t) {
    thread_ = t;
    iteration_ = iterations_ = 0;
    bulk_groups_ = copy_groups_ = {};
    copies_.clear();
    regions_ = find_regions();
    Pending pending;
    State start;
    for (const auto& [name, value] : thread().registers) {
        note_register(name, Type::u32);
        start.registers[name] = {program_.exprs.constant(value, 32), false, {}, ExprPool::yes};
    }
    pending.emplace(0, std::move(start));
    const size_t end = thread().body.size();
    run(0, end, nullptr, pending);
    const auto last = pending.find(end);
    if (last == pending.end()) return;  // no path leaves the thread
    if (needs_exits()) {
        Event e;
        e.kind = Event::Kind::exit;
        if (options_.blocked) e.guard = last->second.guard;
        const size_t id = add_event(e);
        depend_control(last->second, id);
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

// Exits matter where threads wait for others, and where shared memory is reached from another CTA.
bool Builder::needs_exits() const {
    const Test& test = *program_.test;
    const bool shared =
        std::any_of(test.locations.begin(), test.locations.end(), [](const Location& l) { return l.space == Space::shared; });
    if (shared && test.dialect == Dialect::native && program_.ctas.size() > 1) return true;
    return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
        return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return meets_others(i.op); });
    });
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
    program_.budget.check();
    const Instruction& instruction = thread().body[index];
    if (++executed_ > most_steps)
        fail(instruction.span, "the loops of this test unroll to more than " + std::to_string(most_steps) + " instructions",
             "lower --unroll, or write fewer loops into one another");
    Context c{instruction, static_cast<int>(index), state.guard, ExprPool::yes, {}};
    if (instruction.guard) {
        c.when = read_register(state, instruction.guard->reg, Type::pred);
        if (instruction.guard->negated) c.when = program_.exprs.negate(c.when);
        c.guard_reads = register_reads(state, instruction.guard->reg);
        c.guard = program_.exprs.both(state.guard, c.when);
    }
    require_written(c, state);
    wait_for_operands(c, state);
    if (kind(instruction.op) == Kind::branch || kind(instruction.op) == Kind::exit) {
        branch(c, std::move(state), pending, current);
        return;
    }
    if (c.guard != ExprPool::no && instruction.await && options_.blocked) {
        execute_or_block(c, state);
    } else if (c.guard != ExprPool::no) {
        execute(c, state);
    }
    arrive(pending, index + 1, state);
}

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

void Builder::branch(const Context& c, State state, Pending& pending, const Region* current) {
    const Instruction& i = c.instruction;
    ExprId when = c.when;
    add_reads(state.control, c.guard_reads);
    if (kind(i.op) == Kind::branch && i.operands.size() == 3) {  // beq/bne a, b, L of the column format
        Dependencies reads;
        const ExprId a = value_of(state, i.operands[0], Type::u32, reads);
        const ExprId b = value_of(state, i.operands[1], Type::u32, reads);
        add_reads(state.control, reads);
        when = program_.exprs.both(when, program_.exprs.compare(i.mnemonic == "beq" ? "==" : "!=", Type::u32, a, b));
    }
    const size_t index = static_cast<size_t>(c.index);
    const size_t target = kind(i.op) == Kind::exit ? thread().body.size() : label_target(i.operands.back());
    const bool turns = current && (target <= index || target > current->last);  // back to the loop's start, or out of it
    if (turns && (i.guard || i.operands.size() == 3)) (program_.exprs.is_constant(when) ? turns_.decided : turns_.open) = true;
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

void Builder::execute(const Context& c, State& state) {
    check_static_rules(c, state);
    switch (kind(c.instruction.op)) {
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
        case Kind::direct:
            return direct(c, state);
        case Kind::bulk:
            return bulk(c, state);
        case Kind::bulk_commit:
            return commit(c, bulk_groups_);
        case Kind::bulk_wait:
            return wait_group(c, state, bulk_groups_);
        case Kind::copy:
            return copy(c, state);
        case Kind::copy_commit:
            return commit(c, copy_groups_);
        case Kind::copy_wait:
            return wait_group(c, state, copy_groups_);
        case Kind::copy_arrive:
            return asynchronous_arrive(c, state);
        case Kind::mbarrier_life:
        case Kind::mbarrier_count:
        case Kind::mbarrier_arrival:
        case Kind::mbarrier_wait:
        case Kind::mbarrier_query:
            return mbarrier(c, state);
        case Kind::arithmetic:
            return compute(c, state);
        case Kind::branch:
        case Kind::exit:
            throw std::logic_error("where control goes on is no matter of execution");
    }
}

Builder::Mark Builder::mark() const {
    return {program_.events.size(),
            dependencies_.size(),
            barriers_.size(),
            program_.constraints.size(),
            program_.bounds.size(),
            pairs_.size(),
            program_.violations.size(),
            program_.blocked.size(),
            program_.diverted.size(),
            arrivals_.size(),
            performed_.size(),
            waits_.size(),
            register_types_,
            steps_,
            lives_,
            bulk_groups_,
            copy_groups_,
            copies_};
}

void Builder::roll_back(const Mark& m) {
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
    pairs_.resize(m.pairs);
    program_.violations.resize(m.violations);
    program_.blocked.resize(m.blocked);
    program_.diverted.resize(m.diverted);
    arrivals_.resize(m.arrivals);
    performed_.resize(m.performed);
    waits_.resize(m.waits);
    register_types_ = m.register_types;
    steps_ = m.steps;
    lives_ = m.lives;
    bulk_groups_ = m.bulk_groups;
    copy_groups_ = m.copy_groups;
    copies_ = m.copies;
}

void Builder::loop(const Region& region, Pending& pending) {
    const Pending outer_back = std::exchange(back_edges_, {});
    const Turns outer_turns = turns_;
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
    turns_ = outer_turns;
    // a jump from here to before the region is a back edge of an enclosing one
    for (const auto& [at, state] : exits) arrive(at < region.first ? back_edges_ : pending, at, state);
}

void Builder::unroll(const Region& region, Pending inside, Pending& exits) {
    const int outer_iteration = iteration_;
    for (int k = 0, decided = 0; k < options_.unroll && !inside.empty();) {
        const Pending entry = inside;
        back_edges_.clear();
        turns_ = {};
        iteration_ = ++iterations_;
        run(region.first, region.last + 1, &region, inside);
        for (auto& [at, state] : inside) arrive(exits, at, state);
        inside = std::exchange(back_edges_, {});
        const bool known = is_decided(entry, inside) && decided < most_decided;
        ++(known ? decided : k);
    }
    iteration_ = outer_iteration;
    for (const auto& [at, state] : inside) program_.bounds.push_back(state.guard);
}

// Whether constants alone decided that the loop goes on, and some register changed on the way: the iteration of a loop
// that counts. Such iterations do not use up the bound.
bool Builder::is_decided(const Pending& entry, const Pending& next) const {
    if (!turns_.decided || turns_.open || entry.size() != 1 || next.size() != 1) return false;
    const State &a = entry.begin()->second, &b = next.begin()->second;
    return std::any_of(b.registers.begin(), b.registers.end(), [&](const auto& r) {
        const auto before = a.registers.find(r.first);
        return program_.exprs.is_constant(r.second.value) && (before == a.registers.end() || before->second.value != r.second.value);
    });
}

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
