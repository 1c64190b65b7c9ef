// Each result is printed when it comes, and forgotten but for what the end of the output says of it.
#include "tool/results.h"

#include <unistd.h>

#include "analysis/verdict/json.h"
#include "analysis/verdict/result_cases.h"
#include "base/source.h"
#include "tool/pipeline.h"
#include "tool/rewrite.h"
#include "tool/shard.h"

namespace litmus {

TextStyle text_style(bool times) {
    return {use_colour(STDOUT_FILENO), times, output_width()};
}

std::unique_ptr<CaseWriter> case_writer(Format format, const std::vector<Rule>& rules) {
    if (!format.cases) return nullptr;
    return format.cases->writer({LITMUS_VERSION, rules});
}

// ---- complaints ------------------------------------------------------------------------------

void Complaints::add(const Result& result) {
    const bool colour = use_colour(STDERR_FILENO);
    status_ = combine_status(status_, status_of(result));
    complain_internal(result.internal_error);
    complain(result.errors);
    for (const Diagnostic& warning : result.warnings) warnings_.push_back(render(warning, colour));
    if (result.judgement.verdict == Verdict::error) {
        erroneous_ = true;
        return;
    }
    const auto [before, is_new] = files_.emplace(result.test, result.file);
    if (is_new || before->second.empty()) return;
    const std::string both = before->second == result.file ? result.file + " twice" : before->second + " and " + result.file;
    const Diagnostic twice{
        Diagnostic::Level::warning, nullptr, {}, "the test name '" + result.test + "' is used twice: in " + both, "name tests apart"};
    warnings_.push_back(render(twice, colour));
    before->second.clear();
}

void Complaints::finish() const {
    if (erroneous_) return;
    for (const std::string& warning : warnings_) std::fwrite(warning.data(), 1, warning.size(), stderr);
}

// ---- a file for the build system ---------------------------------------------------------------

XmlOutput::XmlOutput() : path_(xml_output_file()) {
    if (path_.empty()) return;
    require_writable(path_);  // what cannot be written is said before hours of work
    writer_ = case_writer("junit", {LITMUS_VERSION, result_rules()});
}

void XmlOutput::put(const Case& one) {
    if (writer_) writer_->put(one);
}

void XmlOutput::finish() {
    if (writer_) write_file(path_, writer_->end());
}

// ---- results -----------------------------------------------------------------------------------

Results::Results(Format format, bool times, Output& out, const Titles& titles, std::function<std::string(const Result&)> advice)
    : format_(format),
      out_(out),
      style_(text_style(times)),
      titles_(titles),
      advice_(std::move(advice)),
      writer_(case_writer(format, result_rules())),
      end_(style_),
      progress_(format == Format::text ? titles.tests : 0) {
    if (writer_)
        out_.put(writer_->begin());
    else if (format_ == Format::text && titles_.tests != 1)
        out_.put(table_header(titles_.widths, style_));
}

std::string Results::text_of(const Result& result) {
    if (writer_) return writer_->put(case_of(result));
    if (format_ == Format::json) return json_line(result) + "\n";
    if (titles_.tests == 1) return text_report(result, style_) + advice_(result);
    end_.take(result);
    return table_row(result, titles_.widths, style_);
}

bool Results::take(const Result& result, bool print) {
    progress_.clear();
    complaints_.add(result);
    xml_.put(case_of(result));
    const bool read = !print || out_.put(text_of(result));
    progress_.at(++taken_);
    return read;
}

int Results::finish(bool all) {
    progress_.clear();
    if (writer_)
        out_.put(writer_->end());
    else if (format_ == Format::text && titles_.tests != 1)
        out_.put(end_.text());
    xml_.finish();
    if (all) complaints_.finish();
    // A run that ended early, because nobody reads its output any more: the tests that were not checked are not known.
    return all ? complaints_.status() : combine_status(complaints_.status(), 3);
}

}  // namespace litmus
