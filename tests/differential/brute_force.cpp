// The brute-force engine.
//
// Candidates. A candidate execution is fixed by the write each read takes its value from, the Boolean
// choices, co and sc. The first two are enumerated as they are and completed to values and events by
// complete(); sc is any acyclic orientation of the fence.sc pairs that include each other.
//
// Coherence. co is a strict partial order, so there are many; few matter. Say that a constraint is
// *downward* when it goes on holding as co shrinks (`acyclic r` where r can only lose pairs: co and fr
// inside r, not subtracted), and that it *requires* when it is `empty (x \ y)` where x only loses pairs
// as co shrinks and y lies within co | co^-1 whatever co is. Take a model all of whose constraints are
// downward or require, and a consistent execution with coherence order c. Start from the least order,
// W0 before all, which c contains. While the order o built so far is contained in c and some requiring
// constraint fails in it, it fails with a pair (a, b) in x but not in y. As x has only grown from o to
// c, the pair is in x at c, so c holds a -> b or b -> a; extend o by that pair and close it
// transitively: o is still contained in c, and has grown. This ends, with an order o within c in which
// all requiring constraints hold; the downward ones held at c and so hold at o. Hence o is consistent
// with the same reads and values. Its maximal writes include those of c, and a final value is that of
// any maximal write, so the outcomes at o include those at c. Trying both directions at each failing
// pair therefore meets every outcome, and since what fails downward at o also fails in every larger
// order, a branch ends as soon as a downward constraint fails. Flags have to be downward too; they are
// raised at o if at c. A model of another shape gets all strict partial orders.
// coherence_test.cpp compares the two.
//
// Removed constraints. The outcomes without constraint k are those of executions in which nothing, or
// only k, fails. The search allows one constraint to be `dropped`: the first downward one that fails,
// or, at a failing requiring one, an extra branch that leaves its pairs unordered.
//
// Sharing. What depends on neither co nor sc is computed once per rf: an Evaluation computes on demand
// and reads the execution it refers to, so one that has computed only those nodes can be copied after co
// was replaced in the execution.
#include "brute_force.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

#include "cat/evaluate.h"
#include "demands.h"
#include "language/compared.h"
#include "solve/solve.h"

