// `litmus outcomes`: all outcomes of tests.
#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/results.h"
#include "tool/stream.h"

namespace litmus::outcomes_command {

namespace {

constexpr const char* footer = R"(
Prints a numbered line for each outcome. A * marks the outcomes that satisfy the claim's condition.

Examples:
  litmus outcomes mp.litmus
  litmus outcomes mp.litmus --all-state --model sc

Exit status: 0 listed, whatever the claim; 2 bad input; 3 a time-out or loop bound cut the listing.
)";

struct Options : SolvingOptions {
    std::vector<std::string> inputs;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_solving(app, options);
}

int run(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    Complaints complaints;
    bool cut = false;
    const bool all = stream(run_of(options.inputs, options, family), {options}, {}, {}, [&](const Result& result) {
        complaints.add(result);
        const bool listed_enough = result.complete || result.states.size() >= options.max_outcomes;
        cut = cut || (result.judgement.verdict != Verdict::error && (result.unrolled || !listed_enough));
        return out.put(text_outcomes(result, text_style()));
    });
    complaints.finish();
    if (complaints.status() == 2 || complaints.status() == internal_status) return complaints.status();
    return cut || !all ? 3 : 0;
}

}  // namespace

Command command() {
    return make_command("outcomes", "List all outcomes of tests", footer, define, run);
}

}  // namespace litmus::outcomes_command
