// The checker's own answers to what the naive front end answers, and where they differ.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "naive.h"
#include "solve/solve.h"

namespace litmus::naive {

// Changes the checker's program before it is solved: to see whether the comparison tells.
using Spoil = std::function<void(Program&)>;

// In words, how what build_program and the solver make of a test under a model differs from a naive answer (that of
// `answers` with this index); nothing: it does not. Outcomes of a test with undefined behaviour are not compared.
// `failures` as in the limits of the naive answer. Throws Failure as build_program, std::logic_error as the solver.
std::optional<std::string> difference(Solver& solver, const Test& test, const Model& model, const Answers& answers, size_t index,
                                      int failures, const Spoil& spoil);

// The test's filter apart: both, under every model. Throws Unsupported as answer(), and as difference().
struct Comparison {
    std::optional<std::string> difference;
    Answers naive;
};
Comparison compare(Solver& solver, Test test, const std::vector<const Model*>& models, const Limits& limits);

}  // namespace litmus::naive
