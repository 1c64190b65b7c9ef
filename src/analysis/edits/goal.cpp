// The bad sight of a claim, and the words of a text that claim what no longer holds.
#include "analysis/edits/goal.h"

#include <array>

namespace litmus {

namespace {

bool has_hazard(const BySight<Truth>& seen) {
    return seen[Sight::undefined] == Truth::yes || seen[Sight::stuck] == Truth::yes || seen[Sight::terminates] == Truth::no;
}

// The sight that is bad under a claim; nothing under none.
std::optional<Sight> bad_outcome(Claim::Kind claim) {
    switch (claim) {
        case Claim::Kind::exists:
        case Claim::Kind::not_exists:
            return Sight::satisfies;
        case Claim::Kind::forall:
            return Sight::violates;
        case Claim::Kind::none:
            break;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Goal> goal_of(const Test& test, const BySight<Truth>& seen, bool strict) {
    Goal goal;
    const bool hazard = has_hazard(seen);
    const bool about_races = test.claims_racefree || strict;
    std::optional<Sight> bad = bad_outcome(test.claim.kind);
    if (hazard && test.claim.kind == Claim::Kind::exists) bad.reset();
    const bool bad_seen = bad && seen[*bad] == Truth::yes;
    if (!hazard && !bad_seen && !(about_races && seen[Sight::races] == Truth::yes)) return std::nullopt;
    goal.forbidden[Sight::undefined] = goal.forbidden[Sight::stuck] = true;
    goal.forbidden[Sight::races] = about_races || seen[Sight::races] == Truth::no;
    // An `exists` that no execution bears out stays so.
    if (!bad) return goal;
    goal.claim = *bad == Sight::violates ? Claim::Kind::forall : Claim::Kind::not_exists;
    goal.forbidden[*bad] = true;
    goal.required = *bad == Sight::violates ? Sight::satisfies : Sight::violates;
    return goal;
}

Test aiming(Test test, const Goal& goal) {
    if (goal.claim == Claim::Kind::none && test.claim.kind != Claim::Kind::exists) test.claim = {};
    if (goal.claim != Claim::Kind::none) test.claim.kind = goal.claim;
    test.claims_undefined = test.claims_deadlock = test.claims_may_deadlock = test.report_only = false;
    test.claims_racefree = goal.forbidden[Sight::races];
    return test;
}

std::vector<Change> claim_changes(const Test& test, const Goal& goal, bool still) {
    std::vector<Change> changes;
    const std::string& text = test.source->text;
    if (test.claim.kind == Claim::Kind::exists && (goal.claim == Claim::Kind::not_exists || !still))
        changes.push_back({{test.claim.span.begin, test.claim.span.begin}, "~"});
    // The words are lines of their own behind the threads.
    size_t at = 0;
    for (const Thread& thread : test.threads)
        at = std::max<size_t>(at, thread.body.empty() ? thread.span.end : thread.body.back().span.end);
    for (const auto& [word, claimed] : {std::pair<std::string_view, bool>{"undefined", test.claims_undefined},
                                        {"deadlock", test.claims_deadlock},
                                        {"may-deadlock", test.claims_may_deadlock}}) {
        const size_t found = claimed ? text.find("\n" + std::string(word), at) : std::string::npos;
        if (found != std::string::npos)
            changes.push_back(
                {{static_cast<uint32_t>(found + 1), static_cast<uint32_t>(std::min(text.find('\n', found + 1), text.size() - 1) + 1)}, ""});
    }
    return changes;
}

}  // namespace litmus
