// Results for programs: one JSON object a line.
#pragma once

#include <string>

#include "report/result.h"

namespace litmus {

// One line without its end: "file", "test", "model", "model_hash", "verdict", "claim" {"kind", "text",
// "holds" (null: unknown)}, "outcomes", "complete", "races", "flags", "unrolled", "seconds", always all
// and in this order. A verdict "error" adds "message" and, where known, "hint", "line" and "column".
std::string json_line(const Result& result);

}  // namespace litmus
