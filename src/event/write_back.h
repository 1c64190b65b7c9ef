// Loops that poll by an atomic which writes back what it reads: whether the rest of the test lets them be awaits.
//
// Private to this folder.
#pragma once

#include <set>
#include <utility>

#include "event/draft.h"

namespace litmus {

// A loop: its thread, and the index of its first instruction.
using Loop = std::pair<int, size_t>;

// Of the loops that were taken as awaits because the atomics in their failing iterations may write back what they read, those that are
// none. `run` is complete; its events have their values and conditions, and it has no relations yet. Throws OverBudget.
std::set<Loop> loops_that_write(const SymbolicRun& run, const Notes& notes, const Test& test, ExprPool& exprs, const Budget& budget);

}  // namespace litmus
