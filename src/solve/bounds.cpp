// Abstract interpretation of a model over (may, must) pairs.
//
// Each operator is applied to the bounds of its arguments; a difference takes the other bound of its
// right side. Where an operator goes through a third event (`;`, `+`, domain), a must-pair needs that
// event to happen whenever the outer ones do: it always happens, or under the very same guard as one
// of them. Recursive nodes start empty and are iterated; both bounds only grow. What neither they nor rf or co take part in is
// computed once.
//
// Of a choice that is left open a pair may be in either branch, and must be where it must in both.
//
// Two shapes of constraint say something about rf and co before any search, and the bounds are
// computed again with it: `empty d \ co` puts the must-pairs of d into co (and the reverse pairs out of
// it; where the order of two writes is given, and they cannot be unordered, likewise), and `irreflexive (rf | ...); c` takes rf(w, r) away
// where c must relate r to w. What waits say of the two is learnt in turn with that (narrow.h), until nothing more follows.
#include "solve/bounds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "solve/implied.h"
#include "solve/narrow.h"
#include "solve/together.h"

namespace litmus {

namespace {

class Analysis {
public:
    Analysis(FixedBases& bases, const Model& model, const Sequences& order)
        : p_(bases.program()), m_(model), n_(p_.size()), bounds_(model.nodes.size()), order_(order), fixed_(bases) {
        for (const std::vector<size_t>& writes : order_)
            for (size_t i = 0; i < writes.size(); ++i)
                for (size_t j = i + 1; j < writes.size(); ++j) co_.may.remove(writes[j], writes[i]);
        for (NodeBounds& b : bounds_) b = {EventSet(n_), EventSet(n_), Relation(n_), Relation(n_)};
        for (NodeId id = 0; id < model.nodes.size(); ++id) {
            const Node& node = model.nodes[id];
            varies_[id] = node.op == Node::Op::recursive || is_base(id, "rf") || is_base(id, "co") ||
                          std::any_of(node.args.begin(), node.args.end(), [&](NodeId arg) { return varies_[arg]; });
        }
    }

    ModelBounds run() {
        for (NodeId id = 0; id < m_.nodes.size(); ++id)
            if (!varies_[id]) compute(id);
        if (can_narrow(p_)) narrowing_.emplace(p_, m_, with_);
        const int most = narrowing_ ? most_rounds_narrowing : most_rounds;
        for (int round = 0; round < most; ++round) {
            iterate();
            const bool tightened = tighten();
            const bool narrowed = narrowing_ && narrowing_->learn(bounds_, rf_, co_);
            if (!tightened && !narrowed) break;
        }
        ModelBounds result{std::move(bounds_), std::move(rf_), std::move(co_), Relation(n_), Relation(n_), Relation(n_), {}};
        if (narrowing_) {
            result.in = narrowing_->in();
            for (const auto& [w, r] : result.in.pairs())
                if (with_.contains(r, w)) result.needs.add(r, w);
            result.out = narrowing_->out();
            result.values = narrowing_->values();
        }
        return result;
    }

private:
    static constexpr int most_rounds = 3, most_rounds_narrowing = 1000;

    void iterate() {
        bool recursive = false;
        for (const Node& node : m_.nodes) recursive = recursive || node.op == Node::Op::recursive;
        for (bool changed = true; changed;) {
            changed = false;
            for (NodeId id = 0; id < m_.nodes.size(); ++id)
                if (varies_[id] && m_.nodes[id].op != Node::Op::recursive) compute(id);
            for (NodeId id = 0; recursive && id < m_.nodes.size(); ++id) {
                if (m_.nodes[id].op != Node::Op::recursive) continue;
                const NodeBounds& body = bounds_[m_.nodes[id].args[0]];
                if (body.may == bounds_[id].may && body.must == bounds_[id].must && body.may_set == bounds_[id].may_set) continue;
                bounds_[id] = body;
                changed = true;
            }
        }
    }

    bool is_base(NodeId id, std::string_view name) const { return m_.nodes[id].op == Node::Op::base && m_.nodes[id].name == name; }

