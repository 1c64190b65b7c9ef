// Advice on a race: what orders its two accesses, or tells that the first is complete.
#pragma once

#include "analysis/sweep/advice.h"

namespace litmus {

// Of a race of accesses to memory, or to tensor memory.
Advice advice_on_race(const SweptModule& kernel, const sweep::Finding& finding);

}  // namespace litmus
