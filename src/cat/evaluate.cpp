// The concrete engine: bit matrices, bottom up and on demand.
//
// All is over the events that were executed: `_` is their set, the complements are in it, and r? and r*
// add its identity. The variables of a `let rec` start empty and their equations are recomputed together
// until nothing grows (Kleene); the equations are monotone, so that is the least solution.
#include "cat/evaluate.h"

#include <algorithm>
#include <stdexcept>

namespace litmus {

Evaluation::Evaluation(const Model& model, const Execution& execution, FixedBases* bases)
    : model_(model), execution_(execution), bases_(bases), values_(model.nodes.size()), known_(model.nodes.size(), false) {}

Evaluation::Evaluation(CommonValues& common, const Execution& execution) : Evaluation(common.model_, execution, &common.bases_) {
    common_ = &common;
    table_ = common.of(execution.executed);
}

CommonValues::CommonValues(const Model& model, FixedBases& bases) : model_(model), bases_(bases), is_common_(model.nodes.size()) {
    for (NodeId id = 0; id < model.nodes.size(); ++id) {
        const Node& node = model.nodes[id];
        const bool is_base = node.op == Node::Op::base, is_choice = node.op == Node::Op::choice;
        is_common_[id] = node.recursion == 0 && !is_choice && (!is_base || node.is_set || bases.relation(node.name) != nullptr) &&
                         std::all_of(node.args.begin(), node.args.end(), [&](NodeId arg) { return is_common_[arg]; });
    }
}

const std::shared_ptr<CommonValues::Table>& CommonValues::of(const EventSet& executed) {
    if (!table_ || !(executed_ == executed)) {
        executed_ = executed;
        table_ = std::make_shared<Table>(model_.nodes.size());
    }
    return table_;
}

const NodeValue& Evaluation::value(NodeId node) {
    if (common_ && common_->is_common_[node]) {
        std::optional<NodeValue>& known = (*table_)[node];
        if (!known) known = computed(node);
        return *known;
    }
    if (!known_[node]) {
        if (model_.nodes[node].recursion != 0) {
            fix(node);
        } else {
            compute(node);
        }
    }
    return values_[node];
}

EventSet Evaluation::set_of(std::string_view base) const {
    return (bases_ ? bases_->set(base) : base_set(*execution_.program, base)) & execution_.executed;
}

Relation Evaluation::relation_of(std::string_view base) const {
    const Relation* const fixed = bases_ ? bases_->relation(base) : nullptr;
    return fixed ? *fixed & Relation::product(execution_.executed, execution_.executed) : base_relation(execution_, base);
}

void Evaluation::compute(NodeId node) {
    values_[node] = computed(node);
    known_[node] = true;
}

// The value of one node; its arguments are computed first where they are not known.
NodeValue Evaluation::computed(NodeId id) {
    execution_.program->budget.check();
    const Node& node = model_.nodes[id];
    const EventSet& executed = execution_.executed;
    const auto argument = [&](size_t i) -> const NodeValue& { return value(node.args[i]); };
    const auto identity = [&] { return Relation::identity(executed); };
    NodeValue result{node.is_set, EventSet(0), Relation(0)};
    switch (node.op) {
        case Node::Op::base:
            node.is_set ? void(result.set = set_of(node.name)) : void(result.relation = relation_of(node.name));
            break;
        case Node::Op::empty:
            node.is_set ? void(result.set = EventSet(executed.size())) : void(result.relation = Relation(executed.size()));
            break;
        case Node::Op::union_:
            result = argument(0);
            node.is_set ? void(result.set |= argument(1).set) : void(result.relation |= argument(1).relation);
            break;
        case Node::Op::intersection:
            result = argument(0);
            node.is_set ? void(result.set &= argument(1).set) : void(result.relation &= argument(1).relation);
            break;
        case Node::Op::difference:
            result = argument(0);
            node.is_set ? void(result.set -= argument(1).set) : void(result.relation -= argument(1).relation);
            break;
        case Node::Op::complement:
            if (node.is_set) {
                result.set = executed - argument(0).set;
            } else {
                result.relation = Relation::product(executed, executed) - argument(0).relation;
            }
            break;
        case Node::Op::sequence:
            result.relation = sequence(argument(0).relation, argument(1).relation);
            break;
        case Node::Op::optional:
            result.relation = argument(0).relation | identity();
            break;
        case Node::Op::plus:
            result.relation = transitive_closure(argument(0).relation);
            break;
        case Node::Op::star:
            result.relation = transitive_closure(argument(0).relation) | identity();
            break;
        case Node::Op::inverse:
            result.relation = argument(0).relation.inverse();
            break;
        case Node::Op::restriction:
            result.relation = Relation::identity(argument(0).set);
            break;
        case Node::Op::product:
            result.relation = Relation::product(argument(0).set, argument(1).set);
            break;
        case Node::Op::domain:
            result.set = argument(0).relation.domain();
            break;
        case Node::Op::range:
            result.set = argument(0).relation.range();
            break;
        case Node::Op::recursive:
            throw std::logic_error("the variable of a let rec is computed by fix");
        case Node::Op::choice:
            throw std::logic_error("an open model cannot be evaluated");
    }
    return result;
}

// All nodes of the let rec that `node` takes part in. Nodes stand after their arguments, so one pass in
// order recomputes every equation from the variables' last values.
void Evaluation::fix(NodeId node, const std::function<void()>& after_round) {
    std::vector<NodeId> variables, terms;
    for (NodeId id = 0; id < model_.nodes.size(); ++id) {
        if (model_.nodes[id].recursion != model_.nodes[node].recursion) continue;
        (model_.nodes[id].op == Node::Op::recursive ? variables : terms).push_back(id);
    }
    for (const NodeId variable : variables) {
        values_[variable].relation = Relation(execution_.executed.size());
        known_[variable] = true;
    }
    bool grown = true;
    while (grown) {
        for (const NodeId term : terms) compute(term);
        grown = false;
        for (const NodeId variable : variables) {
            const Relation& next = value(model_.nodes[variable].args[0]).relation;
            if (next == values_[variable].relation) continue;
            values_[variable].relation = next;
            grown = true;
        }
        if (after_round) after_round();
    }
}

std::vector<Evaluation::Round> Evaluation::rounds(NodeId node) {
    std::vector<Round> result;
    fix(node, [&] {
        Round& round = result.emplace_back();
        for (NodeId id = 0; id < model_.nodes.size(); ++id)
            if (model_.nodes[id].recursion == model_.nodes[node].recursion) round[id] = values_[id];
    });
    return result;
}

bool Evaluation::holds(const Constraint& constraint) {
    const NodeValue& v = value(constraint.node);
    const auto positive = [&] {
        switch (constraint.kind) {
            case Constraint::Kind::empty:
                return v.is_set ? v.set.empty() : v.relation.empty();
            case Constraint::Kind::irreflexive:
                return v.relation.irreflexive();
            case Constraint::Kind::acyclic:
                break;
        }
        return v.relation.acyclic();
    };
    return positive() != constraint.negated;
}

bool Evaluation::consistent() {
    for (const Constraint& constraint : model_.constraints) {
        if (!constraint.flag && !holds(constraint)) return false;
    }
    return true;
}

std::vector<size_t> Evaluation::failed() {
    std::vector<size_t> result;
    for (size_t i = 0; i < model_.constraints.size(); ++i) {
        if (!model_.constraints[i].flag && !holds(model_.constraints[i])) result.push_back(i);
    }
    return result;
}

std::vector<size_t> Evaluation::raised() {
    std::vector<size_t> result;
    for (size_t i = 0; i < model_.constraints.size(); ++i) {
        if (model_.constraints[i].flag && holds(model_.constraints[i])) result.push_back(i);
    }
    return result;
}

}  // namespace litmus
