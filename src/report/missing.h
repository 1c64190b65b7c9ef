// What is missing in a test, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "repair/missing.h"

namespace litmus {

// "missing: scope-too-narrow: P0 line 6: make it `st.release.gpu.global.u32`", a line for each, then how to get the patch of `file`,
// unless that is empty or standard input; nothing for none.
std::string missing_text(const std::vector<Missing>& missing, const std::string& file);

// A list of kind, place, line, what.
nlohmann::ordered_json missing_json(const std::vector<Missing>& missing);

}  // namespace litmus
