// `litmus weaken`: fences, qualifiers and waits that tests do without.
//
// Options to the engine, its answer to the report.
#include "analysis/weaken/weaken.h"

#include "analysis/weaken/text.h"
#include "tool/command.h"
#include "tool/each_test.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/results.h"

namespace litmus::weaken_command {

namespace {

constexpr const char* footer = R"(
Tries each fence, qualifier, scope and wait: can it go, or be weaker, without a new outcome, undefined behaviour, a race or a
thread that gets stuck? Removals are combined as long as nothing new comes up, and printed as patches. If a removal relies on a
reading of the ISA, the reading is named. For what is needed, the report says what comes up without it.

Examples:
  litmus weaken mp.litmus
  litmus weaken mp.litmus --all-state --reading weakest

Exit status: 0 decided; 2 bad input; 3 something was left undecided.
)";

struct Options : PatchingOptions {
    bool all_state = false;
};

void define(CLI::App& app, Options& options) {
    add_patching(app, options, "weaken", "Remove from the file what can go together");
    add_flag(app, "--all-state", options.all_state, "Compare every register and location, not only those of the claim");
}

int run(const Options& options, Output& out) {
    const TextStyle style = text_style(options.times);
    const auto say = [&](const Input& input, Asking& asking) {
        const double start = now();
        const Weakening found = weaken(*input.test, asking.family, asking.readings, asking.solver,
                                       {.all_state = options.all_state, .unroll = options.unroll, .budget = asking.budget});
        WeakenReport report = make_report(input.file, *input.test, found);
        report.model = asking.family.by_default().name;
        report.seconds = options.times ? now() - start : 0;
        std::optional<std::string> best;
        if (!found.texts.empty()) best = found.texts.front();
        const bool json = options.format == Format::json;
        return Said{json ? weaken_json(report) + "\n" : weaken_text(report, style), found.partial ? 3 : 0, best};
    };
    return each_test(options, options, out, say, options.apply);
}

}  // namespace

Command command() {
    return make_command("weaken", "Find fences, qualifiers and waits that tests do without", footer, define, run);
}

}  // namespace litmus::weaken_command