    bool tighten() {
        bool changed = follow_order();
        for (const Constraint& c : m_.constraints) {
            if (c.flag || c.negated) continue;
            const Node& node = m_.nodes[c.node];
            if (c.kind == Constraint::Kind::empty && node.op == Node::Op::difference && is_base(node.args[1], "co")) {
                changed = order_writes(bounds_[node.args[0]].must) || changed;
            }
            if (c.kind == Constraint::Kind::irreflexive && node.op == Node::Op::sequence && node.args.size() == 2 &&
                contains_rf(node.args[0])) {
                changed = forbid_reads(bounds_[node.args[1]].must) || changed;
            }
        }
        return changed;
    }

    bool contains_rf(NodeId id) const {
        const Node& node = m_.nodes[id];
        if (node.op != Node::Op::union_) return is_base(id, "rf");
        return std::any_of(node.args.begin(), node.args.end(), [&](NodeId part) { return is_base(part, "rf"); });
    }

    // Of writes whose order is given those that cannot be unordered; and what updates among them cannot read from: a later write, or one
    // before which another one comes in between.
    bool follow_order() {
        bool changed = false;
        Implied implied(m_, bounds_);
        for (const std::vector<size_t>& writes : order_) {
            for (size_t i = 0; i < writes.size(); ++i)
                for (size_t j = i + 1; j < writes.size(); ++j) {
                    const size_t a = writes[i], b = writes[j];
                    p_.budget.check();
                    if (co_.must.contains(a, b) || !co_.may.contains(a, b) || !implied.impossible({{}, {}, {{a, b}}, {a, b}})) continue;
                    co_.must.add(a, b);
                    changed = true;
                }
            for (size_t i = 0; i < writes.size(); ++i)
                if (p_.events[writes[i]].partner >= 0)
                    changed = follow_update(implied, i > 0 ? writes[i - 1] : writes[i], writes[i]) || changed;
        }
        return changed;
    }

    // `before`: the write that stands before the update's in the order, or the update's own.
    bool follow_update(Implied& implied, size_t before, size_t write) {
        const auto read = static_cast<size_t>(p_.events[write].partner);
        bool changed = false;
        for (size_t w = 0; w < n_; ++w) {
            if (!rf_.may.contains(w, read)) continue;
            p_.budget.check();
            const bool later = co_.must.contains(write, w) && implied.impossible({{{w, read}}, {{write, w}}, {}, {w, read, write}});
            const bool earlier = co_.must.contains(w, before) && co_.must.contains(before, write) && always_with(before, w, read) &&
                                 implied.impossible({{{w, read}}, {{w, before}, {before, write}}, {}, {read, write, before, w}});
            if (!later && !earlier) continue;
            rf_.may.remove(w, read);
            changed = true;
        }
        return changed;
    }

    bool order_writes(const Relation& before) {
        Bounds& co = co_;
        bool changed = false;
        for (const auto& [a, b] : (before & co.may).pairs()) {
            if (before.contains(b, a)) continue;  // it must come before itself, or both before each other: the constraint fails
            changed = changed || !co.must.contains(a, b);
            co.must.add(a, b);
            co.may.remove(b, a);
        }
        return changed;
    }

    bool forbid_reads(const Relation& before) {
        Relation& may = rf_.may;
        const Relation impossible = before.inverse() & may;
        may -= impossible;
        return !impossible.empty();
    }

    const NodeBounds& arg(const Node& node, size_t i) const { return bounds_[node.args[i]]; }

    bool always_with(size_t middle, size_t a, size_t b) const { return with_.contains(a, middle) || with_.contains(b, middle); }

    EventSet must_domain(const Relation& r) const {
        EventSet result(n_);
        for (const auto& [a, b] : r.pairs()) {
            if (always_with(b, a, a)) result.add(a);
        }
        return result;
    }

    NodeBounds base(std::string_view name, bool is_set) {
        NodeBounds b{EventSet(n_), EventSet(n_), Relation(n_), Relation(n_)};
        if (is_set) {
            b.may_set = b.must_set = fixed_.set(name);
        } else {
            const Bounds& bounds = name == "rf" ? rf_ : name == "co" ? co_ : fixed_.bounds(name);
            b.may = bounds.may;
            b.must = bounds.must;
        }
        return b;
    }

    // Of one or the other.
    static NodeBounds either(const NodeBounds& a, const NodeBounds& b) {
        return {a.may_set | b.may_set, a.must_set & b.must_set, a.may | b.may, a.must & b.must};
    }

