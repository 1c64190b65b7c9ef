// `litmus regress`: what tests come to, against a committed baseline.
//
// Results come as a stream; of the baseline every line is used once.
#include <filesystem>
#include <map>
#include <set>

#include "analysis/regress/baseline.h"
#include "analysis/regress/text.h"
#include "base/hash.h"
#include "base/own_files.h"
#include "base/visible.h"
#include "print/columns.h"
#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/results.h"
#include "tool/rewrite.h"
#include "tool/shard.h"
#include "tool/stream.h"

namespace litmus::regress_command {

namespace {

constexpr const char* footer = R"(
Checks results against a committed baseline file, which has a line of text for each test. A result is the outcomes of the test, its
verdict, the readings that the verdict rests on, and hazards. A test can be new, missing or moved to another file. Its outcomes can be
widened (some are new), narrowed (some are gone) or changed. The report also says what else changed and may be the cause: the test
itself, the model, the readings, the options, the version of the tool.
--promote writes the baseline. Read the diff before you commit it.

Examples:
  litmus regress litmus --promote
  litmus regress litmus
  litmus regress litmus --baseline ptx-7.5.baseline --model ptx-7.5 --format github
  litmus regress litmus --resume results.jsonl       of results that are there: asks only about the others

Exit status: 0 nothing changed, or the baseline is written; 1 something changed; 2 bad input, or no baseline that can be read;
3 something was not decided (2 before 1 before 3).
)";

struct Options : SolvingOptions, BatchOptions, KeepingOptions {
    std::vector<std::string> inputs;
    std::string baseline;  // path; empty: beside the first input
    bool promote = false;  // write it
    Format format = Format::text;
    bool strict = false;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_text(app, "--baseline", options.baseline, "FILE", "The baseline (default: litmus.baseline in the first directory)");
    add_flag(app, "--promote", options.promote, "Write the baseline from the results of now");
    add_solving(app, options);
    add_batch(app, options);
    add_formats(app, options.format, "regress");
    add_strict(app, options.strict);
    add_keeping(app, options);
}

namespace fs = std::filesystem;

constexpr const char* usual_name = "litmus.baseline";

fs::path baseline_path(const Options& options) {
    if (!options.baseline.empty()) return options.baseline;
    const std::string& first = options.inputs.front();
    if (first == "-") throw Failure(nullptr, {}, "no baseline is named", "name one with --baseline FILE");
    std::error_code ignored;
    return (fs::is_directory(first, ignored) ? fs::path(first) : fs::path(first).parent_path()) / usual_name;
}

// How the baseline calls a file: from the folder that the baseline is in, so that it does not matter where the tool is run.
class Names {
public:
    explicit Names(const fs::path& baseline) : folder_(fs::absolute(baseline).lexically_normal().parent_path()) {}

    std::string of(const std::string& file) const {
        if (file == "<stdin>") return file;
        return fs::absolute(file).lexically_normal().lexically_relative(folder_).generic_string();
    }

private:
    fs::path folder_;
};

BaselineHead head_of(const Options& options, const Run& run) {
    uint64_t text = fnv1a({});
    const Model& model = run.family.by_default();
    for (const SourcePtr& source : model.sources) text = fnv1a("\xff", fnv1a(source->text, text));
    std::vector<std::string> name{model.name, digits(text)};
    name.insert(name.end(), options.variants.begin(), options.variants.end());
    std::vector<std::string> on = run.family.readings(options.reading);
    on.insert(on.begin(), (options.reading.empty() ? "default" : options.reading) + ":");
    std::vector<std::string> others{"max-outcomes=" + std::to_string(options.max_outcomes), "unroll=" + std::to_string(options.unroll)};
    if (options.all_state) others.emplace_back("all-state");
    if (options.strict) others.emplace_back("strict");
    return {LITMUS_VERSION, joined(name, " "), joined(on, " "), joined(others, " ")};
}

class Regress {
public:
    Regress(const Options& options, const Run& run, Output& out)
        : options_(options),
          run_(run),
          out_(out),
          style_(text_style(options.times)),
          path_(baseline_path(options)),
          names_(path_),
          writer_(case_writer(options.format, change_rules())) {
        now_.head = head_of(options, run);
        read_baseline();
        for (const InputFile& file : run.files) files_.insert(names_.of(file.file));
        if (writer_) out_.put(writer_->begin());
        if (options.format == Format::text) out_.put(head_text());
    }

    bool take(const Result& result) {
        BaselineEntry now = baseline_entry(result, names_.of(result.file));
        const TestChange change = compare(result, now, before(now), common_);
        whole_ = whole_ && !result.partial && result.judgement.verdict != Verdict::error;
        complaints_.add(result);
        if (options_.promote) now_.entries.push_back(std::move(now));
        return say(change);
    }

