// `litmus check`: decides tests and lists their outcomes.
//
// Files go in as a stream, results come out as one.
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "analysis/verdict/claim_text.h"
#include "analysis/verdict/json.h"
#include "tool/advice.h"
#include "tool/command.h"
#include "tool/missing.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/results.h"
#include "tool/shard.h"
#include "tool/stream.h"

namespace litmus::check_command {

namespace {

constexpr const char* footer = R"(
Reads .litmus and .test files. The first line tells the format: the DSL, herd's columns, or the mixed-proxy braces. Directories are
walked in sorted order; "-" is standard input.
One test prints what its program does, whatever it claims, then its states as herd does; several tests print a table; JSON is one
object a line.
A test claims what its condition says, and `racefree`, `undefined`, `deadlock` (no execution terminates), `may-deadlock` (some
execution gets stuck) or `terminates` (no execution gets stuck). Undefined behaviour, a deadlock or a possible hang that the test does
not claim becomes its verdict. With --strict, so does a data race.
The verdict names the readings of the ISA that it rests on. An example is "Ok by default, No under weakest: rests on fence-cta": the
reading fence-cta is on by default, and the claim fails without it. `litmus models` lists the readings.

Results are printed in the order of the files. Memory does not grow with the number of files. --shard 2/4 takes a fourth of the files;
`litmus merge` puts the results of all four together. Without --shard, build systems set the share with TEST_TOTAL_SHARDS,
TEST_SHARD_INDEX and TEST_SHARD_STATUS_FILE. If XML_OUTPUT_FILE is set, JUnit XML is written there as well.
With --compiled, the verdict is about what ptxas makes of each test (`litmus compiled`). Of several settings, the worst verdict counts.
The report says what ptxas changed. Code that cannot be read is undecided.

Examples:
  litmus check mp.litmus
  litmus check litmus --format json -j 4 > results.jsonl
  litmus check litmus --format json --resume results.jsonl > /dev/null     again, when it was killed
  litmus check litmus --cache ~/.cache/litmus --format junit > results.xml
  litmus check sb.litmus --model model/ptx-6.0.cat --max-outcomes 16
  litmus check mp.litmus --compiled -O 3 --target sm_90a    of what ptxas makes of it
  cat mp.litmus | litmus check -

Exit status: 0 all claims hold; 1 some claim does not hold, or something came up unclaimed; 2 bad input;
3 undecided (2 before 1 before 3).
)";

struct Options : SolvingOptions, BatchOptions, KeepingOptions {
    std::vector<std::string> inputs;
    Format format = Format::text;
    bool strict = false;
    CompiledOptions compiled;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_solving(app, options);
    add_batch(app, options);
    add_formats(app, options.format, "check");
    add_keeping(app, options);
    add_flag(app, "--strict", options.strict, "Make an unclaimed data race the verdict, which is a failure");
    add_compiled(app, options.compiled, "Judge what ptxas makes of each test instead of the test");
}

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
        const std::string command = command_on("repair --compiled", result.file, options, options.strict);
        return result.compiled->changes.empty() || command.empty() ? std::string() : "`" + command + "` looks for another spelling\n";
    }
    for (const InputFile& file : run.files)
        for (const Input& input : parse_input(read_input(file))) {
            if (!input.test || input.file != result.file) continue;
            Solver solver(Solver::usually, faster);
            return soon_missing_text(*input.test, run.family, run.family.readings(options.reading), solver, options, options.strict,
                                     command_on("repair", input.file, options, options.strict));
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
        if (options.format == Format::json) out.put(json_line(error_result(options.model, {}, failure)) + "\n");
        throw;
    }
}

int run(const Options& options, Output& out) {
    const std::unique_ptr<ModelFamily> family = family_of(options, out);
    // That file gets each line once, from the stream.
    const bool printed = !options.resume.empty() && prints_to(options.resume);
    if (printed && options.format != Format::json)
        throw Failure(nullptr, {}, "standard output is '" + options.resume + "', the file to resume from",
                      "send the output elsewhere, to /dev/null if need be");
    const Run run = run_of(options.inputs, options, *family, options.shard);
    const Titles titles = options.format == Format::text ? survey(run, text_style(options.times)) : Titles();
    Results results(options.format, options.times, out, titles, [&](const Result& result) { return advice(result, options, run); });
    const bool all = stream(run, {options, options.strict, options.compiled}, options, options,
                            [&](const Result& result) { return results.take(result, !printed); });
    return results.finish(all);
}

}  // namespace

Command command() {
    return make_command("check", "Decide whether the claims of tests hold, and list their outcomes", footer, define, run);
}

}  // namespace litmus::check_command
