// The model may call asynchronous accesses undefined where they race: that confirms a race, too.
#include "analysis/sweep/confirm.h"

#include <algorithm>
#include <utility>

#include "analysis/verdict/hazards.h"

namespace litmus {

namespace {

constexpr size_t most_megabytes = 100;  // for what the model is asked; the tests are small

// So many seconds of work, and no longer than the whole lasts, whose clock is that on the wall.
Budget part_of(const Budget& whole, double seconds) {
    const int left = whole.milliseconds_left();
    return left < 0 ? Budget::of_work(seconds, most_megabytes) : Budget(std::min(seconds, left / 1000.0), most_megabytes);
}

constexpr const char* no_decision = "the model has not decided in time";

// Whether some execution shows what was asked about.
bool is_shown(sweep::Question question, const Hazard& hazard) {
    using Kind = Hazard::Kind;
    switch (question) {
        case sweep::Question::race:
        case sweep::Question::life:
        case sweep::Question::named:
            return hazard.kind == Kind::race || hazard.kind == Kind::undefined;
        case sweep::Question::state:
            return hazard.kind == Kind::undefined;
        case sweep::Question::hang:
            return hazard.kind == Kind::blocked || hazard.kind == Kind::undefined;
        case sweep::Question::exit:
            return hazard.kind == Kind::flag && hazard.flag == in_flight_at_exit;
    }
    return false;
}

// A thread that waits for ever may not come to what is asked about, unless that is the question.
void answer(sweep::Question question, const Hazards& hazards, Confirmation& result) {
    const auto is_one = [&](const Hazard& hazard) { return is_shown(question, hazard); };
    const bool is_complete = !hazards.timed_out && !hazards.out_of_memory;
    if (std::any_of(hazards.found.begin(), hazards.found.end(), is_one))
        result.answer = Confirmation::Answer::yes;
    else if (question == sweep::Question::hang)
        result.answer = is_complete && hazards.blocked == Truth::no ? Confirmation::Answer::no : Confirmation::Answer::unknown;
    else if (hazards.blocked != Truth::no)
        result.why = "threads of its test wait for ever, so that they may not come to the race";
    else if (hazards.races_complete && hazards.undefined == Truth::no)
        result.answer = Confirmation::Answer::no;
}

}  // namespace

Confirmation confirm(const Test& test, sweep::Question question, ModelFamily& family, const CheckOptions& options, Solver& solver,
                     const Budget& budget, double seconds) {
    Confirmation result;
    try {
        CheckOptions here = options;
        here.budget = part_of(budget, seconds);
        const CheckedTest checked = check_test("race.litmus", test, family, here, solver);
        if (checked.answer.hazards) answer(question, *checked.answer.hazards, result);
        if (result.answer == Confirmation::Answer::unknown && result.why.empty()) result.why = no_decision;
    } catch (const Failure& failure) {
        result.why = failure.diagnostics().front().message;
    } catch (const OverBudget&) {
        result.why = no_decision;
    }
    return result;
}

Confirmation confirm(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how, const sweep::Finding& finding,
                     ModelFamily& family, const CheckOptions& options, Solver& solver, double seconds) {
    sweep::Slice slice = sweep::slice_of(module, launch, how, finding);
    Confirmation result;
    if (slice.text.empty())
        result.why = slice.why;
    else
        result = confirm(slice.test, slice.question, family, options, solver, how.budget, seconds);
    result.slice = std::move(slice);
    return result;
}

}  // namespace litmus
