// What a model asks of the coherence order: whether brute_force.cpp can generate the orders that matter.
#pragma once

#include <cstdint>
#include <vector>

#include "cat/model.h"

namespace litmus {

// Of a constraint (the head of brute_force.cpp says what the kinds are).
struct Demand {
    enum class Kind : uint8_t { downward, requires_pairs, other };
    Kind kind = Kind::other;
    bool early = false;  // depends on neither co nor sc
};

// A model with what was found out about it.
struct Studied {
    const Model* model = nullptr;
    std::vector<Demand> demands;      // by constraint
    std::vector<NodeId> free_nodes;   // used by constraints, depending on neither co nor sc
    std::vector<NodeId> fence_nodes;  // depending on sc, not on co
    bool generates = true;
};

// Throws std::logic_error for a model of more than 64 constraints.
Studied study(const Model& model);

}  // namespace litmus
