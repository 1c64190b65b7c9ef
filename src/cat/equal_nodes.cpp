// Hashing and comparing nodes (see equal_nodes.h).
#include "cat/equal_nodes.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace litmus {

namespace {

// What tells nodes apart beside their operations and arguments.
std::string_view word_of(const Node& node) {
    return node.op == Node::Op::base ? node.name : node.variant;
}

uint64_t hash_of(const Node& node) {
    uint64_t hash = fnv1a(word_of(node)) + static_cast<uint64_t>(node.op) * 2 + (node.is_set ? 1 : 0);
    for (const NodeId arg : node.args) hash = (hash ^ arg) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 32U;
}

bool equal(const Node& a, const Node& b) {
    return a.op == b.op && a.is_set == b.is_set && std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end()) &&
           word_of(a) == word_of(b);
}

}  // namespace

size_t EqualNodes::place_of(const Node& wanted) const {
    size_t place = static_cast<size_t>(hash_of(wanted)) & (places_.size() - 1);
    while (places_[place] != free && !equal(nodes_[places_[place]], wanted)) place = (place + 1) & (places_.size() - 1);
    return place;
}

NodeId& EqualNodes::number_of(const Node& wanted) {
    if (2 * (taken_ + 1) > places_.size()) {
        const std::vector<NodeId> before = std::exchange(places_, std::vector<NodeId>(2 * places_.size(), free));
        for (const NodeId moved : before)
            if (moved != free) places_[place_of(nodes_[moved])] = moved;
    }
    NodeId& number = places_[place_of(wanted)];
    if (number == free) ++taken_;
    return number;
}

}  // namespace litmus
