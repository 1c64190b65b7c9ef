// The cheapest derivation of each pair, on demand.
//
// What a derivation costs is the sum over its leaves: what an execution chose or the program fixed (`po`, `rf`, ...) is told in
// a sentence, a condition on two events (same address, scopes) in some words, and what an event is can be seen from its
// instruction. The cost of a pair is a minimum over the ways to derive it, of sums over the premises of each; it is remembered.
// A path through a closure is a shortest path (Dijkstra) whose edges cost what their derivations do.
//
// Pairs of a `let rec` are looked at by the round of the fixpoint in which they appeared: the premises of a pair that is new in
// a round are pairs of variables of earlier rounds, so the search ends.
#include "analysis/explain/derivation.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "event/program.h"

namespace litmus {

namespace {

constexpr size_t sentence = 8, condition = 2, attribute = 1;  // costs of leaves
constexpr size_t unreached = std::numeric_limits<size_t>::max();

size_t leaf_cost(const Node& node) {
    if (node.is_set) return attribute;
    return is_about_events(node.name) ? condition : sentence;
}

}  // namespace

class Deriver::Search {
    using Op = Node::Op;

public:
    Search(const Model& model, const Execution& execution) : model_(model), execution_(execution), evaluation_(model, execution) {}

    // A pair of a node; inside a `let rec`, as of a round of its fixpoint, counted from 1.
    struct Goal {
        NodeId node = 0;
        size_t round = 0;
        size_t from = 0, to = 0;
        friend bool operator==(const Goal&, const Goal&) = default;
    };

    Goal goal(NodeId node, size_t from, size_t to) { return {node, last_round(node), from, to}; }

    size_t cost(const Goal& goal) { return best(goal).cost; }

    Derivation build(const Goal& goal) {
        const Step step = best(goal);
        Derivation result{goal.node, goal.from, goal.to, false, {}};
        for (const Goal& premise : step.premises) result.parts.push_back(build(premise));
        if (const Node& node = model_.nodes[goal.node]; node.op == Op::difference)
            result.parts.push_back({node.args[1], goal.from, goal.to, true, {}});
        else if (node.op == Op::complement)
            result.parts.push_back({node.args[0], goal.from, goal.to, true, {}});
        return result;
    }

    std::vector<Derivation> cycle(NodeId relation) {
        const size_t round = last_round(relation);
        std::pair<size_t, size_t> cheapest{unreached, 0};
        for (const size_t e : execution_.executed.elements())
            cheapest = std::min(cheapest, {paths_from({relation, round, e, 0}).cost[e], e});
        if (cheapest.first == unreached) throw std::logic_error("a cycle is asked of a relation that has none");
        std::vector<Derivation> steps;
        for (const Goal& step : path({relation, round, cheapest.second, cheapest.second})) steps.push_back(build(step));
        return steps;
    }

    Evaluation& evaluation() { return evaluation_; }

private:
    // How a goal is derived: from all of the premises.
    struct Step {
        size_t cost = unreached;
        std::vector<Goal> premises;
    };

    struct Hash {
        size_t operator()(const Goal& g) const {
            uint64_t hash = g.node;
            for (const size_t part : {g.round, g.from, g.to}) hash = hash * 0x9e3779b97f4a7c15U + part;
            return static_cast<size_t>(hash ^ (hash >> 29U));
        }
    };

    // The cheapest paths through a relation from one event to every other.
    struct Paths {
        std::vector<size_t> cost;    // of a path of at least one step; by where it leads
        std::vector<size_t> before;  // the event before that
    };

    // ---- rounds of a fixpoint ----

    const std::vector<Evaluation::Round>& rounds(NodeId node) {
        const uint32_t recursion = model_.nodes[node].recursion;
        const auto known = rounds_.find(recursion);
        return known != rounds_.end() ? known->second : rounds_.emplace(recursion, evaluation_.rounds(node)).first->second;
    }

