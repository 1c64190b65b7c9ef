// What chains of updates (chains.h) let the solver conclude by counting instead of by trying orders.
//
// Two consequences of the constraints are added, both redundant:
//   * What an update reads is the value that its table has for the numbers of updates of each kind that are co-after the last base
//     and co-before it. The numbers are counted in unary.
//   * Through x; (rmw; x)*, where every link rf of the chain is in x, the write of an update reaches whoever reads, in x,
//     from it or from a write that is co-after it, if no base lies between.
#include <algorithm>

#include "solve/encode.h"

namespace litmus {

void Encoding::find_chains() {
    chains_ = litmus::find_chains(p_, m_, bounds_, rf_bounds_, co_bounds_);
    if (chains_.empty()) return;
    Implied implied(m_, bounds_);
    for (const ChainNode& n : chain_nodes(m_)) {
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
            if (all) follows_[n.node].insert(&chain);
        }
    }
    for (const Chain& chain : chains_) count_updates(chain);
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

void Encoding::count_updates(const Chain& chain) {
    for (const size_t base : chain.bases) {
        const auto table = values_by_count(p_, chain, base);
        if (!table) continue;
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
            const Lit counts = gates_.all({coherent(base, u.write), -broken_off(chain, base, u.write)});
            const Value read = values_.value(p_.events[u.read].value);
            const int width = bits(p_.events[u.read].type);
            for (size_t entry = 0; entry < table->size(); ++entry) {
                if (!(*table)[entry]) continue;
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
                if (so_many != always_false) backend_.clause({-so_many, values_.equals(read, *(*table)[entry], width)});
            }
        }
    }
}

void Encoding::follow_chain(NodeId node, size_t a, size_t b, Lit literal) {
    const auto chains = follows_.find(node);
    if (chains == follows_.end() || literal == always_true) return;
    for (const Chain* chain : chains->second) {
        const bool from_update =
            std::any_of(chain->updates.begin(), chain->updates.end(), [&](const Chain::Update& u) { return u.write == a; });
        if (!from_update) continue;
        for (const auto& [w, from_w] : rf_[b]) {
            const Lit leads = w == a ? always_true : coherent(a, w);
            if (leads == always_false) continue;
            if (!Implied(m_, bounds_).contains(links_.at(node), w, b, {{{w, b}}, {}, {}, {w, b}})) continue;
            backend_.clause({-from_w, -leads, broken_off(*chain, a, w), literal});
        }
    }
}

}  // namespace litmus
