// What `litmus repair` says of one test.
//
// JSON, one object a line: file, test, model, `status` ("repaired", "nothing-to-repair", "none", "unknown", "error"), `complete` (all that
// was asked for was tried), `missing` (of the best repair, as in every entry of `repairs`: kind, place, line, what), `repairs` (price,
// weakest: whether it holds under the weakest readings or null, missing, patch), seconds; of an error message, hint, line, column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repair/missing.h"
#include "report/text.h"

namespace litmus {

struct RepairReport {
    struct Entry {
        int price = 0;
        std::optional<bool> under_weakest;
        std::vector<Missing> missing;
        std::string patch;
    };
    std::string file, test, model;
    Repairs::Status status = Repairs::Status::searched;
    std::string why;  // it is partial
    size_t max_edits = 0;
    bool all = false;
    std::vector<Entry> repairs;
    std::optional<std::string> best;  // the text of the best one
    double seconds = 0;
    std::vector<Diagnostic> errors;  // the input is wrong
    std::string internal_error;
};

// `file` is the name under which the test is shown, and that of the patches.
RepairReport make_report(const std::string& file, const Test& test, const Repairs& repairs);

std::string repair_text(const RepairReport& report, const TextStyle& style);
std::string repair_json(const RepairReport& report);

// 0 repaired, or nothing to repair; 1 no repair is known; 2 an error of the input; 3 not all was tried, and nothing found; 70 an internal
// error.
int exit_status(const RepairReport& report);

}  // namespace litmus
