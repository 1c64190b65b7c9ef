// What `litmus repair` says of one test.
//
// src/schemas/repair.json says what is in the JSON, one object a line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/repair/missing.h"
#include "analysis/verdict/text.h"

namespace litmus {

struct RepairReport {
    struct Entry {
        int price = 0;
        std::optional<bool> under_weakest;
        bool robust = false;  // of Repairs::robust
        std::vector<Missing> missing;
        std::string patch;
    };
    std::string file, test, model;
    Repairs::Status status = Repairs::Status::searched;
    bool claims_exists = false;  // where nothing is to repair, no execution satisfies it
    size_t max_edits = 0;
    bool all = false;
    WhatIsMissing missing;
    std::vector<Entry> repairs;
    std::optional<std::string> best;  // the text of the best one
    double seconds = 0;
};

// `file` is the name under which the test is shown, and that of the patches.
RepairReport make_report(const std::string& file, const Test& test, const Repairs& repairs);

std::string repair_text(const RepairReport& report, const TextStyle& style);
std::string repair_json(const RepairReport& report);

// 0 repaired, or nothing to repair; 1 no repair is known; 3 not all was tried, and nothing found.
int exit_status(const RepairReport& report);

// A patch as it stands, but for what acts on terminals.
std::string patch_text(const std::string& patch);
// "Time 0.010", a line; nothing where no times are wanted.
std::string time_text(double seconds, const TextStyle& style);

}  // namespace litmus
