// What a few pairs of rf and co imply under a model, by its structure alone.
//
// A lower bound of a relation under assumptions: a pair is in a union if it is in a part of it, in a composition if some event
// leads from the one to the other, and so on down to rf, co and what the bounds of the program settle. Cheap, and incomplete:
// what is not found may hold all the same.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "cat/model.h"
#include "solve/bounds.h"

namespace litmus {

class Implied {
public:
    using Pair = Relation::Pair;

    // An event of which nothing is known but what the assumptions say.
    static constexpr size_t any = ~size_t{0};

    // Of an execution in which all events that are named here happen.
    struct Assumptions {
        std::vector<Pair> rf, co;         // pairs that it has
        std::vector<Pair> no_co;          // pairs of co that it does not have
        std::vector<size_t> events = {};  // through which a composition may lead
    };

    // Both arguments outlive it. `bounds`: by node of the model.
    Implied(const Model& model, const std::vector<NodeBounds>& bounds) : m_(model), bounds_(bounds) {}

    // Whether the pair is in the node in every such execution that is consistent.
    bool contains(NodeId node, size_t a, size_t b, const Assumptions& given);

    // Whether no such execution is consistent: some constraint breaks on the events of the assumptions.
    bool impossible(const Assumptions& given);

private:
    static constexpr int most_steps = 2000;  // nodes that one question may visit; what is not found by then is not found

    bool in(NodeId node, size_t a, size_t b, const Assumptions& given);
    bool out(NodeId node, size_t a, size_t b, const Assumptions& given);
    bool breaks(const Constraint& constraint, const Assumptions& given);

    const Model& m_;
    const std::vector<NodeBounds>& bounds_;
    int steps_ = 0;           // left to the question
    size_t last_broken_ = 0;  // the constraint that answered last: it is tried first
};

}  // namespace litmus
