// Why two events are related by a term of a model, or one event is in a set, on one execution: a proof down to the base
// relations and sets.
//
// A union needs one of its parts, a composition an event in between, a closure a path, an intersection both sides, a
// difference the left side and that the right one does not hold. A variable of a `let rec` needs its equation: its value is a
// least fixpoint, so the proof is finite.
#pragma once

#include <memory>
#include <vector>

#include "cat/evaluate.h"
#include "cat/model.h"
#include "event/execution.h"

namespace litmus {

// That (from, to) is in the value of a node; of a set, both are the member.
struct Derivation {
    NodeId node = 0;
    size_t from = 0, to = 0;
    bool absent = false;  // the contrary: it is not in the value; then there are no parts
    // What it follows from, in the order in which the term has it; of a closure, the steps of the path. None of a base set or
    // relation.
    std::vector<Derivation> parts;
};

// Finds the derivations that take the fewest words.
class Deriver {
public:
    // Both outlive the deriver. Every function throws OverBudget when the budget of the execution's program is spent.
    Deriver(const Model& model, const Execution& execution);
    ~Deriver();

    // The pair, or the member of a set, must be in the value of the node.
    Derivation derive(NodeId node, size_t from, size_t to);
    // How much there is to tell of it, to compare with others; the same condition.
    size_t cost(NodeId node, size_t from, size_t to);
    // A cycle of a relation that has one: its steps, each from where the one before led.
    std::vector<Derivation> cycle(NodeId relation);

    Evaluation& evaluation();

private:
    class Search;
    std::unique_ptr<Search> search_;
};

// By node: whether its value is made of sets and of relations such as `loc`, facts about one or two events whatever the
// execution.
std::vector<bool> about_events(const Model& model);

}  // namespace litmus
