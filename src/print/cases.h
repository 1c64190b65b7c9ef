// What other tools read of a run: JUnit XML, SARIF 2.1.0, annotations of GitHub's runners.
//
// A command says what it found as cases, one a test, with findings that have a place in a file. Each format is written from
// these, whatever the command, as the cases come.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace litmus {

// A kind of finding.
struct Rule {
    std::string id, text;  // "may-deadlock"; what it means, in a sentence
};

// A place in a file, with what it has to do with a finding.
struct Related {
    std::string message, file;
    Position begin, end;  // the end exclusive
};

struct CaseFinding {
    enum class Level { error, warning, note };
    Level level = Level::error;
    std::string rule;
    std::string message;
    std::string file;
    Position begin, end;      // the end exclusive
    std::string fingerprint;  // equal for what is the same finding in another version of the file
    std::vector<Related> related = {};
    std::string cause = {};  // the fingerprint of the finding that this one follows from; empty: of none
};

struct Case {
    enum class Outcome { passed, failed, broken };  // broken: nothing is known; an error, or not decided
    std::string file, name;
    Outcome outcome = Outcome::passed;
    double seconds = 0;
    std::vector<CaseFinding> findings;
};

// One document. What the functions give is written in that order: begin, put for each case, end.
class CaseWriter {
public:
    CaseWriter() = default;
    CaseWriter(const CaseWriter&) = delete;
    CaseWriter& operator=(const CaseWriter&) = delete;
    virtual ~CaseWriter() = default;
    virtual std::string begin() { return {}; }
    virtual std::string put(const Case& one) = 0;
    virtual std::string end() { return {}; }
};

// What stands at the head of a document.
struct CaseRun {
    std::string version;      // of the tool
    std::vector<Rule> rules;  // all that findings may name
};

struct CaseFormat {
    std::string_view name;   // of --format: "junit"
    std::string_view title;  // in help: "JUnit XML"
    std::unique_ptr<CaseWriter> (*writer)(const CaseRun&);
};
std::span<const CaseFormat> case_formats();

// By the name of a format. Throws std::logic_error for one that is not there.
std::unique_ptr<CaseWriter> case_writer(std::string_view format, const CaseRun& run);

}  // namespace litmus
