// In which directions nodes count, from the constraints down, and which of the two branches of a choice is the larger one.
#include "analysis/adequacy/effects.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace litmus {

namespace {

// Whether on every execution one node is within another, as far as their operations show it, with no part deleted.
class Within {
public:
    using Op = Node::Op;

    explicit Within(const Model& model) : model_(model) {}

    bool operator()(NodeId x, NodeId y) const {
        const NodeId a = chosen(x), b = chosen(y);
        const auto some = [&](NodeId of, const auto& holds) { return std::any_of(node(of).args.begin(), node(of).args.end(), holds); };
        const auto all = [&](NodeId of, const auto& holds) { return std::all_of(node(of).args.begin(), node(of).args.end(), holds); };
        const auto holds_a = [&](NodeId arg) { return (*this)(a, arg); };
        const auto in_b = [&](NodeId arg) { return (*this)(arg, b); };
        if (a == b || node(a).op == Op::empty || is_all(b)) return true;
        if (node(a).op == Op::union_) return all(a, in_b);
        if (node(b).op == Op::intersection) return all(b, holds_a);
        if (node(a).op == Op::intersection && some(a, in_b)) return true;
        if (node(a).op == Op::difference && in_b(node(a).args[0])) return true;
        if (node(b).op == Op::union_) return some(b, holds_a);
        if (is_identity(b)) return is_identity(a) || node(a).op == Op::restriction;
        if (!is_closure(b)) return false;
        if (node(b).op != Op::plus && (is_identity(a) || node(a).op == Op::restriction)) return true;
        const bool alike = node(a).op == node(b).op || (node(b).op == Op::star && is_closure(a));
        return holds_a(node(b).args[0]) || (alike && (*this)(node(a).args[0], node(b).args[0]));
    }

private:
    const Node& node(NodeId id) const { return model_.nodes[id]; }

    NodeId chosen(NodeId id) const {
        while (node(id).op == Op::choice) id = node(id).args[1];
        return id;
    }

    bool is_all(NodeId id) const { return node(id).op == Op::complement && node(node(id).args[0]).op == Op::empty; }
    bool is_closure(NodeId id) const { return node(id).op == Op::optional || node(id).op == Op::star || node(id).op == Op::plus; }
    bool is_identity(NodeId id) const {
        if (node(id).op == Op::base) return node(id).name == "id";
        return (node(id).op == Op::optional || node(id).op == Op::star) && node(node(id).args[0]).op == Op::empty;
    }

    const Model& model_;
};

class EffectFinder {
public:
    using Op = Node::Op;

    explicit EffectFinder(const Model& model) : model_(model), growth_(model.nodes.size()) {}

    std::map<std::string, Effect, std::less<>> run() {
        for (const Constraint& c : model_.constraints) mark(c.node, {c.negated, !c.negated});
        const Within within(model_);
        std::map<std::string, Effect, std::less<>> effects;
        for (NodeId n = 0; n < model_.nodes.size(); ++n) {
            const Node& node = model_.nodes[n];
            if (node.op != Op::choice) continue;
            Effect& effect = effects[std::string(node.variant)];
            const bool shrinks = within(node.args[0], node.args[1]), grows = !shrinks && within(node.args[1], node.args[0]);
            const Effect g = growth_[n];
            if (!shrinks) effect.adds = effect.adds || g.adds, effect.takes = effect.takes || g.takes;
            if (!grows) effect.adds = effect.adds || g.takes, effect.takes = effect.takes || g.adds;
        }
        return effects;
    }

private:
    void mark(NodeId id, Effect more) {
        Effect& here = growth_[id];
        const Effect added{more.adds && !here.adds, more.takes && !here.takes};
        if (!added.adds && !added.takes) return;
        here.adds = here.adds || more.adds;
        here.takes = here.takes || more.takes;
        const Node& node = model_.nodes[id];
        for (size_t i = 0; i < node.args.size(); ++i) {
            const bool flips = node.op == Op::complement || (node.op == Op::difference && i == 1);
            mark(node.args[i], flips ? Effect{added.takes, added.adds} : added);
        }
    }

    const Model& model_;
    std::vector<Effect> growth_;  // by node: what it does that it grows; that it shrinks does the contrary
};

}  // namespace

std::map<std::string, Effect, std::less<>> effects_of(const Model& open) {
    return EffectFinder(open).run();
}

}  // namespace litmus
