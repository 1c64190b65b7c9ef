// Whether a derivation proves what it says. The check shares nothing with the search for derivations.
#pragma once

#include "analysis/explain/derivation.h"
#include "analysis/explain/why.h"

namespace litmus {

// Whether each step follows from its parts, the base sets and relations hold on the execution, and what is said to be absent is.
bool is_valid(const Derivation& derivation, const Model& model, const Execution& execution);

// Whether the derivations are valid and show that the execution breaks the axiom.
bool is_valid(const BrokenAxiom& breach, const Model& model, const Execution& execution);

}  // namespace litmus
