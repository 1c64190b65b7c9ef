// First what an earlier run left in the file of --resume, test by test; from there on files are jobs of a batch.
#include "tool/stream.h"

#include <unistd.h>

#include <limits>
#include <optional>
#include <utility>

#include "analysis/verdict/json.h"
#include "base/hash.h"
#include "tool/batch.h"
#include "tool/cache.h"
#include "tool/journal.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/shard.h"

namespace litmus {

namespace {

class Stream {
public:
    Stream(const Options& options, const Run& run, const std::function<bool(Result)>& take)
        : options_(options),
          run_(run),
          take_(take),
          model_(run.family.under(run.family.readings(options.reading))),
          terms_(terms(model_, options)) {
        if (!options.cache.empty()) cache_.emplace(options.cache);
        uint64_t digest = fnv1a(terms_ + (is_part() ? build_of_tool() : ""));
        for (const InputFile& file : run.files) digest = fnv1a("\n" + file.file, digest);
        digest_ = digits(digest);
    }

    bool all() {
        if (!options_.resume.empty() && !recall()) return false;
        return ask_all();
    }

private:
    // The tests of a file that are this share's.
    std::vector<Input> inputs_of(size_t file) const {
        const InputFile read = read_input(run_.files[file]);
        return is_in(run_.share, read) ? parse_input(read) : std::vector<Input>();
    }

    bool is_part() const { return options_.shard || !run_.share.whole(); }

    // Whether a result that was kept is one of this question, as far as it tells.
    bool answers(const Result& kept, const Input& input) const {
        return kept.key == key_of(question(input, terms_)) && kept.model == model_.name && kept.model_hash == model_.hash &&
               kept.reading == options_.reading && (!input.test || is_about(kept, *input.test));
    }

    // What depends on the run and not on the question.
    void complete(Result& result, const Input& input, size_t file) const {
        result.file = input.file;
        if (!input.test) result.test = input.file;
        if (!options_.times) result.seconds = 0;
        if (is_part()) result.place = {digest_, file + 1, run_.files.size(), input.number, input.of};
    }

    bool has_cut_lines() {
        bool found = false;
        while (const std::optional<std::string> line = journal_->next())
            found = found || line->find("\"partial\":true") != std::string::npos;
        journal_->rewind();
        return found;
    }

    // What of one file was cut short.
    struct Cut {
        size_t file;
        std::vector<std::pair<size_t, size_t>> tests;  // the line of each in the journal, from 1, and its place in the file
        std::vector<std::string> answers;              // to them, when they were asked again
    };

    // All lines of a journal are read. Throws Failure where they are not those of this run.
    std::vector<Cut> cut_lines(Journal& journal) const {
        std::vector<Cut> cut;
        std::optional<std::string> line = journal.next();
        for (size_t file = 0; file < run_.files.size() && line; ++file) {
            const std::vector<Input> inputs = inputs_of(file);
            for (size_t test = 0; test < inputs.size() && line; ++test, line = journal.next()) {
                if (!recalled(journal, *line, inputs[test], file).partial) continue;
                if (cut.empty() || cut.back().file != file) cut.push_back({file, {}, {}});
                cut.back().tests.emplace_back(journal.line(), test);
            }
        }
        if (line) differs(journal, "this run has no more tests");
        return cut;
    }

    void ask_again(Cut& cut) {
        const std::vector<Input> inputs = inputs_of(cut.file);
        for (const auto& [line, test] : cut.tests) {
            if (test >= inputs.size()) return;
            Result result = ask(inputs[test]);
            complete(result, inputs[test], cut.file);
            cut.answers.push_back(json_line(result));
        }
    }

    // What time or memory cut short is no answer: it is asked again before anything is recalled. The file is written anew beside its place
    // and put there when it is whole. A run that is killed before that goes on with what is beside, and asks nothing of that again.
    void ask_cut_again() {
        std::vector<Cut> cut = cut_lines(*journal_);
        Journal anew(journal_->path() + ".again");
        cut_lines(anew);
        const size_t known = anew.line();
        for (Cut& one : cut) std::erase_if(one.tests, [&](const auto& test) { return test.first <= known; });
        std::erase_if(cut, [](const Cut& one) { return one.tests.empty(); });
        journal_->rewind();
        const auto copy_before = [&](size_t line) {
            while (journal_->line() + 1 < line) {
                const std::optional<std::string> text = journal_->next();
                if (!text) return;
                if (journal_->line() > known) anew.append(*text);
            }
        };
        const auto make_worker = [&]() -> Job { return [&](size_t i) { ask_again(cut[i]); }; };
        run_batch(cut.size(), workers_for(options_.jobs), make_worker, [&](size_t i) {
            const Cut done = std::move(cut[i]);
            if (done.answers.size() < done.tests.size())
                throw Failure(nullptr, {}, "'" + run_.files[done.file].file + "' has changed since it was read", "try again");
            for (size_t n = 0; n < done.tests.size(); ++n) {
                copy_before(done.tests[n].first);
                journal_->next();
                anew.append(done.answers[n]);
            }
            return true;
        });
        copy_before(std::numeric_limits<size_t>::max());
        anew.replace(*journal_);
        journal_ = std::move(anew);
        journal_->rewind();
    }

