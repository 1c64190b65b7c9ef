// What chains of updates (chains.h) let the solver conclude by counting instead of by trying orders.
//
// Three things follow from what makes a location a chain:
//   * Of two of its writes that happen, one is co-before the other: one literal does for both pairs (candidates.cpp).
//   * What an update reads is the value that its table has for the numbers of updates of each kind that are co-after the last base
//     and co-before it. The numbers are counted in unary. This is redundant, and what keeps proofs short.
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

namespace {

// The bits of what an update reads, by whether they are the same however many updates came before.
class CountedBits {
public:
    CountedBits(const std::vector<std::optional<uint64_t>>& table, int width) : width_(width) {
        const bool all_known = std::all_of(table.begin(), table.end(), [](const auto& value) { return value.has_value(); });
        if (!all_known) return;
        value_ = *table.front();
        same_ = ~uint64_t{0};
        for (const auto& value : table) same_ &= ~(*value ^ value_);
    }

    int width() const { return width_; }
    uint64_t value() const { return value_; }

    // Where the condition holds, the bits that are always the same, or the others, are those of a constant.
    void require(Backend& backend, Lit condition, const Word& word, bool same, uint64_t constant) const {
        for (int bit = 0; bit < width_; ++bit) {
            const Lit l = word[static_cast<size_t>(bit)];
            if ((((same_ >> bit) & 1U) != 0) == same) backend.clause({-condition, ((constant >> bit) & 1U) != 0 ? l : -l});
        }
    }

private:
    int width_;
    uint64_t same_ = 0, value_ = 0;
};

}  // namespace

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
            const CountedBits same(*table, bits(p_.events[u.read].type));
            if (read.word) same.require(backend_, counts, *read.word, true, same.value());
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
                if (so_many == always_false) continue;
                if (read.word)
                    same.require(backend_, so_many, *read.word, false, *(*table)[entry]);
                else
                    backend_.clause({-so_many, values_.equals(read, *(*table)[entry], same.width())});
            }
        }
    }
}

// From an update's write to who reads, through x; (rmw; x)*.
Lit Encoding::along_chain(const Chain& chain, NodeId node, size_t write, size_t reader) {
    std::vector<Conjunction> ways;
    for (const Chain::Update& last : chain.updates) {
        const Lit link = pair(links_.at(node), last.write, reader);
        if (link == always_false) continue;
        const Lit leads = last.write == write ? always_true : coherent(write, last.write);
        if (leads != always_false) ways.push_back({link, leads, -broken_off(chain, write, last.write)});
    }
    return gates_.define(std::move(ways), polarity_[node]);
}

}  // namespace litmus
