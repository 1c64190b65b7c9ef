// Bounds of every node of a model for one program: which pairs can be in it, which must be.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

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
    // Of what is known of single reads (narrow.h). The nodes have it already, so the encoding has to ask for it.
    Relation needs;                                  // from reads to members of their pasts that happen wherever they do
    Relation in, out;                                // from writes to reads
    std::map<size_t, std::vector<uint64_t>> values;  // by read: what it can return, where that was counted
};

using Sequences = std::vector<std::vector<size_t>>;

// Throws OverBudget.
ModelBounds compute_bounds(const Program& program, const Model& model);
// Of their program, for executions in which no write of a sequence of `order` is co-before one that stands before it there.
ModelBounds compute_bounds(FixedBases& bases, const Model& model, const Sequences& order = {});

}  // namespace litmus
