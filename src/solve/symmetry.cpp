// Finding threads that may change places (symmetry.h).
//
// Threads whose events look alike one by one are candidates. Each is compared with one member of each class that there is: if it can be
// exchanged with that one, then with all of them, since exchanges compose.
#include "solve/symmetry.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace litmus {

namespace {

constexpr size_t most_classes = 4;  // of threads that look alike, so that many that only look so cost little

// What the encoding asks of an event by itself. All else that is known of events are sets and relations.
auto looks(const Event& e) {
    return std::tie(e.kind, e.type, e.instruction, e.iteration, e.element);
}

// A permutation that is its own inverse, of numbers of which most stay.
class Images {
public:
    template <typename N>
    N operator()(N n) const {
        const auto found = image_.find(static_cast<int64_t>(n));
        return found == image_.end() ? n : static_cast<N>(found->second);
    }
    // No where one of the two has another image already.
    template <typename N>
    bool add(N a, N b) {
        const auto from = static_cast<int64_t>(a), to = static_cast<int64_t>(b);
        return image_.try_emplace(from, to).first->second == to && image_.try_emplace(to, from).first->second == from;
    }
    bool moves(int64_t n) const {
        const auto found = image_.find(n);
        return found != image_.end() && found->second != n;
    }

private:
    std::map<int64_t, int64_t> image_;
};

// One thing that a program says of its executions, or that is asked: what it is about, two numbers, two expressions.
using Fact = std::tuple<std::string_view, size_t, size_t, ExprId, ExprId>;

// All of them, sorted, where events, threads and so on are called by their images.
template <typename Image>
std::vector<Fact> facts(const Program& p, const std::vector<ExprId>& asked, Image& image) {
    // All that a run has, so that the compiler asks about what is added. Cells and choices get their images by the events that name them;
    // registers count where they are asked for; no program with alternatives comes here.
    const auto& [events, cells, ctas, registers, choices, constraints, bounds, violations, blocked, diverted, alternatives, traps] =
        static_cast<const SymbolicRun&>(p);
    std::vector<Fact> result;
    for (size_t i = 0; i < asked.size(); ++i) result.emplace_back("asked", i, 0, image.expr(asked[i]), 0);
    for (size_t e = 0; e < events.size(); ++e)
        result.emplace_back("event", image.event(e), 0, image.expr(events[e].guard), image.expr(events[e].value));
    for (const ExprId constraint : constraints) result.emplace_back("constraint", 0, 0, image.expr(constraint), 0);
    for (const Bound& bound : bounds) result.emplace_back("cut", 0, 0, image.expr(bound.cut), 0);
    for (const Blocked& b : blocked)
        result.emplace_back("blocked", image.thread(b.thread), b.instruction, image.expr(b.when), image.expr(b.hopeless));
    for (const Violation& v : violations) result.emplace_back(v.relation, image.event(v.event), 0, image.expr(v.when), 0);
    for (const ExprId trap : traps) result.emplace_back("trap", 0, 0, image.expr(trap), 0);
    for (const uint32_t choice : diverted) result.emplace_back("diverted", image.choice(choice), 0, 0, 0);
    for (const auto& [event, value] : p.results) result.emplace_back("result", image.event(event), 0, image.expr(value), 0);
    for (const auto& [name, pairs] : p.conditional)
        for (const ConditionalPair& pair : pairs)
            result.emplace_back(name, image.event(pair.from), image.event(pair.to), image.expr(pair.when), 0);
    std::sort(result.begin(), result.end());
    return result;
}

struct Same {
    size_t event(size_t e) const { return e; }
    size_t thread(int t) const { return static_cast<size_t>(t); }
    uint32_t choice(uint32_t c) const { return c; }
    ExprId expr(ExprId e) const { return e; }
};

// A program and what is asked of it, once for all exchanges.
struct Question {
    Program& program;
    std::vector<ExprId> asked;
    std::vector<Fact> facts;
    std::vector<const EventSet*> sets;
    std::vector<const Relation*> relations;
    std::map<int, std::vector<size_t>> events;  // by thread
    std::map<int, size_t> initial;              // by cell: its initial write
};

// One exchange of two threads, and whether the program stays the same.
class Swap {
public:
    Swap(Question& question, int a, int b) : q_(question), p_(question.program), a_(a), b_(b) {}

    bool is_symmetry() { return threads_match() && sets_match() && relations_match() && facts(p_, q_.asked, *this) == q_.facts; }
    bool stays(int cell) const { return !cells_.moves(cell); }

    Exchange exchange() const {
        return {a_, b_, all(events_, p_.size()), all<int>(cells_, p_.cells.size()), all<uint32_t>(choices_, p_.choices)};
    }

    size_t event(size_t e) const { return events_(e); }
    size_t thread(int t) const { return static_cast<size_t>(t == a_ ? b_ : t == b_ ? a_ : t); }
    uint32_t choice(uint32_t c) const { return choices_(c); }

