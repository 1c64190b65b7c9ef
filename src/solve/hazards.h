// Undefined behaviour and threads that stay blocked: queries of their own, on a program of their own.
#pragma once

#include "solve/backend.h"
#include "solve/solve.h"

namespace litmus {

// See Solver::hazards.
Hazards find_hazards(Program& program, const Model& model, Backend& backend);

}  // namespace litmus
