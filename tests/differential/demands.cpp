// How the value of each node of a model moves when co grows, and what kind of demand its constraints are (brute_force.cpp).
#include "demands.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>

namespace litmus {
namespace {

// How the value of a node moves when co changes.
struct Trend {
    bool grows = false;        // may gain members when co gains pairs
    bool shrinks = false;      // may lose members when co gains pairs
    bool fence_order = false;  // depends on sc
    friend bool operator==(const Trend&, const Trend&) = default;
};

Trend of_base(std::string_view name) {
    static const std::set<std::string_view> follow_co = {"co", "fr", "coe", "coi", "fre", "fri", "com"};
    static const std::set<std::string_view> follow_sc = {"sc", "sync_fence"};
    return {follow_co.count(name) > 0, false, follow_sc.count(name) > 0};
}

Trend join(const Trend& a, const Trend& b) {
    return {a.grows || b.grows, a.shrinks || b.shrinks, a.fence_order || b.fence_order};
}

Trend opposite(const Trend& t) {
    return {t.shrinks, t.grows, t.fence_order};
}

Trend of_node(const Node& node, const std::vector<Trend>& known) {
    if (node.op == Node::Op::base) return of_base(node.name);
    Trend result;
    for (size_t i = 0; i < node.args.size(); ++i) {
        const Trend& arg = known[node.args[i]];
        const bool subtracted = node.op == Node::Op::complement || (node.op == Node::Op::difference && i == 1);
        result = join(result, subtracted ? opposite(arg) : arg);
    }
    return result;
}

// Recursive nodes stand before their bodies, so repeat until nothing changes.
std::vector<Trend> trends(const Model& model) {
    std::vector<Trend> result(model.nodes.size());
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t n = 0; n < model.nodes.size(); ++n) {
            const Trend t = of_node(model.nodes[n], result);
            if (t == result[n]) continue;
            result[n] = t;
            changed = true;
        }
    }
    return result;
}

// Within co (forward), within co | co^-1 (either), or neither, whatever co is.
enum class Within : uint8_t { co, either, neither };

Within within_co(const Model& model, NodeId id) {
    const Node& node = model.nodes[id];
    switch (node.op) {
        case Node::Op::base:
            return node.name == "co" || node.name == "coe" || node.name == "coi" ? Within::co : Within::neither;
        case Node::Op::empty:
            return Within::co;
        case Node::Op::plus:  // co is transitive; co | co^-1 is not
            return within_co(model, node.args[0]) == Within::co ? Within::co : Within::neither;
        case Node::Op::inverse:
            return within_co(model, node.args[0]) == Within::neither ? Within::neither : Within::either;
        case Node::Op::difference:
            return within_co(model, node.args[0]);
        case Node::Op::union_:
            return std::max(within_co(model, node.args[0]), within_co(model, node.args[1]));
        case Node::Op::intersection:
            return std::min(within_co(model, node.args[0]), within_co(model, node.args[1]));
        default:
            return Within::neither;
    }
}

// Every pair of the node is one that some larger co would remove, and only by relating its two ends.
bool misses_pairs(const Model& model, const std::vector<Trend>& trend, NodeId id) {
    const Node& node = model.nodes[id];
    if (node.op == Node::Op::difference) return !trend[node.args[0]].shrinks && within_co(model, node.args[1]) != Within::neither;
    if (node.op != Node::Op::intersection) return false;
    const NodeId a = node.args[0], b = node.args[1];
    return (misses_pairs(model, trend, a) && !trend[b].shrinks) || (misses_pairs(model, trend, b) && !trend[a].shrinks);
}

// Whether the node's members are operations on mbarrier objects, or its pairs begin at them. Such a flag may go by co in any
// way: the axiom mbarrier-order has put the writes to these objects in one order before flags are looked at.
bool begins_at_mbarriers(const Model& model, NodeId id) {
    const Node& node = model.nodes[id];
    const bool by_first = node.op == Node::Op::sequence || node.op == Node::Op::difference || node.op == Node::Op::range;
    if (by_first) return begins_at_mbarriers(model, node.args[0]);
    static const std::set<std::string_view> of_mbarriers{"leaves-live", "leaves-dead", "later-phase", "RAW"};
    return node.op == Node::Op::base && of_mbarriers.count(node.name) != 0;
}

bool orders_mbarriers(const Model& model) {
    return std::any_of(model.constraints.begin(), model.constraints.end(), [](const Constraint& c) { return c.name == "mbarrier-order"; });
}

Demand demand_of(const Model& model, const std::vector<Trend>& trend, const Constraint& c) {
    const Trend& t = trend[c.node];
    Demand demand;
    demand.early = t == Trend{};
    if (!(c.negated ? t.grows : t.shrinks)) {
        demand.kind = Demand::Kind::downward;
    } else if (!c.negated && !c.flag && c.kind == Constraint::Kind::empty && misses_pairs(model, trend, c.node)) {
        demand.kind = Demand::Kind::requires_pairs;
    } else if (c.flag && begins_at_mbarriers(model, c.node) && orders_mbarriers(model)) {
        demand.kind = Demand::Kind::downward;
    }
    return demand;
}

}  // namespace

Studied study(const Model& model) {
    if (model.constraints.size() > 64) throw std::logic_error("brute force: more than 64 constraints");
    Studied result;
    result.model = &model;
    const std::vector<Trend> trend = trends(model);
    std::vector<bool> used(model.nodes.size());
    const auto use = [&](auto&& self, NodeId n) -> void {
        if (used[n]) return;
        used[n] = true;
        if (!trend[n].grows && !trend[n].shrinks) {
            (trend[n].fence_order ? result.fence_nodes : result.free_nodes).push_back(n);
            if (!trend[n].fence_order) return;
        }
        for (const NodeId arg : model.nodes[n].args) self(self, arg);
    };
    for (const Constraint& c : model.constraints) {
        result.demands.push_back(demand_of(model, trend, c));
        result.generates = result.generates && result.demands.back().kind != Demand::Kind::other;
        use(use, c.node);
    }
    return result;
}

}  // namespace litmus
