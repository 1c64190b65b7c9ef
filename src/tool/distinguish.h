// `litmus distinguish`: the smallest program that tells two models, or two readings of one, apart.
#pragma once

#include "analysis/distinguish/distinguish.h"
#include "analysis/distinguish/text.h"
#include "options.h"
#include "tool/output.h"

namespace litmus {

// The exit status: 0 a program was found; 1 there is none of the size asked for; 2 a model or a reading that cannot be used; 3 the
// search did not come to its end.
int distinguish(const Options& options, Output& out);

// Searches programs of 1, 2, ... instructions, on several workers, for one that a model allows and the other forbids, as the names
// of `report` say; fills in what was found and searched. `only_first`: nothing that the second model allows is forbidden by the first.
void search_apart(const Options& options, const std::array<const Model*, 2>& models, bool only_first, DistinguishReport& report);

}  // namespace litmus
