// `litmus show`: one execution of a test.
#include <cstdio>

#include "analysis/explain/exhibit.h"
#include "analysis/verdict/support.h"
#include "base/visible.h"
#include "cat/readings.h"
#include "event/program.h"
#include "solve/solve.h"
#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/named_tests.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "view/picture/lanes.h"
#include "view/picture/svg.h"

namespace litmus::show_command {

namespace {

constexpr const char* footer = R"(
Shows the execution of outcome K of `litmus outcomes`. Without --outcome, it shows the execution that decides the verdict. That is
the first of these: undefined behaviour, threads that get stuck, a race where the test claims that there is none, the witness of the
condition (for `forall`, the execution that breaks it), any race. What is wrong is marked.

Examples:
  litmus show mp.litmus
  litmus show mp.litmus --outcome 3 --svg > mp.svg
  litmus show mp.litmus --dot | dot -Tpdf > mp.pdf

Exit status: 0 shown; 1 there is no such execution; 2 bad input; 3 undecided.
)";

struct Options : SolvingOptions {
    std::vector<std::string> inputs;
    std::string test;    // which test of a file with several; empty: the only one
    size_t outcome = 0;  // number in the listing of `outcomes`, from 1; 0: what decides the verdict
    bool dot = false, svg = false, lanes = false;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_solving(app, options);
    add_number<size_t>(app, "--outcome", options.outcome, 1, 1U << 30U,
                       "the number of an outcome, from 1; `litmus explain --outcome` takes its values", "K",
                       "Show the execution of outcome K (default: the one that decides the verdict)");
    add_test(app, options.test);
    CLI::Option* const dot = add_flag(app, "--dot", options.dot, "Write a Graphviz graph");
    CLI::Option* const svg = add_flag(app, "--svg", options.svg, "Write a picture (SVG)");
    exclude(svg, {dot});
    exclude(add_flag(app, "--lanes", options.lanes, "Write a chart in time (SVG): a row for each thread, proxy, mbarrier and slot"),
            {dot, svg});
}

int no_execution(const Test& test, const Answer& answer, size_t number) {
    std::string what = "no execution " + std::string(test.claim.kind == Claim::Kind::forall ? "breaks" : "satisfies") + " the condition";
    if (number > 0) what = "there is no outcome " + std::to_string(number) + " of " + std::to_string(answer.outcomes.size());
    if (answer.outcomes.empty() && answer.complete) what = "no execution terminates";
    if (answer.bound_hit) what += "; a loop was cut at the unroll bound";
    const std::string ran_out = what_ran_out(answer);
    if (!ran_out.empty()) what = "nothing found: " + ran_out;
    if (number == 0 && !answer.outcomes.empty()) what += "; --outcome 1 shows the first of " + std::to_string(answer.outcomes.size());
    std::fprintf(stderr, "litmus: %s: %s\n", visible(test.name).c_str(), what.c_str());
    return !ran_out.empty() || answer.bound_hit ? 3 : 1;
}

int run(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    const Model& model = family.under(family.readings(options.reading));
    const std::vector<Input> inputs = tests_of(options.inputs, options.timeout);
    const Test& test = *chosen_test(inputs, options.test).test;
    Program program = build_program(test, {.unroll = options.unroll, .blocked = true, .budget = options.budget()});
    require_support(program, model);
    SolveOptions wanted = solve_options(options);
    wanted.want_hazards = options.outcome == 0;
    Solver solver(Solver::usually, engine_of(options));
    const Answer answer = solver.solve(program, model, wanted);
    const std::optional<Drawing> drawing = exhibit(program, model, answer, options.outcome);
    if (!drawing) return no_execution(test, answer, options.outcome);
    out.put(options.svg     ? svg_picture(*drawing)
            : options.lanes ? lanes_picture(*drawing)
            : options.dot   ? dot_graph(*drawing)
                            : execution_text(*drawing));
    return 0;
}

}  // namespace

Command command() {
    return make_command("show", "Show one execution of a test, as text or as a picture", footer, define, run);
}

}  // namespace litmus::show_command
