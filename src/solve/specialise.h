// The model without the sets and relations that have no members in any execution of the program.
#pragma once

#include <set>
#include <string>

#include "cat/model.h"
#include "event/execution.h"

namespace litmus {

// The same constraints, in the same order, over fewer nodes: on every execution of `program` they hold exactly when
// those of `model` do. An open model stays open where it matters.
Model specialised(const Program& program, const Model& model);
Model specialised(FixedBases& bases, const Model& model);  // of their program

// The names of the sets and relations that can have members in some execution of the program. All that `specialised` asks of
// a program: those of one vocabulary leave the same of a model.
std::set<std::string> vocabulary(const Program& program);
std::set<std::string> vocabulary(FixedBases& bases);
Model specialised(const std::set<std::string>& vocabulary, const Model& model);

}  // namespace litmus
