// The options that several commands have (see options_parts.h).
#include "options_parts.h"

#include <optional>

#include "solve/sat/backend.h"

namespace litmus {

void add_model_name(CLI::App& app, Options& options) {
    app.add_option("-m,--model", options.model, "A shipped model (see `litmus models`) or a cat file")
        ->type_name("NAME|FILE")
        ->capture_default_str();
}

void add_model(CLI::App& app, Options& options) {
    add_model_name(app, options);
    app.add_option("--variant", options.variants, "Switch on a variant of the model (repeatable)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--reading", options.reading,
                   "How to read the ISA where it is silent: weakest, default or strongest, then names and -names")
        ->type_name("SPEC");
}

// The two sides of a comparison.
void add_sides(CLI::App& app, Options& options) {
    app.add_option("-m,--model", options.models, "A shipped model (see `litmus models`) or a cat file; twice for two (default: ptx)")
        ->type_name("NAME|FILE")
        ->allow_extra_args(false);
    app.add_option("--reading", options.readings, "How to read the ISA where it is silent; twice for two (default: default)")
        ->type_name("SPEC")
        ->allow_extra_args(false);
    app.add_option("--variant", options.variants, "Switch on a variant of both models (repeatable)")
        ->type_name("NAME")
        ->allow_extra_args(false);
}

void add_format(CLI::App& app, Options& options) {
    add_choice<Options::Format, Options::Format>(app, "--format", options.format,
                                                 {{"text", Options::Format::text}, {"json", Options::Format::json}},
                                                 "How results are written: for people, or one JSON object a line");
}

// Of commands whose results other tools read, too.
void add_formats(CLI::App& app, Options& options, const std::string& help) {
    using Format = Options::Format;
    add_choice<Format, Format>(
        app, "--format", options.format,
        {{"text", Format::text}, {"json", Format::json}, {"junit", Format::junit}, {"sarif", Format::sarif}, {"github", Format::github}},
        help + "; or JUnit XML, SARIF 2.1.0, or annotations of GitHub's runners");
}

void add_inputs(CLI::App& app, Options& options) {
    app.add_option("inputs", options.inputs, "Test files, directories, or - for standard input")->type_name("FILE|DIR|-");
}

void add_timeout(CLI::App& app, Options& options) {
    add_number(app, "--timeout", options.timeout, 0.0, 1e9, "a number of seconds", "Give up on a test after S seconds (default: never)")
        ->type_name("S");
}

void add_memory(CLI::App& app, Options& options) {
    add_number<size_t>(app, "--memory", options.memory, 0, size_t{1} << 40U, "a number of megabytes",
                       "Give up on a test whose constraints, relations and outcomes take more than MB megabytes, or for which the "
                       "solver takes as much; the solver's N workers share N times that (default: never)")
        ->type_name("MB");
}

void add_unroll(CLI::App& app, Options& options) {
    add_number(app, "--unroll", options.unroll, 1, 1000, "a number from 1 to 1000",
               "Iterations of a loop that is not an await (default: 2)")
        ->type_name("N");
}

// Which solvers there are is settled when the tool is built. `usual`: what the command takes if nothing is said.
void add_solver(CLI::App& app, Options& options, Engine usual, bool both) {
    std::vector<std::pair<std::string, std::optional<Engine>>> there;
    for (const Engine engine : {Engine::by_size, Engine::z3, Engine::cadical, Engine::cdcl})
        if (engine != Engine::cadical || has_cadical) there.emplace_back(name(engine), engine);
    if (both && has_cadical) there.emplace_back("both", std::nullopt);
    std::string help = "Which solver decides: Z3 but for what is large (auto), one of them";
    help += both ? ", or both, which must agree" : "";
    help += " (default: " + std::string(name(usual)) + ")";
    add_choice(app, "--solver", options.engine, there, has_cadical ? help : "Which solver decides; this litmus was built without CaDiCaL");
}

void add_jobs(CLI::App& app, Options& options) {
    add_number(app, "-j,--jobs", options.jobs, 1U, 1024U, "a number from 1 to 1024", "Workers (default: one per core)")->type_name("N");
}

void add_solving(CLI::App& app, Options& options) {
    add_model(app, options);
    add_timeout(app, options);
    add_memory(app, options);
    add_number<size_t>(app, "--max-outcomes", options.max_outcomes, 0, 1U << 30U, "a number of outcomes",
                       "List at most N outcomes; the claim is decided all the same (default: 1024)")
        ->type_name("N");
    app.add_flag("--all-state", options.all_state,
                 "Name every register and location, not only those of the claim; no addresses, and not what counts a loop's turns and "
                 "decides nothing");
    add_unroll(app, options);
    add_solver(app, options, Engine::by_size, true);
}

void add_no_time(CLI::App& app, Options& options) {
    app.add_flag_callback(
        "--no-time", [&options] { options.times = false; }, "Print no times, so that equal runs print equal bytes");
}

void add_batch(CLI::App& app, Options& options) {
    add_jobs(app, options);
    add_no_time(app, options);
}

}  // namespace litmus