namespace litmus {
namespace {

// What mbarrier objects, tensor memory and tensor maps hold in the end is no part of an outcome.
bool is_opaque(const Program& program, const Cell& cell) {
    return is_opaque(program.test->locations[static_cast<size_t>(cell.location)]);
}

constexpr size_t nothing = SIZE_MAX;

// ---- outcomes of one execution -----------------------------------------------------------------

// Of a packed element that an access has reached; otherwise nothing (Places makes one cell of it), and the element keeps what it began
// with.
std::optional<size_t> upper_half(const Program& program, size_t lower) {
    const Cell& low = program.cells[lower];
    for (size_t c = 0; c < program.cells.size(); ++c) {
        const Cell& cell = program.cells[c];
        if (cell.location == low.location && cell.instance == low.instance && cell.element == low.element && cell.lane == 1) return c;
    }
    return std::nullopt;
}

std::vector<ExprId> observables(Program& program) {
    std::vector<ExprId> result;
    for (const Register& r : program.registers)
        if (r.written && is_compared(*program.test, r.thread, r.name)) result.push_back(r.value);
    const auto final_value = [&](size_t cell) {
        return program.exprs.final_value(static_cast<uint32_t>(cell), bits(program.cells[cell].type));
    };
    for (size_t cell = 0; cell < program.cells.size(); ++cell) {
        if (program.cells[cell].lane > 0 || is_opaque(program, program.cells[cell])) continue;
        const ExprId low = final_value(cell);
        if (program.cells[cell].lane < 0) {
            result.push_back(low);
            continue;
        }
        // a packed element is what its two halves are, each by itself
        const std::optional<size_t> upper = upper_half(program, cell);
        if (!upper) {
            const std::vector<uint64_t>& init = program.test->locations[static_cast<size_t>(program.cells[cell].location)].init;
            const auto element = static_cast<size_t>(program.cells[cell].element);
            result.push_back(program.exprs.constant(element < init.size() ? init[element] : 0, 32));
            continue;
        }
        const ExprId shift = program.exprs.constant(0x10000, 32);
        const ExprId high = program.exprs.resize(final_value(*upper), 32, false);
        result.push_back(program.exprs.apply(Operator::add, Type::u32, program.exprs.resize(low, 32, false),
                                             program.exprs.apply(Operator::mul, Type::u32, high, shift)));
    }
    return result;
}

// What is asked of every execution.
struct Questions {
    std::vector<ExprId> observables;
    ExprId condition = ExprPool::yes;
    ExprId filter = ExprPool::yes;
};

struct Result {
    OutcomeSet outcomes;
    bool satisfiable = false;
    bool violable = false;
    bool possible = false;  // some final state leaves no hope to the threads that stay blocked
    bool blocked = false;   // ... and there are such threads
};

std::vector<std::vector<size_t>> maximal_writes(const Execution& x) {
    std::vector<std::vector<size_t>> result(x.program->cells.size());
    for (const size_t w : x.executed.elements()) {
        const Event& event = x.program->events[w];
        if (event.is_write() && x.co.successors(w).empty()) result[static_cast<size_t>(event.cell)].push_back(w);
    }
    return result;
}

// Every final state of the execution: one maximal write for each cell.
void add_outcomes(const Execution& x, const Questions& ask, Result& result) {
    const std::vector<std::vector<size_t>> last = maximal_writes(x);
    std::vector<uint64_t> final_values(last.size());
    const auto choose = [&](auto&& self, size_t cell) -> void {
        if (cell < last.size()) {
            for (const size_t w : last[cell]) {
                final_values[cell] = x.values[w];
                self(self, cell + 1);
            }
            return;
        }
        bool stays = false;
        for (const Blocked& b : x.program->blocked) {
            if (evaluate(x, b.when, final_values) == 0) continue;
            if (evaluate(x, b.hopeless, final_values) == 0) return;
            stays = true;
        }
        for (const ExprId trap : x.program->traps) stays = stays && evaluate(x, trap, final_values) == 0;
        result.possible = true;
        result.blocked = result.blocked || stays;
        if (evaluate(x, ask.filter, final_values) == 0) return;
        std::vector<uint64_t> outcome;
        for (const ExprId e : ask.observables) outcome.push_back(evaluate(x, e, final_values));
        (evaluate(x, ask.condition, final_values) != 0 ? result.satisfiable : result.violable) = true;
        result.outcomes.insert(std::move(outcome));
    };
    choose(choose, 0);
}

// ---- coherence and fence orders ----------------------------------------------------------------

bool is_update(const Program& program, size_t event) {
    const Event& e = program.events[event];
    return e.partner >= 0 && e.cell >= 0 && program.cells[static_cast<size_t>(e.cell)].is_mbarrier;
}

// Initial writes before all other executed writes of their cell; with `chains`, the state that an mbarrier update read
// before the one it writes.
Relation least_coherence(const Execution& x, bool chains) {
    const std::vector<Event>& events = x.program->events;
    Relation co(events.size());
    for (size_t a = 0; a < events.size(); ++a)
        for (size_t b = 0; b < events.size(); ++b)
            if (events[a].kind == Event::Kind::init && events[b].kind == Event::Kind::write && events[a].cell == events[b].cell &&
                x.executed.contains(a) && x.executed.contains(b))
                co.add(a, b);
    if (!chains) return co;
    for (const auto& [w, r] : x.rf.pairs())
        if (is_update(*x.program, r)) co.add(w, static_cast<size_t>(events[r].partner));
    return transitive_closure(std::move(co));
}

bool may_order(const Program& program, size_t a, size_t b) {
    const Event &from = program.events[a], &to = program.events[b];
    return a != b && from.is_write() && to.kind == Event::Kind::write && from.cell == to.cell;
}

// `co` grown by a before b, transitive again; nullopt when it has that pair already, when that makes a
// cycle, or when co cannot relate the two.
std::optional<Relation> ordered(const Program& program, Relation co, size_t a, size_t b) {
    if (!may_order(program, a, b) || co.contains(a, b) || co.contains(b, a)) return std::nullopt;
    co.add(a, b);
    return transitive_closure(std::move(co));
}

using Pairs = std::vector<Relation::Pair>;

// Calls `visit` for every transitive relation that leaves each pair out or orients it, beyond `base`; `count` at each step.
template <typename Count, typename Visit>
void each_partial_order(const Relation& base, const Pairs& pairs, size_t next, const Count& count, const Visit& visit) {
    count();
    if (next == pairs.size()) {
        if (transitive_closure(base) == base) visit(base);
        return;
    }
    each_partial_order(base, pairs, next + 1, count, visit);
    const auto [a, b] = pairs[next];
    for (const auto& [from, to] : {Relation::Pair{a, b}, Relation::Pair{b, a}}) {
        Relation extended = base;
        extended.add(from, to);
        each_partial_order(extended, pairs, next + 1, count, visit);
    }
}

Pairs write_pairs(const Execution& x) {
    Pairs result;
    for (const size_t a : x.executed.elements())
        for (const size_t b : x.executed.elements())
            if (a < b && may_order(*x.program, a, b) && may_order(*x.program, b, a)) result.emplace_back(a, b);
    return result;
}

// Whether `scope`, named by a thread at `at`, includes a thread at `other`.
bool includes(Scope scope, const Placement& at, const Placement& other) {
    if (scope == Scope::sys) return true;
    if (scope == Scope::none || at.gpu != other.gpu) return false;
    if (scope == Scope::gpu) return true;
    if (at.cluster != other.cluster) return false;
    return scope == Scope::cluster || at.cta == other.cta;
}

Pairs fence_pairs(const Execution& x) {
    const Program& program = *x.program;
    const auto is_sc = [&](size_t e) { return program.events[e].kind == Event::Kind::fence && program.events[e].sem == Sem::sc; };
    const auto at = [&](size_t e) -> const Placement& { return program.test->threads[static_cast<size_t>(program.events[e].thread)].at; };
    Pairs result;
    for (const size_t a : x.executed.elements()) {
        for (const size_t b : x.executed.elements()) {
            if (a >= b || !is_sc(a) || !is_sc(b)) continue;
            const bool mutual = includes(program.events[a].scope, at(a), at(b)) && includes(program.events[b].scope, at(b), at(a));
            if (mutual || program.events[a].thread == program.events[b].thread) result.emplace_back(a, b);
        }
    }
    return result;
}

template <typename Visit>
void each_orientation(const Relation& base, const Pairs& pairs, size_t next, const Visit& visit) {
    if (next == pairs.size()) {
        visit(base);
        return;
    }
    const auto [a, b] = pairs[next];
    for (const auto& [from, to] : {Relation::Pair{a, b}, Relation::Pair{b, a}}) {
        Relation extended = base;
        extended.add(from, to);
        if (extended.acyclic()) each_orientation(extended, pairs, next + 1, visit);
    }
}

// ---- one model on one choice of rf -------------------------------------------------------------

struct TooManyOrders {};

// Explores sc and co for one completed execution and adds what it finds to `found`.
class Search {
public:
    // Of all searches together `orders` counts the orders of coherence and of fences that were tried; beyond most_orders run() throws
    // TooManyOrders.
    Search(const Studied& studied, const BruteForceOptions& options, const Questions& ask, Execution& x, FixedBases& bases,
           Exhaustive& found, size_t& orders)
        : studied_(studied), model_(*studied.model), options_(options), ask_(ask), x_(x), bases_(bases), found_(found), orders_(orders) {}

