// Results of tests as cases for other tools.
#pragma once

#include <vector>

#include "analysis/verdict/result.h"
#include "print/cases.h"

namespace litmus {

// All that case_of() may find.
const std::vector<Rule>& result_rules();

// A test passes when its verdict is ok. What makes it fail has the place of the claim, or of the accesses that are undefined, stuck or
// race; an input that is no test, that of the mistake.
Case case_of(const Result& result);

// "3f...": of what has these parts in common, in any version of a file.
std::string fingerprint(const std::vector<std::string>& parts);

}  // namespace litmus
