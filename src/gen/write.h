// The test of a cycle.
#pragma once

#include "gen/cycle.h"

namespace litmus::gen {

// In the order of the cycle, one thread for each part between two edges that lead to another; asks whether the cycle can be:
// `exists (what it reads and ends with)`. Nothing where layout() gives nothing. Throws Failure where the reader refuses what
// the vocabulary makes of a layout.
std::optional<Test> test_of(const Cycle& cycle);

}  // namespace litmus::gen
