// Workflow commands of GitHub's runners: lines that become annotations of the files of a pull request.
#include "base/visible.h"
#include "print/cases.h"
#include "print/columns.h"

namespace litmus {

namespace {

// What would end a message, or a property, is %-escaped, as the runner's toolkit does it.
std::string escaped(const std::string& text, bool property) {
    std::string result;
    for (const char c : visible(text)) {
        if (c == '%')
            result += "%25";
        else if (property && c == ':')
            result += "%3A";
        else if (property && c == ',')
            result += "%2C";
        else
            result += c;
    }
    return result;
}

std::string command_of(CaseFinding::Level level) {
    return level == CaseFinding::Level::error ? "error" : level == CaseFinding::Level::warning ? "warning" : "notice";
}

class GithubWriter : public CaseWriter {
public:
    std::string put(const Case& one) override {
        ++cases_;
        failed_ += one.outcome == Case::Outcome::failed ? 1 : 0;
        broken_ += one.outcome == Case::Outcome::broken ? 1 : 0;
        std::string text;
        for (const CaseFinding& finding : one.findings) {
            text += "::" + command_of(finding.level) + " file=" + escaped(finding.file, true) +
                    ",line=" + std::to_string(finding.begin.line) + ",col=" + std::to_string(finding.begin.column);
            if (finding.end.line == finding.begin.line && finding.end.column > finding.begin.column)  // a column range is of one line
                text += ",endColumn=" + std::to_string(finding.end.column);
            text += ",title=" + escaped("litmus: " + finding.rule, true) + "::" + escaped(one.name + ": " + finding.message, false) + "\n";
        }
        return text;
    }

    std::string end() override {
        return counted(cases_, "test") + ": " + std::to_string(failed_) + " failed, " + std::to_string(broken_) +
               " not decided or in error\n";
    }

private:
    size_t cases_ = 0, failed_ = 0, broken_ = 0;
};

}  // namespace

// `::error file=...,line=...::message` for each finding, as workflow commands; at the end how many cases there were.
std::unique_ptr<CaseWriter> github_writer(const CaseRun&) {
    return std::make_unique<GithubWriter>();
}

}  // namespace litmus
