// The final states to explain are the outcomes of the test, its filter narrowed to the condition, under the model without its
// axioms. Where a conjunction is denied, those come first in which few of its parts fail. Where there are none, nothing computes
// such values, and what is possible of each observable says why.
#include "analysis/explain/forbidden.h"

#include <algorithm>
#include <set>
#include <utility>

namespace litmus {

namespace {

constexpr size_t most_states = 64;  // final states that are looked at

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

bool ran_out(const Answer& answer) {
    return answer.timed_out || answer.out_of_memory || !answer.gave_up.empty();
}

// What must hold together: the parts of a conjunction that is denied.
std::vector<Condition> denied(const Condition& wanted) {
    if (wanted.kind != Condition::Kind::negation) return {};
    const Condition& whole = wanted.operands.front();
    return whole.kind == Condition::Kind::conjunction ? whole.operands : std::vector<Condition>{whole};
}

size_t how_many_fail(Program& program, const std::vector<Condition>& conditions, const Outcome& state) {
    std::vector<uint64_t> finals;  // by cell
    for (const size_t write : state.final_writes) finals.push_back(state.witness.values[write]);
    return static_cast<size_t>(std::count_if(conditions.begin(), conditions.end(), [&](const Condition& condition) {
        return evaluate(state.witness, condition_expr(program, condition), finals) == 0;
    }));
}

class Finder {
public:
    Finder(const Test& test, const Condition& wanted, const Model& model, const ForbiddenOptions& options, Solver& solver)
        : test_(test), wanted_(wanted), model_(model), options_(options), solver_(solver) {
        Test narrowed = test;
        narrowed.filter = test.filter ? both(*test.filter, wanted) : wanted;
        found_.test = std::make_unique<const Test>(std::move(narrowed));
        found_.program = std::make_unique<Program>(build_program(*found_.test, build_options()));
    }

    Forbidden run() {
        const std::vector<Outcome> states = find_states();
        for (const Outcome& state : states) {
            if (found_.cases.size() == options_.most_cases) break;
            found_.cases.push_back(
                {state.values, why_forbidden(*found_.program, model_, state.values, solver_, options_.most_ways, &state.witness)});
        }
        if (states.empty() && found_.decided && options_.possible) find_what_is_possible();
        return std::move(found_);
    }

private:
    BuildOptions build_options() const { return {.unroll = options_.unroll, .budget = options_.budget}; }

    // Those that satisfy the condition when there are no axioms.
    std::vector<Outcome> find_states() {
        Program& program = *found_.program;
        Answer answer = solver_.solve(program, without_axioms(model_), outcomes_only(std::max(options_.most_cases, most_states)));
        found_.observables = answer.observables;
        found_.decided = !ran_out(answer);
        found_.complete = answer.complete && answer.outcomes.size() <= options_.most_cases;
        const std::vector<Condition> parts = denied(wanted_);
        const auto fails = [&](const Outcome& state) { return how_many_fail(program, parts, state); };
        std::stable_sort(answer.outcomes.begin(), answer.outcomes.end(), [&](const auto& a, const auto& b) { return fails(a) < fails(b); });
        return std::move(answer.outcomes);
    }

    // What the observables can be when nothing but the values counts: neither axioms nor the filter.
    void find_what_is_possible() {
        if (test_.filter) found_.filtered_out = some_execution_without_filter();
        SolveOptions options = outcomes_only(most_states);
        options.filtered = false;
        const Answer answer = solver_.solve(*found_.program, without_axioms(model_), options);
        found_.decided = found_.decided && !ran_out(answer);
        found_.some_end = !answer.outcomes.empty();
        found_.possible_complete = answer.complete;
        std::vector<std::set<uint64_t>> values(answer.observables.size());
        for (const Outcome& outcome : answer.outcomes)
            for (size_t i = 0; i < values.size(); ++i) values[i].insert(outcome.values[i]);
        for (const std::set<uint64_t>& of_one : values) found_.possible.emplace_back(of_one.begin(), of_one.end());
    }

    bool some_execution_without_filter() {
        Test unfiltered = test_;
        unfiltered.filter = wanted_;
        Program program = build_program(unfiltered, build_options());
        const Answer answer = solver_.solve(program, without_axioms(model_), outcomes_only(1));
        found_.decided = !ran_out(answer) || !answer.outcomes.empty();
        return !answer.outcomes.empty();
    }

    const Test& test_;
    const Condition& wanted_;
    const Model& model_;
    const ForbiddenOptions& options_;
    Solver& solver_;
    Forbidden found_;
};

}  // namespace

Forbidden why_none(const Test& test, const Condition& wanted, const Model& model, const ForbiddenOptions& options, Solver& solver) {
    return Finder(test, wanted, model, options, solver).run();
}

}  // namespace litmus
