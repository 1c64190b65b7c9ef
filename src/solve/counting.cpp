// What chains of updates (chains.h) let the solver conclude by counting instead of by trying orders.
//
// Three things follow from what makes a location a chain:
//   * Of two of its writes that happen, one is co-before the other: one literal does for both pairs (candidates.cpp).
//   * What an update reads is the value that its table has for the numbers of updates of each kind that are co-after the last base
//     and co-before it. The numbers are counted in unary. This is redundant, and what keeps proofs short. Bits that are
//     the same in all entries need no literal. Likewise what others read.
//   * x; (rmw; x)*, where x is a part of rf that has every link between two updates of the chain, leads from the write of an update
//     to whoever reads, in x, from it or from an update that is co-after it, if no base lies between: each update reads from its
//     immediate predecessor. So its pairs need no closure.
//   * Where waits have told what is in the pasts of all reads (narrow.h), an acyclic constraint needs no edge among the events of the
//   location.
#include <algorithm>
#include <set>

#include "solve/encode.h"

namespace litmus {

// For each node of that form, the chains whose every link is in x.
void Encoding::find_followed() {
    Implied implied(m_, bounds_);
    for (const ChainNode& n : chain_nodes(m_)) {
        if (m_.nodes[n.node].recursion != 0 || !is_part_of_rf(m_, n.link)) continue;
        links_[n.node] = n.link;
        for (const Chain& chain : chains_) {
            const auto& updates = chain.updates;
            const bool all = std::all_of(updates.begin(), updates.end(), [&](const Chain::Update& to) {
                return std::all_of(updates.begin(), updates.end(), [&](const Chain::Update& from) {
                    const Relation::Pair link(from.write, to.read);
                    return !rf_bounds_.may.contains(link.first, link.second) ||
                           implied.contains(n.link, link.first, link.second, {{link}, {}, {}, {link.first, link.second}});
                });
            });
            if (!all) continue;
            for (const Chain::Update& u : updates) follows_[n.node][u.write] = &chain;
        }
    }
}

Lit Encoding::coherent(size_t a, size_t b) {
    const auto found = co_.find({a, b});
    return found == co_.end() ? always_false : found->second;
}

Lit Encoding::between(size_t a, size_t middle, size_t b) {
    return gates_.both(coherent(a, middle), coherent(middle, b));
}

// Whether a base lies between two writes of the chain.
Lit Encoding::broken_off(const Chain& chain, size_t from, size_t to) {
    std::vector<Lit> some;
    for (const size_t base : chain.bases)
        if (base != from && base != to) some.push_back(between(from, base, to));
    return gates_.any(some);
}

// What updates read, and the bits of it that are the same in all tables of their chain.
void Encoding::find_tables() {
    for (const Chain& chain : chains_) {
        FixedBits fixed;
        for (const size_t base : chain.bases) {
            const auto& table = tables_[base] = values_by_count(p_, chain, base);
            if (!table) fixed = {~uint64_t{0}, ~uint64_t{0}};
            if (!table) continue;
            for (const std::optional<uint64_t>& value : *table) {
                fixed.ones |= value.value_or(~uint64_t{0});
                fixed.zeros |= ~value.value_or(0);
            }
        }
        for (const Chain::Update& u : chain.updates) fixed_bits_[u.read] = fixed;
    }
    for (const auto& [read, values] : known_values_) {
        FixedBits known;
        for (const uint64_t value : values) {
            known.ones |= value;
            known.zeros |= ~value;
        }
        FixedBits& fixed = fixed_bits_.try_emplace(read, FixedBits{~uint64_t{0}, ~uint64_t{0}}).first->second;
        fixed.ones &= known.ones;
        fixed.zeros &= known.zeros;
    }
}

Word Encoding::word_of(size_t read, int width) {
    Word word = word_gates_.fresh(width);
    fix_bits(read, word);
    return word;
}

// Bits that are the same in all values that the read can have.
void Encoding::fix_bits(size_t read, Word& word) {
    const auto fixed = fixed_bits_.find(read);
    if (fixed == fixed_bits_.end()) return;
    for (size_t bit = 0; bit < word.size(); ++bit) {
        const bool one = ((fixed->second.ones >> bit) & 1U) != 0, zero = ((fixed->second.zeros >> bit) & 1U) != 0;
        if (one != zero) word[bit] = one ? always_true : always_false;
    }
}

// Which entry of a table the numbers of updates are, each in unary: the value that is read under `counts`.
void Encoding::require_entry(const Chain& chain, size_t base, const std::vector<std::vector<Lit>>& numbers, Lit counts, size_t read) {
    const std::vector<std::optional<uint64_t>>& table = *tables_.at(base);
    const Value value = values_.value(p_.events[read].value);
    const int width = bits(p_.events[read].type);
    for (size_t entry = 0; entry < table.size(); ++entry) {
        if (!table[entry]) continue;
        Conjunction when{counts};
        size_t rest = entry;
        for (size_t kind = 0; kind < chain.kinds.size(); ++kind) {
            const size_t number = rest % (chain.kinds[kind] + 1);
            rest /= chain.kinds[kind] + 1;
            const std::vector<Lit>& more_than = numbers[kind];
            if (number > more_than.size()) when.push_back(always_false);  // all of them, and it is one of them
            if (number > 0 && number <= more_than.size()) when.push_back(more_than[number - 1]);
            if (number < more_than.size()) when.push_back(-more_than[number]);
        }
        const Lit so_many = gates_.all(when);
        if (so_many == always_false) continue;
        if (value.word)
            word_gates_.require_equal(so_many, *value.word, Words::constant(*table[entry], width));
        else
            backend_.clause({-so_many, values_.equals(value, *table[entry], width)});
    }
}

void Encoding::count_updates(const Chain& chain) {
    for (const size_t base : chain.bases) {
        if (!tables_.at(base)) continue;
        for (const Chain::Update& u : chain.updates) {
            if (coherent(base, u.write) == always_false || is_known(u.read)) continue;
            p_.budget.check();
            std::vector<std::vector<Lit>> numbers(chain.kinds.size());  // by kind, in unary
            for (size_t kind = 0; kind < chain.kinds.size(); ++kind) {
                std::vector<Lit> before;
                for (const Chain::Update& other : chain.updates)
                    if (other.kind == kind && other.write != u.write) before.push_back(between(base, other.write, u.write));
                numbers[kind] = gates_.count(before);
            }
            require_entry(chain, base, numbers, gates_.all({coherent(base, u.write), -broken_off(chain, base, u.write)}), u.read);
        }
    }
    if (chain.bases.size() == 1 && tables_.at(chain.bases.front())) count_reads(chain);
}

// What others read from a chain that has the initial value as its only base: the value that belongs to the number of updates up to the
// one that they read from. So a read that waits for
// the value after all of them knows that it is behind each, whichever is the last.
void Encoding::count_reads(const Chain& chain) {
    const size_t base = chain.bases.front();
    const auto cell = static_cast<size_t>(p_.events[base].cell);
    std::set<size_t> updating;
    for (const Chain::Update& u : chain.updates) updating.insert(u.read);
    std::vector<size_t> readers;
    for (size_t r = 0; r < n_; ++r)
        if (p_.events[r].kind == Event::Kind::read && p_.events[r].cell == p_.events[base].cell && updating.count(r) == 0)
            readers.push_back(r);
    const bool narrowed = std::any_of(readers.begin(), readers.end(), [&](size_t r) { return is_settled(chain, r); });
    readers.erase(std::remove_if(readers.begin(), readers.end(), [&](size_t r) { return is_settled(chain, r); }), readers.end());
    // of an mbarrier whose phase is tested as often as it changes, counting took more than it gave; likewise where waits have told what
    // counting would
    if ((narrowed || p_.cells[cell].is_mbarrier) && 4 * readers.size() > chain.updates.size()) return;
    for (const size_t r : readers) {
        p_.budget.check();
        std::vector<std::vector<Lit>> numbers(chain.kinds.size());
        for (size_t kind = 0; kind < chain.kinds.size(); ++kind) {
            std::vector<Lit> before;
            for (const Chain::Update& u : chain.updates)
                if (u.kind == kind)
                    before.push_back(before_[{u.write, r}] =
                                         gates_.define(ways(chain, u.write, [&](size_t w) { return reads(w, r); }), {true, true}));
            numbers[kind] = gates_.count(before);
        }
        require_entry(chain, base, numbers, exec_[r], r);
    }
}

// Whether the read can return one value only (narrow.h), so that its bits are fixed.
bool Encoding::is_known(size_t read) const {
    const auto values = known_values_.find(read);
    return values != known_values_.end() && values->second.size() == 1;
}

// Whether it is known of each update whether it is in the past of the read (narrow.h).
bool Encoding::is_settled(const Chain& chain, size_t read) const {
    return std::all_of(chain.updates.begin(), chain.updates.end(),
                       [&](const Chain::Update& u) { return in_.contains(u.write, read) || out_.contains(u.write, read); });
}

// Events of chains of which an acyclic node needs no edge.
//
// Lemma. Let a chain have one base, the initial write, and each update read from a write that is co-before its own. Let a write stand at
// the number of writes that are co-before it, and a read half a step behind the write that it is from. Then each edge of rf, co and fr, and
// each step from an update's read to its write, leads to a place further on. So a circle of these and of fixed edges, all between events of
// this location, has a fixed edge that leads back, or none but fixed ones. Where none leads back, and the fixed ones have no circle
// among themselves, no edge is needed. None leads back where it is known of both ends (narrow.h): that the one write is co-before the
// other, that a write is in or out of the past of a read, or that all that may be in the past of the one read is in that of the other. What
// is known so is asked for by clauses of its own (pasts(), coherence()).
EventSet Encoding::in_order(NodeId node) const {
    EventSet result(n_);
    for (const Chain& chain : chains_) {
        if (chain.bases.size() != 1) continue;
        EventSet events(n_);
        for (size_t e = 0; e < n_; ++e)
            if (p_.events[e].is_memory() && p_.events[e].cell == p_.events[chain.bases.front()].cell) events.add(e);
        if (is_in_order(chain, events, node)) result |= events;
    }
    return result;
}

bool Encoding::is_in_order(const Chain& chain, const EventSet& events, NodeId node) const {
    std::map<size_t, const Chain::Update*> by_read;
    for (const Chain::Update& u : chain.updates) {
        if (!out_.contains(u.write, u.read)) return false;
        by_read[u.read] = &u;
    }
    const auto leads_on = [&](size_t a, size_t b) {
        const bool writes = p_.events[a].is_write(), to_write = p_.events[b].is_write();
        if (writes && to_write) return co_bounds_.must.contains(a, b);
        if (a == chain.bases.front()) return true;
        if (writes) return in_.contains(a, b);
        const auto update = by_read.find(a);
        if (to_write) return out_.contains(b, a) || (update != by_read.end() && update->second->write == b);
        if (update != by_read.end() && in_.contains(update->second->write, b)) return true;
        return std::all_of(chain.updates.begin(), chain.updates.end(),
                           [&](const Chain::Update& x) { return out_.contains(x.write, a) || in_.contains(x.write, b); });
    };
    const NodeBounds& bounds = bounds_[node];
    const Relation other = beside_communication(node);
    for (const size_t a : events.elements()) {
        for (const size_t b : bounds.may.successors(a)) {
            if (!events.contains(b)) return false;  // a circle through other events would lead out
            if (bounds.must.contains(a, b) ? !leads_on(a, b) : other.contains(a, b)) return false;
        }
    }
    return (bounds.must & Relation::product(events, events)).acyclic();
}

// The pairs that may be in a node without being in rf, co or fr.
Relation Encoding::beside_communication(NodeId id) const {
    const Node& node = m_.nodes[id];
    const auto part = [&](size_t i) { return beside_communication(node.args[i]); };
    if ((node.op == Node::Op::base && (node.name == "rf" || node.name == "co")) || is_fr(m_, id)) return Relation(n_);
    if (node.op == Node::Op::union_ && node.args.size() == 2) return part(0) | part(1);
    if (node.op == Node::Op::intersection && node.args.size() == 2) return part(0) & part(1);
    if (node.op == Node::Op::difference) return part(0);
    return bounds_[id].may;
}

Lit Encoding::reads(size_t write, size_t read) const {
    const auto found = rf_pairs_.find({write, read});
    return found == rf_pairs_.end() ? always_false : found->second;
}

// How a write of an update leads to whoever is linked to it or to an update after it.
std::vector<Conjunction> Encoding::ways(const Chain& chain, size_t write, const std::function<Lit(size_t)>& link) {
    std::vector<Conjunction> result;
    for (const Chain::Update& last : chain.updates) {
        const Lit linked = link(last.write);
        if (linked == always_false) continue;
        const Lit leads = last.write == write ? always_true : coherent(write, last.write);
        if (leads != always_false) result.push_back({linked, leads, -broken_off(chain, write, last.write)});
    }
    return result;
}

// From an update's write to who reads, through x; (rmw; x)*.
Lit Encoding::along_chain(const Chain& chain, NodeId node, size_t write, size_t reader) {
    // An update reads from its predecessor: what is co-before its write leads to its read.
    for (const Chain::Update& u : chain.updates)
        if (u.read == reader && u.write != write && chain.bases.size() == 1) return coherent(write, u.write);
    bool all_reads = true;
    std::vector<Conjunction> all = ways(chain, write, [&](size_t last) {
        const Lit link = pair(links_.at(node), last, reader);
        all_reads = all_reads && link == reads(last, reader);
        return link;
    });
    const auto counted = before_.find({write, reader});
    return all_reads && counted != before_.end() ? counted->second : gates_.define(std::move(all), polarity_[node]);
}

}  // namespace litmus
