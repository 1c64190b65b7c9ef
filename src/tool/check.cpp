// Files go in as a stream, results come out as one.
#include "tool/check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "analysis/verdict/claim_text.h"
#include "analysis/verdict/json.h"
#include "tool/advice.h"
#include "tool/missing.h"
#include "tool/pipeline.h"
#include "tool/results.h"
#include "tool/shard.h"
#include "tool/stream.h"

namespace litmus {

namespace {

// What the table is about, before any test is asked: files are read once for their names and claims, and once more in their turn.
Titles survey(const Run& run, const TextStyle& style) {
    Titles titles;
    for (const InputFile& listed : run.files) {
        const InputFile file = read_input(listed);
        if (!is_in(run.share, file)) continue;
        for (const Input& input : parse_input(file)) {
            ++titles.tests;
            titles.widths.make_room_for(input.test ? TableTitle{input.file, input.test->name, claim_text(*input.test)}
                                                   : TableTitle{input.file, input.file, {}});
        }
    }
    titles.widths.fit(style);
    return titles;
}

// Of the one test of a run, when it fails: what is missing, and how to get it.
std::string advice(const Result& result, const Options& options, const Run& run) {
    const Verdict verdict = result.judgement.verdict;
    if (verdict == Verdict::ok || verdict == Verdict::unknown || verdict == Verdict::error) return {};
    if (result.compiled) {
        const std::string command = command_on("repair --compiled", result.file, options);
        return result.compiled->changes.empty() || command.empty() ? std::string() : "`" + command + "` looks for another spelling\n";
    }
    for (const InputFile& file : run.files)
        for (const Input& input : parse_input(read_input(file))) {
            if (!input.test || input.file != result.file) continue;
            Solver solver(Solver::usually, faster);
            return soon_missing_text(*input.test, run.family, run.family.readings(options.reading), solver, options,
                                     command_on("repair", input.file, options));
        }
    return {};
}

// Whether standard output is the file of --resume.
bool prints_to(const std::string& path) {
    struct stat here {
    }, there{};
    return ::fstat(STDOUT_FILENO, &here) == 0 && ::stat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

// The axioms, as a graph of sets and relations of events. What is wrong with them is a result, too.
std::unique_ptr<ModelFamily> family_of(const Options& options, Output& out) {
    try {
        auto family = std::make_unique<ModelFamily>(options.model, options.variants);
        family->readings(options.reading);
        return family;
    } catch (const Failure& failure) {
        if (options.format == Options::Format::json) out.put(json_line(error_result(options.model, {}, failure)) + "\n");
        throw;
    }
}

}  // namespace

int check(const Options& options, Output& out) {
    const std::unique_ptr<ModelFamily> family = family_of(options, out);
    // That file gets each line once, from the stream.
    const bool printed = !options.resume.empty() && prints_to(options.resume);
    if (printed && options.format != Options::Format::json)
        throw Failure(nullptr, {}, "standard output is '" + options.resume + "', the file to resume from",
                      "send the output elsewhere, to /dev/null if need be");
    const Run run = run_of(options, *family);
    const Titles titles = options.format == Options::Format::text ? survey(run, text_style(options)) : Titles();
    Results results(options, out, titles, [&](const Result& result) { return advice(result, options, run); });
    const bool all = stream(options, run, [&](const Result& result) { return results.take(result, !printed); });
    return results.finish(all);
}

int outcomes(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    Complaints complaints;
    bool cut = false;
    const bool all = stream(options, run_of(options, family), [&](const Result& result) {
        complaints.add(result);
        const bool listed_enough = result.complete || result.states.size() >= options.max_outcomes;
        cut = cut || (result.judgement.verdict != Verdict::error && (result.unrolled || !listed_enough));
        return out.put(text_outcomes(result, text_style(options)));
    });
    complaints.finish();
    if (complaints.status() == 2 || complaints.status() == internal_status) return complaints.status();
    return cut || !all ? 3 : 0;
}

}  // namespace litmus
