// The recursion over the operators of a model.
#include "solve/implied.h"

#include <algorithm>

namespace litmus {

namespace {

bool has(const std::vector<Relation::Pair>& pairs, size_t a, size_t b) {
    return std::find(pairs.begin(), pairs.end(), Relation::Pair(a, b)) != pairs.end();
}

}  // namespace

bool Implied::contains(NodeId node, size_t a, size_t b, const Assumptions& given) {
    steps_ = most_steps;
    return in(node, a, b, given);
}

bool Implied::in(NodeId id, size_t a, size_t b, const Assumptions& given) {
    using Op = Node::Op;
    const Node& node = m_.nodes[id];
    if (node.is_set || --steps_ < 0) return false;
    if (a != any && b != any) {
        if (bounds_[id].must.contains(a, b)) return true;
        if (!bounds_[id].may.contains(a, b)) return false;
    }
    const auto& args = node.args;
    const auto part = [&](NodeId n) { return in(n, a, b, given); };
    switch (node.op) {
        case Op::base:
            return (node.name == "rf" && has(given.rf, a, b)) || (node.name == "co" && has(given.co, a, b));
        case Op::union_:
            return std::any_of(args.begin(), args.end(), part);
        case Op::intersection:
        case Op::choice:
            return std::all_of(args.begin(), args.end(), part);
        case Op::difference:
            return part(args[0]) && out(args[1], a, b, given);
        case Op::sequence:
            return args.size() == 2 && std::any_of(given.events.begin(), given.events.end(), [&](size_t middle) {
                       return in(args[0], a, middle, given) && in(args[1], middle, b, given);
                   });
        case Op::optional:
        case Op::star:
            return a == b || part(args[0]);
        case Op::plus:
        case Op::recursive:
            return part(args[0]);
        case Op::inverse:
            return in(args[0], b, a, given);
        case Op::empty:
        case Op::complement:
        case Op::restriction:
        case Op::product:
        case Op::domain:
        case Op::range:
            break;
    }
    return false;
}

// The contrary: the pair is in the node in no such execution.
bool Implied::out(NodeId id, size_t a, size_t b, const Assumptions& given) {
    using Op = Node::Op;
    const Node& node = m_.nodes[id];
    if (--steps_ < 0 || a == any || b == any) return false;
    if (!bounds_[id].may.contains(a, b)) return true;
    const auto part = [&](NodeId n) { return out(n, a, b, given); };
    switch (node.op) {
        case Op::base:
            return node.name == "co" && has(given.no_co, a, b);
        case Op::union_:
        case Op::choice:
            return std::all_of(node.args.begin(), node.args.end(), part);
        case Op::intersection:
            return std::any_of(node.args.begin(), node.args.end(), part);
        case Op::difference:
            return part(node.args[0]);
        case Op::inverse:
            return out(node.args[0], b, a, given);
        default:
            return false;
    }
}

bool Implied::breaks(const Constraint& c, const Assumptions& given) {
    if (c.flag || c.negated) return false;
    steps_ = most_steps;
    const std::vector<size_t>& events = given.events;
    if (c.kind == Constraint::Kind::irreflexive)
        return std::any_of(events.begin(), events.end(), [&](size_t e) { return in(c.node, e, e, given); });
    Relation edges(events.size());
    for (size_t i = 0; i < events.size(); ++i)
        for (size_t j = 0; j < events.size(); ++j)
            if (in(c.node, events[i], events[j], given)) edges.add(i, j);
    if (c.kind == Constraint::Kind::empty) return !edges.empty();
    const Relation paths = transitive_closure(edges);
    for (size_t i = 0; i < events.size(); ++i)
        if (paths.contains(i, i)) return true;
    return false;
}

bool Implied::impossible(const Assumptions& given) {
    if (m_.constraints.empty()) return false;
    if (breaks(m_.constraints[last_broken_], given)) return true;
    for (size_t i = 0; i < m_.constraints.size(); ++i) {
        if (i == last_broken_ || !breaks(m_.constraints[i], given)) continue;
        last_broken_ = i;
        return true;
    }
    return false;
}

}  // namespace litmus