    void compute(NodeId id) {
        p_.budget.check();
        bounds_[id] = computed(m_.nodes[id]);
        if (narrowing_) narrowing_->refine(id, bounds_[id]);
    }

    NodeBounds computed(const Node& node) {
        using Op = Node::Op;
        NodeBounds out{EventSet(n_), EventSet(n_), Relation(n_), Relation(n_)};
        const bool set = node.is_set;
        switch (node.op) {
            case Op::base:
                return base(node.name, set);
            case Op::empty:
                return out;
            case Op::union_:
                out = arg(node, 0);
                for (size_t i = 1; i < node.args.size(); ++i) {
                    const NodeBounds& b = arg(node, i);
                    out.may_set |= b.may_set, out.must_set |= b.must_set, out.may |= b.may, out.must |= b.must;
                }
                return out;
            case Op::intersection:
                out = arg(node, 0);
                for (size_t i = 1; i < node.args.size(); ++i) {
                    const NodeBounds& b = arg(node, i);
                    out.may_set &= b.may_set, out.must_set &= b.must_set, out.may &= b.may, out.must &= b.must;
                }
                return out;
            case Op::difference: {
                const NodeBounds &a = arg(node, 0), &b = arg(node, 1);
                return {a.may_set - b.must_set, a.must_set - b.may_set, a.may - b.must, a.must - b.may};
            }
            case Op::complement: {
                const NodeBounds& a = arg(node, 0);
                if (set) return {EventSet::all(n_) - a.must_set, EventSet::all(n_) - a.may_set, out.may, out.must};
                return {out.may_set, out.must_set, Relation::all(n_) - a.must, Relation::all(n_) - a.may};
            }
            case Op::sequence:
                out.may = arg(node, 0).may;
                out.must = arg(node, 0).must;
                for (size_t i = 1; i < node.args.size(); ++i) {
                    out.may = sequence(out.may, arg(node, i).may);
                    out.must = with_.sequence(out.must, arg(node, i).must);
                }
                return out;
            case Op::optional:
                out.may = arg(node, 0).may | Relation::identity(n_);
                out.must = arg(node, 0).must | Relation::identity(n_);
                return out;
            case Op::plus:
                out.may = transitive_closure(arg(node, 0).may);
                out.must = with_.closure(arg(node, 0).must);
                return out;
            case Op::star:
                out.may = transitive_closure(arg(node, 0).may) | Relation::identity(n_);
                out.must = with_.closure(arg(node, 0).must) | Relation::identity(n_);
                return out;
            case Op::inverse:
                out.may = arg(node, 0).may.inverse();
                out.must = arg(node, 0).must.inverse();
                return out;
            case Op::restriction:
                out.may = Relation::identity(arg(node, 0).may_set);
                out.must = Relation::identity(arg(node, 0).must_set);
                return out;
            case Op::product:
                out.may = Relation::product(arg(node, 0).may_set, arg(node, 1).may_set);
                out.must = Relation::product(arg(node, 0).must_set, arg(node, 1).must_set);
                return out;
            case Op::domain:
                out.may_set = arg(node, 0).may.domain();
                out.must_set = must_domain(arg(node, 0).must);
                return out;
            case Op::range:
                out.may_set = arg(node, 0).may.range();
                out.must_set = must_domain(arg(node, 0).must.inverse());
                return out;
            case Op::choice:
                return either(arg(node, 0), arg(node, 1));
            case Op::recursive:
                break;
        }
        return out;
    }

    const Program& p_;
    const Model& m_;
    size_t n_;
    std::vector<NodeBounds> bounds_;
    const Sequences& order_;
    Together with_{p_};
    std::optional<Narrowing> narrowing_;
    std::vector<bool> varies_ = std::vector<bool>(m_.nodes.size());  // by node: rf, co or a recursive node takes part in it
    FixedBases& fixed_;
    Bounds rf_ = fixed_.bounds("rf"), co_ = fixed_.bounds("co");  // which the constraints narrow
};

}  // namespace

ModelBounds compute_bounds(const Program& program, const Model& model) {
    FixedBases bases(program);
    return compute_bounds(bases, model);
}

ModelBounds compute_bounds(FixedBases& bases, const Model& model, const Sequences& order) {
    return Analysis(bases, model, order).run();
}

}  // namespace litmus
