// Outcomes that are products: parts of a program that show what they show apart from each other.
//
// Idea. Where two groups of threads touch nothing in common, every final state of one goes with every final state of the other. One
// question to the solver for each outcome would be one for each member of a product. So the observables are dealt out to parts. The solver
// is asked for all that each part shows in any outcome, and what the parts show is combined in every way: the questions are a sum, not a
// product.
//
// Lemma. However the observables are dealt out, every outcome is a member of the product of what the parts show: its own values are among
// what they show. The outcomes are the whole product if each of its members is the outcome of some execution.
//
// Premise. Each member has such an execution. This is checked, not assumed. For each member an execution is put together from those that
// the solver found for its parts. The concrete engine completes it from what they read and choose, and judges it by every axiom and the
// filter. So the answer rests on no claim about the model. Where one member fails, because a barrier, a dependency or an axiom ties the
// parts, the rest is asked for singly. Two properties of a candidate execution are not checked afterwards: co orders the writes of a cell,
// and sc relates all fences that it can. They hold because each cell is in one part, all those fences are in one part, and in that part the
// same events happen as in the execution that it is taken from.
//
// The premise holds where three things lie within parts: the pairs of rf, co and sc; what an event, a value or a condition depends on; and
// the pairs by which an axiom can fail. For an axiom asks that a relation be empty, irreflexive or acyclic, and the relation is so if it is
// so within each part.
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
    // Calls `member` for each member of the product of what was learnt, until it says no.
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
