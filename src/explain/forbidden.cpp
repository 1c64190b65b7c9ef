// The final states to explain are the outcomes of the test, its filter narrowed to the condition, under the model without its
// axioms. Where there are none, nothing computes such values, and what is possible of each observable says why.
#include "explain/forbidden.h"

#include <algorithm>
#include <set>
#include <utility>

namespace litmus {

namespace {

constexpr size_t most_values = 64;  // final states that are looked at to see what an observable can be

Condition both(const Condition& a, const Condition& b) {
    Condition result;
    result.kind = Condition::Kind::conjunction;
    result.operands = {a, b};
    return result;
}

Model without_axioms(const Model& model) {
    return restricted(model, [](const Constraint&) { return false; });
}

SolveOptions outcomes_only(size_t most) {
    SolveOptions result;
    result.want_hazards = false;
    result.max_outcomes = most;
    return result;
}

// What the observables can be when nothing but the values counts: neither axioms nor the filter.
std::vector<std::vector<uint64_t>> possible_values(Program& program, const Model& model, Solver& solver) {
    SolveOptions options = outcomes_only(most_values);
    options.filtered = false;
    const Answer answer = solver.solve(program, without_axioms(model), options);
    std::vector<std::set<uint64_t>> values(answer.observables.size());
    for (const Outcome& outcome : answer.outcomes)
        for (size_t i = 0; i < values.size(); ++i) values[i].insert(outcome.values[i]);
    std::vector<std::vector<uint64_t>> result;
    for (const std::set<uint64_t>& of_one : values) result.emplace_back(of_one.begin(), of_one.end());
    return result;
}

bool some_execution_without_filter(const Test& test, const Condition& wanted, const Model& model, const ForbiddenOptions& options,
                                   Solver& solver) {
    Test unfiltered = test;
    unfiltered.filter = wanted;
    Program program = build_program(unfiltered, {.unroll = options.unroll, .budget = options.budget});
    return !solver.solve(program, without_axioms(model), outcomes_only(1)).outcomes.empty();
}

}  // namespace

Forbidden why_none(const Test& test, const Condition& wanted, const Model& model, const ForbiddenOptions& options, Solver& solver) {
    Test narrowed = test;
    narrowed.filter = test.filter ? both(*test.filter, wanted) : wanted;
    Forbidden result;
    result.test = std::make_unique<const Test>(std::move(narrowed));
    result.program = std::make_unique<Program>(build_program(*result.test, {.unroll = options.unroll, .budget = options.budget}));
    const Answer states = solver.solve(*result.program, without_axioms(model), outcomes_only(options.most_cases));
    result.observables = states.observables;
    result.complete = states.complete;
    for (const Outcome& state : states.outcomes)
        result.cases.push_back({state.values, why_forbidden(*result.program, model, state.values, solver)});
    if (!result.cases.empty()) return result;
    result.filtered_out = test.filter && some_execution_without_filter(test, wanted, model, options, solver);
    result.possible = possible_values(*result.program, model, solver);
    return result;
}

}  // namespace litmus
