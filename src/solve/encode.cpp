// The second half of the encoding: the model's relations over candidate executions (candidates.cpp has the first half).
//
// Relations. pair(node, a, b) is the literal of one pair of one node, built on demand: outside `may`
// it is false, inside `must` it is "both events happen", otherwise it is defined by the node's
// operator from the pairs of its arguments. Constraints are pushed down instead of named (`forbid`):
// forbidding a union forbids each part, forbidding `a ; b` is one clause per middle event.
//
// Closures (r+) and recursion are least fixpoints. Where only the upward direction is needed - the
// pair must be true when it is derivable - plain implications do: the solver may make more pairs true
// but gains nothing by it. Otherwise each pair carries a rank and may only be derived from pairs of
// smaller rank, so that a circle of pairs cannot justify itself. The derivations of r+ jump: a path is
// a prefix of static edges, one edge that depends on the execution, and the rest.
#include "solve/encode.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace litmus {

namespace {

constexpr int deepest = 4000;  // calls of pair() within pair(), before the stack would overflow

uint64_t key(size_t a, size_t b) {
    return static_cast<uint64_t>(a) << 32 | static_cast<uint64_t>(b);
}

// The pairs that a relation may have, each with its literal.
Gates::Edges edges_of(const Relation& may, const std::function<Lit(size_t, size_t)>& literal) {
    Gates::Edges edges;
    for (const auto& [a, b] : may.pairs()) edges[{a, b}] = literal(a, b);
    return edges;
}

}  // namespace

Encoding::Encoding(const Program& program, const Model& model, ModelBounds bounds, Backend& backend, size_t counts_from)
    : p_(program),
      m_(model),
      backend_(backend),
      gates_(backend),
      word_gates_(backend, gates_),
      values_(program, backend, gates_, word_gates_, [this](const Expr& e) { return leaf(e); }),
      n_(program.size()),
      rf_bounds_(std::move(bounds.rf)),
      co_bounds_(std::move(bounds.co)),
      needs_(std::move(bounds.needs)),
      in_(std::move(bounds.in)),
      out_(std::move(bounds.out)),
      known_values_(std::move(bounds.values)),
      bounds_(std::move(bounds.nodes)),
      polarity_(model.nodes.size()),
      pairs_(model.nodes.size()),
      members_(model.nodes.size()),
      chains_(find_chains(p_, m_, bounds_, rf_bounds_, co_bounds_, in_, counts_from)) {
    for (const auto& [name, pairs] : program.conditional) {
        for (const ConditionalPair& c : pairs) conditional_[name][{c.from, c.to}].push_back(c.when);
    }
    find_tables();
    reads_from();
    events();
    coherence();
    pasts();
    fence_sc();
    termination();
    well_founded();
}

void Encoding::mark(NodeId id, Polarity polarity) {
    Polarity& here = polarity_[id];
    const Polarity add{polarity.up && !here.up, polarity.down && !here.down};
    if (!add.up && !add.down) return;
    here.up = here.up || add.up;
    here.down = here.down || add.down;
    const Node& node = m_.nodes[id];
    if (node.op == Node::Op::recursive && here.down) {
        throw Failure(m_.source, node.span,
                      "the recursive relation " + std::string(node.name) + " is used where it must not hold more than its definition says",
                      "use it positively: not on the right of \\, under ~, or in a ~empty constraint that must hold");
    }
    const Polarity flipped{add.down, add.up};
    for (size_t i = 0; i < node.args.size(); ++i) {
        const bool flip = node.op == Node::Op::complement || (node.op == Node::Op::difference && i == 1);
        mark(node.args[i], flip ? flipped : add);
    }
}

// Asserting that a constraint holds, or (for flags) looking for an execution in which it does.
void Encoding::mark_constraint(const Constraint& constraint, bool holds) {
    const bool nothing = holds != constraint.negated;  // the node must be empty, irreflexive, acyclic
    mark(constraint.node, nothing ? Polarity{true, false} : Polarity{false, true});
}

void Encoding::require_model() {
    for (const Constraint& c : m_.constraints) mark_constraint(c, true);
    find_followed();
    for (const Chain& chain : chains_) count_updates(chain);
    for (const Constraint& c : m_.constraints) {
        if (!c.flag) require(c);
    }
}

