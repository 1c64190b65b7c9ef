// `litmus merge`: the parts of a run that several machines shared, as one.
//
// Each part is in the order of the run, and each line says its place: parts are merged as sorted lists are, a line of each in memory.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/verdict/json.h"
#include "tool/command.h"
#include "tool/lines.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/results.h"

namespace litmus::merge_command {

namespace {

constexpr const char* footer = R"(
Prints what the whole run would have printed, in the order of its inputs, byte for byte. A result that no part has, or that two parts
have, is an error. Parts that did not ask the same of the same files are an error, too.

Examples:
  litmus merge part-*.jsonl --format json > results.jsonl
  litmus merge part-*.jsonl

Exit status: that of the whole run; 2 also if the parts do not make one.
)";

struct Options {
    std::vector<std::string> inputs;
    Format format = Format::text;
    bool times = true;
};

void define(CLI::App& app, Options& options) {
    add_required_names(app, options.inputs, "FILE", "What `litmus check --shard I/N --format json` wrote",
                       {"no file is named", "name what `litmus check --shard I/N --format json` wrote"});
    add_formats(app, options.format, "check");
    add_no_time(app, options.times);
}

// One file, line after line.
class Part {
public:
    explicit Part(const std::string& path) : path_(path) {
        std::error_code ignored;
        const std::filesystem::file_status there = std::filesystem::status(path, ignored);
        if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))  // it is read twice, and to its end
            throw Failure(nullptr, {}, "cannot read '" + path + "': it is no regular file");
        file_.reset(std::fopen(path.c_str(), "re"));
        if (!file_) throw Failure(nullptr, {}, "cannot read '" + path + "'");
        advance();
    }

    const std::optional<Result>& result() const { return result_; }  // none: at the end
    std::string here() const { return path_ + ":" + std::to_string(line_); }
    std::pair<size_t, size_t> place() const { return {result_->place->file, result_->place->test}; }

    void advance() {
        const std::optional<Result> before = std::exchange(result_, std::nullopt);
        const std::optional<Line> line = next_line(file_.get(), path_);
        if (!line) return;
        ++line_;
        if (line->text.size() == longest_line) no_result();
        if (!line->ended)
            throw Failure(nullptr, {}, here() + ": the line is torn: the run that wrote it did not end",
                          "end it with `litmus check --resume`");
        result_ = parse_line(line->text, nullptr);
        if (!result_) no_result();
        if (!result_->place)
            throw Failure(nullptr, {}, here() + ": this is no result of a part", "parts are what `litmus check --shard I/N` writes");
        if (before && std::tie(before->place->file, before->place->test) >= std::tie(result_->place->file, result_->place->test))
            throw Failure(nullptr, {}, here() + ": the results are out of order, or one of them is there twice");
    }

private:
    [[noreturn]] void no_result() const {
        throw Failure(nullptr, {}, here() + ": this is no result as `litmus check --format json` writes it");
    }

    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    size_t line_ = 0;
    std::optional<Result> result_;
};

[[noreturn]] void missing(size_t file, size_t files, const Result::Place& next) {
    const std::string what = file == next.file ? "a test of file " + std::to_string(file) : "file " + std::to_string(file);
    throw Failure(nullptr, {}, "no part has the result of " + what + " of " + std::to_string(files),
                  "name all parts; one that did not end is ended with `litmus check --resume`");
}

// All results in order, to `take` until that returns false; then it returns false, too.
bool merged(const std::vector<std::string>& paths, const std::function<bool(const Result&)>& take) {
    std::vector<Part> parts;
    for (const std::string& path : paths) parts.emplace_back(path);
    std::optional<Result::Place> last;
    while (true) {
        Part* next = nullptr;
        for (Part& part : parts) {
            if (!part.result()) continue;
            if (next && part.result()->place->run != next->result()->place->run)
                throw Failure(nullptr, {}, next->here() + " and " + part.here() + " are results of different runs",
                              "all parts are to ask the same of the same files, with the same build of the tool");
            if (next && part.place() == next->place())
                throw Failure(nullptr, {}, next->here() + " and " + part.here() + " are the same result", "name each part once");
            if (!next || part.place() < next->place()) next = &part;
        }
        if (!next) break;
        Result result = *next->result();
        const Result::Place place = *std::exchange(result.place, std::nullopt);
        const bool same_file = last && last->test < last->tests;
        const size_t file = !last ? 1 : same_file ? last->file : last->file + 1;
        if (place.file != file || place.test != (same_file ? last->test + 1 : 1)) missing(file, place.files, place);
        last = place;
        next->advance();
        if (!take(result)) return false;
    }
    if (!last)
        throw Failure(nullptr, {}, "no part has a result: a run that asked for anything has one",
                      "look why the runs ended; one that did not end is ended with `litmus check --resume`");
    if (last->file < last->files || last->test < last->tests)
        missing(last->test < last->tests ? last->file : last->file + 1, last->files, *last);
    return true;
}

int run(const Options& options, Output& out) {
    Titles titles;
    merged(options.inputs, [&](const Result& result) {
        ++titles.tests;
        titles.widths.make_room_for({result.file, result.test, result.claim_text});
        return true;
    });
    titles.widths.fit(text_style(options.times));
    Results results(options.format, options.times, out, titles, [](const Result&) { return std::string(); });
    const bool all = merged(options.inputs, [&](Result result) {
        if (!options.times) result.seconds = 0;
        return results.take(result);
    });
    return results.finish(all);
}

}  // namespace

Command command() {
    return make_command("merge", "Put the parts of a run together that --shard made", footer, define, run);
}

}  // namespace litmus::merge_command
