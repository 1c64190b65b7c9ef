// Advice on phases of mbarrier objects, where numbers are wrong: counts, bytes, parities.
#pragma once

#include <vector>

#include "analysis/sweep/advice.h"

namespace litmus {

// Remedies for a finding that has a tally, the smallest first.
std::vector<Remedy> phase_remedies(const SweptModule& kernel, const sweep::Finding& finding);

}  // namespace litmus
