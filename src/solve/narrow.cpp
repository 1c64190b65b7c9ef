// The rules of narrow.h, round by round.
#include "solve/narrow.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "solve/chains.h"

namespace litmus {

// Named, since Narrowing::Learner, which has external linkage, is made of these.
namespace narrowing {

constexpr size_t most_values_of_numbers = 8;  // that one vector of numbers may give in different orders
constexpr size_t most_vectors = 4096;         // of a section
constexpr size_t most_assignments = 8192;     // of values to what a condition is about, for one value of a read

// An expression, or the contrary of it.
struct Signed {
    ExprId e;
    bool holds;
};

// The parts of which a literal is the conjunction.
void flatten_all(const ExprPool& pool, Signed l, std::vector<Signed>& parts) {
    const Expr& e = pool[l.e];
    if (e.op == Expr::Op::not_) return flatten_all(pool, {e.a, !l.holds}, parts);
    if ((e.op == Expr::Op::and_ && l.holds) || (e.op == Expr::Op::or_ && !l.holds)) {
        flatten_all(pool, {e.a, l.holds}, parts);
        flatten_all(pool, {e.b, l.holds}, parts);
        return;
    }
    parts.push_back(l);
}

// A condition on what a read returns: wherever the read happens, one of these holds.
struct Wait {
    std::vector<Signed> any;
    std::vector<size_t> reads;      // the others that it is about
    std::vector<uint32_t> choices;  // and the choices
};

// By read, what the constraints of a program say of its value.
std::map<size_t, std::vector<Wait>> find_waits(const Program& p) {
    std::map<size_t, std::vector<Wait>> result;
    for (const ExprId constraint : p.constraints) {
        std::vector<Signed> denied;  // the constraint is the contrary of all these together
        flatten_all(p.exprs, {constraint, false}, denied);
        std::set<size_t> reads;
        for_each_leaf(p.exprs, constraint, [&](const Expr& leaf) {
            if (leaf.op == Expr::Op::read && leaf.index < p.size() && p.events[leaf.index].kind == Event::Kind::read)
                reads.insert(leaf.index);
        });
        for (const size_t r : reads) {
            std::vector<Signed> given;
            flatten_all(p.exprs, {p.events[r].guard, true}, given);
            const auto is_given = [&](const Signed& l) {
                return std::any_of(given.begin(), given.end(), [&](const Signed& g) { return g.e == l.e && g.holds == l.holds; });
            };
            Wait wait;
            std::set<size_t> others;
            std::set<uint32_t> choices;
            bool about = false, known = true;
            for (const Signed& l : denied) {
                if (is_given(l)) continue;
                wait.any.push_back({l.e, !l.holds});
                for_each_leaf(p.exprs, l.e, [&](const Expr& leaf) {
                    if (leaf.op == Expr::Op::read && leaf.index == r)
                        about = true;
                    else if (leaf.op == Expr::Op::choice)
                        choices.insert(leaf.index);
                    else if (leaf.op == Expr::Op::read && leaf.index < p.size() && p.events[leaf.index].kind == Event::Kind::read)
                        others.insert(leaf.index);
                    else
                        known = false;
                });
            }
            if (!about || !known || others.size() + choices.size() > 4) continue;
            wait.reads.assign(others.begin(), others.end());
            wait.choices.assign(choices.begin(), choices.end());
            result[r].push_back(std::move(wait));
        }
    }
    return result;
}

// What something can be; unknown where that is much.
struct PossibleValues {
    bool unknown = false;
    std::vector<uint64_t> all;  // in ascending order

    void add(uint64_t value) {
        const auto at = std::lower_bound(all.begin(), all.end(), value);
        if (at == all.end() || *at != value) all.insert(at, value);
    }
    void add(const PossibleValues& more) {
        unknown = unknown || more.unknown;
        for (const uint64_t value : more.all) add(value);
    }
    friend bool operator==(const PossibleValues&, const PossibleValues&) = default;
};

// Writes of which each is co-after those of the sections before, and happens only if they do.
struct Section {
    EventSet writes;
    std::vector<EventSet> of_kind;
    std::vector<size_t> most;            // of each kind
    std::vector<PossibleValues> values;  // by vector of numbers, the first kind varying fastest
};

struct Past {  // the past of a read: all of the sections before, and of this one so many of each kind
    size_t section;
    std::vector<size_t> numbers;
    PossibleValues values;
};

// A chain, as it is used here.
struct Line {
    Chain chain;
    size_t base = 0;                                        // the write that all pasts begin with
    EventSet writes;                                        // of the updates
    std::vector<size_t> reads;                              // of the location, those of updates included
    std::vector<std::vector<size_t>> order;                 // by section, the updates' indices
    std::vector<Section> sections;                          // of that order
    std::map<size_t, std::pair<size_t, size_t>> place;      // by write: its section and kind
    std::map<std::pair<size_t, uint64_t>, uint64_t> steps;  // by kind and value: the value after an update
};

// A constraint by which a path and an edge back exclude each other.
struct Order {
    NodeId leads;  // paths are of its pairs
    NodeId edges;  // has the edge
    bool acyclic;  // otherwise a path is one pair
};

// Of all nodes, the pairs that are in it whenever they are in rf, co or fr.
class Contained {
public:
    Contained(const Model& model, const std::vector<NodeBounds>& bounds, std::string_view base) : m_(model), bounds_(bounds), base_(base) {}

