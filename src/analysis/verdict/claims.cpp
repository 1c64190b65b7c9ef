// The contrary of judge(): from the answer to the claims.
#include "analysis/verdict/claims.h"

#include <stdexcept>

namespace litmus {

std::optional<Test> with_true_claims(Test test, const Answer& answer) {
    if (test.claim.kind != Claim::Kind::exists && test.claim.kind != Claim::Kind::not_exists)
        throw std::logic_error("test \"" + test.name + "\" asks for no outcome");
    const bool all_known = answer.hazards && answer.hazards->undefined != Truth::unknown && answer.hazards->blocked != Truth::unknown &&
                           answer.satisfiable != Truth::unknown && answer.nonempty != Truth::unknown;
    const bool cut = answer.bound_hit && answer.satisfiable == Truth::no;
    if (!all_known || cut) return std::nullopt;
    test.claim.kind = answer.satisfiable == Truth::yes ? Claim::Kind::exists : Claim::Kind::not_exists;
    test.claims_racefree = test.claims_terminates = false;
    test.claims_undefined = answer.hazards->undefined == Truth::yes;
    test.claims_deadlock = answer.nonempty == Truth::no;
    test.claims_may_deadlock = !test.claims_deadlock && answer.hazards->blocked == Truth::yes;
    return test;
}

}  // namespace litmus
