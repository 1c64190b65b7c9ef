// What `litmus weaken` says of one test.
//
// src/schemas/weaken.json says what is in the JSON, one object a line.
#pragma once

#include <string>
#include <vector>

#include "analysis/verdict/text.h"
#include "analysis/weaken/weaken.h"

namespace litmus {

struct WeakenReport {
    struct Line {
        Part::Fate fate = Part::Fate::unknown;
        std::string thread, instruction;  // as written
        int line = 0;
        CudaPlace origin;     // of the instruction, where the test names CUDA lines
        std::string what;     // needless, weaker_will_do: the change
        std::string kind;     // needed: the name of what is missing without it
        std::string without;  // needed: what comes up
        std::vector<std::string> relies_on;
    };
    struct Together {
        std::vector<size_t> lines;      // that are changed
        std::vector<std::string> what;  // how each is
        std::string patch;
    };
    std::string file, test, model;
    std::vector<Line> lines;
    std::vector<Together> together;
    std::vector<Line> not_tried;  // thread, instruction and line
    Verdict verdict = Verdict::unknown;
    bool partial = false;
    double seconds = 0;
};

WeakenReport make_report(const std::string& file, const Test& test, const Weakening& found);

std::string weaken_text(const WeakenReport& report, const TextStyle& style);
std::string weaken_json(const WeakenReport& report);

}  // namespace litmus
