// Bounds of every node of a model for one program: which pairs can be in it, which must be.
#pragma once

#include "cat/model.h"
#include "event/execution.h"

namespace litmus {

// `may`: in the node's value in some candidate execution. `must`: in it whenever both (all) of its
// events happen. Sets use the set members, relations the relations.
struct NodeBounds {
    EventSet may_set, must_set;
    Relation may, must;
};

struct ModelBounds {
    std::vector<NodeBounds> nodes;  // by node
    Bounds rf, co;                  // what the constraints leave of the two
    Relation in, out;               // from writes to reads (narrow.h); the encoding has to ask for them, since the nodes have them already
};

using Sequences = std::vector<std::vector<size_t>>;

// Throws OverBudget.
ModelBounds compute_bounds(const Program& program, const Model& model);
// Of their program, for executions in which no write of a sequence of `order` is co-before one that stands before it there.
ModelBounds compute_bounds(FixedBases& bases, const Model& model, const Sequences& order = {});

}  // namespace litmus
