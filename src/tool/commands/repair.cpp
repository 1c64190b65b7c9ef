// `litmus repair`: the cheapest edits that repair tests.
//
// Options to the engine, its answer to the report.
#include "analysis/repair/repair.h"

#include "analysis/repair/text.h"
#include "tool/command.h"
#include "tool/each_test.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/results.h"
#include "tool/subject.h"
#include "tool/workarounds.h"

namespace litmus::repair_command {

namespace {

constexpr const char* footer = R"(
Finds what is missing in a test that has an outcome which should be impossible, or that is undefined, races or gets stuck. The repairs
are printed as patches, cheapest first (litmus/repair.md has the prices and the names). The claim of the test says what is bad: the
condition of `~exists`; the condition of an `exists` that stands alone; an execution that breaks `forall`; hazards that the test claims,
or that come up. `repair` does not handle an `exists` that never holds. --outcome names another outcome to make impossible; the patch
then changes the claim as well. The whole pipeline has checked each patch.
With --compiled, `repair` leaves the test as it is and repairs what ptxas makes of it, if the code may do what the test may not
(`litmus compiled`). Other spellings are tried one at a time. The spellings that hold in the code are printed with their costs there.

Examples:
  litmus repair mp.litmus
  litmus repair mp.litmus --outcome "P1:r0=1; P1:r1=0"
  litmus repair mp.litmus --all --max-edits 3
  litmus repair mp.litmus | patch -p1
  litmus repair mp.litmus --compiled

Exit status: 0 repaired, or nothing to repair; 1 no repair of so many edits is known; 2 bad input; 3 undecided.
)";

struct Options : PatchingOptions {
    size_t max_edits = 2;
    std::string asked;    // the outcome to make impossible; empty: as the claim says
    bool all = false;     // every minimal repair, not the cheapest only
    bool strict = false;  // a race that the test says nothing of is repaired, too
    CompiledOptions compiled;
};

void define(CLI::App& app, Options& options) {
    add_patching(app, options, "repair", "Write the best repair into the file");
    CLI::Option* const max_edits =
        add_number<size_t>(app, "--max-edits", options.max_edits, 1, largest_repair, "a number from 1 to " + std::to_string(largest_repair),
                           "N", "Edits of one repair at most (default: 2)");
    CLI::Option* const outcome = add_text(app, "--outcome", options.asked, "OUTCOME",
                                          "The outcome to make impossible, such as \"P1:r0=1; x=2\" (default: what the test claims)");
    CLI::Option* const all = add_flag(app, "--all", options.all, "Print every minimal repair of so many edits, not only the cheapest ones");
    CLI::Option* const strict = add_flag(app, "--strict", options.strict, "Repair unclaimed data races, too");
    exclude(add_compiled(app, options.compiled, "Find spellings of which ptxas keeps what the model forbids it to change"),
            {all, strict, max_edits, outcome});
}

int run(const Options& options, Output& out) {
    if (options.compiled.wanted) return work_around(options, options, options.compiled, options.apply, out);
    const TextStyle style = text_style(options.times);
    const auto say = [&](const Input& input, Asking& asking) {
        const double start = now();
        const Test test = options.asked.empty() ? *input.test : with_outcome(*input.test, "~exists", options.asked);
        const Repairs repairs = repair(test, asking.family, asking.readings, asking.solver,
                                       {.max_edits = options.max_edits,
                                        .all = options.all,
                                        .strict = options.strict,
                                        .unroll = options.unroll,
                                        .budget = asking.budget});
        RepairReport report = make_report(input.file, *input.test, repairs);
        report.model = asking.family.by_default().name;
        report.max_edits = options.max_edits;
        report.all = options.all;
        report.seconds = options.times ? now() - start : 0;
        const bool json = options.format == Format::json;
        return Said{json ? repair_json(report) + "\n" : repair_text(report, style), exit_status(report), report.best};
    };
    return each_test(options, options, out, say, options.apply);
}

}  // namespace

Command command() {
    return make_command("repair", "Find the cheapest edits that repair tests", footer, define, run);
}

}  // namespace litmus::repair_command
