// Which execution shows best what a test comes to.
#pragma once

#include <optional>

#include "analysis/explain/dot.h"
#include "analysis/verdict/hazards.h"

namespace litmus {

// The execution of `program` to show. `number` > 0: that of this outcome,
// counted from 1. Otherwise what decides the verdict comes first: undefined behaviour; threads that get stuck, where no execution ends. A
// race comes next where the test claims racefree, and then threads that get stuck. Behind these come an outcome that satisfies the
// condition, for `forall` one that does not; any race; and the first outcome of a test without a condition. Nothing when there is none of
// these. The result points into the arguments.
std::optional<Drawing> exhibit(const Program& program, const Model& model, const Answer& answer, size_t number);

}  // namespace litmus
