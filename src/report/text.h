// Results for people: one test at length, many as a table, all outcomes of one.
#pragma once

#include <string>
#include <vector>

#include "report/result.h"

namespace litmus {

struct TextStyle {
    bool colour = false;
    bool times = true;
    size_t width = 100;  // columns of a line of the table, at least 60
};

// One test as herd prints it: the states, Ok or No, how many states satisfy the condition.
std::string text_report(const Result& result, const TextStyle& style);

// The table of many tests: header, a row for each test as soon as its result is there, and the end. The widths of the
// columns are known before any result is: names as long as they are, claims cut to what is left.
struct TableTitle {
    std::string test, claim;
};
struct TableWidths {
    size_t name = 4, claim = 5, verdict = 13, outcomes = 8, time = 8;
};
TableWidths table_widths(const std::vector<TableTitle>& titles, const TextStyle& style);
std::string table_header(const TableWidths& widths, const TextStyle& style);
std::string table_row(const Result& result, const TableWidths& widths, const TextStyle& style);
// Those that are not ok once more with their files; then totals.
std::string table_end(const std::vector<Result>& results, const TextStyle& style);

// The numbered outcomes of one test, with a mark on those that satisfy the condition.
std::string text_outcomes(const Result& result, const TextStyle& style);

}  // namespace litmus
