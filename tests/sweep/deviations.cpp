// The list of stated deviations.
#include "sweep/deviations.h"

#include <vector>

namespace litmus {

const Deviation* deviation_of(const Test& test, const Comparison& result) {
    static const std::vector<Deviation> all = {};
    for (const Deviation& one : all)
        if (one.concerns(test, result)) return &one;
    return nullptr;
}

}  // namespace litmus