    ExprId expr(ExprId root) {
        const auto [known, is_new] = images_.try_emplace(root, root);
        if (!is_new) return known->second;
        bool moved = false;
        for_each_leaf(p_.exprs, root, [&](const Expr& leaf) { moved = moved || moves(leaf); });
        if (!moved) return root;
        p_.budget.check();
        const ExprId result = substitute(p_.exprs, root, [&](const Expr& x) -> std::optional<ExprId> {
            switch (x.op) {
                case Expr::Op::read:
                    return p_.exprs.read(events_(x.index), x.bits);
                case Expr::Op::choice:
                    return p_.exprs.choice(choices_(x.index));
                case Expr::Op::final_value:
                    return p_.exprs.final_value(cells_(x.index), x.bits);
                default:
                    return std::nullopt;
            }
        });
        return images_[root] = result;
    }

private:
    template <typename N = size_t>
    static std::vector<N> all(const Images& images, size_t size) {
        std::vector<N> result(size);
        std::iota(result.begin(), result.end(), N{});
        for (N& n : result) n = images(n);
        return result;
    }

    bool moves(const Expr& leaf) const {
        return leaf.op == Expr::Op::read          ? events_.moves(leaf.index)
               : leaf.op == Expr::Op::choice      ? choices_.moves(leaf.index)
               : leaf.op == Expr::Op::final_value ? cells_.moves(leaf.index)
                                                  : false;
    }

    // Pairs the events of the two threads in their order, and what these events name; no where that is no permutation. Choices are paired
    // in the order in which expressions name them: whether that was right shows when the expressions are compared.
    bool threads_match() {
        const std::vector<size_t>&of_a = q_.events.at(a_), &of_b = q_.events.at(b_);
        for (size_t i = 0; i < of_a.size(); ++i) {
            const Event &x = p_.events[of_a[i]], &y = p_.events[of_b[i]];
            if (!events_.add(of_a[i], of_b[i]) || !cells_.add(x.cell, y.cell)) return false;
            for (const auto& [of_x, of_y] : {std::pair(x.guard, y.guard), std::pair(x.value, y.value)}) {
                const std::vector<uint32_t> from = choices_in(of_x), to = choices_in(of_y);
                for (size_t k = 0; k < std::min(from.size(), to.size()); ++k)
                    if (!choices_.add(from[k], to[k])) return false;
            }
        }
        return initial_writes_match();
    }

    std::vector<uint32_t> choices_in(ExprId root) const {
        std::vector<uint32_t> result;
        for_each_leaf(p_.exprs, root, [&](const Expr& leaf) {
            if (leaf.op == Expr::Op::choice) result.push_back(leaf.index);
        });
        return result;
    }

    // Initial writes go with their cells. That events which stay access cells which stay, co shows.
    bool initial_writes_match() {
        for (const auto& [cell, write] : q_.initial) {
            const auto other = q_.initial.find(cells_(cell));
            if (other == q_.initial.end() || !events_.add(write, other->second)) return false;
        }
        return true;
    }

    // An event that stays stays in a set or not; so only those that move are looked at, here and below.
    bool sets_match() const {
        return std::all_of(q_.sets.begin(), q_.sets.end(), [&](const EventSet* set) {
            return all_moved([&](size_t e) { return set->contains(e) == set->contains(event(e)); });
        });
    }

    bool relations_match() const {
        return std::all_of(q_.relations.begin(), q_.relations.end(), [&](const Relation* relation) {
            return all_moved([&](size_t e) {
                p_.budget.check();
                for (size_t other = 0; other < p_.size(); ++other) {
                    const size_t to = event(e), to_other = event(other);
                    if (relation->contains(e, other) != relation->contains(to, to_other)) return false;
                    if (relation->contains(other, e) != relation->contains(to_other, to)) return false;
                }
                return true;
            });
        });
    }

    template <typename Holds>
    bool all_moved(Holds holds) const {
        for (size_t e = 0; e < p_.size(); ++e)
            if (events_.moves(static_cast<int64_t>(e)) && !holds(e)) return false;
        return true;
    }

