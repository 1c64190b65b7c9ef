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
#include <algorithm>

#include "solve/encode.h"

namespace litmus {

namespace {

// Whether the node is rf or a part of it, as far as its form shows.
bool is_part_of_rf(const Model& model, NodeId id) {
    const Node& node = model.nodes[id];
    const auto part = [&](NodeId argument) { return is_part_of_rf(model, argument); };
    if (node.op == Node::Op::base) return node.name == "rf";
    if (node.op == Node::Op::intersection) return std::any_of(node.args.begin(), node.args.end(), part);
    if (node.op == Node::Op::union_) return std::all_of(node.args.begin(), node.args.end(), part);
    return node.op == Node::Op::difference && part(node.args[0]);
}

}  // namespace

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
}

Word Encoding::word_of(size_t read, int width) {
    Word word = word_gates_.fresh(width);
    const auto fixed = fixed_bits_.find(read);
    if (fixed == fixed_bits_.end()) return word;
    for (int bit = 0; bit < width; ++bit) {
        const bool one = ((fixed->second.ones >> bit) & 1U) != 0, zero = ((fixed->second.zeros >> bit) & 1U) != 0;
        if (one != zero) word[static_cast<size_t>(bit)] = one ? always_true : always_false;
    }
    return word;
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
            if (coherent(base, u.write) == always_false) continue;
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
    std::vector<size_t> readers;
    for (size_t r = 0; r < n_; ++r)
        if (p_.events[r].kind == Event::Kind::read && p_.events[r].cell == p_.events[base].cell && fixed_bits_.count(r) == 0)
            readers.push_back(r);
    // of an mbarrier whose phase is tested as often as it changes, counting took more than it gave
    if (p_.cells[cell].is_mbarrier && 4 * readers.size() > chain.updates.size()) return;
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