    int finish(bool all) {
        for (const auto& [key, entry] : before_)
            if (is_missing(entry)) say(missing(entry, (path_.parent_path() / entry.file).lexically_normal().generic_string()));
        if (writer_) out_.put(writer_->end());
        if (options_.format == Format::text) out_.put(totals());
        xml_.finish();
        complaints_.finish();
        if (!all) status_ = combine_status(status_, 3);
        return options_.promote ? promote() : status_;
    }

private:
    void read_baseline() {
        std::error_code ignored;
        const bool there = fs::exists(path_, ignored);
        if (!there && !options_.promote)
            throw Failure(nullptr, {}, "there is no baseline '" + path_.string() + "'",
                          "write one with --promote, or name another with --baseline FILE");
        if (!there) {
            common_.clear();
            return;
        }
        constexpr size_t most_bytes = size_t{64} << 20;
        // one that nobody named came with the tests
        Baseline baseline = parse_baseline(options_.baseline.empty() ? read_own(path_.string(), path_.parent_path().string(), most_bytes)
                                                                     : read_regular(path_.string(), most_bytes));
        head_ = baseline.head;
        common_ = causes(*head_, now_.head);
        for (BaselineEntry& entry : baseline.entries) {
            by_hash_.emplace(entry.hash, std::pair(entry.file, entry.test));
            before_.emplace(std::pair(entry.file, entry.test), std::move(entry));
        }
    }

    // What the test was, taken out of the baseline: by its file and name, else by what it says, in a file that is gone.
    std::optional<BaselineEntry> before(const BaselineEntry& now) {
        auto found = before_.find({now.file, now.test});
        if (found == before_.end()) {
            const auto [first, last] = by_hash_.equal_range(now.hash);
            for (auto at = first; at != last && found == before_.end(); ++at)
                if (files_.count(at->second.first) == 0) found = before_.find(at->second);
        }
        if (found == before_.end()) return std::nullopt;
        BaselineEntry entry = std::move(found->second);
        before_.erase(found);
        return entry;
    }

    // Whether this shard is to miss a test that was not there: of a file that is gone, one shard is.
    bool is_missing(const BaselineEntry& entry) const {
        if (run_.share.whole()) return true;
        return files_.count(entry.file) == 0 && is_in(run_.share, {entry.file, nullptr, std::nullopt});
    }

    bool say(const TestChange& change) {
        ++counts_[change.kind];
        status_ = combine_status(status_, exit_status(change));
        xml_.put(case_of(change));
        if (writer_) return out_.put(writer_->put(case_of(change)));
        return out_.put(options_.format == Format::json ? change_json(change) : change_text(change, style_));
    }

    std::string head_text() const {
        std::string text;
        const auto line = [&](const char* what, const std::string& before, const std::string& now) {
            if (before != now) text += std::string("Since the baseline: ") + what + " " + visible(before) + " -> " + visible(now) + "\n";
        };
        if (!head_) return text;
        line("tool", head_->tool, now_.head.tool);
        line("model", head_->model, now_.head.model);
        line("readings", head_->readings, now_.head.readings);
        line("options", head_->options, now_.head.options);
        return text;
    }

    std::string totals() const {
        size_t tests = 0;
        std::vector<std::string> parts;
        for (const auto& [kind, count] : counts_) {
            tests += count;
            parts.push_back(std::to_string(count) + " " + std::string(name(kind)));
        }
        return counted(tests, "test") + (parts.empty() ? "" : ": " + joined(parts, ", ")) + "\n";
    }

    int promote() {
        const int trouble = combine_status(complaints_.status() == 1 ? 0 : complaints_.status(), whole_ ? 0 : 3);
        if (!whole_) {
            std::fprintf(stderr, "litmus: the baseline is not written: not every test was decided\n");
            return trouble;
        }
        write_file(path_.string(), baseline_text(now_));
        if (options_.format == Format::text)
            out_.put("written: " + visible(path_.string()) + ", " + counted(now_.entries.size(), "test") + "\n");
        return trouble;
    }

    const Options& options_;
    const Run& run_;
    Output& out_;
    const TextStyle style_;
    const fs::path path_;
    const Names names_;
    const std::unique_ptr<CaseWriter> writer_;
    XmlOutput xml_;
    Complaints complaints_;
    std::optional<BaselineHead> head_;                                     // of the baseline; none: there is no baseline yet
    std::vector<std::string> common_;                                      // what of it changed
    std::map<std::pair<std::string, std::string>, BaselineEntry> before_;  // by file and name; what is not used yet
    std::multimap<std::string, std::pair<std::string, std::string>> by_hash_;
    std::set<std::string> files_;  // of this run
    Baseline now_;
    bool whole_ = true;  // every test was decided, as far as more time would help
    std::map<TestChange::Kind, size_t> counts_;
    int status_ = 0;
};

int run(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    const Run run = run_of(options.inputs, options, family, options.shard);
    if (options.promote && !run.share.whole())
        throw Failure(nullptr, {}, "a shard cannot be promoted", "run all tests with --promote; --resume FILE takes merged results, too");
    Regress regress(options, run, out);
    const bool all = stream(run, {options, options.strict}, options, options, [&](const Result& result) { return regress.take(result); });
    return regress.finish(all);
}

}  // namespace

Command command() {
    return make_command("regress", "Check results against a committed baseline file", footer, define, run);
}

}  // namespace litmus::regress_command