    const Relation& operator()(NodeId id) {
        const auto known = known_.find(id);
        if (known != known_.end()) return known->second;
        return known_.emplace(id, bounds_[id].must | computed(id)).first->second;
    }

private:
    Relation computed(NodeId id) {
        using Op = Node::Op;
        const Node& node = m_.nodes[id];
        if (base_ == "fr" ? is_fr(m_, id) : node.op == Node::Op::base && node.name == base_) return Relation::all(bounds_[id].may.size());
        switch (node.op) {
            case Op::union_:
                return (*this)(node.args[0]) | (node.args.size() > 1 ? (*this)(node.args[1]) : Relation(bounds_[id].may.size()));
            case Op::intersection:
            case Op::choice:
                return (*this)(node.args[0]) & (node.args.size() > 1 ? (*this)(node.args[1]) : Relation::all(bounds_[id].may.size()));
            case Op::difference:
                return (*this)(node.args[0]) - bounds_[node.args[1]].may;
            case Op::optional:
            case Op::plus:
            case Op::star:
                return (*this)(node.args[0]);
            default:
                return Relation(bounds_[id].may.size());
        }
    }

    const Model& m_;
    const std::vector<NodeBounds>& bounds_;
    std::string_view base_;
    std::map<NodeId, Relation> known_;
};

}  // namespace narrowing

using namespace narrowing;

bool can_narrow(const Program& program) {
    return (program.bounds.empty() || !program.diverted.empty()) && !find_waits(program).empty();
}

class Narrowing::Learner {
public:
    Learner(const Program& program, const Model& model, Together& with)
        : p_(program), m_(model), with_(with), n_(program.size()), waits_(find_waits(program)), in_(n_), out_(n_), fr_(n_) {
        for (const Constraint& c : m_.constraints) {
            if (c.flag || c.negated || m_.nodes[c.node].is_set) continue;
            const Node& node = m_.nodes[c.node];
            if (c.kind == Constraint::Kind::acyclic) orders_.push_back({c.node, c.node, true});
            if (c.kind == Constraint::Kind::irreflexive && node.op == Node::Op::sequence && node.args.size() == 2)
                orders_.push_back({node.args[1], node.args[0], false});
        }
        for (size_t r = 0; r < n_; ++r)
            if (p_.events[r].kind == Event::Kind::read) reads_.push_back(r);
    }

    bool learn(const std::vector<NodeBounds>& bounds, Bounds& rf, Bounds& co) {
        rf_ = &rf;
        co_ = &co;
        if (!found_lines_) find_lines(bounds);
        bool any = follow_links(bounds);
        find_orders(bounds);
        for (;;) {
            p_.budget.check();
            changed_ = led_further_ = false;
            relate_pasts();
            count();
            relate_pasts();
            follow_orders();
            find_sources();
            if (!changed_ && !led_further_) return any;
            any = any || changed_;
        }
    }

    void refine(NodeId id, NodeBounds& b) const {
        if (const auto followed = followed_.find(id); followed != followed_.end()) {
            b.must |= in_ & followed->second;
            b.may -= out_;
        }
        if (is_fr(m_, id)) {
            b.must |= fr_;
            b.may -= in_.inverse();
        }
    }

    const Relation& in() const { return in_; }
    const Relation& out() const { return out_; }
    std::map<size_t, std::vector<uint64_t>> values() const {
        std::map<size_t, std::vector<uint64_t>> result;
        for (const auto& of_read : line_of_) {
            PossibleValues values = possible_values(of_read.first);
            if (!values.unknown && !values.all.empty()) result[of_read.first] = std::move(values.all);
        }
        return result;
    }

private:
    struct Known {  // of an order
        bool acyclic = true;
        Together::Closed leads;
        Relation further;     // pairs that sources have in common, to be added
        Relation rf, co, fr;  // whose pairs are edges
        Relation past;        // of past_, the pairs that are paths of edges where they are in
    };

    // Updates of a line that are out of the past of a read, and of what is in its past, as far as is supposed.
    struct Supposed {
        const Line& line;
        const EventSet& out;
    };

