// The search for a smallest program that tells two models apart.
#pragma once

#include <array>

#include "analysis/distinguish/distinguish.h"
#include "analysis/distinguish/text.h"
#include "tool/options.h"

namespace litmus {

// `timeout` is for the whole search.
struct ApartOptions : SearchOptions, LimitOptions {
    unsigned jobs = 0;
    bool undefined = false;  // programs that only one model leaves undefined count
};

// Searches programs of 1, 2, ... instructions, on several workers, for one that a model allows and the other forbids, as the names
// of `report` say; fills in what was found and searched. `only_first`: nothing that the second model allows is forbidden by the first.
void search_apart(const ApartOptions& options, const std::array<const Model*, 2>& models, bool only_first, DistinguishReport& report);

}  // namespace litmus
