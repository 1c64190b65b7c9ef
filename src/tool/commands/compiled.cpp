// `litmus compiled`: whether what ptxas makes of tests may do what the tests may not.
//
// Each test is assembled in all settings, and what became of it is printed.
#include "analysis/compiled/report.h"
#include "language/syntax/native/print.h"
#include "tool/assembling.h"
#include "tool/command.h"
#include "tool/compiled_campaign.h"
#include "tool/each_test.h"
#include "tool/options.h"
#include "tool/output.h"

namespace litmus::compiled_command {

namespace {

constexpr const char* footer = R"(
ptxas, NVIDIA's assembler, stands between a test and the machine. It moves, merges and drops instructions. `compiled` assembles each
thread, alone and in other surroundings, and reads from the code what became of it: the order in which instructions are issued, which
instructions have no code of their own, and which are issued before an acquire above them has its result. From that it makes the
compiled test, in PTX. It asks the model, under the weakest readings, whether the compiled test can end in a way in which the source
cannot:
  kept                 all instructions are there, in their order
  changed, allowed     something moved or is gone, and nothing new comes of it
  changed, forbidden   an outcome that the ISA rules out: it is shown, with the rule that is broken
  unknown              what the machine does could not be said as a test, or was not decided

The surroundings (--body): plain, the instructions alone, with pointers to global memory that may be equal; fixed, with variables of the
module in place of pointers; loop, in a loop; pressure, with many values alive; harness, as `litmus emit` writes it.

Examples:
  litmus compiled mp.litmus
  litmus compiled litmus --jobs 2 --format json
  litmus compiled mp.litmus -O 3 --target sm_90a --body plain --ptxas /usr/local/cuda-12.8/bin/ptxas
  litmus compiled mp.litmus --print-test            the compiled test, for `litmus check` and `litmus show`
  litmus compiled --triples 20000 --waits 2000 --random 10000 --seed 1 -O 3 --body plain

Exit status: 0 nothing forbidden; 1 something is; 2 bad input, or no ptxas; 3 something is unknown, and nothing forbidden.
)";

struct Options : EachTestOptions {
    CompiledOptions compiled;
    bool all = false;          // print what is kept, too
    bool print_test = false;   // print compiled tests
    CampaignOptions campaign;  // in place of tests
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs, [&options] { return options.campaign.wanted(); });
    add_settings(app, options.compiled);
    add_test(app, options.test);
    add_flag(app, "-v,--verbose", options.all, "Print settings in which all is kept, too");
    add_flag(app, "--print-test", options.print_test, "Print the compiled tests");
    CampaignOptions& campaign = options.campaign;
    add_number<size_t>(app, "--random", campaign.random, 1, 100000000, "a number of threads", "N",
                       "Take no tests, but N random threads, and search them for what the assembler breaks");
    add_number<size_t>(app, "--triples", campaign.triples, 1, 100000000, "a number of triples", "N",
                       "Take no tests, but N triples of an access, any operation and an access; all of them if there are fewer");
    add_number<size_t>(app, "--waits", campaign.waits, 1, 100000000, "a number of threads", "N",
                       "Take no tests, but N threads of a copy, its commit, its wait and any operation; all of them if there are fewer");
    add_seed(app, campaign.seed, "Make other random threads (default: 1)");
    add_text(app, "-o,--output", campaign.into, "DIR",
             "Write the smallest program of each class of --random, --triples and --waits into this folder");
    add_timeout(app, options.timeout);
    add_memory(app, options.memory);
    add_unroll(app, options.unroll);
    add_solver(app, options.engine);
    add_jobs(app, options.jobs);
    add_format(app, options.format, "compiled");
}

using namespace compiled;

std::string compiled_texts(const Report& result) {
    std::string text;
    for (const Finding& finding : result.findings)
        if (finding.compiled.test && !finding.compiled.changes.empty()) text += print(*finding.compiled.test) + "\n";
    return text;
}

int run(const Options& options, Output& out) {
    const Settings settings = settings_of(options.compiled);
    if (options.campaign.wanted()) {
        if (!options.inputs.empty())
            throw Failure(nullptr, {}, "--random, --triples and --waits make threads of their own, and tests are named",
                          "leave one of them out");
        if (options.format == Format::json)
            throw Failure(nullptr, {}, "--random, --triples and --waits write their findings for people",
                          "leave out --format json; -o DIR keeps the programs");
        return compiled_campaign(options.campaign, options.jobs, settings, out);
    }
    return each_test(options, {}, out, [&](const Input& input, Asking& asking) {
        const Report result = report_on(input.file, *input.test, settings, asking.family, asking.solver, options.unroll, asking.budget);
        const int status = exit_status(result.fate());
        if (options.format == Format::json) return Said{to_json(result) + "\n", status, {}};
        return Said{options.print_test ? compiled_texts(result) : to_text(result, options.all), status, {}};
    });
}

}  // namespace

Command command() {
    return make_command("compiled", "Ask whether what ptxas makes of tests may do what the tests may not", footer, define, run);
}

}  // namespace litmus::compiled_command
