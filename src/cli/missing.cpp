// A short search for a repair, of which only the names of what it adds are given.
#include "cli/missing.h"

#include <algorithm>

#include "repair/repair.h"

namespace litmus {

std::optional<WhatIsMissing> soon_missing(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                                          const Options& options) {
    const double seconds = options.timeout > 0 ? std::min(options.timeout, most_seconds_for_missing) : most_seconds_for_missing;
    try {
        const Repairs found = repair(test, family, on, solver,
                                     {.strict = options.strict, .unroll = options.unroll, .budget = Budget(seconds, options.memory)});
        if (found.repairs.empty() && found.status == Repairs::Status::partial) return std::nullopt;
        return what_is_missing(test, found);
    } catch (const OverBudget&) {
        return std::nullopt;
    } catch (const Failure&) {  // a table of tests, or what is no test without its table
        return std::nullopt;
    }
}

}  // namespace litmus
