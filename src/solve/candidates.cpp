// The first half of the encoding: candidate executions, that is which events happen, rf, co, sc and values. The model has no
// part in it yet.
//
// Each read that happens reads from one write that happens, and its value is chosen among those of the writes that it may
// read from. Where values may flow in a circle (a read decides what is stored, which it may then read), this choice would
// define itself. Such a read gets a value of its own that must equal what it reads, and rf | values must be acyclic.
//
// Literals come in such an order that the first solution (sat/backend.h) is one that people expect: nothing is read but initial values
// and what is needed, and writes take effect in the order in which the test has them.
#include <algorithm>

#include "solve/encode.h"
#include "solve/possible.h"

namespace litmus {

// One literal per write a read may read from; a single possibility needs none.
void Encoding::reads_from() {
    const Relation& may = rf_bounds_.may;
    const Relation back = may.inverse();
    rf_.resize(n_);
    circular_.assign(n_, false);
    for (size_t r = 0; r < n_; ++r) {
        if (p_.events[r].kind != Event::Kind::read) continue;
        const auto writes = back.successors(r);
        for (auto next = writes.rbegin(); next != writes.rend(); ++next) {
            const size_t w = *next;
            const bool certain = writes.size() == 1 && p_.always(r) && p_.always(w);
            const Lit l = certain ? always_true : backend_.fresh();
            rf_[r].emplace_back(w, l);
            rf_pairs_[{w, r}] = l;
        }
        std::reverse(rf_[r].begin(), rf_[r].end());
    }
    // reads whose value may come round to themselves: on a cycle of rf | values
    Relation values = p_.relations.find("values")->second;
    for (const ConditionalPair& c : p_.conditional.at("values")) values.add(c.from, c.to);
    const Relation flow = transitive_closure(may | values);
    for (size_t r = 0; r < n_; ++r) circular_[r] = flow.contains(r, r);
    if (needs_constants(p_.exprs)) possible_ = possible_values(p_, may, circular_);
}

void Encoding::events() {
    exec_.resize(n_);
    for (size_t e = 0; e < n_; ++e) exec_[e] = values_.literal(p_.events[e].guard);
    for (size_t r = 0; r < n_; ++r) {
        if (p_.events[r].kind != Event::Kind::read) continue;
        std::vector<Lit> some{-exec_[r]}, all;
        for (const auto& [w, l] : rf_[r]) {
            if (l == always_true) continue;
            some.push_back(l);
            all.push_back(l);
            backend_.clause({-l, exec_[w]});
            backend_.clause({-l, exec_[r]});
        }
        if (!rf_[r].empty() && all.empty()) continue;
        backend_.clause(some);  // where nothing is left to read from, the read does not happen
        gates_.at_most_one(all);
    }
}

Value Encoding::leaf(const Expr& e) {
    if (e.op == Expr::Op::final_value) return final_value(e.index);
    const auto result = p_.results.find(e.index);
    if (result == p_.results.end()) return read_value(e.index);
    if (!circular_[e.index]) return values_.value(result->second);
    // bar.red on a circle of values: a word, equal to its definition
    const auto [it, fresh] = words_.try_emplace(e.index);
    const Word word = fresh ? it->second = word_gates_.fresh(e.bits) : it->second;
    if (fresh) word_gates_.require_equal(always_true, word, values_.word(result->second));
    return {{}, word};
}

Value Encoding::read_value(size_t r) {
    const int width = bits(p_.events[r].type);
    std::vector<std::pair<Lit, Value>> options;
    if (!circular_[r]) {
        for (const auto& [w, l] : rf_[r]) options.emplace_back(l, values_.value(p_.events[w].value));
        Value value = values_.select(options, width);
        if (value.word) fix_bits(r, *value.word);
        return value;
    }
    if (possible_) return circular_value(r, (*possible_)[r]);
    // on a circle of values the word is made first, so that the values it must equal can refer to it
    const auto [it, fresh] = words_.try_emplace(r);
    if (!fresh) return {{}, it->second};
    const Word word = it->second = word_of(r, width);
    for (const auto& [w, l] : rf_[r]) word_gates_.require_equal(l, word, values_.word(p_.events[w].value));
    return {{}, word};
}

// The same with cases instead of a word: first a literal is made for each possible value, then the write that
// is read must have the value whose literal holds. The values are unique because rf | values is acyclic.
Value Encoding::circular_value(size_t r, const std::vector<uint64_t>& possible) {
    const auto [it, fresh] = circular_cases_.try_emplace(r);
    if (!fresh) return it->second;
    std::vector<Lit> lits;
    for (const uint64_t constant : possible) {
        lits.push_back(backend_.fresh());
        it->second.cases.emplace_back(constant, lits.back());
    }
    const Value result = it->second;
    gates_.at_most_one(lits);
    std::vector<Lit> some{-values_.literal(p_.events[r].guard)};  // exec_ may not have it yet: another guard may ask for this value
    some.insert(some.end(), lits.begin(), lits.end());
    backend_.clause(some);
    const int width = bits(p_.events[r].type);
    for (const auto& [w, l] : rf_[r]) {
        const Value written = values_.value(p_.events[w].value);
        for (const auto& [constant, lit] : result.cases) backend_.clause({-l, -lit, values_.equals(written, constant, width)});
    }
    return result;
}

// Strict partial orders on the writes to each location; the initial write is before all others, and
// what the bounds settle needs no literal. Of two writes of a chain that always happen, one is before the other.
void Encoding::coherence() {
    std::map<int, std::vector<size_t>> writes;
    std::vector<const Chain*> chain_of(n_);
    for (const Chain& chain : chains_)
        for (const size_t w : chain.writes()) chain_of[w] = &chain;
    const auto is_total = [&](size_t a, size_t b) {
        return chain_of[a] != nullptr && chain_of[a] == chain_of[b] && p_.always(a) && p_.always(b) && co_bounds_.may.contains(a, b) &&
               co_bounds_.may.contains(b, a);
    };
    for (size_t w = 0; w < n_; ++w) {
        if (p_.events[w].kind == Event::Kind::write) writes[p_.events[w].cell].push_back(w);
    }
    const std::vector<Relation::Pair> pairs = co_bounds_.may.pairs();
    for (auto next = pairs.rbegin(); next != pairs.rend(); ++next) {
        const auto& [a, b] = *next;
        if (co_bounds_.must.contains(a, b)) {
            co_[{a, b}] = happens(a, b);
            continue;
        }
        if (is_total(a, b)) {
            co_[{a, b}] = a > b ? backend_.fresh() : -co_.at({b, a});
            if (a > b)
                backend_.try_first(co_[{a, b}]);  // all else about a chain follows from its order, and where all are false there is one
            continue;
        }
        const Lit l = backend_.fresh();
        co_[{a, b}] = l;
        backend_.clause({-l, exec_[a]});
        backend_.clause({-l, exec_[b]});
    }
    const auto ordered = [&](size_t a, size_t b) {
        if (a < b && !is_total(a, b)) backend_.clause({-coherent(a, b), -coherent(b, a)});
    };
    const auto transitive = [&](size_t a, size_t b, size_t c) {
        if (a == c || !co_bounds_.may.contains(b, c)) return;
        if (co_bounds_.must.contains(a, c)) return;                             // and both happen, since a, b, c do
        const bool total = is_total(a, b) && is_total(b, c) && is_total(a, c);  // the clause says: no cycle of the three
        if (!total || (a < b && a < c)) backend_.clause({-coherent(a, b), -coherent(b, c), coherent(a, c)});
    };
    for (const auto& [cell, ws] : writes) {
        for (const size_t a : ws) {
            for (const size_t b : ws) {
                if (a == b || !co_bounds_.may.contains(a, b)) continue;
                ordered(a, b);
                for (const size_t c : ws)
                    if (b != c) transitive(a, b, c);
            }
        }
    }
}

// What is known of the pasts of reads (narrow.h): which writes happen with a read, no write of `in` is co-after the one that is read, each
// of `out` is. Reads of which the same is known share what it says of one source.
void Encoding::pasts() {
    std::map<std::pair<size_t, std::vector<size_t>>, Lit> nothing_after, all_after;
    const auto holds = [&](auto& known, size_t source, const std::vector<size_t>& writes, const auto& require) {
        const auto [found, is_new] = known.try_emplace({source, writes}, always_true);
        if (!is_new) return found->second;
        const Lit l = backend_.fresh();
        bool asks = false;
        for (const size_t w : writes)
            if (w != source) asks = require(l, w) || asks;
        return found->second = asks ? l : always_true;
    };
    const Relation members = in_.inverse(), outsiders = out_.inverse();
    for (size_t r = 0; r < n_; ++r) {
        if (p_.events[r].kind != Event::Kind::read) continue;
        for (const size_t w : needs_.successors(r)) backend_.clause({-exec_[r], exec_[w]});
        const std::vector<size_t> before = members.successors(r), after = outsiders.successors(r);
        for (const auto& [w, l] : rf_[r]) {
            const size_t source = w;
            const Lit nothing = holds(nothing_after, source, before, [&](Lit when, size_t member) {
                const Lit later = coherent(source, member);
                if (later != always_false) backend_.clause({-when, -later});
                return later != always_false;
            });
            const Lit all = holds(all_after, source, after, [&](Lit when, size_t outsider) {
                if (co_bounds_.must.contains(source, outsider)) return false;
                backend_.clause({-when, -exec_[outsider], coherent(source, outsider)});
                return true;
            });
            for (const Lit needed : {nothing, all})
                if (needed != always_true) backend_.clause({-l, needed});
        }
    }
}

// PTX ISA 8.9.3: one way or the other, acyclic.
void Encoding::fence_sc() {
    const Relation may = base_bounds(p_, "sc").may;
    for (const auto& [a, b] : may.pairs()) {
        if (a > b) continue;
        const Lit backward = backend_.fresh(), forward = backend_.fresh();
        sc_[{a, b}] = forward;
        sc_[{b, a}] = backward;
        const Lit both = gates_.both(exec_[a], exec_[b]);
        backend_.clause({-both, forward, backward});
        backend_.clause({-forward, -backward});
        backend_.clause({-forward, both});
        backend_.clause({-backward, both});
    }
    gates_.acyclic(n_, sc_);
}

void Encoding::termination() {
    const auto order = waiting_order(p_);
    if (p_.constraints.empty() && p_.bounds.empty() && order.empty()) return;
    terminates_ = backend_.fresh();
    for (const ExprId e : p_.constraints) backend_.clause({-terminates_, values_.literal(e)});
    for (const Bound& bound : p_.bounds) backend_.clause({-terminates_, -values_.literal(bound.cut)});
    Gates::Edges edges;
    for (const ConditionalPair& c : order) {
        const Lit holds = gates_.all({terminates_, exec_[c.from], exec_[c.to], values_.literal(c.when)});
        const auto [it, fresh] = edges.try_emplace({c.from, c.to}, holds);
        if (!fresh) it->second = gates_.either(it->second, holds);
    }
    gates_.acyclic(n_, edges);
}

// rf | values is acyclic: values come from somewhere.
void Encoding::well_founded() {
    const Relation& values = p_.relations.find("values")->second;
    if (std::none_of(circular_.begin(), circular_.end(), [](bool c) { return c; })) return;
    Gates::Edges edges = rf_pairs_;
    for (const auto& pair : values.pairs()) edges[pair] = always_true;
    for (const ConditionalPair& c : p_.conditional.at("values")) {
        const auto [it, fresh] = edges.try_emplace({c.from, c.to}, values_.literal(c.when));
        if (!fresh) it->second = gates_.either(it->second, values_.literal(c.when));
    }
    gates_.acyclic(n_, edges);
}

Lit Encoding::cut() {
    std::vector<Lit> bounds;
    for (const Bound& bound : p_.bounds) bounds.push_back(values_.literal(bound.cut));
    const Lit cut = some(bounds);
    if (p_.diverted.empty()) return cut;  // nobody can stay at a wait for what would come behind the cut
    for (const ExprId e : p_.constraints) backend_.clause({-cut, values_.literal(e)});
    return cut;
}

Lit Encoding::straight() {
    if (p_.diverted.empty()) return always_true;
    const Lit straight = backend_.fresh();
    for (const uint32_t choice : p_.diverted) backend_.clause({-straight, -values_.choice(choice)});
    return straight;
}

Lit Encoding::stays() {
    std::vector<Lit> stay;
    for (const Blocked& b : p_.blocked) {
        const Lit when = values_.literal(b.when);
        stay.push_back(when);
        if (when != always_false) backend_.clause({-terminates_, -when, values_.literal(b.hopeless)});
    }
    const Lit stuck = some(stay);
    if (stuck != always_false)
        for (const ExprId trap : p_.traps) backend_.clause({-stuck, -values_.literal(trap)});
    return stuck;
}

Lit Encoding::some(const std::vector<Lit>& literals) {
    std::vector<Lit> clause;
    for (const Lit l : literals)
        if (l != always_false) clause.push_back(l);
    if (clause.empty()) return always_false;
    clause.push_back(-backend_.fresh());
    backend_.clause(clause);
    return -clause.back();
}

// The final value of a cell: that of a write which no other is co-after.
Value Encoding::final_value(size_t cell) {
    auto [it, fresh] = finals_.try_emplace(cell);
    const int width = bits(p_.cells[cell].type);
    if (fresh) {
        std::vector<size_t> writes;
        for (size_t w = 0; w < n_; ++w) {
            if (p_.events[w].is_write() && p_.events[w].cell == static_cast<int>(cell)) writes.push_back(w);
        }
        std::vector<Lit> some;
        for (const size_t w : writes) {
            const bool certain = writes.size() == 1;
            const Lit l = certain ? always_true : backend_.fresh();
            it->second.emplace_back(w, l);
            some.push_back(l);
            if (certain) continue;
            backend_.clause({-l, exec_[w]});
            for (const size_t v : writes) {
                if (const auto co = co_.find({w, v}); co != co_.end()) backend_.clause({-l, -co->second});
            }
        }
        backend_.clause(some);
        gates_.at_most_one(some);
    }
    std::vector<std::pair<Lit, Value>> options;
    for (const auto& [w, l] : finals_[cell]) options.emplace_back(l, values_.value(p_.events[w].value));
    return values_.select(options, width);
}

Lit Encoding::differs(ExprId e, uint64_t value) {
    const Value v = values_.value(e);
    return -values_.equals(v, value, p_.exprs[e].bits);
}

// ---- reading back ---------------------------------------------------------------------------------

std::optional<Execution> Encoding::execution() {
    std::vector<int> rf_of(n_, -1);
    for (size_t r = 0; r < n_; ++r) {
        for (const auto& [w, l] : rf_[r]) {
            if (backend_.value(l)) rf_of[r] = static_cast<int>(w);
        }
    }
    std::vector<bool> choices(p_.choices);
    for (uint32_t i = 0; i < p_.choices; ++i) choices[i] = backend_.value(values_.choice(i));
    std::optional<Execution> x = complete(p_, rf_of, choices);
    if (!x) return x;
    for (const auto& [pair, l] : co_) {
        if (backend_.value(l)) x->co.add(pair.first, pair.second);
    }
    for (const auto& [pair, l] : sc_) {
        if (backend_.value(l)) x->sc.add(pair.first, pair.second);
    }
    return x;
}

std::optional<std::vector<size_t>> Encoding::final_writes(const Execution& x) {
    std::vector<size_t> result;
    for (size_t cell = 0; cell < p_.cells.size(); ++cell) {
        const std::vector<size_t> maximal = litmus::final_writes(x, static_cast<int>(cell));
        size_t taken = maximal.front();
        if (const auto asked = finals_.find(cell); asked != finals_.end())
            for (const auto& [w, l] : asked->second)
                if (backend_.value(l)) taken = w;
        if (std::find(maximal.begin(), maximal.end(), taken) == maximal.end()) return std::nullopt;
        result.push_back(taken);
    }
    return result;
}

}  // namespace litmus
