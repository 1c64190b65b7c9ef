// The tests that a command line names, for commands that want them all at once.
#pragma once

#include <string>
#include <vector>

#include "tool/inputs.h"

namespace litmus {

// Reads and parses them, and warns of what is passed over. `seconds` as for read_inputs().
std::vector<Input> tests_of(const std::vector<std::string>& names, double seconds = 0);

}  // namespace litmus
