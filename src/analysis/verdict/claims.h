// What a test can truly claim.
#pragma once

#include <optional>

#include "solve/solve.h"

namespace litmus {

// The test with claims that `answer` bears out, so that judge() finds it ok: its condition as `exists` or `~exists`, and `undefined`,
// `deadlock` or `may-deadlock` where they come up. Nothing where the answer leaves one of these open. The test's own claims but for
// its condition are dropped; the condition must be one of `exists` or `~exists` (std::logic_error).
std::optional<Test> with_true_claims(Test test, const Answer& answer);

}  // namespace litmus
