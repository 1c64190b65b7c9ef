// Small Boolean circuits over a backend: and, or, exclusive or, choice, disjunctions of conjunctions, at most one, acyclicity.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/relation.h"
#include "solve/sat/backend.h"

namespace litmus {

// Which implications a defined literal needs: `up` when a true definition must make it true, `down`
// when a true literal must have a true definition. A literal that only ever appears as something to
// forbid needs just `up`, which halves its clauses.
struct Polarity {
    bool up = false;
    bool down = false;
};

using Conjunction = std::vector<Lit>;

class Gates {
public:
    explicit Gates(Backend& backend) : backend_(backend) {}

    Lit both(Lit a, Lit b);
    Lit all(const Conjunction& literals);
    Lit either(Lit a, Lit b) { return -both(-a, -b); }
    Lit any(const std::vector<Lit>& literals);
    Lit differ(Lit a, Lit b);
    Lit choose(Lit condition, Lit then, Lit otherwise);

    // A literal for a disjunction of conjunctions, in the directions asked for.
    Lit define(std::vector<Conjunction> disjuncts, Polarity polarity);

    void at_most_one(const std::vector<Lit>& literals);

    // How many of the literals are true, in unary: the n-th of the result, from 0 on, is true when more than n are.
    std::vector<Lit> count(const std::vector<Lit>& literals);

    using Edges = std::map<Relation::Pair, Lit>;
    // No cycle among the edges whose literals are true. `size`: nodes are 0..size-1.
    void acyclic(size_t size, const Edges& edges);

private:
    std::vector<Lit> merged(const std::vector<Lit>& left, const std::vector<Lit>& right);
    bool simplify(Conjunction& literals) const;  // false: contradictory
    Backend& backend_;
    std::map<std::pair<Lit, Lit>, Lit> ands_, differences_;  // gates that exist already, by operands
};

}  // namespace litmus