    Question& q_;
    Program& p_;
    const int a_, b_;
    Images events_, cells_, choices_;
    std::map<ExprId, ExprId> images_;
};

Question question(Program& program, FixedBases& bases, const Model& model, const std::vector<ExprId>& asked) {
    Same same;
    Question q{program, asked, facts(program, asked, same), {}, {}, {}, {}};
    std::set<std::string_view> sets, relations{"rf", "co", "sc"};
    for (const Node& node : model.nodes)
        if (node.op == Node::Op::base) (node.is_set ? sets : relations).insert(node.name);
    for (const std::string_view name : sets) q.sets.push_back(&bases.set(name));
    for (const std::string_view name : relations)
        for (const Relation* bound : {&bases.bounds(name).may, &bases.bounds(name).must}) q.relations.push_back(bound);
    for (const auto& [name, relation] : program.relations) q.relations.push_back(&relation);
    for (size_t e = 0; e < program.size(); ++e) {
        const Event& event = program.events[e];
        if (event.thread >= 0) q.events[event.thread].push_back(e);
        if (event.kind == Event::Kind::init) q.initial[event.cell] = e;
    }
    return q;
}

// Of a thread's writes to cells that stay, by their index among its events, the one that happens when most of the others do; the first of
// several.
std::optional<size_t> chosen_write(const Question& q, const Swap& swap, int thread) {
    std::vector<size_t> writes;
    const std::vector<size_t>& events = q.events.at(thread);
    for (size_t i = 0; i < events.size(); ++i) {
        const Event& e = q.program.events[events[i]];
        if (e.kind == Event::Kind::write && swap.stays(e.cell)) writes.push_back(i);
    }
    const auto guard = [&](size_t i) { return q.program.events[events[i]].guard; };
    const auto implied_by = [&](size_t i) {
        return std::count_if(writes.begin(), writes.end(), [&](size_t j) { return implies(q.program.exprs, guard(j), guard(i)); });
    };
    std::optional<size_t> best;
    for (const size_t i : writes)
        if (!best || implied_by(i) > implied_by(*best)) best = i;
    return best;
}

struct Class {
    std::vector<int> threads;
    std::optional<size_t> write;      // by its index among the events of each; none: nothing is known to order
    std::vector<Exchange> exchanges;  // of neighbours
};

// The classes of threads that look alike.
std::vector<Class> classes(Question& q, const std::vector<int>& alike) {
    std::vector<Class> result;
    for (const int thread : alike) {
        bool found = false;
        for (Class& of : result) {
            Swap swap(q, of.threads.back(), thread);
            if (!swap.is_symmetry()) continue;
            if (of.threads.size() == 1) of.write = chosen_write(q, swap, thread);
            of.threads.push_back(thread);
            of.exchanges.push_back(swap.exchange());
            found = true;
            break;
        }
        if (!found && result.size() < most_classes) result.push_back({{thread}, std::nullopt, {}});
    }
    return result;
}

// Threads with equally many events that look alike one by one.
std::vector<std::vector<int>> groups(const Question& q) {
    const auto alike = [&](int thread, int other) {
        const std::vector<size_t>&events = q.events.at(thread), &others = q.events.at(other);
        return std::equal(events.begin(), events.end(), others.begin(), others.end(),
                          [&](size_t a, size_t b) { return looks(q.program.events[a]) == looks(q.program.events[b]); });
    };
    std::vector<std::vector<int>> result;
    for (const auto& of_thread : q.events) {
        const int thread = of_thread.first;
        const auto group =
            std::find_if(result.begin(), result.end(), [&](const std::vector<int>& known) { return alike(thread, known.front()); });
        if (group == result.end())
            result.push_back({thread});
        else
            group->push_back(thread);
    }
    return result;
}

EventSet image(const EventSet& set, const std::vector<size_t>& events) {
    EventSet result(set.size());
    for (const size_t e : set.elements()) result.add(events[e]);
    return result;
}

Relation image(const Relation& relation, const std::vector<size_t>& events) {
    Relation result(relation.size());
    for (const auto& [a, b] : relation.pairs()) result.add(events[a], events[b]);
    return result;
}

}  // namespace

Symmetry find_symmetry(Program& program, FixedBases& bases, const Model& model, const std::vector<ExprId>& asked, size_t fewest) {
    Symmetry result;
    if (program.test->threads.size() < fewest || !program.alternatives.empty()) return result;
    Question q = question(program, bases, model, asked);
    for (const std::vector<int>& group : groups(q)) {
        if (group.size() < fewest) continue;
        for (Class& of : classes(q, group)) {
            if (of.threads.size() < std::max<size_t>(fewest, 2) || !of.write) continue;
            result.order.emplace_back();
            for (const int thread : of.threads) result.order.back().push_back(q.events.at(thread)[*of.write]);
            std::move(of.exchanges.begin(), of.exchanges.end(), std::back_inserter(result.exchanges));
        }
    }
    return result;
}

Execution image(const Execution& x, const Exchange& exchange) {
    Execution result{x.program,
                     image(x.executed, exchange.events),
                     x.values,
                     x.choices,
                     image(x.rf, exchange.events),
                     image(x.co, exchange.events),
                     image(x.sc, exchange.events)};
    for (size_t e = 0; e < exchange.events.size(); ++e) result.values[exchange.events[e]] = x.values[e];
    for (size_t c = 0; c < exchange.choices.size(); ++c) result.choices[exchange.choices[c]] = x.choices[c];
    return result;
}

}  // namespace litmus
