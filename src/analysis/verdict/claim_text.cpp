// Claims as text, on one line.
#include "analysis/verdict/claim_text.h"

#include <string_view>

#include "language/syntax/native/print.h"

namespace litmus {

namespace {

std::string_view quantifier(Claim::Kind kind) {
    switch (kind) {
        case Claim::Kind::exists:
            return "exists";
        case Claim::Kind::not_exists:
            return "~exists";
        case Claim::Kind::forall:
            return "forall";
        case Claim::Kind::none:
            return "";
    }
    return "";
}

void append(std::string& text, std::string_view separator, const std::string& more) {
    if (!text.empty()) text += separator;
    text += more;
}

}  // namespace

std::string condition_text(const Test& test, const Condition& condition) {
    return "(" + print(condition, test) + ")";
}

std::string claim_kind(const Test& test) {
    if (test.claim.kind != Claim::Kind::none) return std::string(quantifier(test.claim.kind));
    if (test.claims_deadlock) return "deadlock";
    return test.claims_racefree ? "racefree" : "none";
}

std::string claim_text(const Test& test) {
    std::string text;
    if (test.filter) text = "filter " + condition_text(test, *test.filter);
    if (test.claim.kind != Claim::Kind::none)
        append(text, " ", std::string(quantifier(test.claim.kind)) + " " + condition_text(test, test.claim.condition));
    if (test.claims_racefree) append(text, "; ", "racefree");
    if (test.claims_undefined) append(text, "; ", "undefined");
    if (test.claims_deadlock) append(text, "; ", "deadlock");
    if (test.claims_may_deadlock) append(text, "; ", "may-deadlock");
    if (test.claims_terminates) append(text, "; ", "terminates");
    return text;
}

}  // namespace litmus
