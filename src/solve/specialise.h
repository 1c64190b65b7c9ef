// A model without what a program leaves no room for.
#pragma once

#include <string>
#include <vector>

#include "cat/model.h"
#include "event/program.h"

namespace litmus {

// The same constraints, in the same order, over fewer nodes: on every execution of `program` they hold exactly when
// those of `model` do.
Model specialised(const Program& program, const Model& model);

// By base name, in the order of base_names(): whether it can have members in the program. That is all of a program that
// specialised() looks at.
std::vector<bool> possible_bases(const Program& program);

// The graph of specialised(program, model) as text, whatever its nodes are called and in which order they stand: two
// models for which it is the same allow the same executions of the program and flag the same.
std::string specialised_text(const Program& program, const Model& model);

}  // namespace litmus
