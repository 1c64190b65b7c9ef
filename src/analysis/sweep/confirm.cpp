// The model may call asynchronous accesses undefined where they race: that confirms a race, too.
#include "analysis/sweep/confirm.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/support.h"
#include "event/program.h"
#include "kernel/make.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"

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

// The hazards of a test, without its outcomes. Throws as check_test() does.
Hazards hazards_of(const Test& test, ModelFamily& family, const CheckOptions& options, Solver& solver) {
    const Model& model = family.under(family.readings(options.reading));
    Program program = build_program(test, {.unroll = options.unroll, .blocked = true, .budget = options.budget});
    require_support(program, model);
    return solver.hazards(program, model);
}

// The same test, with a wait that nothing ends in place of each trap; none: it has no trap.
std::optional<Test> waiting_at_traps(Test test) {
    const std::string text = print(test);
    Location never;
    for (never.name = "never"; text.find(never.name) != std::string::npos;) never.name += "_";
    never.init = {0};
    Operand at;
    at.kind = Operand::Kind::address;
    at.name = never.name;
    bool has_traps = false;
    for (Thread& thread : test.threads)
        for (Instruction& one : thread.body) {
            if (one.op != Op::trap) continue;
            std::optional<Instruction> wait = kernel::make("ld.relaxed.sys.global.u32", {kernel::reg_operand("r" + never.name), at});
            wait->await = true;
            wait->expect = Expectation{Operator::eq, kernel::number_operand(1)};
            wait->guard = one.guard;
            wait->labels = one.labels;
            one = std::move(*wait);
            has_traps = true;
        }
    if (!has_traps) return std::nullopt;
    test.locations.push_back(std::move(never));
    return parse_tests(make_source("race.litmus", print(test))).front();
}

// Whether a thread may come to a trap, behind which the test says nothing of it. The model is asked whether it may wait there.
bool may_trap(const Test& test, ModelFamily& family, const CheckOptions& options, Solver& solver) {
    const std::optional<Test> waiting = waiting_at_traps(test);
    if (!waiting) return false;
    return hazards_of(*waiting, family, options, solver).blocked != Truth::no;
}

}  // namespace

Confirmation confirm(const Test& test, sweep::Question question, ModelFamily& family, const CheckOptions& options, Solver& solver,
                     const Budget& budget, double seconds) {
    Confirmation result;
    try {
        CheckOptions here = options;
        here.budget = part_of(budget, seconds);
        answer(question, hazards_of(test, family, here, solver), result);
        if (result.answer == Confirmation::Answer::no && may_trap(test, family, here, solver)) {
            result.answer = Confirmation::Answer::unknown;
            result.why = "threads of its test may read something else than in the run, and what they do then is not known";
        }
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