    // ---- relations that grow, and those that shrink

    void add(Relation& relation, size_t a, size_t b) {
        if (relation.contains(a, b)) return;
        relation.add(a, b);
        changed_ = true;
    }
    void add(Relation& relation, const Relation& more) {
        Relation next = relation | more;
        changed_ = changed_ || next != relation;
        relation = std::move(next);
    }
    void drop(Relation& relation, const Relation& less) {
        const Relation found = relation & less;
        changed_ = changed_ || !found.empty();
        relation -= found;
    }
    void happens_with(size_t a, size_t b) {
        if (with_.contains(a, b)) return;
        with_.add(a, b);
        changed_ = new_together_ = true;
    }

    void close_together() {
        if (!new_together_) return;
        with_.close();
        new_together_ = false;
    }

    // ---- premises

    // Chains whose pasts all begin with one write, and happen with it.
    void find_lines(const std::vector<NodeBounds>& bounds) {
        found_lines_ = true;
        past_ = Relation(n_);
        for (Chain& chain : find_chains(p_, m_, bounds, *rf_, *co_, in_, 1)) {
            Line line;
            line.writes = EventSet(n_);
            for (const Chain::Update& u : chain.updates) line.writes.add(u.write);
            const auto begins_all = [&](size_t base) {
                const auto before_base = [&](size_t other) { return other == base || co_->must.contains(other, base); };
                const auto after_base = [&](const Chain::Update& u) {
                    return co_->must.contains(base, u.write) && with_.contains(u.write, base);
                };
                return std::all_of(chain.bases.begin(), chain.bases.end(), before_base) &&
                       std::all_of(chain.updates.begin(), chain.updates.end(), after_base) && p_.exprs.is_constant(p_.events[base].value);
            };
            const auto base = std::find_if(chain.bases.begin(), chain.bases.end(), begins_all);
            if (base == chain.bases.end()) continue;
            line.base = *base;
            for (const size_t r : reads_) {
                const auto is_other_base = [&](size_t w) { return w != line.base && rf_->may.contains(w, r); };
                if (p_.events[r].cell != p_.events[line.base].cell) continue;
                if (std::none_of(chain.bases.begin(), chain.bases.end(), is_other_base)) line.reads.push_back(r);
            }
            for (const size_t r : line.reads) {
                line_of_[r] = lines_.size();
                for (const Chain::Update& u : chain.updates) past_.add(u.write, r);
            }
            for (const Chain::Update& u : chain.updates) {
                add(out_, u.write, u.read);
                line.place[u.write] = {0, u.kind};
            }
            line.chain = std::move(chain);
            lines_.push_back(std::move(line));
        }
    }

    // Whether each pair of rf among the updates of a line is in `links`, and the step from each update's read to its write in `steps`.
    bool follows(const Line& line, const Relation& links) const {
        const auto& updates = line.chain.updates;
        return std::all_of(updates.begin(), updates.end(), [&](const Chain::Update& to) { return all_links(line, links, to.read); });
    }
    bool all_links(const Line& line, const Relation& links, size_t read) const {
        const auto& updates = line.chain.updates;
        return std::all_of(updates.begin(), updates.end(), [&](const Chain::Update& from) {
            return !rf_->may.contains(from.write, read) || links.contains(from.write, read);
        });
    }
    // The pairs of past_ whose every link is in `links`.
    Relation followed(const Relation& links, const Relation* steps) const {
        Relation result(n_);
        for (const Line& line : lines_) {
            const auto& updates = line.chain.updates;
            if (!follows(line, links)) continue;
            if (steps &&
                !std::all_of(updates.begin(), updates.end(), [&](const Chain::Update& u) { return steps->contains(u.read, u.write); }))
                continue;
            for (const size_t r : line.reads)
                if (all_links(line, links, r))
                    for (const Chain::Update& u : updates) result.add(u.write, r);
        }
        return result;
    }

    // The nodes x; (rmw; x)* that what is in a past is in; whether more is known of them than at the last call.
    bool follow_links(const std::vector<NodeBounds>& bounds) {
        Contained contained(m_, bounds, "rf");
        std::map<NodeId, Relation> found;
        for (const ChainNode& n : chain_nodes(m_))
            if (m_.nodes[n.node].recursion == 0 && is_part_of_rf(m_, n.link)) found[n.node] = followed(contained(n.link), nullptr);
        const bool more = found != followed_;
        followed_ = std::move(found);
        return more;
    }

