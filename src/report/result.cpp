// From an answer, which points into its program, to a result, which stands alone.
#include "report/result.h"

#include <algorithm>

#include "report/claim_text.h"
#include "report/support.h"

namespace litmus {

namespace {

Result::Access access(const Program& program, size_t event) {
    const Test& test = *program.test;
    const int line = test.source ? position(*test.source, span_of(program, event).begin).line : 0;
    return {describe(program, event), line};
}

Result::RacingPair racing_pair(const Program& program, const Race& race) {
    const int cell = program.events[race.first].cell;
    return {cell >= 0 ? program.cells[static_cast<size_t>(cell)].name : std::string(), access(program, race.first),
            access(program, race.second)};
}

}  // namespace

Result make_result(const std::string& file, const Test& test, const Program& program, const Model& model, const Answer& answer,
                   double seconds) {
    Result result;
    result.file = file;
    result.test = test.name;
    result.model = model.name;
    result.model_hash = model.hash;
    result.judgement = judge(test, answer);
    result.claim = test.claim.kind;
    result.claim_kind = claim_kind(test);
    result.claim_text = claim_text(test);
    result.condition = condition_text(test, test.claim.condition);
    for (const Observable& observable : answer.observables) result.columns.push_back({observable.name, observable.type});
    for (const Outcome& outcome : answer.outcomes) result.states.push_back({outcome.values, outcome.satisfies});
    result.complete = answer.complete && !answer.bound_hit;
    result.satisfiable = answer.satisfiable;
    result.violable = answer.violable;
    for (const Race& race : answer.races) result.races.push_back(racing_pair(program, race));
    result.races_complete = answer.races_complete;
    result.flags = answer.flags;
    result.unrolled = answer.bound_hit;
    result.never_ends = answer.nonempty == Answer::Truth::no && !answer.bound_hit;
    result.seconds = seconds;
    result.warnings = claim_warnings(program, answer);
    return result;
}

Result error_result(const std::string& file, const std::string& test, const Failure& failure) {
    Result result;
    result.file = file;
    result.test = test.empty() ? file : test;
    result.judgement.verdict = Verdict::error;
    result.errors = failure.diagnostics();
    return result;
}

Result unknown_result(const std::string& file, const Test& test, const std::string& why) {
    Result result;
    result.file = file;
    result.test = test.name;
    result.judgement.notes.push_back(why);
    result.claim = test.claim.kind;
    result.claim_kind = claim_kind(test);
    result.claim_text = claim_text(test);
    result.condition = condition_text(test, test.claim.condition);
    return result;
}

Result internal_error_result(const std::string& file, const std::string& test, const std::string& what) {
    Result result;
    result.file = file;
    result.test = test.empty() ? file : test;
    result.judgement.verdict = Verdict::error;
    result.internal_error = what;
    return result;
}

size_t satisfying(const Result& result) {
    return static_cast<size_t>(
        std::count_if(result.states.begin(), result.states.end(), [](const Result::State& state) { return state.satisfies; }));
}

}  // namespace litmus
