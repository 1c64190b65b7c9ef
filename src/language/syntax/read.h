// Entry point of reading: text in any of the three formats to tests.
#pragma once

#include <vector>

#include "language/test.h"

namespace litmus {

// Recognises the format by what the text begins with, comments apart: `test "..."` is the DSL, the word PTX herd's
// columns, a declaration without a type or a thread the braces format. Anything else is no test, and the message does not
// quote it: it may be somebody's key, under the name of a test. The DSL and the columns give one test, a braces file one per row of its
// table. Throws Failure with all errors found (at most 20).
std::vector<Test> parse_tests(const SourcePtr& source);

}  // namespace litmus