void Encoding::require(const Constraint& c) {
    const NodeBounds& bounds = bounds_[c.node];
    if (c.negated) {
        backend_.clause({negation(c)});
        return;
    }
    if (m_.nodes[c.node].is_set) {
        for (const size_t e : bounds.may_set.elements()) backend_.clause({-member(c.node, e)});
        return;
    }
    switch (c.kind) {
        case Constraint::Kind::empty:
            for (const auto& [a, b] : bounds.may.pairs()) forbid(c.node, a, b, {});
            break;
        case Constraint::Kind::irreflexive:
            for (size_t a = 0; a < n_; ++a) {
                if (bounds.may.contains(a, a)) forbid(c.node, a, a, {});
            }
            break;
        case Constraint::Kind::acyclic: {
            const EventSet in_order = this->in_order(c.node);
            const Relation open = bounds.may - Relation::product(in_order, in_order);
            gates_.acyclic(n_, edges_of(open, [&](size_t a, size_t b) { return pair(c.node, a, b); }));
            break;
        }
    }
}

Lit Encoding::variant(std::string_view name) {
    const auto known = variants_.find(name);
    return known != variants_.end() ? known->second : variants_.emplace(name, backend_.fresh()).first->second;
}

Lit Encoding::happens(size_t a, size_t b) {
    return gates_.both(exec_[a], exec_[b]);
}

Lit Encoding::nonempty(NodeId node) {
    std::vector<Lit> some;
    if (m_.nodes[node].is_set) {
        for (const size_t e : bounds_[node].may_set.elements()) some.push_back(member(node, e));
    }
    for (const auto& [a, b] : bounds_[node].may.pairs()) some.push_back(pair(node, a, b));
    return gates_.any(some);
}

// No execution has the pair together with all of `context`.
void Encoding::forbid(NodeId id, size_t a, size_t b, Conjunction context) {
    if (!bounds_[id].may.contains(a, b)) return;
    const Node& node = m_.nodes[id];
    const bool certain = bounds_[id].must.contains(a, b);
    const auto with = [&context](Lit l) {
        Conjunction more = context;
        more.push_back(l);
        return more;
    };
    if (!certain && node.op == Node::Op::union_) {
        for (const NodeId part : node.args) forbid(part, a, b, context);
        return;
    }
    if (!certain && node.op == Node::Op::intersection) {
        for (size_t i = 1; i < node.args.size(); ++i) context = with(pair(node.args[i], a, b));
        forbid(node.args[0], a, b, context);
        return;
    }
    if (!certain && node.op == Node::Op::difference) {
        forbid(node.args[0], a, b, with(-pair(node.args[1], a, b)));
        return;
    }
    if (!certain && node.op == Node::Op::sequence && node.args.size() == 2) {
        for (const size_t middle : bounds_[node.args[0]].may.successors(a)) {
            if (bounds_[node.args[1]].may.contains(middle, b)) forbid(node.args[1], middle, b, with(pair(node.args[0], a, middle)));
        }
        return;
    }
    if (!certain && node.op == Node::Op::choice) {
        const Lit on = variant(node.variant);
        forbid(node.args[0], a, b, with(on));
        forbid(node.args[1], a, b, with(-on));
        return;
    }
    std::vector<Lit> clause{-pair(id, a, b)};
    for (const Lit l : context) clause.push_back(-l);
    backend_.clause(clause);
}

Lit Encoding::pair(NodeId id, size_t a, size_t b) {
    if (!bounds_[id].may.contains(a, b)) return always_false;
    if (bounds_[id].must.contains(a, b)) return happens(a, b);
    const auto it = pairs_[id].find(key(a, b));
    if (it != pairs_[id].end()) return it->second;
    p_.budget.check();
    if (++depth_ > deepest) throw GaveUp{"the relation " + std::string(m_.nodes[id].name) + " is defined through too many pairs"};
    const Lit l = define_pair(id, a, b);
    --depth_;
    pairs_[id][key(a, b)] = l;
    return l;
}

Lit Encoding::base(std::string_view name, size_t a, size_t b) {
    const auto find = [&](const std::map<Relation::Pair, Lit>& in) {
        const auto it = in.find({a, b});
        return it == in.end() ? always_false : it->second;
    };
    if (name == "rf") return find(rf_pairs_);
    if (name == "co") return find(co_);
    if (name == "sc" || name == "sync_fence") return find(sc_);
    std::vector<Lit> some;
    for (const ExprId when : conditional_.find(name)->second.at({a, b})) some.push_back(values_.literal(when));
    return gates_.both(happens(a, b), gates_.any(some));
}

