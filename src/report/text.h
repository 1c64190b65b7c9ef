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

// A line per test in the order given; then, of more than a few tests, those that are not ok once more
// with their files; then totals.
std::string text_table(const std::vector<Result>& results, const TextStyle& style);

// The numbered outcomes of one test, with a mark on those that satisfy the condition.
std::string text_outcomes(const Result& result, const TextStyle& style);

}  // namespace litmus
