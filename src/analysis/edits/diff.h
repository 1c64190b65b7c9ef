// The difference of two texts as a unified patch.
#pragma once

#include <string>

namespace litmus {

// "--- a/NAME\n+++ b/NAME\n@@ ... @@ ..." with three lines of context, as `patch -p1` takes it; empty where they are equal.
std::string unified_diff(const std::string& name, const std::string& before, const std::string& after);

}  // namespace litmus