    // Hands over what the journal has, and stops behind it, perhaps within a file.
    bool recall() {
        journal_.emplace(options_.resume);
        if (has_cut_lines()) ask_cut_again();
        for (; next_file_ < run_.files.size(); ++next_file_, next_test_ = 0) {
            const std::vector<Input> inputs = inputs_of(next_file_);
            for (; next_test_ < inputs.size(); ++next_test_) {
                const std::optional<std::string> line = journal_->next();
                if (!line) return true;
                if (!take_(recalled(*journal_, *line, inputs[next_test_], next_file_))) return false;
            }
        }
        if (journal_->next()) differs(*journal_, "this run has no more tests");
        return true;
    }

    // The result in a line that the journal just gave. Throws Failure where it is not that of this input.
    Result recalled(const Journal& journal, const std::string& line, const Input& input, size_t file) const {
        const std::optional<Result> result = parse_line(line, input.source);
        if (!result) differs(journal, "that is no result");
        Result here = *result;
        complete(here, input, file);
        if (!answers(here, input))
            differs(journal, "that is not the answer about '" + here.test + "' in " + input.file + ", which this run asks for");
        here.seconds = result->seconds;
        if (json_line(here) != line) differs(journal, "that is not the result of " + input.file + ", which has its turn there");
        if (!options_.times) here.seconds = 0;
        return here;
    }

    [[noreturn]] static void differs(const Journal& journal, const std::string& why) {
        throw Failure(nullptr, {}, "cannot resume from '" + journal.path() + "', line " + std::to_string(journal.line()) + ": " + why,
                      "tests, model, options and version are to be those of the run that wrote it; if they are not, start anew "
                      "with another file (--cache keeps what is known by itself)");
    }

    Result ask(const Input& input) {
        if (!cache_ || input.failure) return check_input(input, run_.family, options_);
        const std::string asked = question(input, terms_);
        if (std::optional<Result> known = cache_->find(asked, input.source); known && answers(*known, input)) return std::move(*known);
        Result result = check_input(input, run_.family, options_);
        cache_->keep(asked, result);
        return result;
    }

    std::vector<Result> ask_file(size_t file) {
        std::vector<Result> results;
        const std::vector<Input> inputs = inputs_of(file);
        for (size_t i = file == next_file_ ? next_test_ : 0; i < inputs.size(); ++i) {
            results.push_back(ask(inputs[i]));
            complete(results.back(), inputs[i], file);
        }
        return results;
    }

    bool ask_all() {
        const size_t first = next_file_;
        std::vector<std::vector<Result>> results(run_.files.size() - first);
        const auto make_worker = [&]() -> Job { return [&](size_t i) { results[i] = ask_file(first + i); }; };
        bool wanted = true;
        run_batch(results.size(), workers_for(options_.jobs), make_worker, [&](size_t i) {
            for (Result& result : std::exchange(results[i], {})) {
                if (journal_) journal_->append(json_line(result));
                wanted = wanted && take_(std::move(result));
            }
            return wanted;
        });
        return wanted;
    }

    const Options& options_;
    const Run& run_;
    const std::function<bool(Result)>& take_;
    const Model& model_;
    const std::string terms_;
    std::string digest_;  // of the run
    std::optional<Cache> cache_;
    std::optional<Journal> journal_;
    size_t next_file_ = 0, next_test_ = 0;  // where what is known ends
};

}  // namespace

Run run_of(const Options& options, ModelFamily& family) {
    family.readings(options.reading);  // a mistake in --reading comes before any test
    FilesRead listed = list_inputs(options.inputs, options.timeout);
    complain(listed.warnings);
    return {family, std::move(listed.files), share_of(options.shard)};
}

bool stream(const Options& options, const Run& run, const std::function<bool(Result)>& take) {
    return Stream(options, run, take).all();
}

}  // namespace litmus
