// The model without the sets and relations that have no members in any execution of the program.
#pragma once

#include "cat/model.h"
#include "event/program.h"

namespace litmus {

// The same constraints, in the same order, over fewer nodes: on every execution of `program` they hold exactly when
// those of `model` do. An open model stays open where it matters.
Model specialised(const Program& program, const Model& model);

}  // namespace litmus
