// Results for programs: one JSON object a line.
//
// The line is all that there is to know of a result. Whatever keeps results (a cache, a file to resume from, the parts of a run) keeps
// such lines, and reads them back here.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/verdict/result.h"

namespace litmus {

// One line without its end; src/schemas/check.json says what is in it. Keys that it requires are always there, in its order.
std::string json_line(const Result& result);

// The result that gave this line: json_line() of it gives the line again. `source` is the test's file, for the places of warnings and
// errors; null: these are said without the text. Nothing for what is no such line, or has a verdict that does not follow from the rest of
// it.
std::optional<Result> parse_line(std::string_view line, const SourcePtr& source);

}  // namespace litmus
