// What it means that a test is repaired. It follows from what the test claims, and from what was seen of it:
//
//     claim, or verdict                                       what is bad
//     undefined, deadlock, may-deadlock, claimed or not       that; an `exists (c)` beside it is no part of the goal
//     exists (c), without these                               c: a test that shows a bug
//     ~exists (c)                                             c
//     forall (c)                                              not c
//     racefree, or `strict`                                   a race
//
// A repaired test shows nothing bad, neither what was there before nor anything new: no undefined behaviour, no thread that stays,
// and no data race if it had none. And it still does something: some execution terminates, passes the filter, and is not bad.
#pragma once

#include <optional>
#include <vector>

#include "analysis/edits/text.h"
#include "solve/inquiry.h"

namespace litmus {

struct Goal {
    Claim::Kind claim = Claim::Kind::none;  // of the repaired test; none: no outcome is bad
    BySight<bool> forbidden{};              // what no execution may show
    Sight required = Sight::terminates;     // what some execution must show
};

// The goal for a test of which `seen` is known, no sight being unknown. Nothing: nothing is bad, or what is wrong is that too
// little is allowed, which no order repairs.
std::optional<Goal> goal_of(const Test& test, const BySight<Truth>& seen, bool strict);

// The test with the claim of the goal, and no other.
Test aiming(Test test, const Goal& goal);

// Changes by which the text claims what holds when it is repaired; `still` says whether an outcome that an `exists` beside
// other claims is about is still there.
std::vector<Change> claim_changes(const Test& test, const Goal& goal, bool still);

}  // namespace litmus
