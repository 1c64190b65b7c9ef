// Verdicts from answers; the precedence of what came up over what was claimed.
#include "analysis/verdict/verdict.h"

#include <algorithm>
#include <array>

namespace litmus {

namespace {

using Truth = Answer::Truth;

Truth negation(Truth truth) {
    if (truth == Truth::unknown) return Truth::unknown;
    return truth == Truth::yes ? Truth::no : Truth::yes;
}

// An execution that was found stays found whatever the loop bound; that there is none is known only
// when no loop was cut.
Truth found(Truth truth, bool bound_hit) {
    return truth == Truth::no && bound_hit ? Truth::unknown : truth;
}

Truth condition_holds(const Claim& claim, const Answer& answer) {
    switch (claim.kind) {
        case Claim::Kind::none:
            return Truth::yes;
        case Claim::Kind::exists:
            return found(answer.satisfiable, answer.bound_hit);
        case Claim::Kind::not_exists:
            return negation(found(answer.satisfiable, answer.bound_hit));
        case Claim::Kind::forall:
            return negation(found(answer.violable, answer.bound_hit));
    }
    return Truth::unknown;
}

Truth is_racefree(const Answer& answer) {
    if (!answer.hazards) return Truth::unknown;
    if (raises(*answer.hazards, race_flag)) return Truth::no;
    return answer.hazards->races_complete && !answer.bound_hit ? Truth::yes : Truth::unknown;
}

// The weaker of two truths: no, then unknown, then yes.
Truth both(Truth a, Truth b) {
    if (a == Truth::no || b == Truth::no) return Truth::no;
    return a == Truth::unknown || b == Truth::unknown ? Truth::unknown : Truth::yes;
}

// What came up in some execution, whatever is claimed.
struct Findings {
    Truth undefined = Truth::no;
    Truth stuck = Truth::no;
    Truth race = Truth::no;
    Truth deadlock = Truth::no;  // in all of them: none terminates
};

Findings findings_of(const Answer& answer) {
    Findings result;
    result.undefined = answer.hazards ? found(answer.hazards->undefined, answer.bound_hit) : Truth::unknown;
    result.stuck = answer.hazards ? found(answer.hazards->blocked, answer.bound_hit) : Truth::unknown;
    result.race = negation(is_racefree(answer));
    result.deadlock = negation(found(answer.nonempty, answer.bound_hit));
    return result;
}

std::string reason_unknown(const Answer& answer) {
    if (const std::string short_of = what_ran_out(answer); !short_of.empty()) return short_of;
    if (answer.bound_hit) return "a loop was cut at the unroll bound; try a larger --unroll";
    return "the solver gave up";
}

// Whether all that is claimed holds; `notes` gets why not.
Truth claims_hold(const Test& test, const Answer& answer, const Findings& findings, std::vector<std::string>& notes) {
    const Truth condition = condition_holds(test.claim, answer);
    Truth holds = condition;
    if (test.claims_deadlock && findings.deadlock == Truth::yes) holds = Truth::yes;  // no execution is left to be about
    const auto claim = [&](bool claimed, Truth truth, const char* failure) {
        if (!claimed) return;
        holds = both(holds, truth);
        if (truth == Truth::no) notes.emplace_back(failure);
    };
    const Truth undefined = findings.undefined, stuck = findings.stuck;
    claim(test.claims_deadlock, findings.deadlock, "claims deadlock, but some execution terminates");
    claim(test.claims_undefined, undefined, "claims undefined, but no execution is");
    claim(test.claims_may_deadlock, stuck, "claims may-deadlock, but every execution can go on to its end");
    claim(
        test.claims_terminates, both(negation(stuck), negation(findings.deadlock)),
        findings.deadlock == Truth::yes ? "claims terminates, but no execution does" : "claims terminates, but some execution gets stuck");
    claim(test.claims_racefree, negation(findings.race), "claims racefree, but has a data race");
    if (condition == Truth::no && !notes.empty()) notes.emplace_back("the condition fails, too");
    return holds;
}

// Where threads can trap, that is no hang, and has no outcome either.
std::string no_end(const Test& test) {
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body)
            if (i.op == Op::trap) return "no execution terminates: each traps, or gets stuck";
    return "no execution terminates";
}

}  // namespace

std::string what_ran_out(const Answer& answer) {
    const Hazards* hazards = answer.hazards ? &*answer.hazards : nullptr;
    if (answer.timed_out || (hazards != nullptr && hazards->timed_out)) return OverBudget(OverBudget::What::time).what();
    if (answer.out_of_memory || (hazards != nullptr && hazards->out_of_memory)) return OverBudget(OverBudget::What::memory).what();
    if (!answer.gave_up.empty()) return "the solver gave up: " + answer.gave_up;
    if (hazards != nullptr && !hazards->gave_up.empty()) return "the solver gave up: " + hazards->gave_up;
    return {};
}

std::string_view name(Verdict verdict) {
    constexpr std::array<std::string_view, 8> names{"ok", "no", "undefined", "deadlock", "may-deadlock", "race", "unknown", "error"};
    return names[static_cast<size_t>(verdict)];
}

Judgement judge(const Test& test, const Answer& answer, bool strict) {
    const Findings findings = findings_of(answer);
    std::vector<std::string> failures;
    Judgement result;
    result.holds = claims_hold(test, answer, findings, failures);
    const auto come_to = [&](Verdict verdict, std::vector<std::string> notes) {
        result.verdict = verdict;
        result.notes = std::move(notes);
        return result;
    };
    if (test.report_only) return come_to(Verdict::ok, {std::string(reported_only)});

    // What may come up unclaimed. A deadlock that is claimed is a claim that threads get stuck.
    const Truth undefined = test.claims_undefined ? Truth::no : findings.undefined;
    const Truth deadlock = test.claims_deadlock ? Truth::no : findings.deadlock;
    const Truth stuck = test.claims_deadlock || test.claims_may_deadlock || test.claims_terminates ? Truth::no : findings.stuck;
    const Truth race = !strict || test.claims_racefree ? Truth::no : findings.race;

    if (undefined == Truth::yes) return come_to(Verdict::undefined, {"some execution has undefined behaviour"});
    if (deadlock == Truth::yes) return come_to(Verdict::deadlock, {no_end(test)});
    if (result.holds == Truth::no) return come_to(Verdict::no, std::move(failures));
    if (stuck == Truth::yes) return come_to(Verdict::may_deadlock, {"some execution gets stuck"});
    if (race == Truth::yes) return come_to(Verdict::race, {"some execution has a data race"});
    const bool ruled_out = undefined == Truth::no && deadlock == Truth::no && stuck == Truth::no && race == Truth::no;
    if (result.holds == Truth::yes && ruled_out) return come_to(Verdict::ok, {});
    failures.push_back(reason_unknown(answer));
    return come_to(Verdict::unknown, std::move(failures));
}

int exit_status(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return 0;
        case Verdict::unknown:
            return 3;
        case Verdict::error:
            return 2;
        default:
            return 1;
    }
}

int combine_status(int a, int b) {
    for (const int status : {70, 2, 1, 3})
        if (a == status || b == status) return status;
    return 0;
}

}  // namespace litmus
