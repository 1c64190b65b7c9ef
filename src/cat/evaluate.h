// The concrete engine: one execution, every relation of a model, and which constraints hold.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cat/model.h"
#include "event/execution.h"

namespace litmus {

// The value of one node.
struct NodeValue {
    bool is_set = false;
    EventSet set;
    Relation relation;
};

// What the executions of one program have in common under one model: in all those in which the same events happen, a node has the same
// value unless rf, co, sc or a relation with conditional pairs takes part in it. All arguments must outlive this.
class CommonValues {
public:
    CommonValues(const Model& model, FixedBases& bases);

private:
    friend class Evaluation;
    using Table = std::vector<std::optional<NodeValue>>;  // by node; none: not computed yet

    // That of the executions in which these events happen; the last one is kept.
    const std::shared_ptr<Table>& of(const EventSet& executed);

    const Model& model_;
    FixedBases& bases_;
    std::vector<bool> is_common_;  // by node
    EventSet executed_;
    std::shared_ptr<Table> table_;
};

class Evaluation {
public:
    // Computes nodes on demand, within the budget of the program: every function may throw OverBudget. All arguments must
    // outlive the evaluation; `bases`, where there are some, are those of the execution's program.
    Evaluation(const Model& model, const Execution& execution, FixedBases* bases = nullptr);
    // The same. What other executions have in common with this one is not computed again.
    Evaluation(CommonValues& common, const Execution& execution);
    const NodeValue& value(NodeId node);
    bool holds(const Constraint& constraint);
    // All constraints that are not flags hold.
    bool consistent();
    // Indices (into model.constraints) of non-flag constraints that fail, and of flags that hold.
    std::vector<size_t> failed();
    std::vector<size_t> raised();
    // How the least fixpoint that `node` takes part in grows: the values of its nodes after each round, up to the first round that
    // adds nothing. In a round, terms are computed from the variables of the round before, then variables from terms.
    using Round = std::map<NodeId, NodeValue>;
    std::vector<Round> rounds(NodeId node);

private:
    NodeValue computed(NodeId node);
    void compute(NodeId node);
    EventSet set_of(std::string_view base) const;
    Relation relation_of(std::string_view base) const;
    void fix(NodeId node, const std::function<void()>& after_round = nullptr);
    const Model& model_;
    const Execution& execution_;
    FixedBases* bases_;
    const CommonValues* common_ = nullptr;
    std::shared_ptr<CommonValues::Table> table_;  // of common_
    std::vector<NodeValue> values_;
    std::vector<bool> known_;
};

}  // namespace litmus