Lit Encoding::fact(const std::string& name, const Relation::Pair& pair) {
    if (!is_stored_relation(name)) return base(name, pair.first, pair.second);
    const auto conditional = p_.conditional.find(name);
    std::vector<Lit> some;
    for (const ConditionalPair& c : conditional == p_.conditional.end() ? std::vector<ConditionalPair>{} : conditional->second)
        if (c.from == pair.first && c.to == pair.second) some.push_back(values_.literal(c.when));
    const auto fixed = p_.relations.find(name);
    const bool always = fixed != p_.relations.end() && fixed->second.contains(pair.first, pair.second);
    return always ? always_true : gates_.any(some);
}

Lit Encoding::define_pair(NodeId id, size_t a, size_t b) {
    using Op = Node::Op;
    const Node& node = m_.nodes[id];
    const Polarity polarity = polarity_[id];
    if (const auto chains = follows_.find(id); chains != follows_.end())
        if (const auto chain = chains->second.find(a); chain != chains->second.end()) return along_chain(*chain->second, id, a, b);
    std::vector<Conjunction> disjuncts;
    switch (node.op) {
        case Op::base:
            return base(node.name, a, b);
        case Op::empty:
            return always_false;
        case Op::union_:
            for (const NodeId part : node.args) disjuncts.push_back({pair(part, a, b)});
            break;
        case Op::intersection: {
            Conjunction all;
            for (const NodeId part : node.args) all.push_back(pair(part, a, b));
            disjuncts.push_back(std::move(all));
            break;
        }
        case Op::difference:
            disjuncts.push_back({pair(node.args[0], a, b), -pair(node.args[1], a, b)});
            break;
        case Op::complement:
            disjuncts.push_back({happens(a, b), -pair(node.args[0], a, b)});
            break;
        case Op::sequence:
            for (const size_t middle : bounds_[node.args[0]].may.successors(a)) {
                if (!bounds_[node.args[1]].may.contains(middle, b)) continue;
                disjuncts.push_back({pair(node.args[0], a, middle), pair(node.args[1], middle, b)});
            }
            break;
        case Op::optional:  // a == b is a must-pair
        case Op::inverse:
            return node.op == Op::inverse ? pair(node.args[0], b, a) : pair(node.args[0], a, b);
        case Op::plus:
        case Op::star:
            return closure(id, node.args[0], a, b);
        case Op::restriction:
            return member(node.args[0], a);
        case Op::product:
            disjuncts.push_back({member(node.args[0], a), member(node.args[1], b)});
            break;
        case Op::recursive: {
            const Lit l = backend_.fresh();
            pairs_[id][key(a, b)] = l;
            backend_.clause({-pair(node.args[0], a, b), l});
            return l;
        }
        case Op::domain:
        case Op::range:
            throw std::logic_error("a set has no pairs");
        case Op::choice:
            disjuncts.push_back({variant(node.variant), pair(node.args[0], a, b)});
            disjuncts.push_back({-variant(node.variant), pair(node.args[1], a, b)});
            break;
    }
    return gates_.define(std::move(disjuncts), polarity);
}

Lit Encoding::closure(NodeId id, NodeId argument, size_t a, size_t b) {
    const NodeBounds& edge = bounds_[argument];
    auto [found, fresh] = closures_.try_emplace(id);
    Closure& c = found->second;
    if (fresh) {
        // must-pairs stand for whole prefixes only if they really contain every static path
        const Relation strict = edge.must;
        c.regular = (transitive_closure(strict) - bounds_[id].must).empty();
        c.dynamic_from.resize(n_);
        for (const auto& [x, y] : edge.may.pairs()) {
            if (!c.regular || !edge.must.contains(x, y)) c.dynamic_from[x].push_back(y);
        }
    }
    const Lit l = backend_.fresh();
    pairs_[id][key(a, b)] = l;
    const bool ranked = polarity_[id].down;
    const auto rank = [&](size_t x, size_t y) {
        const auto [it, first] = c.ranks.try_emplace({x, y});
        if (first) it->second = word_gates_.fresh(static_cast<int>(std::bit_width(n_)));  // a path visits each event once
        return it->second;
    };
    std::vector<Lit> justified{-l};
    // l follows from the premises; where l must not hold without a reason, they are one together with `shorter`.
    const auto derive = [&](Conjunction premises, Lit shorter) {
        std::vector<Lit> clause{l};
        for (const Lit p : premises) clause.push_back(-p);
        backend_.clause(clause);
        if (!ranked) return;
        premises.push_back(shorter);
        justified.push_back(gates_.all(premises));
    };
    // l from what leads on from `next`, by a shorter path unless that is certain.
    const auto derive_through = [&](Conjunction premises, size_t next) {
        const bool certain = bounds_[id].must.contains(next, b);
        premises.push_back(pair(id, next, b));
        derive(premises, ranked && !certain ? word_gates_.less(rank(next, b), rank(a, b)) : always_true);
    };
    for (const size_t y : c.dynamic_from[a]) {
        const Lit first = pair(argument, a, y);
        if (first == always_false) continue;
        if (y == b)
            derive({exec_[a], first}, always_true);
        else if (bounds_[id].may.contains(y, b))
            derive_through({exec_[a], first}, y);
    }
    if (c.regular) {
        for (const size_t x : bounds_[id].must.successors(a))
            if (x != a && !c.dynamic_from[x].empty() && bounds_[id].may.contains(x, b)) derive_through({happens(a, x)}, x);
    }
    if (ranked) backend_.clause(justified);
    return l;
}

