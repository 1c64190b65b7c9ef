// From an answer, which points into its program, to a result, which stands alone.
#include "analysis/verdict/result.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/verdict/claim_text.h"
#include "analysis/verdict/support.h"
#include "language/origin.h"

namespace litmus {

namespace {

Result::Access access(const Test& test, const HazardText::Access& from) {
    if (!test.source) return {from.text, {}, {}, from.origin};
    return {from.text, position(*test.source, from.span.begin), position(*test.source, from.span.end), from.origin};
}

// What is known of a test without asking.
void describe(Result& result, const std::string& file, const Test& test) {
    result.file = file;
    result.test = test.name;
    result.claim = test.claim.kind;
    result.claim_kind = claim_kind(test);
    result.claim_text = claim_text(test);
    result.condition = condition_text(test, test.claim.condition);
    if (!test.source) return;
    result.begin = position(*test.source, test.claim.span.begin);
    result.end = position(*test.source, test.claim.span.end);
}

// "data race on x, lines 4 and 7", "data race on x, ws_pipeline.cu:38 and :41".
std::string race_note(const Result::RacingPair& race) {
    if (race.first.origin && race.second.origin)
        return "data race on " + race.location + ", " + short_text(race.first.origin, race.second.origin);
    return "data race on " + race.location + ", lines " + std::to_string(race.first.begin.line) + " and " +
           std::to_string(race.second.begin.line);
}

// "P0 line 12 (k.cu:7)" of each loop that the unroll bound may cut: its last line.
std::vector<std::string> loops_cut(const Test& test, const Program& program) {
    std::vector<std::string> loops;
    for (const Bound& bound : program.bounds) {
        const Thread& thread = test.threads[static_cast<size_t>(bound.thread)];
        const Instruction& last = thread.body[static_cast<size_t>(bound.instruction)];
        std::string text = thread.name;
        if (test.source) text += " line " + std::to_string(position(*test.source, last.spelled.begin).line);
        if (const CudaPlace origin = origin_of(test, last)) text += " (" + short_text(origin) + ")";
        if (std::find(loops.begin(), loops.end(), text) == loops.end()) loops.push_back(std::move(text));
    }
    return loops;
}

}  // namespace

Result make_result(const std::string& file, const Test& test, const Program& program, const Model& model, const Answer& answer,
                   bool strict) {
    Result result;
    describe(result, file, test);
    result.model = model.name;
    result.model_hash = model.hash;
    result.judgement = judge(test, answer, strict);
    for (const Observable& observable : answer.observables) result.columns.push_back({observable.name, observable.type});
    for (const Outcome& outcome : answer.outcomes) result.states.push_back({outcome.values, outcome.satisfies});
    result.complete = answer.complete && !answer.bound_hit;
    result.satisfiable = answer.satisfiable;
    result.violable = answer.violable;
    if (answer.hazards) {
        result.races_complete = answer.hazards->races_complete;
        std::set<std::string> flags;
        for (const Hazard& hazard : answer.hazards->found)
            if (hazard.kind == Hazard::Kind::race || hazard.kind == Hazard::Kind::flag) flags.insert(hazard.flag);
        result.flags.assign(flags.begin(), flags.end());
    }
    result.unrolled = answer.bound_hit;
    if (answer.bound_hit) result.unrolled_at = loops_cut(test, program);
    result.partial = !what_ran_out(answer).empty();
    result.never_ends = answer.nonempty == Answer::Truth::no && !answer.bound_hit;
    result.warnings = claim_warnings(program, answer);
    return result;
}

void add_hazards(Result& result, const Test& test, std::vector<HazardText> hazards) {
    for (HazardText& hazard : hazards) {
        if (hazard.kind == Hazard::Kind::race) {
            result.races.push_back({hazard.title, access(test, hazard.accesses.front()), access(test, hazard.accesses.back())});
        } else {
            Result::Harm harm{hazard.kind, std::move(hazard.title), std::move(hazard.lines), {}, std::move(hazard.flag)};
            for (const HazardText::Access& a : hazard.accesses) harm.accesses.push_back(access(test, a));
            (harm.kind == Hazard::Kind::flag ? result.flagged : result.hazards).push_back(std::move(harm));
        }
    }
    if (result.judgement.verdict == Verdict::race && !result.races.empty()) result.judgement.notes = {race_note(result.races.front())};
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
    describe(result, file, test);
    result.judgement.notes.push_back(why);
    result.partial = true;
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

bool is_about(const Result& result, const Test& test) {
    if (result.judgement.verdict == Verdict::error) return result.test == (test.name.empty() ? result.file : test.name);
    Result told;
    describe(told, result.file, test);
    const auto at = [](const Result& r) { return std::tuple(r.begin.line, r.begin.column, r.end.line, r.end.column); };
    const auto claim = [](const Result& r) { return std::tie(r.test, r.claim, r.claim_kind, r.claim_text, r.condition); };
    return claim(result) == claim(told) && at(result) == at(told);
}

namespace {

using Truth = Answer::Truth;

// Whether one of the claims behind the condition is made, as claim_text() writes them.
bool claims(const Result& result, const std::string& word) {
    return ("; " + result.claim_text + ";").find("; " + word + ";") != std::string::npos;
}

bool has(const Result& result, Hazard::Kind kind) {
    return std::any_of(result.hazards.begin(), result.hazards.end(), [kind](const Result::Harm& harm) { return harm.kind == kind; });
}

// Whether the condition holds, as judge() has it.
Truth condition_holds(const Result& result) {
    const bool by_failing = result.claim == Claim::Kind::forall;
    Truth found = by_failing ? result.violable : result.satisfiable;
    if (found == Truth::no && result.unrolled) found = Truth::unknown;
    if (claims(result, "deadlock") && result.never_ends) return Truth::yes;
    if (result.claim == Claim::Kind::none) return Truth::yes;
    if (result.claim == Claim::Kind::exists || found == Truth::unknown) return found;
    return found == Truth::yes ? Truth::no : Truth::yes;
}

// Whether the listed outcomes are such as the answers say that there are.
bool outcomes_agree(const Result& result) {
    return std::all_of(result.states.begin(), result.states.end(),
                       [&](const Result::State& state) { return (state.satisfies ? result.satisfiable : result.violable) != Truth::no; });
}

}  // namespace

bool is_consistent(const Result& result) {
    const Verdict verdict = result.judgement.verdict;
    const Truth holds = result.judgement.holds, condition = condition_holds(result);
    if (verdict == Verdict::error) return true;
    if (!outcomes_agree(result)) return false;
    if (holds == Truth::yes && condition != Truth::yes) return false;
    if (holds != Truth::no && condition == Truth::no) return false;
    const std::vector<std::string>& notes = result.judgement.notes;
    if (!notes.empty() && notes.front() == reported_only) return verdict == Verdict::ok;
    // in the order of judge()
    if (has(result, Hazard::Kind::undefined) && !claims(result, "undefined")) return verdict == Verdict::undefined;
    if (result.never_ends && !claims(result, "deadlock")) return verdict == Verdict::deadlock;
    if (holds == Truth::no) return verdict == Verdict::no;
    const bool stuck_claimed = claims(result, "deadlock") || claims(result, "may-deadlock") || claims(result, "terminates");
    if (has(result, Hazard::Kind::blocked) && !stuck_claimed) return verdict == Verdict::may_deadlock;
    if (verdict == Verdict::race) return !result.races.empty() && !claims(result, "racefree");
    return verdict == Verdict::unknown || (verdict == Verdict::ok && holds == Truth::yes);
}

std::string_view difference(const Result& a, const Result& b) {
    if (a.judgement.verdict != b.judgement.verdict) return "verdict";
    if (a.complete != b.complete || a.unrolled != b.unrolled || a.never_ends != b.never_ends) return "completeness";
    const auto values = [](const Result::State& x, const Result::State& y) { return x.values == y.values && x.satisfies == y.satisfies; };
    if (!std::equal(a.states.begin(), a.states.end(), b.states.begin(), b.states.end(), values)) return "outcomes";
    if (a.flags != b.flags || a.races.size() != b.races.size() || a.hazards.size() != b.hazards.size()) return "flags";
    if (a.reliance.has_value() != b.reliance.has_value()) return "readings";
    if (a.reliance && a.reliance->depends.flips != b.reliance->depends.flips) return "readings";
    return {};
}

bool is_reserved(const Result& result) {
    return result.judgement.verdict == Verdict::ok && !result.reservations.empty();
}

size_t satisfying(const Result& result) {
    return static_cast<size_t>(
        std::count_if(result.states.begin(), result.states.end(), [](const Result::State& state) { return state.satisfies; }));
}

}  // namespace litmus
