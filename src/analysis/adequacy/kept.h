// Which executions of a whole model are executions without a part, seen from the whole.
//
// Lemma. Let the parts be choices of one graph, and an execution be evaluated in it with no part deleted. Let a node be no choice, and have
// choices of a part among its arguments, or their branches; let it have the same value on the same arguments but with that part
// deleted. If all such nodes are so, and none of them stands in a `let rec`, then every constraint has the same value without the part: by
// induction over the graph, arguments first, each node that is no choice has, and each `let rec` as a whole, since its equations are the
// same functions of the same values. In a `let rec` this does not hold: that the least fixpoint is one of the changed equations, too, does
// not make it their least.
//
// Premise. The values are compared by the concrete engine: the graph gets, for each part and each such node, a flag that is raised where
// the two values differ. A part that fails this, or stands in a `let rec`, is deleted, and the execution judged without it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cat/evaluate.h"
#include "solve/solve.h"

namespace litmus {

class Kept {
public:
    // `open`: parts are its only choices; with none of them deleted it gave the answer `known`, in whose executions `bases` are what they
    // are. All arguments outlive this. Throws OverBudget.
    Kept(const Model& open, FixedBases& bases, const Answer& known);

    // Whether the execution that the answer has for it is consistent without the part, and shows the same. Throws OverBudget.
    bool has(const std::string& part, const Outcome& outcome);
    bool has(const std::string& part, const Hazard& hazard);

private:
    const std::set<std::string>& touched(const Execution& x);
    const Model& without(const std::string& part);

    const Model& open_;
    FixedBases& bases_;
    std::set<std::string> recursive_;  // parts with a choice in a let rec
    Model differing_;                  // the whole, and the flags
    std::optional<CommonValues> common_;
    std::map<const Execution*, std::set<std::string>> touched_;  // by witness: the parts whose flag is raised
    std::map<std::string, Model> without_;
};

}  // namespace litmus
