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

// One line without its end; the keys, always all and in this order:
//   file, test, model, model_hash
//   solver      "z3", "cadical"; "both": each, and they agree
//   verdict     "ok", "no", "undefined", "deadlock", "may-deadlock", "race", "unknown", "error"
//   claim       kind, text, holds (null: unknown)
//   outcomes, complete
//   races       location, first, second: accesses, each pair of places in the text once
//   flags
//   hazards     kind ("undefined", "may-deadlock"), what, where (lines for people), accesses
//               An access: event, file, line, column, end_line, end_column (the end is exclusive, columns count characters); of a test
//               that stands for a kernel also origin: file, line and, where known, column of the CUDA source.
//   depends     the minimal sets of readings that, added to the weakest, change its verdict; null: not decided, or an error
//   rests_on    those of them that are on, when `verdict` is not that of the weakest; null: as above
//   refuted     of the readings in `depends`: name -> the devices that refuted it
//   verdicts    weakest, default, strongest (the readings of that base; "unknown": not decided); null: no reading
//               concerns the test
//   unrolled, seconds
//   hash        of the test: its canonical text without comments, doc and ref, "fnv1a-..."; "" of what is no test
//   key         SHA-256 of the question: the text of the file, which test of it, the model, the options that matter, the version of the
//   tool reading     as --reading names them, "" for the default notes       why the verdict is what it is, in words judged      of a
//   kernel (litmus from-ptx): which threads, arguments and bounds the verdict is about condition   of the claim, alone; can_hold, can_fail:
//   whether some execution satisfies and violates it (null: unknown) where       of the claim: line, column, end_line, end_column types of
//   what `outcomes` names: name -> type satisfying  the numbers, from 1, of the outcomes that satisfy the condition races_complete,
//   never_ends (no execution terminates), partial (time or memory ran out: more of it could say more) warnings    message, hint, line,
//   column, end_line, end_column (the places of those that have one)
// With --compiled there is also "compiled": settings, changes, refused, lines of text: what an assembler made of the test, of which the
// verdict then is (Result::Compiled).
// The line of one part of a run (--shard) has "place" beside these: run (a digest of what was asked of which files), file, files, test,
// tests (the first file of so many, the first test of so many in it: 1).
// A verdict "error" adds "message" and, where known, "hint", "line", "column", "end_line" and "end_column".
std::string json_line(const Result& result);

// The result that gave this line: json_line() of it gives the line again. `source` is the test's file, for the places of warnings and
// errors; null: these are said without the text. Nothing for what is no such line, or has a verdict that does not follow from the rest of
// it.
std::optional<Result> parse_line(std::string_view line, const SourcePtr& source);

}  // namespace litmus
