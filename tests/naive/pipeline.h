// The checker's own answers to what the naive front end answers, and where they differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "naive.h"
#include "solve/solve.h"

namespace litmus::naive {

// Of build_program and the solver, in the naive answer's terms; the last coordinate first to be asked: `coordinates`.
struct Solved {
    Answer answer;
    bool bound_hit = false;
};
Solved solved(Solver& solver, const Test& test, const Model& model, const std::vector<std::string>& coordinates, int failures);

// In words, how they differ; nothing: they do not. Outcomes of a test with undefined behaviour mean nothing.
std::optional<std::string> difference(const Test& test, const Answer& naive, const Solved& solved, const std::vector<std::string>& coordinates);

// Both, under every model. Throws Unsupported as answer(), Failure as build_program.
struct Comparison {
    std::optional<std::string> difference;
    Answers naive;
};
Comparison compare(Solver& solver, const Test& test, const std::vector<const Model*>& models, const Limits& limits);

}  // namespace litmus::naive
