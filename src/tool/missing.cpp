// A short search for a repair, of which only the names of what it adds are given.
#include "tool/missing.h"

#include <algorithm>

#include "analysis/repair/missing_text.h"
#include "analysis/repair/repair.h"

namespace litmus {

namespace {

// Nothing: not found so soon. Throws Failure for a table of tests, and for what is no test without its table.
std::optional<WhatIsMissing> search(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                                    const TestOptions& options, bool strict) {
    const double seconds = options.timeout > 0 ? std::min(options.timeout, most_seconds_for_missing) : most_seconds_for_missing;
    try {
        const Repairs found = repair(test, family, on, solver,
                                     {.strict = strict,
                                      .unroll = options.unroll,
                                      .most_effort = most_effort_for_missing,
                                      .budget = Budget::of_work(seconds, options.memory)});
        if (found.repairs.empty() && found.status == Repairs::Status::partial) return std::nullopt;
        return what_is_missing(test, found);
    } catch (const OverBudget&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<WhatIsMissing> soon_missing(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                                          const TestOptions& options, bool strict) {
    try {
        return search(test, family, on, solver, options, strict);
    } catch (const Failure&) {
        return std::nullopt;
    }
}

std::string soon_missing_text(const Test& test, ModelFamily& family, const std::vector<std::string>& on, Solver& solver,
                              const TestOptions& options, bool strict, const std::string& command, const std::string& further) {
    try {
        if (const auto missing = search(test, family, on, solver, options, strict)) return missing_text(*missing, command);
    } catch (const Failure&) {
        return {};
    }
    return "missing: a short search found nothing; `" + (command.empty() ? "litmus repair" : command) + "` searches on" + further + "\n";
}

}  // namespace litmus
