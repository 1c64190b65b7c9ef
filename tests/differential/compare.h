// One program, both engines: where they differ, and the smallest program that still does.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "brute_force.h"
#include "solve/solve.h"

namespace litmus {

// Races by where the two accesses stand, "thread.instruction/thread.instruction": what the solver tells apart.
std::set<std::string> race_places(const std::set<std::pair<size_t, size_t>>& races, const Program& program);
std::set<std::pair<size_t, size_t>> races_of(const Hazards& hazards);

// What the solver answers, in the brute-force engine's terms.
Exhaustive solver_answer(Solver& solver, Program& program, const Model& model);

// In words, how the solver's answer differs from the brute-force one; nullopt: it does not.
std::optional<std::string> difference(const Exhaustive& solved, const Exhaustive& exhaustive, const Program& program);

// Runs both engines; the brute-force one under `reference`, the solver under `model` (the same unless
// one side is to lack an axiom). Anything the solving engine throws is a difference too.
std::optional<std::string> compare_engines(Solver& solver, const Test& test, const Model& model, const Model& reference);

// Removes the claim, threads, instructions, guards and so on for as long as `fails` holds. Tests that
// have no meaning (build_program throws Failure) count as not failing.
Test shrink(Test test, const std::function<bool(const Test&)>& fails);

// The model without its constraint `index`.
Model without(const Model& model, size_t index);

}  // namespace litmus
