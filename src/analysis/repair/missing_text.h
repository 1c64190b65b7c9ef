// What is missing in a test, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/repair/missing.h"

namespace litmus {

// "missing: scope-too-narrow: P0 line 6: make it `st.release.gpu.global.u32`", a line for each part of the best repair, with what does as
// well behind "; or"; then "or missing: ...", another way. Of each only the first. Then the command that has the patch, unless that is
// empty. Nothing where nothing is known.
std::string missing_text(const WhatIsMissing& missing, const std::string& command);

// A list of kind, place, line, what, and where the test names lines of CUDA origin and, of what is put in, after: the line it follows; and,
// of parts of the best repair, instead: a list of the same.
nlohmann::ordered_json missing_json(const std::vector<Missing>& parts, bool with_instead);
// A list of other ways: dearer (it costs more, and holds under the weakest readings, too), missing.
nlohmann::ordered_json otherwise_json(const WhatIsMissing& missing);

}  // namespace litmus
