// What is missing in a test, by name and place: what its cheapest repair adds.
#pragma once

#include <string>
#include <vector>

#include "repair/repair.h"

namespace litmus {

struct Missing {
    Fault fault = Fault::fence_missing;  // row(fault).name is its kind
    Place place;                         // thread -1: a declaration, Test::locations[place.instruction]
    std::string where;                   // "P0", or the name of the declared object
    int line = 0;                        // of the source
    std::string sentence;                // "P0 before line 10: put `fence.proxy.async.shared::cta`"
};

// Of one edit.
Missing missing_of(const Test& test, const Edit& edit);

// What the best of the repairs adds, an entry for each edit; nothing where there is none.
std::vector<Missing> missing(const Test& test, const Repairs& repairs);

}  // namespace litmus
