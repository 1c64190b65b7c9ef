// Which values each read can have, for programs that compute with floating-point numbers.
#pragma once

#include <optional>
#include <vector>

#include "event/program.h"

namespace litmus {

// Whether an expression has a meaning on constants only: floating-point arithmetic and comparisons, which
// the solver's words do not have.
bool needs_constants(const Expr& e);
bool needs_constants(const ExprPool& exprs);  // some expression of it

// By event: the values that a read can return in some candidate execution, in ascending order, perhaps
// with some that it cannot. `rf` is what reads may read from, `circular` the reads whose value may come
// round to themselves. nullopt: too many to enumerate.
std::optional<std::vector<std::vector<uint64_t>>> possible_values(const Program& program, const Relation& rf,
                                                                  const std::vector<bool>& circular);

}  // namespace litmus
