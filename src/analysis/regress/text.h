// What `litmus regress` found: how each test stands to the baseline, as text, as JSON, as cases for other tools.
//
// JSON, one object a line, all keys always and in this order:
//   file, test, line     where the claim is; of a test that is missing, its line in the baseline
//   change               "unchanged"; "new", "missing", "moved" (the same test in a file of another name); "widened", "narrowed" (outcomes
//                        only came, only went); "changed" (both, or no outcomes but what follows); "undecided", "error"
//   cause                what may be why: "test", "model", "readings", "options", "tool"; empty where nothing changed; "build" where none
//   of
//                        these did: an undetected change of the tool
//   new_outcomes, gone_outcomes, new_hazards, gone_hazards
//   verdict, rests_on, hash    before, now (null: the test is not there)
//   was                  the file that a moved test was in; else null
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/regress/baseline.h"
#include "analysis/verdict/text.h"
#include "print/cases.h"

namespace litmus {

// How one test stands to the baseline.
struct TestChange {
    enum class Kind { unchanged, added, missing, moved, widened, narrowed, changed, undecided, error };
    Kind kind = Kind::unchanged;
    std::string file, test;  // the file as the user names it
    Position begin, end;     // of the claim
    std::vector<std::string> causes;
    std::vector<std::string> new_outcomes, gone_outcomes;
    std::vector<std::string> new_hazards, gone_hazards;  // flags among them
    std::optional<BaselineEntry> before, now;
    std::string why;  // of what is undecided or in error
    double seconds = 0;
};

std::string_view name(TestChange::Kind kind);  // "widened"

// What of the head changed: "model", "readings", "options", "tool".
std::vector<std::string> causes(const BaselineHead& before, const BaselineHead& now);

// How `result`, whose entry is `now`, stands to what it was, of which there may be nothing. `common`: the causes() that all tests have.
TestChange compare(const Result& result, const BaselineEntry& now, const std::optional<BaselineEntry>& before,
                   const std::vector<std::string>& common);
// A test that is in the baseline, `file` by name, and no longer here.
TestChange missing(const BaselineEntry& before, const std::string& file);

// The exit status that this test alone would give: 0 unchanged, 1 changed, 2 an error, 3 undecided.
int exit_status(const TestChange& change);

std::string change_text(const TestChange& change, const TextStyle& style);  // nothing for what is unchanged
std::string change_json(const TestChange& change);
const std::vector<Rule>& change_rules();
Case case_of(const TestChange& change);

}  // namespace litmus
