// What is missing in a test, by name and place: what its cheapest repairs add.
//
// Several repairs may be of one price. The best is told part by part; beside each part stand those of another kind or in another thread
// that do as well in its place, for each of which the repair with the two exchanged was found and verified. What is left are repairs of
// other parts altogether.
#pragma once

#include <string>
#include <vector>

#include "analysis/repair/repair.h"
#include "language/origin.h"

namespace litmus {

struct Missing {
    Fault fault = Fault::fence_missing;  // row(fault).name is its kind
    ProgramPoint place;                  // thread -1: a declaration, Test::locations[place.instruction]
    std::string where;                   // "P0", or the name of the declared object
    int line = 0;                        // of the source
    std::string sentence;                // "P0 before line 10: put `fence.proxy.async.shared::cta`"
    std::vector<Missing> instead = {};   // what does as well in its place, the best of each kind and thread
    CudaPlace origin = {};               // of the instruction in that line, where the test names CUDA lines
    CudaPlace after = {};                // of what is put in: of the instruction that it follows
};

struct WhatIsMissing {
    struct Way {
        std::vector<Missing> parts;  // one for each edit
        bool dearer = false;         // it costs more, and holds under the weakest readings, which nothing cheaper does
    };
    std::vector<Missing> best;   // of the best repair, one for each edit; empty: none is known
    std::vector<Way> otherwise;  // repairs of other kinds, the best of each
};

// Of one edit.
Missing missing_of(const Test& test, const Edit& edit);

// What a repair adds, one for each edit.
std::vector<Missing> parts_of(const Test& test, const Repairs& repairs, const Repair& repair);

WhatIsMissing what_is_missing(const Test& test, const Repairs& repairs);

}  // namespace litmus