    size_t last_round(NodeId node) { return model_.nodes[node].recursion == 0 ? 0 : rounds(node).size(); }

    // The round as of which a node is looked at from another: the variables that a term is computed of are those of the round before.
    size_t round_of(NodeId argument, const Goal& from) {
        const Node &inner = model_.nodes[argument], &outer = model_.nodes[from.node];
        if (inner.recursion == 0 || inner.recursion != outer.recursion) return last_round(argument);
        return inner.op == Op::recursive && outer.op != Op::recursive ? from.round - 1 : from.round;
    }

    Goal premise(const Goal& of, size_t argument, size_t from, size_t to) {
        const NodeId node = model_.nodes[of.node].args[argument];
        return {node, round_of(node, of), from, to};
    }

    const NodeValue* value(NodeId node, size_t round) {
        if (model_.nodes[node].recursion == 0) return &evaluation_.value(node);
        return round == 0 ? nullptr : &rounds(node)[round - 1].at(node);
    }

    bool holds(const Goal& goal) {
        const NodeValue* known = value(goal.node, goal.round);
        if (known == nullptr) return false;
        return known->is_set ? goal.from == goal.to && known->set.contains(goal.from) : known->relation.contains(goal.from, goal.to);
    }

    // ---- the cheapest step ----

    const Step& best(const Goal& goal) {
        const auto known = best_.find(goal);
        if (known != best_.end()) return known->second;
        Step found = decide(goal);
        if (found.cost == unreached) throw std::logic_error("a derivation is asked of a pair that does not hold");
        return best_.emplace(goal, std::move(found)).first->second;
    }

    Step from_all(std::vector<Goal> premises) {
        Step step{0, std::move(premises)};
        for (const Goal& premise : step.premises) {
            if (!holds(premise)) return {};
            step.cost += cost(premise);
        }
        return step;
    }

    static void take_cheaper(Step& chosen, Step other) {
        if (other.cost < chosen.cost) chosen = std::move(other);
    }

    Step decide(const Goal& g) {
        execution_.program->budget.check();
        const Node& node = model_.nodes[g.node];
        const auto at = [&](size_t argument) { return premise(g, argument, g.from, g.to); };
        switch (node.op) {
            case Op::base:
                return {leaf_cost(node), {}};
            case Op::union_: {
                Step either = from_all({at(0)});
                take_cheaper(either, from_all({at(1)}));
                return either;
            }
            case Op::intersection:
                return from_all({at(0), at(1)});
            case Op::difference: {
                Step left = from_all({at(0)});
                left.cost += condition;
                return left;
            }
            case Op::complement:
                return {condition, {}};
            case Op::sequence:
                return through_the_middle(g);
            case Op::optional:
                return g.from == g.to ? Step{0, {}} : from_all({at(0)});
            case Op::star:
            case Op::plus:
                return along_a_path(g);
            case Op::inverse:
                return from_all({premise(g, 0, g.to, g.from)});
            case Op::restriction:
                return from_all({at(0)});
            case Op::product:
                return from_all({premise(g, 0, g.from, g.from), premise(g, 1, g.to, g.to)});
            case Op::domain:
            case Op::range:
                return with_a_partner(g);
            case Op::recursive:
                return by_its_equation(g);
            case Op::empty:
                return {};
            case Op::choice:
                break;
        }
        throw std::logic_error("an open model has no derivations");
    }

    Step through_the_middle(const Goal& g) {
        Step chosen;
        for (const size_t middle : execution_.executed.elements()) {
            const Goal first = premise(g, 0, g.from, middle), second = premise(g, 1, middle, g.to);
            if (holds(first) && holds(second)) take_cheaper(chosen, from_all({first, second}));
        }
        return chosen;
    }

    Step with_a_partner(const Goal& g) {
        const bool first = model_.nodes[g.node].op == Op::domain;
        Step chosen;
        for (const size_t other : execution_.executed.elements())
            take_cheaper(chosen, from_all({first ? premise(g, 0, g.from, other) : premise(g, 0, other, g.from)}));
        return chosen;
    }