    void run() {
        x_.co = least_coherence(x_, options_.chains);
        x_.sc = Relation(x_.program->size());
        Evaluation at_rf(model_, x_, &bases_);
        for (const NodeId n : studied_.free_nodes) at_rf.value(n);
        size_t dropped = nothing;
        if (!downward_hold(at_rf, true, dropped)) return;
        const Relation unordered = x_.sc;  // with_sc replaces x_.sc
        each_orientation(unordered, fence_pairs(x_), 0, [&](const Relation& sc) {
            count_order();
            with_sc(at_rf, sc, dropped);
        });
    }

private:
    void count_order() {
        if (options_.most_orders > 0 && ++orders_ > options_.most_orders) throw TooManyOrders();
    }

    bool generating() const { return options_.coherence == Coherence::required && studied_.generates; }

    // False when two downward constraints fail, or one that may not be dropped.
    bool downward_hold(Evaluation& evaluation, bool early, size_t& dropped) const {
        for (size_t c = 0; c < model_.constraints.size(); ++c) {
            const Constraint& constraint = model_.constraints[c];
            if (constraint.flag || c == dropped || studied_.demands[c].kind != Demand::Kind::downward) continue;
            if (studied_.demands[c].early != early || evaluation.holds(constraint)) continue;
            if (!options_.each_without || dropped != nothing) return false;
            dropped = c;
        }
        return true;
    }

