// Which node of a graph is equal to another: the same operation on the same arguments, the same base, the same variant.
#pragma once

#include <cstddef>
#include <vector>

#include "cat/model.h"

namespace litmus {

// A hash table with open addresses: a node stands in the first place, from that of its hash on, that was free.
class EqualNodes {
public:
    // `nodes`: of the graph, which may grow; they keep what makes them equal to others.
    explicit EqualNodes(const std::vector<Node>& nodes) : nodes_(nodes), places_(64, free) {}

    // The number of the equal node; `free` where there is none yet. Then the caller adds the node to the graph and puts its number there,
    // before the next question.
    NodeId& number_of(const Node& wanted);
    static constexpr NodeId free = ~NodeId{0};

private:
    // Where the node is, or where it would stand.
    size_t place_of(const Node& wanted) const;

    const std::vector<Node>& nodes_;
    std::vector<NodeId> places_;  // 2^n of them, at most half of them taken
    size_t taken_ = 0;            // and those that callers were asked to take
};

}  // namespace litmus
