// The outcomes of both, all registers and all memory of the source.
#include "analysis/compiled/judge.h"

#include <algorithm>

#include "analysis/explain/exhibit.h"
#include "analysis/explain/forbidden.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/support.h"
#include "analysis/verdict/verdict.h"
#include "language/syntax/native/print.h"
#include "language/syntax/outcome.h"

namespace litmus::compiled {

namespace {

constexpr size_t most_outcomes = 4096;

SolveOptions all_outcomes() {
    SolveOptions options;
    options.all_state = true;
    options.max_outcomes = most_outcomes;
    options.want_hazards = false;
    return options;
}

bool was_decided(const Hazards& hazards) {
    return !hazards.timed_out && !hazards.out_of_memory && hazards.gave_up.empty();
}

// "P1:r0=1; x=2;" of some of the observables.
std::string text_of(const std::vector<Observable>& observables, const std::vector<uint64_t>& values, const std::vector<bool>& named) {
    std::vector<Observable> some;
    std::vector<uint64_t> their;
    for (size_t i = 0; i < observables.size(); ++i) {
        if (!named[i]) continue;
        some.push_back(observables[i]);
        their.push_back(values[i]);
    }
    return outcome_text(some, their);
}

Test asking(const Test& test, const Condition& condition) {
    Test asked = test;
    asked.claim = {};
    asked.claim.kind = Claim::Kind::exists;
    asked.claim.condition = condition;
    return asked;
}

}  // namespace

std::string_view name(Fate fate) {
    switch (fate) {
        case Fate::kept:
            return "kept";
        case Fate::allowed:
            return "changed, allowed";
        case Fate::unknown:
            return "unknown";
        case Fate::forbidden:
            return "changed, forbidden";
    }
    return {};
}

Judge::Judge(const Test& test, ModelFamily& family, Solver& solver, int unroll, const Budget& budget)
    : test_(test),
      model_(&family.under(readings_of(family.by_default(), base_))),
      solver_(solver),
      unroll_(unroll),
      budget_(budget),
      program_(build_program(test, {.unroll = unroll, .blocked = true, .budget = budget})) {
    require_support(program_, *model_);
    for (const Reading::Base base : {Reading::Base::weakest, Reading::Base::default_, Reading::Base::strongest}) {
        base_ = base;
        model_ = &family.under(readings_of(family.by_default(), base));
        ask_source();
        if (undefined_ != Truth::yes) break;
    }
}

void Judge::ask_source() {
    SolveOptions options = all_outcomes();
    options.want_hazards = true;
    answer_ = solver_.solve(program_, *model_, options);
    undefined_ = race_free_ = Truth::unknown;
    if (!answer_.hazards) return;
    const Hazards& hazards = *answer_.hazards;
    undefined_ = hazards.undefined;
    race_free_ = raises(hazards, race_flag) ? Truth::no : was_decided(hazards) ? Truth::yes : Truth::unknown;
}

Ruling Judge::rule_on(const CompiledTest& compiled) {
    Ruling ruling;
    if (!compiled.unknown.empty()) {
        ruling.reason = compiled.unknown;
        return ruling;
    }
    if (compiled.changes.empty()) {
        ruling.fate = Fate::kept;
        return ruling;
    }
    const std::string text = print(*compiled.test);
    if (const auto known = known_.find(text); known != known_.end()) return known->second;
    try {
        ruling = compare(*compiled.test);
    } catch (const OverBudget& over) {
        ruling.reason = over.what();
    } catch (const Failure& failure) {
        ruling.reason = "the compiled test has no meaning: " + failure.diagnostics().front().message;
    }
    return known_[text] = ruling;
}

Ruling Judge::compare(const Test& compiled) {
    Ruling ruling;
    if (undefined_ == Truth::yes) {  // then nothing is forbidden (model/semantics.md section 9)
        ruling.fate = Fate::allowed;
        ruling.reason = "the source has undefined behaviour";
        return ruling;
    }
    Program program = build_program(compiled, {.unroll = unroll_, .blocked = true, .budget = budget_});
    SolveOptions options = all_outcomes();
    options.want_hazards = true;
    const Answer answer = solver_.solve(program, *model_, options);
    if (answer.hazards && answer.hazards->undefined == Truth::yes && undefined_ == Truth::no) {
        ruling.fate = Fate::forbidden;
        for (const HazardText& text : litmus::explain(program, *answer.hazards))
            if (text.kind == Hazard::Kind::undefined && ruling.hazard.empty()) ruling.hazard = text.title;
        if (const auto drawing = exhibit(program, *model_, answer, 0)) ruling.execution = execution_text(*drawing);
        return ruling;
    }
    std::vector<size_t> places;  // of the source's observables among those of the compiled test
    for (const Observable& wanted : answer_.observables) {
        const auto found =
            std::find_if(answer.observables.begin(), answer.observables.end(), [&](const Observable& o) { return o.name == wanted.name; });
        if (found == answer.observables.end()) {
            ruling.reason = "the compiled test has no " + wanted.name;
            return ruling;
        }
        places.push_back(static_cast<size_t>(found - answer.observables.begin()));
    }
    for (const Outcome& outcome : answer.outcomes) {
        std::vector<uint64_t> values;
        for (const size_t place : places) values.push_back(outcome.values[place]);
        if (allows(values)) continue;
        ruling.fate = Fate::forbidden;
        explain(compiled, values, ruling);
        return ruling;
    }
    if (answer.complete && !answer.bound_hit && answer.hazards && (answer.hazards->undefined == Truth::no || undefined_ == Truth::yes))
        ruling.fate = Fate::allowed;
    else
        ruling.reason = answer.bound_hit ? "a loop of the compiled test was cut" : "not all that the compiled test can do is known";
    return ruling;
}

bool Judge::allows(const std::vector<uint64_t>& outcome) {
    const auto is_it = [&](const Outcome& o) { return o.values == outcome; };
    if (std::any_of(answer_.outcomes.begin(), answer_.outcomes.end(), is_it)) return true;
    if (answer_.complete && !answer_.bound_hit) return false;
    SolveOptions options = all_outcomes();
    options.only = outcome;
    const Answer answer = solver_.solve(program_, *model_, options);
    if (answer.timed_out || answer.out_of_memory) throw OverBudget(answer.timed_out ? OverBudget::What::time : OverBudget::What::memory);
    return !answer.outcomes.empty() || answer.bound_hit;
}

bool Judge::allows_some(const Condition& condition) {
    const Test asked = asking(test_, condition);
    Program program = build_program(asked, {.unroll = unroll_, .budget = budget_});
    SolveOptions options;
    options.want_outcomes = options.want_hazards = false;
    return solver_.solve(program, *model_, options).satisfiable != Truth::no;
}

void Judge::explain(const Test& compiled, const std::vector<uint64_t>& outcome, Ruling& ruling) {
    // values that are not needed go, those of memory first
    const std::vector<Observable>& all = answer_.observables;
    std::vector<bool> named(all.size(), true);
    for (const bool memory : {true, false})
        for (size_t i = 0; i < all.size(); ++i) {
            if (all[i].in_memory != memory) continue;
            named[i] = false;
            const bool none = std::none_of(named.begin(), named.end(), [](bool n) { return n; });
            if (none || allows_some(parse_outcome(test_, text_of(all, outcome, named)))) named[i] = true;
        }
    ruling.outcome = text_of(all, outcome, named);

    const Test shown = asking(compiled, parse_outcome(compiled, ruling.outcome));
    Program program = build_program(shown, {.unroll = unroll_, .budget = budget_});
    SolveOptions options;
    options.want_hazards = false;
    const Answer answer = solver_.solve(program, *model_, options);
    for (size_t i = 0; i < answer.outcomes.size() && ruling.execution.empty(); ++i)
        if (answer.outcomes[i].satisfies)
            if (const auto drawing = exhibit(program, *model_, answer, i + 1)) ruling.execution = execution_text(*drawing);

    const ForbiddenOptions bounds{.unroll = unroll_, .budget = budget_, .most_cases = 1, .most_ways = 4};
    const Forbidden forbidden = why_none(test_, parse_outcome(test_, ruling.outcome), *model_, bounds, solver_);
    ruling.why.test = test_.name;
    ruling.why.question = ruling.outcome;
    ruling.why.model = model_->name;
    ruling.why.model_hash = model_->hash;
    add_forbidden(ruling.why, forbidden, *model_);
}

}  // namespace litmus::compiled
