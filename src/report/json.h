// Results for programs: one JSON object a line.
#pragma once

#include <string>

#include "report/result.h"

namespace litmus {

// One line without its end; the keys, always all and in this order:
//   file, test, model, model_hash
//   solver      "z3", "cadical"; "both": each, and they agree
//   verdict     "ok", "no", "undefined", "deadlock", "may-deadlock", "race", "unknown", "error"
//   claim       kind, text, holds (null: unknown)
//   outcomes, complete
//   races       location, first, second: accesses, each pair of places in the text once
//   flags
//   hazards     kind ("undefined", "may-deadlock"), what, where (lines for people), accesses
//               An access: event, file, line, column, end_line, end_column (the end is exclusive, columns count characters).
//   depends     the minimal sets of readings that, added to the weakest, change its verdict; null: not decided, or an error
//   rests_on    those of them that are on, when `verdict` is not that of the weakest; null: as above
//   refuted     of the readings in `depends`: name -> the devices that refuted it
//   verdicts    weakest, default, strongest (the readings of that base; "unknown": not decided); null: no reading
//               concerns the test
//   unrolled, seconds
// A verdict "error" adds "message" and, where known, "hint", "line" and "column".
std::string json_line(const Result& result);

}  // namespace litmus
