// What a changed model allows beyond what is known of a whole one, asked of many changes at once.
//
// Idea. Each change is a choice in the graph of one open model, and the program is encoded once. One question is whether under any of
// the changes an execution shows something that the whole model's answer lacks. Mostly it has none, which settles all changes.
//
// Lemma. Let the answer to the whole model be complete (all outcomes are listed, each race, flag and hang is found if some execution has
// it, no loop is cut). If under a change no execution shows what the answer lacks, and of all that the answer has an execution shows it
// under the change, then the answer under the change says the same: outcomes and hazards are what executions show, and whether some
// execution ends, or ends as the filter wants it, is among what is asked. For then each part of that answer is decided as it is in the
// first.
//
// Premises. That the answer is complete is the caller's to see to. What it lacks is made of what the encoding can show, not of a list:
// every outcome but those listed, every flag and every pair of places of a race that the model has, a thread that stays, a cut. The
// question does not change where threads that are alike change places (symmetry.h), since a complete answer has all images of what it has.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cat/model.h"
#include "solve/encode.h"
#include "solve/solve.h"

namespace litmus {

class Surplus {
public:
    // `open`: specialised to the program, which was built with BuildOptions::blocked. Its choices are the changes; under none it is the
    // model of which `known` says all. All arguments outlive this. Throws GaveUp and OverBudget.
    Surplus(Program& program, FixedBases& bases, const Model& open, const Answer& known, Solver& solver);

    // A change under which some execution shows what is not known, each at most once; none: there is no other. Throws GaveUp and
    // OverBudget, and std::logic_error naming the test where the whole model itself seems to show more.
    std::optional<std::string> next();

private:
    using Places = std::pair<Hazard::StaticInstruction, Hazard::StaticInstruction>;
    using Sign = std::pair<std::string, std::optional<Places>>;  // a flag, of a race with its places; the empty flag: a thread that stays

    Sign sign_of(const Hazard& hazard) const;
    Places places_of(const Relation::Pair& pair) const;
    Lit another_outcome(Lit passes);
    Lit another_sign(const Model& open);
    Lit together(const std::vector<Lit>& literals);

    Program& p_;
    const Answer& known_;
    Backend& backend_;
    std::optional<Encoding> encoding_;
    std::map<std::string, Lit> changes_;
    std::vector<Lit> assumptions_;
};

}  // namespace litmus