Lit Encoding::member(NodeId id, size_t e) {
    if (!bounds_[id].may_set.contains(e)) return always_false;
    if (bounds_[id].must_set.contains(e)) return exec_[e];
    const auto it = members_[id].find(e);
    if (it != members_[id].end()) return it->second;
    const Lit l = define_member(id, e);
    members_[id][e] = l;
    return l;
}

Lit Encoding::define_member(NodeId id, size_t e) {
    using Op = Node::Op;
    const Node& node = m_.nodes[id];
    std::vector<Conjunction> disjuncts;
    switch (node.op) {
        case Op::union_:
            for (const NodeId part : node.args) disjuncts.push_back({member(part, e)});
            break;
        case Op::intersection: {
            Conjunction all;
            for (const NodeId part : node.args) all.push_back(member(part, e));
            disjuncts.push_back(std::move(all));
            break;
        }
        case Op::difference:
            disjuncts.push_back({member(node.args[0], e), -member(node.args[1], e)});
            break;
        case Op::complement:
            disjuncts.push_back({exec_[e], -member(node.args[0], e)});
            break;
        case Op::choice:
            disjuncts.push_back({variant(node.variant), member(node.args[0], e)});
            disjuncts.push_back({-variant(node.variant), member(node.args[1], e)});
            break;
        case Op::domain:
            for (const size_t b : bounds_[node.args[0]].may.successors(e)) disjuncts.push_back({pair(node.args[0], e, b)});
            break;
        case Op::range: {
            const Relation back = bounds_[node.args[0]].may.inverse();
            for (const size_t a : back.successors(e)) disjuncts.push_back({pair(node.args[0], a, e)});
            break;
        }
        case Op::recursive: {
            const Lit l = backend_.fresh();
            members_[id][e] = l;
            backend_.clause({-member(node.args[0], e), l});
            return l;
        }
        default:
            throw std::logic_error("a relation has no members");
    }
    return gates_.define(std::move(disjuncts), polarity_[id]);
}

// ---- negated constraints --------------------------------------------------------------------------

Lit Encoding::negation(const Constraint& c) {
    if (c.negated && c.kind == Constraint::Kind::empty) return nonempty(c.node);
    if (c.negated && c.kind == Constraint::Kind::irreflexive) {
        std::vector<Lit> some;
        for (size_t a = 0; a < n_; ++a) some.push_back(pair(c.node, a, a));
        return gates_.any(some);
    }
    if (!c.flag)
        throw Failure(m_.source, c.span,
                      "a required `~acyclic` is not searched for: a constraint that asks for something is ~empty or ~irreflexive",
                      "~irreflexive (...)+ as " + c.name);
    throw Failure(m_.source, c.span, "this flag cannot be looked for: flags are ~empty or ~irreflexive", "flag ~empty (...) as " + c.name);
}

std::vector<std::pair<Relation::Pair, Lit>> Encoding::pairs(NodeId node) {
    std::vector<std::pair<Relation::Pair, Lit>> result;
    for (const size_t e : bounds_[node].may_set.elements()) result.push_back({{e, e}, member(node, e)});
    for (const auto& [a, b] : bounds_[node].may.pairs()) result.push_back({{a, b}, pair(node, a, b)});
    return result;
}

}  // namespace litmus
