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

// The list `missing` of src/schemas/repair.json; of parts of the best repair each says what does as well in its place.
nlohmann::ordered_json missing_json(const std::vector<Missing>& parts, bool with_instead);
// The list `otherwise` of src/schemas/explain.json.
nlohmann::ordered_json otherwise_json(const WhatIsMissing& missing);

}  // namespace litmus
