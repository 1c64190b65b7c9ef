// A graph in which branches are compared, and what is left to evaluate without a part.
#include "analysis/adequacy/kept.h"

#include <algorithm>
#include <utility>

#include "cat/fold.h"

namespace litmus {

namespace {

// The graph with the comparisons.
class Juxtaposer {
public:
    explicit Juxtaposer(const Model& open) : open_(open), model_(open) {}

    // With no part deleted; flags are named as the part that they are about.
    Model run(std::set<std::string>& recursive) {
        for (NodeId n = 0; n < open_.nodes.size(); ++n) {
            const Node& node = open_.nodes[n];
            if (node.op == Node::Op::choice) continue;
            std::set<std::string_view> parts;
            for (const NodeId arg : node.args) find_parts(arg, parts);
            for (const std::string_view part : parts) {
                if (node.recursion != 0)
                    recursive.emplace(part);
                else
                    compare(part, with(node, part), n);
            }
        }
        for (const Constraint& c : open_.constraints) {
            std::set<std::string_view> parts;
            find_parts(c.node, parts);
            for (const std::string_view part : parts) compare(part, branch(c.node, part), c.node);
        }
        return folded(model_, {nullptr, [](std::string_view) { return false; }});
    }

private:
    // Of the choice that a node is, and of those that its branches are.
    void find_parts(NodeId id, std::set<std::string_view>& parts) const {
        const Node& node = open_.nodes[id];
        if (node.op != Node::Op::choice) return;
        parts.insert(node.variant);
        for (const NodeId arg : node.args) find_parts(arg, parts);
    }

    // What a node is with a part deleted.
    NodeId branch(NodeId id, std::string_view part) const {
        const Node& node = open_.nodes[id];
        return node.op == Node::Op::choice ? branch(node.args[node.variant == part ? 0 : 1], part) : id;
    }

    NodeId with(Node node, std::string_view part) {
        for (NodeId& arg : node.args) arg = branch(arg, part);
        return add(node);
    }

    NodeId add(const Node& node) {
        model_.nodes.push_back(node);
        return static_cast<NodeId>(model_.nodes.size() - 1);
    }

    NodeId add(Node::Op op, NodeId a, NodeId b) {
        Node node;
        node.op = op;
        node.is_set = model_.nodes[a].is_set;
        node.args = {a, b};
        return add(node);
    }

    void compare(std::string_view part, NodeId a, NodeId b) {
        Constraint differ;
        differ.negated = differ.flag = true;
        differ.node = add(Node::Op::union_, add(Node::Op::difference, a, b), add(Node::Op::difference, b, a));
        differ.name = part;
        model_.constraints.push_back(std::move(differ));
    }

    const Model& open_;
    Model model_;
};

}  // namespace

Kept::Kept(const Model& open, FixedBases& bases, const Answer& known)
    : open_(open), bases_(bases), differing_(Juxtaposer(open).run(recursive_)) {
    common_.emplace(differing_, bases_);
    for (const Outcome& outcome : known.outcomes) touched(outcome.witness);
    for (const Hazard& hazard : known.hazards->found) touched(hazard.witness);
}

const std::set<std::string>& Kept::touched(const Execution& x) {
    const auto [place, is_new] = touched_.try_emplace(&x);
    if (!is_new) return place->second;
    Evaluation evaluation(*common_, x);
    for (size_t c = open_.constraints.size(); c < differing_.constraints.size(); ++c)
        if (evaluation.holds(differing_.constraints[c])) place->second.insert(differing_.constraints[c].name);
    return place->second;
}

const Model& Kept::without(const std::string& part) {
    const auto known = without_.find(part);
    if (known != without_.end()) return known->second;
    return without_.emplace(part, folded(open_, {nullptr, [&](std::string_view variant) { return variant == part; }})).first->second;
}

bool Kept::has(const std::string& part, const Outcome& outcome) {
    const bool same = recursive_.count(part) == 0 && touched(outcome.witness).count(part) == 0;
    return same || Evaluation(without(part), outcome.witness, &bases_).consistent();
}

bool Kept::has(const std::string& part, const Hazard& hazard) {
    if (recursive_.count(part) == 0 && touched(hazard.witness).count(part) == 0) return true;
    const Model& model = without(part);
    Evaluation evaluation(model, hazard.witness, &bases_);
    if (!evaluation.consistent()) return false;
    if (hazard.kind == Hazard::Kind::blocked) return true;
    for (const Constraint& c : model.constraints) {
        if (c.name != hazard.flag || !evaluation.holds(c)) continue;
        if (hazard.kind != Hazard::Kind::race) return true;
        const auto [a, b] = hazard.pairs.front();
        const Relation& races = evaluation.value(c.node).relation;
        return races.contains(a, b) || races.contains(b, a);
    }
    return false;
}

}  // namespace litmus
