// What becomes of results, wherever they come from: output in the format that is asked for, complaints, an exit status.
#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/verdict/result.h"
#include "analysis/verdict/text.h"
#include "options.h"
#include "print/cases.h"
#include "tool/output.h"

namespace litmus {

// How text is written to standard output.
TextStyle text_style(const Options& options);

// The writer for a format that is neither text nor JSON; null for these.
std::unique_ptr<CaseWriter> case_writer(Options::Format format, const std::vector<Rule>& rules);

// Errors at once; warnings at the end and only when there was no error, which shall stand alone. Warns of names of tests that are
// used twice, too.
class Complaints {
public:
    void add(const Result& result);
    void finish() const;
    int status() const { return status_; }

private:
    std::vector<std::string> warnings_;
    std::map<std::string, std::string> files_;  // by the names of tests; empty: used twice, and that was said
    bool erroneous_ = false;
    int status_ = 0;
};

// The cases of a run, where a build system wants them (XML_OUTPUT_FILE), beside what is printed.
class XmlOutput {
public:
    // Throws Failure where the file cannot be made.
    XmlOutput();
    void put(const Case& one);
    // Throws Failure when not all could be written.
    void finish();

private:
    std::string path_;
    std::unique_ptr<CaseWriter> writer_;  // null: not wanted
};

// What the table of a text shall have room for.
struct Titles {
    size_t tests = 0;
    TableWidths widths;
};

// The output of `check` and `merge`. One test is printed at length, several as a table.
class Results {
public:
    // `advice`: what is said below a single test.
    Results(const Options& options, Output& out, const Titles& titles, std::function<std::string(const Result&)> advice);

    // False when nobody reads the output any more. What is not printed counts all the same.
    bool take(const Result& result, bool print = true);
    // The exit status; `all`: every result was taken.
    int finish(bool all);

private:
    std::string text_of(const Result& result);

    const Options& options_;
    Output& out_;
    const TextStyle style_;
    const Titles titles_;
    const std::function<std::string(const Result&)> advice_;
    const std::unique_ptr<CaseWriter> writer_;
    XmlOutput xml_;
    TableEnd end_;
    Complaints complaints_;
    Progress progress_;
    size_t taken_ = 0;
};

}  // namespace litmus
