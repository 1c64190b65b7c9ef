// Outcomes that are products: parts of a program that show what they show apart from each other.
//
// Where threads touch nothing in common, every state of the ones goes with every state of the others, and one question for each outcome
// asks for the product of what one question for each state of a part would find. So the observables are dealt out to parts. Of each part
// the solver is asked for all that it shows in any outcome; then what the parts show is put together in every way.
//
// Lemma. For any parts, the set of outcomes lies in the product of what its parts show, for each outcome is made of what it shows
// itself. So it is the product, if each member of the product is the outcome of some execution.
//
// Proof that a member is one: an execution, put together from those that the solver found of its parts. The concrete engine completes it
// from what they read and choose, and judges it by every axiom. Hence nothing is assumed of program and model for the answer to be right.
// Where a barrier, a dependency or an axiom ties parts together, some member has no such execution, and outcomes are asked for singly.
// What is assumed for the execution to be a candidate: co orders the writes of one cell, and sc the fences of one part, as they do in the
// execution that this part is taken from, and in both the same events of the part happen. The first two hold by how parts are cut, the
// third is looked at.
//
// When it succeeds: where rf, co and sc, what events and values depend on, and all pairs that axioms speak of lie within parts. An axiom
// says that a relation is empty, irreflexive or acyclic, which it is where it is so in each part.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "event/execution.h"
#include "solve/solve.h"

namespace litmus {

class Parts {
public:
    // What keeps events in one part. `values`: what they read, write and depend on. `program`: that they are of one thread, too, or
    // that any other relation of the program holds between them. The fewer ties, the more parts, and the likelier that an axiom ties them.
    enum class Ties : uint8_t { values, program };

    // `reads`: which read may read from which write. What no observable depends on goes with the first part.
    Parts(const Program& program, const Relation& reads, const std::vector<Observable>& observables, ExprId filter, Ties ties);

    struct Part {
        std::vector<size_t> observables;
        EventSet events;
        Relation within;  // all pairs of its events
        std::vector<uint32_t> choices;
        std::vector<size_t> cells;
        std::map<std::vector<uint64_t>, size_t> shown;  // the values of its observables, and the index of an outcome that has them
    };
    const std::vector<Part>& all() const { return parts_; }

    // Takes note of what the parts show in outcomes that came since the last call.
    void learn(const std::vector<Outcome>& outcomes);

    // By part, the outcome of which it is taken; and the values of all observables.
    using Member = std::function<bool(const std::vector<size_t>& sources, const std::vector<uint64_t>& values)>;
    // Calls `member` for each member of the product of what was learnt, at least one outcome, until it says no.
    void each_member(const Member& member) const;

    // The execution that is put together; nothing: it is no candidate execution. `final_writes` becomes the write taken as final, by cell.
    std::optional<Execution> joined(const std::vector<Outcome>& outcomes, const std::vector<size_t>& sources,
                                    std::vector<size_t>& final_writes) const;

private:
    const Program& program_;
    size_t observables_;
    std::vector<Part> parts_;
    size_t learnt_ = 0;  // outcomes
};

}  // namespace litmus