    // The first round in which the pair is there.
    Step by_its_equation(const Goal& g) {
        Goal first = g;
        for (first.round = 1; first.round <= g.round && !holds(first);) ++first.round;
        return first.round > g.round ? Step{} : from_all({premise(first, 0, g.from, g.to)});
    }

    // ---- closures ----

    Step along_a_path(const Goal& g) {
        if (model_.nodes[g.node].op == Op::star && g.from == g.to) return {0, {}};
        return from_all(path(premise(g, 0, g.from, g.to)));
    }

    // The steps of the cheapest path of a relation between two events; none when there is no path.
    std::vector<Goal> path(const Goal& ends) {
        const Paths& paths = paths_from({ends.node, ends.round, ends.from, 0});
        std::vector<Goal> steps;
        if (paths.cost[ends.to] == unreached) throw std::logic_error("a path is asked of events that are not connected");
        size_t to = ends.to;
        do {
            steps.push_back({ends.node, ends.round, paths.before[to], to});
            to = paths.before[to];
        } while (to != ends.from);
        std::reverse(steps.begin(), steps.end());
        return steps;
    }

    // Dijkstra; the start is reached again only by going round.
    const Paths& paths_from(const Goal& start) {
        if (const auto known = paths_.find(start); known != paths_.end()) return known->second;
        const size_t n = execution_.executed.size();
        Paths paths{std::vector<size_t>(n, unreached), std::vector<size_t>(n, 0)};
        std::vector<bool> done(n, false);
        const auto go_on = [&](size_t from, size_t cost_so_far) {
            const NodeValue* edges = value(start.node, start.round);
            if (edges == nullptr) return;
            for (const size_t to : edges->relation.successors(from)) {
                const size_t total = cost_so_far + cost({start.node, start.round, from, to});
                if (total >= paths.cost[to]) continue;
                paths.cost[to] = total;
                paths.before[to] = from;
            }
        };
        go_on(start.from, 0);
        while (true) {
            size_t next = n;
            for (size_t e = 0; e < n; ++e)
                if (!done[e] && paths.cost[e] != unreached && (next == n || paths.cost[e] < paths.cost[next])) next = e;
            if (next == n) break;
            done[next] = true;
            if (next != start.from) go_on(next, paths.cost[next]);
        }
        return paths_.emplace(start, std::move(paths)).first->second;
    }

    const Model& model_;
    const Execution& execution_;
    Evaluation evaluation_;
    std::unordered_map<Goal, Step, Hash> best_;
    std::unordered_map<Goal, Paths, Hash> paths_;
    std::map<uint32_t, std::vector<Evaluation::Round>> rounds_;  // by Node::recursion
};

Deriver::Deriver(const Model& model, const Execution& execution) : search_(std::make_unique<Search>(model, execution)) {}
Deriver::~Deriver() = default;

Derivation Deriver::derive(NodeId node, size_t from, size_t to) {
    return search_->build(search_->goal(node, from, to));
}

size_t Deriver::cost(NodeId node, size_t from, size_t to) {
    return search_->cost(search_->goal(node, from, to));
}

std::vector<Derivation> Deriver::cycle(NodeId relation) {
    return search_->cycle(relation);
}

Evaluation& Deriver::evaluation() {
    return search_->evaluation();
}

std::vector<bool> about_events(const Model& model) {
    std::vector<bool> result(model.nodes.size(), false);
    for (NodeId n = 0; n < model.nodes.size(); ++n) {  // arguments come first
        const Node& node = model.nodes[n];
        if (node.op == Node::Op::recursive) continue;
        result[n] = node.op == Node::Op::base
                        ? node.is_set || is_about_events(node.name)
                        : std::all_of(node.args.begin(), node.args.end(), [&](NodeId arg) { return arg < n && result[arg]; });
    }
    return result;
}

}  // namespace litmus
