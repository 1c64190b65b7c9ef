// The rules of derivations once more, one for each kind of term, and nothing of how they are found.
#include "analysis/explain/derivation_check.h"

#include <algorithm>
#include <utility>

#include "event/program.h"

namespace litmus {

namespace {

class Checker {
    using Op = Node::Op;

public:
    Checker(const Model& model, const Execution& execution) : model_(model), execution_(execution), evaluation_(model, execution) {}

    bool is_valid(const Derivation& d) {
        if (!execution_.executed.contains(d.from) || !execution_.executed.contains(d.to)) return false;
        if (model_.nodes[d.node].is_set && d.from != d.to) return false;
        if (d.absent) return d.parts.empty() && !in_value(d);
        return follows(d) && std::all_of(d.parts.begin(), d.parts.end(), [&](const Derivation& part) { return is_valid(part); });
    }

private:
    bool in_value(const Derivation& d) {
        const NodeValue& value = evaluation_.value(d.node);
        return value.is_set ? value.set.contains(d.from) : value.relation.contains(d.from, d.to);
    }

    bool in_base(const Derivation& d, const Node& node) const {
        if (node.is_set) return base_set(*execution_.program, node.name).contains(d.from);
        return base_relation(execution_, node.name).contains(d.from, d.to);
    }

    // Whether the parts are so many, each of the argument and between the events that it should be.
    struct Expected {
        NodeId node;
        size_t from, to;
        bool absent = false;
    };
    static bool has_parts(const Derivation& d, const std::vector<Expected>& expected) {
        return std::equal(d.parts.begin(), d.parts.end(), expected.begin(), expected.end(), [](const Derivation& part, const Expected& e) {
            return part.node == e.node && part.from == e.from && part.to == e.to && part.absent == e.absent;
        });
    }

    static bool is_path(const Derivation& d, NodeId relation) {
        size_t at = d.from;
        for (const Derivation& step : d.parts) {
            if (step.node != relation || step.from != at || step.absent) return false;
            at = step.to;
        }
        return at == d.to;
    }

    bool follows(const Derivation& d) const {
        const Node& node = model_.nodes[d.node];
        const auto arg = [&](size_t i) { return node.args[i]; };
        const auto is = [&](const std::vector<Expected>& expected) { return has_parts(d, expected); };
        const bool one_part = d.parts.size() == 1;
        switch (node.op) {
            case Op::base:
                return d.parts.empty() && in_base(d, node);
            case Op::union_:
                return is({{arg(0), d.from, d.to}}) || is({{arg(1), d.from, d.to}});
            case Op::intersection:
                return is({{arg(0), d.from, d.to}, {arg(1), d.from, d.to}});
            case Op::difference:
                return is({{arg(0), d.from, d.to}, {arg(1), d.from, d.to, true}});
            case Op::complement:
                return is({{arg(0), d.from, d.to, true}});
            case Op::sequence:
                return !d.parts.empty() && is({{arg(0), d.from, d.parts[0].to}, {arg(1), d.parts[0].to, d.to}});
            case Op::optional:
                return d.parts.empty() ? d.from == d.to : is({{arg(0), d.from, d.to}});
            case Op::plus:
                return !d.parts.empty() && is_path(d, arg(0));
            case Op::star:
                return is_path(d, arg(0));
            case Op::inverse:
                return is({{arg(0), d.to, d.from}});
            case Op::restriction:
                return d.from == d.to && is({{arg(0), d.from, d.from}});
            case Op::product:
                return is({{arg(0), d.from, d.from}, {arg(1), d.to, d.to}});
            case Op::domain:
                return one_part && is({{arg(0), d.from, d.parts[0].to}});
            case Op::range:
                return one_part && is({{arg(0), d.parts[0].from, d.from}});
            case Op::recursive:
                return is({{arg(0), d.from, d.to}});
            case Op::empty:
            case Op::choice:
                break;
        }
        return false;
    }

    const Model& model_;
    const Execution& execution_;
    Evaluation evaluation_;
};

}  // namespace

bool is_valid(const Derivation& derivation, const Model& model, const Execution& execution) {
    return Checker(model, execution).is_valid(derivation);
}

bool is_valid(const BrokenAxiom& breach, const Model& model, const Execution& execution) {
    const Constraint& constraint = model.constraints.at(breach.constraint);
    if (constraint.negated) return breach.derivations.empty();
    size_t at = breach.derivations.empty() ? 0 : breach.derivations.back().to;
    for (const Derivation& d : breach.derivations) {
        if (d.node != constraint.node || d.absent || !is_valid(d, model, execution)) return false;
        if (breach.cycle && std::exchange(at, d.to) != d.from) return false;
    }
    return constraint.kind == Constraint::Kind::acyclic ? !breach.derivations.empty() : breach.derivations.size() == 1;
}

}  // namespace litmus
