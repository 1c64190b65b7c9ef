// Verdicts from answers; the precedence of what came up over what was claimed.
#include "report/verdict.h"

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
    if (raises(*answer.hazards, "data-race")) return Truth::no;
    return answer.hazards->races_complete && !answer.bound_hit ? Truth::yes : Truth::unknown;
}

// The weaker of two truths: no, then unknown, then yes.
Truth both(Truth a, Truth b) {
    if (a == Truth::no || b == Truth::no) return Truth::no;
    return a == Truth::unknown || b == Truth::unknown ? Truth::unknown : Truth::yes;
}

std::string reason_unknown(const Answer& answer) {
    if (answer.timed_out || (answer.hazards && answer.hazards->timed_out)) return "not decided within the time limit";
    if (answer.out_of_memory || (answer.hazards && answer.hazards->out_of_memory)) return "not decided within the memory limit";
    if (!answer.gave_up.empty()) return "the solver gave up: " + answer.gave_up;
    if (answer.bound_hit) return "a loop was cut at the unroll bound; try a larger --unroll";
    return "the solver gave up";
}

}  // namespace

std::string_view name(Verdict verdict) {
    constexpr std::array<std::string_view, 6> names{"ok", "no", "undefined", "deadlock", "unknown", "error"};
    return names[static_cast<size_t>(verdict)];
}

Judgement judge(const Test& test, const Answer& answer) {
    Judgement result;
    const Truth undefined = answer.hazards ? answer.hazards->undefined : Truth::no;
    const Truth blocked = answer.hazards ? answer.hazards->blocked : Truth::no;
    const Truth claimed_undefined = found(undefined, answer.bound_hit), claimed_blocked = found(blocked, answer.bound_hit);
    const Truth deadlock = negation(found(answer.nonempty, answer.bound_hit));
    result.holds = condition_holds(test.claim, answer);
    if (test.claims_deadlock && deadlock == Truth::yes) result.holds = Truth::yes;  // no execution is left for the condition to be about
    if (test.claims_deadlock) result.holds = both(result.holds, deadlock);
    if (test.claims_racefree) result.holds = both(result.holds, is_racefree(answer));
    if (test.claims_undefined) result.holds = both(result.holds, claimed_undefined);
    if (test.claims_may_deadlock) result.holds = both(result.holds, claimed_blocked);
    if (test.report_only) {
        result.verdict = Verdict::ok;
        result.notes.emplace_back("reported only: the test expects nothing");
        return result;
    }

    if (undefined == Truth::yes && !test.claims_undefined) {
        result.verdict = Verdict::undefined;
        result.notes.emplace_back("some execution has undefined behaviour");
        return result;
    }
    if (deadlock == Truth::yes && !test.claims_deadlock) {
        result.verdict = Verdict::deadlock;
        result.notes.emplace_back("no execution terminates");
        return result;
    }

    if (test.claims_deadlock && deadlock == Truth::no) result.notes.emplace_back("claims deadlock, but some execution terminates");
    if (test.claims_undefined && claimed_undefined == Truth::no) result.notes.emplace_back("claims undefined, but no execution is");
    if (test.claims_may_deadlock && claimed_blocked == Truth::no)
        result.notes.emplace_back("claims may-deadlock, but every execution can go on to its end");
    if (test.claims_racefree && is_racefree(answer) == Truth::no) result.notes.emplace_back("claims racefree, but has a data race");
    if (result.holds == Truth::no && condition_holds(test.claim, answer) == Truth::no && !result.notes.empty())
        result.notes.emplace_back("the condition fails, too");
    if (!test.claims_undefined && undefined == Truth::unknown) result.holds = both(result.holds, Truth::unknown);
    result.verdict = result.holds == Truth::yes ? Verdict::ok : result.holds == Truth::no ? Verdict::no : Verdict::unknown;
    if (result.verdict == Verdict::unknown) result.notes.push_back(reason_unknown(answer));
    return result;
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
