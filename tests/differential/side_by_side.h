// Two programs as one test, which share nothing: what parts of a program show is put together (solve/parts.h), and enumerated.
#pragma once

#include <optional>
#include <string>

#include "cat/model.h"
#include "language/test.h"
#include "solve/solve.h"

namespace litmus {

// The threads and locations of both, those of `b` in clusters of their own; the claim of `a`, the filters of both.
Test side_by_side(Test a, Test b);

// In words, where the outcomes of both side by side are not all pairs of those that the enumerator finds of each, or not those that the
// solver finds when it is asked for each singly; nullopt: they are. Nothing is compared where there are more than `most`.
std::optional<std::string> compare_side_by_side(Solver& solver, const Test& a, const Test& b, const Model& model, size_t most);

}  // namespace litmus
