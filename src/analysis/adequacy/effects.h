// What deleting a part can do at all: take executions and what they raise away, or add some.
//
// Lemma. Let each choice of a part stand between two branches of which the one is within the other on every execution, so that deleting the
// part makes the choice larger or smaller. Then so does it with all that is built on it: every operation grows with its arguments, but for
// a complement and the right side of a difference, which shrink, and a least fixpoint grows with its equations. An axiom that a relation be
// empty, irreflexive or acyclic permits no more when the relation grows, and no less when it shrinks; a flag is raised of no fewer pairs,
// and of no more. So if all constraints that a part reaches are moved in directions that take away, an execution without the part is one of
// the whole model and shows nothing that it does not show there; and the other way round.
//
// A part may have several choices, one in the other: they are made one after the other, the outer ones first, so that what is in a branch
// is as it is in the whole model, and each is one step in the same direction. Other parts are never deleted with it.
//
// Premises. That one branch is within the other is read off the graph (`Within` in effects.cpp); where it is not seen, the part can do
// both.
#pragma once

#include <map>
#include <string>

#include "cat/model.h"

namespace litmus {

struct Effect {
    bool adds = false, takes = false;  // executions, or what they raise
};

// By variant, of the choices of a model that are all that is left open.
std::map<std::string, Effect, std::less<>> effects_of(const Model& open);

}  // namespace litmus
