// A race of the evidence, or undefined behaviour: of asynchronous accesses the model has more to say than that they race.
#include "analysis/sweep/confirm.h"

#include <algorithm>
#include <utility>

namespace litmus {

namespace {

constexpr size_t most_megabytes = 100;  // for what the model is asked; the tests are small

// So many seconds of work, and no longer than the whole lasts, whose clock is that on the wall.
Budget part_of(const Budget& whole, double seconds) {
    const int left = whole.milliseconds_left();
    return left < 0 ? Budget::of_work(seconds, most_megabytes) : Budget(std::min(seconds, left / 1000.0), most_megabytes);
}

}  // namespace

Confirmation confirm(const Test& test, ModelFamily& family, const CheckOptions& options, Solver& solver, const Budget& budget,
                     double seconds) {
    Confirmation result;
    try {
        CheckOptions here = options;
        here.budget = part_of(budget, seconds);
        const CheckedTest checked = check_test("race.litmus", test, family, here, solver);
        const auto& hazards = checked.answer.hazards;
        if (hazards && std::any_of(hazards->found.begin(), hazards->found.end(), [](const Hazard& hazard) {
                return hazard.kind == Hazard::Kind::race || hazard.kind == Hazard::Kind::undefined;
            }))
            result.answer = Confirmation::Answer::yes;
        else if (hazards && hazards->blocked != Truth::no)
            result.why = "threads of its test wait for ever, so that they may not come to the race";
        else if (hazards && hazards->races_complete && hazards->undefined == Truth::no)
            result.answer = Confirmation::Answer::no;
        else
            result.why = "the model has not decided in time";
    } catch (const Failure& failure) {
        result.why = failure.diagnostics().front().message;
    } catch (const OverBudget&) {
        result.why = "the model has not decided in time";
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
        result = confirm(slice.test, family, options, solver, how.budget, seconds);
    result.slice = std::move(slice);
    return result;
}

}  // namespace litmus