    // What each order says, for the bounds as they are now.
    void find_orders(const std::vector<NodeBounds>& bounds) {
        Contained rf(m_, bounds, "rf"), co(m_, bounds, "co"), fr(m_, bounds, "fr");
        known_.clear();
        for (const Order& order : orders_) {
            Known known;
            if (order.acyclic)
                with_.close(known.leads, bounds[order.leads].must);
            else
                known.leads.pairs = bounds[order.leads].must;
            known.further = Relation(n_);
            known.rf = rf(order.edges);
            known.co = co(order.edges);
            known.fr = fr(order.edges);
            known.past = order.acyclic ? followed(known.rf, &known.leads.pairs) : Relation(n_);
            known.acyclic = order.acyclic;
            known_.push_back(std::move(known));
        }
    }

    // ---- pasts

    // From reads to writes: the write comes after the one that is read.
    void find_fr() { fr_ = out_.inverse(); }

    void relate_pasts() {
        for (bool again = true; again;) {
            p_.budget.check();
            const bool before = std::exchange(changed_, false);
            Relation& co = co_->must;
            close_together();
            for (const Line& line : lines_)
                for (const Chain::Update& u : line.chain.updates)
                    for (const Chain::Update& v : line.chain.updates) {
                        if (u.write == v.write) continue;
                        // the past of an update's read is what is co-before its write
                        if (co.contains(v.write, u.write)) {
                            if (past_.contains(v.write, u.read)) add(in_, v.write, u.read);
                            if (past_.contains(u.write, v.read)) add(out_, u.write, v.read);
                        } else if (in_.contains(v.write, u.read) || out_.contains(u.write, v.read)) {
                            order_writes(v.write, u.write);
                        }
                    }
            add(co, with_.sequence(co, co));
            drop(co_->may, co.inverse());
            add(in_, with_.sequence(co, in_) & past_);
            find_fr();
            add(fr_, with_.sequence(fr_, co) & past_.inverse());
            out_ |= fr_.inverse();
            order_by_pasts();
            again = changed_;
            changed_ = before || changed_;
        }
    }

    void order_writes(size_t a, size_t b) {
        add(co_->must, a, b);
        co_->may.remove(b, a);
    }

    // What is in a past is before what is out of it.
    void order_by_pasts() {
        const Relation ordered = with_.sequence(in_, fr_);
        Relation total(n_);
        for (const Line& line : lines_) total |= Relation::product(line.writes, line.writes);
        add(co_->must, (ordered & total) - Relation::identity(n_));
        drop(co_->may, co_->must.inverse());
    }

    // ---- counting

    void count() {
        values_.clear();
        for (Line& line : lines_) {
            divide(line);
            for (const size_t r : line.reads) {
                p_.budget.check();
                if (waits_.count(r) > 0) count(line, r);
            }
            find_rounds(line);
        }
        for (const auto& of_read : waits_)
            if (const size_t r = of_read.first; line_of_.count(r) == 0) choose_sources(r);
    }

