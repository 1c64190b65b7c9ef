// How tests are assembled, by the options that say it (--ptxas, -O, --target, --body).
#pragma once

#include "analysis/compiled/assemble.h"
#include "tool/options.h"

namespace litmus {

// Throws Failure where there is no ptxas, or what is named is none.
compiled::Settings settings_of(const CompiledOptions& options);

}  // namespace litmus
