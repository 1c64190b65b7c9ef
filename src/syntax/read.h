// Entry point of reading: text in any of the three formats to tests.
#pragma once

#include <vector>

#include "test/test.h"

namespace litmus {

// Recognises the format by the first line that is no comment: `test "..."` is the DSL of dsl.md, the
// word PTX herd's columns, anything else the braces format when the source's name ends in ".test", and the
// DSL otherwise. The DSL and the columns give one test, a braces file one per row of its table.
// Throws Failure with all errors found (at most 20).
std::vector<Test> parse_tests(const SourcePtr& source);

}  // namespace litmus