    // The sections of a line, and the values that belong to them.
    void divide(Line& line) {
        const auto& updates = line.chain.updates;
        std::vector<size_t> sorted(updates.size());
        std::vector<size_t> before(updates.size());
        const auto precedes = [&](size_t u, size_t v) {
            return co_->must.contains(updates[u].write, updates[v].write) && with_.contains(updates[v].write, updates[u].write);
        };
        for (size_t u = 0; u < updates.size(); ++u) {
            sorted[u] = u;
            for (size_t v = 0; v < updates.size(); ++v) before[u] += precedes(v, u) ? 1 : 0;
        }
        std::sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) { return std::pair(before[a], a) < std::pair(before[b], b); });
        std::vector<std::vector<size_t>> order;
        size_t needed = 0;  // all of the writes up to here are before each of those that follow
        for (size_t i = 0; i < sorted.size(); ++i) {
            // behind a cut all have as many predecessors as there are in front of it, and these are all in front
            const bool cut = std::all_of(sorted.begin() + static_cast<std::ptrdiff_t>(i), sorted.end(), [&](size_t v) {
                return before[v] >= i &&
                       std::all_of(sorted.begin() + static_cast<std::ptrdiff_t>(needed), sorted.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](size_t u) { return precedes(u, v); });
            });
            if (cut) {
                needed = i;
                order.emplace_back();
            }
            order.back().push_back(sorted[i]);
        }
        for (std::vector<size_t>& of_section : order) std::sort(of_section.begin(), of_section.end());
        if (order == line.order && !line.sections.empty()) return;
        line.order = std::move(order);
        line.sections.clear();
        PossibleValues first;
        first.all = {p_.exprs[p_.events[line.base].value].value};
        for (const std::vector<size_t>& of_section : line.order) {
            for (const size_t u : of_section) line.place[updates[u].write].first = line.sections.size();
            line.sections.push_back(section(line, of_section, first));
            first = line.sections.back().values.empty() ? PossibleValues{true, {}} : line.sections.back().values.back();
        }
    }

    Section section(Line& line, const std::vector<size_t>& of_section, const PossibleValues& first) {
        const auto& updates = line.chain.updates;
        const size_t kinds = line.chain.kinds.size();
        Section s{EventSet(n_), std::vector<EventSet>(kinds, EventSet(n_)), std::vector<size_t>(kinds), {}};
        for (const size_t u : of_section) {
            s.writes.add(updates[u].write);
            s.of_kind[updates[u].kind].add(updates[u].write);
            ++s.most[updates[u].kind];
        }
        size_t entries = 1;
        std::vector<size_t> stride;
        for (const size_t most : s.most) {
            stride.push_back(entries);
            entries *= most + 1;
            if (entries > most_vectors) return s;
        }
        s.values.resize(entries);
        s.values[0] = first;
        for (size_t entry = 1; entry < entries; ++entry) {
            PossibleValues& values = s.values[entry];
            for (size_t kind = 0; kind < kinds; ++kind) {
                if (entry / stride[kind] % (s.most[kind] + 1) == 0) continue;
                const PossibleValues& rest = s.values[entry - stride[kind]];
                values.unknown = values.unknown || rest.unknown;
                for (const uint64_t value : rest.all) values.add(step(line, kind, value));
            }
            if (values.all.size() > most_values_of_numbers) values.unknown = true;
            if (values.unknown) values.all.clear();
        }
        return s;
    }

    uint64_t step(Line& line, size_t kind, uint64_t value) {
        const auto [found, is_new] = line.steps.try_emplace({kind, value});
        if (!is_new) return found->second;
        const auto one =
            std::find_if(line.chain.updates.begin(), line.chain.updates.end(), [&](const Chain::Update& u) { return u.kind == kind; });
        return found->second = evaluate(p_.exprs, p_.events[one->write].value, [&](const Expr& leaf) {
                   return leaf.index == one->read ? value : line.chain.known.at(leaf.index);
               });
    }

    // Of each kind in a section, how many are in the past of a read, and how many are not out of it.
    struct Range {
        std::vector<size_t> fewest, most;
        bool whole = true;  // none is out
        bool none = true;   // none is in
    };
    Range range(const Section& s, const EventSet& in, const EventSet& out) const {
        Range result;
        for (size_t kind = 0; kind < s.most.size(); ++kind) {
            result.fewest.push_back((s.of_kind[kind] & in).count());
            result.most.push_back((s.of_kind[kind] - out).count());
            result.whole = result.whole && result.most[kind] == s.most[kind];
            result.none = result.none && result.fewest[kind] == 0;
        }
        return result;
    }

    // The updates that are in the past of a read, and happen where it does; and those that are out of it.
    EventSet members(const Line& line, size_t r) const {
        EventSet result(n_);
        for (const Chain::Update& u : line.chain.updates)
            if (in_.contains(u.write, r) && with_.contains(r, u.write)) result.add(u.write);
        return result;
    }
    EventSet outsiders(const Line& line, size_t r) const {
        EventSet result(n_);
        for (const Chain::Update& u : line.chain.updates)
            if (out_.contains(u.write, r)) result.add(u.write);
        return result;
    }

    // The pasts that a read may have that these are in and out of; nothing: they are too many.
    std::optional<std::vector<Past>> pasts(const Line& line, const EventSet& in, const EventSet& out) const {
        std::vector<Past> result;
        std::vector<Range> ranges;
        for (const Section& s : line.sections) ranges.push_back(range(s, in, out));
        size_t last = 0;  // which has a member
        for (size_t i = 0; i < ranges.size(); ++i)
            if (!ranges[i].none) last = i;
        for (size_t i = 0; i < line.sections.size(); ++i) {
            if (i >= last && !add_pasts(line.sections[i], ranges[i], i, result)) return std::nullopt;
            if (!ranges[i].whole) break;
        }
        return result;
    }

    // Those that end in a section; the empty past is in the first.
    bool add_pasts(const Section& s, const Range& range, size_t number, std::vector<Past>& result) const {
        if (s.values.empty()) return false;
        std::vector<size_t> numbers = range.fewest;
        for (;;) {
            size_t entry = 0, stride = 1;
            for (size_t kind = 0; kind < numbers.size(); ++kind) {
                entry += stride * numbers[kind];
                stride *= s.most[kind] + 1;
            }
            if (entry > 0 || number == 0) result.push_back({number, numbers, s.values[entry]});
            size_t kind = 0;
            while (kind < numbers.size() && numbers[kind] >= range.most[kind]) {
                numbers[kind] = range.fewest[kind];
                ++kind;
            }
            if (kind == numbers.size()) return true;
            ++numbers[kind];
        }
    }

    void count(const Line& line, size_t r) {
        const auto is_known = [&](const Chain::Update& u) {
            return out_.contains(u.write, r) || (in_.contains(u.write, r) && with_.contains(r, u.write));
        };
        if (std::all_of(line.chain.updates.begin(), line.chain.updates.end(), is_known)) return;
        const EventSet in = members(line, r), out = outsiders(line, r);
        std::optional<std::vector<Past>> all = pasts(line, in, out);
        if (!all) return;
        std::vector<Past> passing;
        for (Past& v : *all)
            if (gets_past(r, v, nullptr)) passing.push_back(std::move(v));
        if (passing.empty()) return;  // nothing gets past it: the search will say so
        for (size_t i = 0; i < line.sections.size(); ++i) {
            const Section& s = line.sections[i];
            for (size_t kind = 0; kind < s.most.size(); ++kind) {
                if (s.most[kind] == 0) continue;
                size_t fewest = s.most[kind], most = 0;
                for (const Past& v : passing) {
                    const size_t number = v.section > i ? s.most[kind] : v.section < i ? 0 : v.numbers[kind];
                    fewest = std::min(fewest, number);
                    most = std::max(most, number);
                }
                const EventSet possible = s.of_kind[kind] - out, certain = s.of_kind[kind] & in;
                for (const size_t u : s.of_kind[kind].elements()) {
                    if (in.contains(u) || out.contains(u)) continue;
                    if ((possible - with_before(u, s.of_kind[kind], false)).count() < fewest) {
                        add(in_, u, r);
                        happens_with(r, u);
                    } else if ((certain | with_before(u, s.of_kind[kind], true)).count() > most) {
                        add(out_, u, r);
                    }
                }
            }
        }
        std::set<std::pair<size_t, size_t>> ends;  // in which section and kind a past may end
        bool empty = false;
        for (const Past& v : passing) {
            bool none = true;
            for (size_t kind = 0; kind < v.numbers.size(); ++kind)
                if (v.numbers[kind] > 0) {
                    ends.insert({v.section, kind});
                    none = false;
                }
            empty = empty || none;
        }
        for (const Chain::Update& u : line.chain.updates)
            if (ends.count(line.place.at(u.write)) == 0) drop_source(u.write, r);
        if (!empty) drop_source(line.base, r);
    }

    bool gets_past(size_t r, const Past& past, const Supposed* supposed) {
        const auto& values = past.values;
        return values.unknown ||
               std::any_of(values.all.begin(), values.all.end(), [&](uint64_t value) { return passes(r, value, supposed); });
    }

    // The first of the others. Which updates of a section are the first is guessed by how many waits each comes after.
    void find_rounds(const Line& line) {
        for (size_t i = 0; i < line.sections.size(); ++i) {
            const Section& s = line.sections[i];
            std::map<size_t, std::vector<size_t>> after;  // by update: the waits that it comes after
            std::set<size_t> numbers;
            for (const size_t u : s.writes.elements()) {
                for (const size_t r : line.reads)
                    if (waits_.count(r) > 0 && out_.contains(u, r) && with_.contains(u, r)) after[u].push_back(r);
                numbers.insert(after[u].size());
            }
            if (numbers.size() < 2) continue;
            numbers.erase(std::prev(numbers.end()));
            for (const size_t most : numbers) {
                p_.budget.check();
                EventSet first(n_), others(n_);
                for (const auto& [u, waits] : after) (waits.size() <= most ? first : others).add(u);
                const auto comes_after_all = [&](size_t u) {
                    return std::any_of(after[u].rbegin(), after[u].rend(), [&](size_t r) { return needs_all(line, i, r, first, others); });
                };
                const std::vector<size_t> later = others.elements();
                if (!std::all_of(later.begin(), later.end(), comes_after_all)) continue;
                for (const size_t u : later)
                    for (const size_t w : first.elements()) {
                        order_writes(w, u);
                        happens_with(u, w);
                    }
                break;
            }
        }
    }

    // Whether one gets past the waits of a read, with none of `others` in its past, only with all of `first`, both of a section.
    bool needs_all(const Line& line, size_t section, size_t r, const EventSet& first, const EventSet& others) {
        const EventSet out = outsiders(line, r) | others;
        const std::optional<std::vector<Past>> all = pasts(line, members(line, r) - others, out);
        if (!all) return false;
        const Supposed supposed{line, others};
        return std::all_of(all->begin(), all->end(), [&](const Past& v) {
            if (!gets_past(r, v, &supposed)) return true;
            bool whole = v.section == section;
            for (size_t kind = 0; whole && kind < v.numbers.size(); ++kind)
                whole = v.numbers[kind] == (line.sections[section].of_kind[kind] & first).count();
            return whole;
        });
    }

    // The write and those of a set that are in each past that it is in; or, `earlier` false, those in whose pasts it is.
    EventSet with_before(size_t u, const EventSet& set, bool earlier) const {
        EventSet result(n_);
        for (const size_t v : set.elements()) {
            const size_t first = earlier ? v : u, last = earlier ? u : v;
            if (u == v || (co_->must.contains(first, last) && with_.contains(last, first))) result.add(v);
        }
        return result;
    }

    void drop_source(size_t w, size_t r) {
        if (!rf_->may.contains(w, r)) return;
        rf_->may.remove(w, r);
        changed_ = true;
    }

    // ---- values

    // Whether each wait of a read may end when it returns this value.
    bool passes(size_t r, uint64_t value, const Supposed* supposed = nullptr) {
        const std::vector<Wait>& waits = waits_.at(r);
        return std::all_of(waits.begin(), waits.end(), [&](const Wait& wait) {
            if (!wait.reads.empty()) return passes(r, value, wait, supposed);
            const auto [known, is_new] = passing_.try_emplace({&wait, value}, false);
            if (is_new) known->second = passes(r, value, wait, nullptr);
            return known->second;
        });
    }

    bool passes(size_t r, uint64_t value, const Wait& wait, const Supposed* supposed) {
        std::vector<std::vector<uint64_t>> domains;
        size_t assignments = 1;
        for (const size_t other : wait.reads) {
            if (!with_.contains(r, other)) return true;
            const PossibleValues values = supposed && is_before(*supposed, other, r)
                                              ? values_in(supposed->line, other, outsiders(supposed->line, other) | supposed->out)
                                              : values_of(other);
            if (values.unknown || values.all.empty()) return true;
            domains.push_back(values.all);
            assignments *= values.all.size();
            if (assignments > most_assignments) return true;
        }
        for (size_t i = 0; i < wait.choices.size(); ++i) domains.push_back({0, 1});
        std::vector<size_t> at(domains.size());
        for (;;) {
            const auto leaf = [&](const Expr& e) -> uint64_t {
                if (e.op == Expr::Op::read && e.index == r) return value;
                for (size_t i = 0; i < wait.reads.size(); ++i)
                    if (e.op == Expr::Op::read && e.index == wait.reads[i]) return domains[i][at[i]];
                for (size_t i = 0; i < wait.choices.size(); ++i)
                    if (e.op == Expr::Op::choice && e.index == wait.choices[i])
                        return domains[wait.reads.size() + i][at[wait.reads.size() + i]];
                return 0;
            };
            for (const Signed& l : wait.any)
                if ((evaluate(p_.exprs, l.e, leaf) != 0) == l.holds) return true;
            size_t i = 0;
            while (i < at.size() && ++at[i] == domains[i].size()) at[i++] = 0;
            if (i == at.size()) return false;
        }
    }

    // What a read can return.
    const PossibleValues& values_of(size_t r) {
        const auto [known, is_new] = values_.try_emplace(r);
        if (is_new) known->second = possible_values(r);
        return known->second;
    }
    // Whether it is the read of an update of the line that is in the past of r.
    bool is_before(const Supposed& supposed, size_t read, size_t r) const {
        const auto& updates = supposed.line.chain.updates;
        return std::any_of(updates.begin(), updates.end(), [&](const Chain::Update& u) {
            return u.read == read && in_.contains(u.write, r);  // passes() has made sure that the read happens where r does
        });
    }
    // Of a read of the line, with these updates out of its past.
    PossibleValues values_in(const Line& line, size_t r, const EventSet& out) const {
        PossibleValues result;
        const auto all = pasts(line, members(line, r), out);
        if (!all) return {true, {}};
        for (const Past& v : *all) result.add(v.values);
        return result;
    }
    PossibleValues possible_values(size_t r) const {
        PossibleValues result;
        if (const auto line = line_of_.find(r); line != line_of_.end())
            return values_in(lines_[line->second], r, outsiders(lines_[line->second], r));
        for (size_t w = 0; w < n_; ++w) {
            if (!rf_->may.contains(w, r)) continue;
            if (!p_.exprs.is_constant(p_.events[w].value)) return {true, {}};
            result.add(p_.exprs[p_.events[w].value].value);
        }
        return result;
    }

    // Of a read whose location is no line, the writes whose values pass.
    void choose_sources(size_t r) {
        for (size_t w = 0; w < n_; ++w) {
            if (!rf_->may.contains(w, r) || !p_.exprs.is_constant(p_.events[w].value)) continue;
            p_.budget.check();
            if (!passes(r, p_.exprs[p_.events[w].value].value)) drop_source(w, r);
        }
    }

    // ---- orders

    void follow_orders() {
        close_together();
        find_fr();
        for (Known& known : known_) {
            p_.budget.check();
            if (known.acyclic) {
                with_.close(known.leads,
                            (in_ & known.past) | (fr_ & known.fr) | (co_->must & known.co) | (rf_->must & known.rf) | known.further);
                follow_all_sources(known);
            }
            const Relation back = known.leads.pairs.inverse();
            drop(rf_->may, back & known.rf);
            drop(co_->may, back & known.co);
            add(out_, back & known.past & past_);
            add(in_, (known.leads.pairs & known.fr.inverse()) & past_);
            for (const Line& line : lines_) {
                const Relation total = Relation::product(line.writes, line.writes);
                add(co_->must, known.leads.pairs & known.co.inverse() & total);
            }
        }
        drop(co_->may, co_->must.inverse());
    }

    // What leads to each write that a read may take its value from leads to the read.
    void follow_all_sources(Known& known) {
        const Relation sources = rf_->may.inverse(), back = known.leads.pairs.inverse();
        std::vector<size_t> led(n_);  // by event: to how many of the writes it leads
        for (const size_t r : reads_) {
            const std::vector<size_t> writes = sources.successors(r);
            if (writes.size() < 2) continue;  // one is an edge
            const auto is_edge = [&](size_t w) { return known.rf.contains(w, r); };
            if (!std::all_of(writes.begin(), writes.end(), is_edge)) continue;
            std::fill(led.begin(), led.end(), 0);
            for (const size_t w : writes) {
                ++led[w];
                for (const size_t e : back.successors(w))
                    if (e != w) ++led[e];
            }
            for (size_t e = 0; e < n_; ++e) {
                if (led[e] < writes.size() || e == r || known.leads.pairs.contains(e, r) || known.further.contains(e, r)) continue;
                known.further.add(e, r);
                led_further_ = true;
            }
        }
    }

    // ---- sources

    void find_sources() {
        drop(rf_->may, out_);
        // a write that comes before a member of the past, which happens where both do
        drop(rf_->may, with_.sequence(co_->must, in_));
        for (const Known& known : known_)
            if (!known.acyclic) drop(rf_->may, with_.sequence(co_->must, known.leads.pairs & known.fr.inverse()));
        const Relation sources = rf_->may.inverse();
        for (const size_t r : reads_) {
            const std::vector<size_t> writes = sources.successors(r);
            if (writes.size() != 1) continue;
            const size_t w = writes.front();
            add(rf_->must, w, r);
            happens_with(r, w);
            if (past_.contains(w, r)) add(in_, w, r);
            const auto line = line_of_.find(r);
            if (line == line_of_.end()) continue;
            for (const Chain::Update& u : lines_[line->second].chain.updates)
                if (co_->must.contains(w, u.write) && past_.contains(u.write, r)) add(out_, u.write, r);
        }
    }

    const Program& p_;
    const Model& m_;
    Together& with_;
    size_t n_;
    std::map<size_t, std::vector<Wait>> waits_;  // by read
    std::vector<size_t> reads_;
    std::map<std::pair<const Wait*, uint64_t>, bool> passing_;  // by a wait that is about one read, and value
    std::map<size_t, PossibleValues> values_;                   // by read, for this round
    std::vector<Order> orders_;
    std::vector<Known> known_;  // by order
    std::vector<Line> lines_;
    std::map<size_t, size_t> line_of_;  // by read
    bool found_lines_ = false;
    Relation past_;                        // from the updates of each line to its reads
    Relation in_, out_, fr_;               // in_ and out_ of past_; fr_: from each read to what is out of its past
    std::map<NodeId, Relation> followed_;  // nodes x; (rmw; x)*: of past_, the pairs whose every link is in x
    Bounds *rf_ = nullptr, *co_ = nullptr;
    bool changed_ = false, new_together_ = false;
    bool led_further_ = false;  // an order, which is made anew from the bounds
};

Narrowing::Narrowing(const Program& program, const Model& model, Together& with)
    : learner_(std::make_unique<Learner>(program, model, with)) {}
Narrowing::~Narrowing() = default;

bool Narrowing::learn(const std::vector<NodeBounds>& bounds, Bounds& rf, Bounds& co) {
    return learner_->learn(bounds, rf, co);
}

void Narrowing::refine(NodeId node, NodeBounds& bounds) const {
    learner_->refine(node, bounds);
}

const Relation& Narrowing::in() const {
    return learner_->in();
}
const Relation& Narrowing::out() const {
    return learner_->out();
}
std::map<size_t, std::vector<uint64_t>> Narrowing::values() const {
    return learner_->values();
}

}  // namespace litmus
