// What `litmus compiled` says of a test: as text for people and JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/compiled/findings.h"

namespace litmus::compiled {

// 0 kept, or changed and allowed; 1 forbidden; 3 unknown.
int exit_status(Fate fate);

// "ptxas 13.0.88, -O2 -O3, sm_90a sm_100a, plain": a line where the settings are all combinations of these, else several.
std::vector<std::string> lines_of(const std::vector<Setting>& settings);

// A paragraph for each finding. `all`: those that kept everything, too; otherwise they are counted only.
std::string to_text(const Report& result, bool all);
// One line without its end; src/schemas/compiled.json says what is in it.
std::string to_json(const Report& result);

}  // namespace litmus::compiled
