// Which readings of the ISA a test's verdict depends on.
#pragma once

#include "cat/readings.h"
#include "explain/depends.h"
#include "solve/solve.h"

namespace litmus {

// The minimal sets of disputed readings that change the verdict of the weakest. All questions together have the budget of
// `build`. Throws as Solver::solve.
Dependence verdict_depends(const Test& test, ModelFamily& family, const BuildOptions& build, Solver& solver);

}  // namespace litmus