    void with_sc(const Evaluation& at_rf, const Relation& sc, size_t dropped) {
        x_.sc = sc;
        const Relation least = least_coherence(x_, options_.chains);
        Evaluation at_sc = at_rf;
        for (const NodeId n : studied_.fence_nodes) at_sc.value(n);
        if (generating()) return grow(at_sc, least, dropped, 0);
        each_partial_order(
            least, write_pairs(x_), 0, [&] { count_order(); }, [&](const Relation& co) { check(at_sc, co, dropped); });
    }

    // From a co whose requirements may not be met yet to all that meet them. `met`: bit k is set when
    // pairs that constraint k required are in co.
    void grow(const Evaluation& at_sc, const Relation& co, size_t dropped, uint64_t met) {
        count_order();
        x_.co = co;
        Evaluation evaluation = at_sc;
        if (!downward_hold(evaluation, false, dropped)) return;
        for (size_t c = 0; c < model_.constraints.size(); ++c) {
            if (c == dropped || studied_.demands[c].kind != Demand::Kind::requires_pairs) continue;
            const Relation missing = evaluation.value(model_.constraints[c].node).relation;
            if (missing.empty()) continue;
            const auto [a, b] = missing.pairs().front();
            const uint64_t bit = uint64_t{1} << c;
            if (const auto forward = ordered(*x_.program, co, a, b)) grow(at_sc, *forward, dropped, met | bit);
            if (const auto backward = ordered(*x_.program, co, b, a)) grow(at_sc, *backward, dropped, met | bit);
            if (options_.each_without && dropped == nothing && (met & bit) == 0) grow(at_sc, co, c, met);
            return;
        }
        accept(evaluation, dropped);
    }

    // One given co: every constraint is simply evaluated.
    void check(const Evaluation& at_sc, const Relation& co, size_t dropped) {
        x_.co = co;
        Evaluation evaluation = at_sc;
        for (size_t c = 0; c < model_.constraints.size(); ++c) {
            if (model_.constraints[c].flag || c == dropped || evaluation.holds(model_.constraints[c])) continue;
            if (!options_.each_without || dropped != nothing) return;
            dropped = c;
        }
        accept(evaluation, dropped);
    }

    void accept(Evaluation& evaluation, size_t dropped) {
        Result result;
        add_outcomes(x_, ask_, result);
        OutcomeSet& outcomes = dropped == nothing ? found_.outcomes : found_.without[dropped];
        outcomes.merge(result.outcomes);
        if (dropped != nothing || !result.possible) return;
        found_.nonempty = true;
        found_.blocked = found_.blocked || result.blocked;
        found_.satisfiable = found_.satisfiable || result.satisfiable;
        found_.violable = found_.violable || result.violable;
        note_flags(evaluation);
    }

    void note_flags(Evaluation& evaluation) {
        for (const Constraint& c : model_.constraints) {
            if (!c.flag || !evaluation.holds(c)) continue;
            (is_hazard(c) ? found_.undefined : found_.flags).insert(c.name);
            if (c.name != "data-race") continue;
            for (const auto& [a, b] : evaluation.value(c.node).relation.pairs()) found_.races.emplace(std::min(a, b), std::max(a, b));
        }
    }

