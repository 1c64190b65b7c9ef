// Whether the model confirms what a sweep found.
#pragma once

#include <string>

#include "analysis/verdict/check.h"
#include "sweep/slice.h"

namespace litmus {

struct Confirmation {
    enum class Answer : uint8_t { yes, no, unknown };
    Answer answer = Answer::unknown;
    std::string why;     // unknown
    sweep::Slice slice;  // that was judged
};

// Asks the model about the slice of a finding of sweep() with the same arguments. It has so many seconds, and no more than the budget of
// the sweep has left. The budget of `options` is not asked. Throws OverBudget where that of the sweep ends.
Confirmation confirm(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how, const sweep::Finding& finding,
                     ModelFamily& family, const CheckOptions& options, Solver& solver, double seconds = 5);

// The same of a test, as a part of this budget.
Confirmation confirm(const Test& test, sweep::Question question, ModelFamily& family, const CheckOptions& options, Solver& solver,
                     const Budget& budget, double seconds = 5);

}  // namespace litmus
