// Results for people: one test at length, many as a table, all outcomes of one.
#pragma once

#include <map>
#include <string>

#include "analysis/verdict/result.h"
#include "print/columns.h"

namespace litmus {

// "Ok", "Deadlock (no execution terminates)", "Ok by default, No under weakest: rests on fence-cta".
std::string verdict_line(const Result& result);

// What the program does, then the test as herd prints it: the states, Ok or No, how many states satisfy the condition.
std::string text_report(const Result& result, const TextStyle& style);

// The table of many tests: header, a row for each test as soon as its result is there, and the end. The widths of the
// columns are known before any result is: names as long as they are, claims cut to what is left, which may be nothing.
struct TableTitle {
    std::string file, test, claim;
};
struct TableWidths {
    size_t name = 4, program = 10, claim = 5, verdict = 13, outcomes = 8, time = 8;

    void make_room_for(const TableTitle& title);
    void fit(const TextStyle& style);  // to its width, when there is room for all titles
};
std::string table_header(const TableWidths& widths, const TextStyle& style);
std::string table_row(const Result& result, const TableWidths& widths, const TextStyle& style);

// What stands below the rows: those that are not ok once more, what verdicts rest on, totals.
class TableEnd {
public:
    explicit TableEnd(const TextStyle& style) : style_(style) {}
    void take(const Result& result);
    std::string text() const;

private:
    const TextStyle style_;
    std::string failures_, resting_, open_;  // lines
    size_t tests_ = 0, rest_ = 0;
    std::map<Verdict, size_t> counts_;
};

// How a test is named: its file, and, where that does not say it, its name.
std::string test_name(const std::string& file, const std::string& test);

// The numbered outcomes of one test, with a mark on those that satisfy the condition.
std::string text_outcomes(const Result& result, const TextStyle& style);

}  // namespace litmus