    const Studied& studied_;
    const Model& model_;
    const BruteForceOptions& options_;
    const Questions& ask_;
    Execution& x_;
    FixedBases& bases_;
    Exhaustive& found_;
    size_t& orders_;
};

// ---- rf and choices ----------------------------------------------------------------------------

bool only_choices(const Program& program, ExprId e) {
    bool result = true;
    for_each_leaf(program.exprs, e, [&](const Expr& leaf) { result = result && leaf.op == Expr::Op::choice; });
    return result;
}

bool holds(const Program& program, ExprId e, const std::vector<bool>& choices) {
    return evaluate(program.exprs, e, [&](const Expr& leaf) -> uint64_t { return choices[leaf.index] ? 1 : 0; }) != 0;
}

// The writes each read can take its value from; -1 (none) where the read may not happen. Choices settle of many events whether they
// happen.
std::vector<std::vector<int>> sources(const Program& program, const std::vector<bool>& choices) {
    std::vector<bool> may(program.size(), true), must(program.size(), false);
    for (size_t e = 0; e < program.size(); ++e) {
        if (!only_choices(program, program.events[e].guard)) continue;
        may[e] = must[e] = holds(program, program.events[e].guard, choices);
    }
    std::vector<std::vector<int>> result(program.size(), {-1});
    for (size_t r = 0; r < program.size(); ++r) {
        const Event& read = program.events[r];
        if (read.kind != Event::Kind::read || !may[r]) continue;
        if (must[r]) result[r].clear();
        for (size_t w = 0; w < program.size(); ++w)
            if (may[w] && program.events[w].is_write() && program.events[w].cell == read.cell && read.partner != static_cast<int>(w))
                result[r].push_back(static_cast<int>(w));
    }
    return result;
}

// Constraints over choices alone, which settle them before any rf is tried.
std::vector<ExprId> choice_constraints(const Program& program) {
    std::vector<ExprId> result;
    for (const ExprId e : program.constraints)
        if (only_choices(program, e)) result.push_back(e);
    return result;
}

constexpr uint32_t most_choices = 18;
// Of most programs an execution in ten or more is complete; of one with many failed tries at a barrier, one in thousands.
constexpr size_t tries_for_each = 2;

std::vector<std::vector<bool>> possible_choices(const Program& program) {
    if (program.choices > most_choices) throw std::logic_error("brute force: too many Boolean choices");
    const std::vector<ExprId> constraints = choice_constraints(program);
    std::vector<std::vector<bool>> result;
    for (uint32_t code = 0; code < (uint32_t{1} << program.choices); ++code) {
        std::vector<bool> choices(program.choices);
        for (uint32_t i = 0; i < program.choices; ++i) choices[i] = ((code >> i) & 1U) != 0;
        const auto kept = [&](ExprId e) { return holds(program, e, choices); };
        if (std::all_of(constraints.begin(), constraints.end(), kept)) result.push_back(std::move(choices));
    }
    return result;
}

bool reads_externally(const Execution& x) {
    const std::vector<Event>& events = x.program->events;
    for (const auto& [w, r] : x.rf.pairs())
        if (events[w].kind != Event::Kind::init && events[w].thread != events[r].thread) return true;
    return false;
}

// Whether an update, which is to read from `w`, would end a circle of updates or share `w` with another.
bool breaks_chain(const Program& program, const std::vector<int>& rf_of, size_t update, int w) {
    if (w < 0 || program.events[update].kind != Event::Kind::read || !is_update(program, update)) return false;
    for (size_t r = 0; r < update; ++r)
        if (rf_of[r] == w && program.events[r].kind == Event::Kind::read && is_update(program, r)) return true;
    // reads are assigned in the order of events, so a later one has no source yet
    for (int from = w; from >= 0 && is_update(program, static_cast<size_t>(from));) {
        const auto read = static_cast<size_t>(program.events[static_cast<size_t>(from)].partner);
        if (read == update) return true;
        if (read > update) return false;
        from = rf_of[read];
    }
    return false;
}

// Calls visit for each choice; stops when it returns false.
template <typename Visit>
bool each_reads_from(const Program& program, const std::vector<std::vector<int>>& sources, bool chains, size_t event,
                     std::vector<int>& rf_of, const Visit& visit) {
    if (event == sources.size()) return visit();
    for (const int w : sources[event]) {
        if (chains && breaks_chain(program, rf_of, event, w)) continue;
        rf_of[event] = w;
        if (!each_reads_from(program, sources, chains, event + 1, rf_of, visit)) return false;
    }
    return true;
}

}  // namespace

std::vector<std::string> observable_names(const Program& program) {
    std::vector<std::string> result;
    for (const Register& r : program.registers)
        if (r.written && is_compared(*program.test, r.thread, r.name))
            result.push_back(program.test->threads[static_cast<size_t>(r.thread)].name + ":" + r.name);
    for (const Cell& cell : program.cells) {
        if (cell.lane <= 0 && !is_opaque(program, cell))
            result.push_back(cell.lane == 0 ? cell.name.substr(0, cell.name.rfind(".lo")) : cell.name);
    }
    return result;
}

bool generates_coherence(const Model& model) {
    return study(model).generates;
}

struct Judge::Parts {
    std::vector<Studied> models;
    BruteForceOptions options;
};

Judge::Judge(const std::vector<const Model*>& models, const BruteForceOptions& options) : parts_(std::make_unique<Parts>()) {
    for (const Model* model : models) parts_->models.push_back(study(*model));
    parts_->options = options;
}

Judge::~Judge() = default;

std::vector<Exhaustive> Judge::judge(Execution& x, FixedBases& bases, const std::vector<ExprId>& observables) const {
    const Questions ask{observables, ExprPool::yes, ExprPool::yes};
    std::vector<Exhaustive> found(parts_->models.size());
    size_t orders = 0;
    for (size_t m = 0; m < found.size(); ++m) Search(parts_->models[m], parts_->options, ask, x, bases, found[m], orders).run();
    return found;
}

Candidates brute_force(Program& program, const std::vector<const Model*>& models, const BruteForceOptions& options) {
    Questions ask;
    ask.observables = observables(program);
    if (program.test->claim.kind != Claim::Kind::none) ask.condition = condition_expr(program, program.test->claim.condition);
    if (program.test->filter) ask.filter = condition_expr(program, *program.test->filter);

    std::vector<Studied> studied;
    Candidates result;
    for (const Model* model : models) {
        studied.push_back(study(*model));
        result.by_model.emplace_back();
        if (options.each_without) result.by_model.back().without.resize(model->constraints.size());
    }

    Result unconstrained;
    size_t tried = 0, orders = 0;
    std::vector<int> rf_of(program.size(), -1);
    if (options.most_executions > 0 && program.choices > most_choices) {
        result.gave_up = true;
        return result;
    }
    FixedBases bases(program);
    for (const std::vector<bool>& choices : possible_choices(program)) {
        const std::vector<std::vector<int>> from = sources(program, choices);
        const bool all = each_reads_from(program, from, options.chains, 0, rf_of, [&] {
            if (++tried == tries_for_each * options.most_executions) return false;
            std::optional<Execution> x = complete(program, rf_of, choices);
            if (!x) return true;
            if (++result.executions == options.most_executions) return false;
            result.external_read = result.external_read || reads_externally(*x);
            x->co = least_coherence(*x, false);
            if (options.unconstrained) add_outcomes(*x, ask, unconstrained);
            try {
                for (size_t m = 0; m < models.size(); ++m) Search(studied[m], options, ask, *x, bases, result.by_model[m], orders).run();
            } catch (const TooManyOrders&) {
                return false;
            }
            return true;
        });
        if (!all) {
            result.gave_up = true;
            return result;
        }
    }
    result.unconstrained = std::move(unconstrained.outcomes);
    for (Exhaustive& e : result.by_model)
        for (OutcomeSet& without : e.without) without.insert(e.outcomes.begin(), e.outcomes.end());
    return result;
}

}  // namespace litmus
