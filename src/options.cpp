// Subcommands, their options and their help, by CLI11.
#include "options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <utility>

#include "analysis/repair/repair.h"
#include "base/nearest.h"
#include "options_compiled.h"
#include "options_from_ptx.h"
#include "options_help.h"
#include "options_parts.h"
#include "options_text.h"
#include "solve/sat/backend.h"

namespace litmus {

namespace {

// How a run is shared out, and what of it is kept.
void add_keeping(CLI::App& app, Options& options) {
    const auto parse = [&options](const std::string& text) {
        options.shard = parse_share(text);
        if (!options.shard) throw CLI::ValidationError("--shard", "'" + text + "' is not I/N, from 1/N to N/N");
    };
    app.add_option_function<std::string>("--shard", parse, "Take the I-th of N parts of the files, shared out by what they hold")
        ->type_name("I/N");
    app.add_option("--resume", options.resume,
                   "Keep each result in FILE as soon as it is there, as a JSON line; what FILE has from a run that was killed is not "
                   "asked again")
        ->type_name("FILE");
    app.add_option("--cache", options.cache, "Keep results in a folder, by what was asked; what is known there is not asked again")
        ->type_name("DIR");
}

CLI::App* define_explain(CLI::App& app, Options& options) {
    CLI::App* explain = app.add_subcommand("explain", "Say why an outcome cannot happen, or show how it can");
    add_inputs(*explain, options);
    explain->add_option("--outcome", options.asked, "The outcome to explain, such as \"P1:r0=1; x=2\" (default: what the test claims)")
        ->type_name("OUTCOME");
    explain->add_option("--test", options.test, "Which test, in a file with several")->type_name("NAME");
    add_number<size_t>(*explain, "--max-outcomes", options.explained, 1, 1U << 30U, "a number of outcomes",
                       "Explain at most N outcomes, where several satisfy the condition (default: 2)")
        ->type_name("N");
    add_number<size_t>(*explain, "--max-ways", options.ways, 1, 1U << 30U, "a number of ways",
                       "Tell of at most N ways in which an outcome could come about, but of one for each axiom (default: 4)")
        ->type_name("N");
    add_choice<Options::Format, Options::Format>(
        *explain, "--format", options.format, {{"text", Options::Format::text}, {"json", Options::Format::json}},
        "How the answer is written: for people, or JSON (src/analysis/explain/explanation.h has the schema)");
    CLI::Option* dot = explain->add_flag("--dot", options.dot, "Write a Graphviz graph of the execution, what breaks it in red");
    explain->add_flag("--svg", options.svg, "Draw the execution as a picture (SVG), what breaks it marked")->excludes(dot);
    add_model(*explain, options);
    add_timeout(*explain, options);
    add_memory(*explain, options);
    add_unroll(*explain, options);
    add_solver(*explain, options, Engine::by_size);
    explain->footer(explain_footer);
    return explain;
}

// What repair and weaken have in common: both give patches.
CLI::App* define_patching(CLI::App& app, Options& options, const std::string& name, const std::string& what, const std::string& applied) {
    CLI::App* command = app.add_subcommand(name, what);
    command->preparse_callback([&options](size_t) {
        options.timeout = 25;
        options.engine = faster;
    });
    add_inputs(*command, options);
    add_model(*command, options);
    add_number(*command, "--timeout", options.timeout, 0.0, 1e9, "a number of seconds",
               "Give what was found of a test after S seconds, 0: never (default: 25)")
        ->type_name("S");
    add_memory(*command, options);
    add_unroll(*command, options);
    add_solver(*command, options, faster);
    add_batch(*command, options);
    command->add_option("--test", options.test, "Which test, of several files")->type_name("NAME");
    command->add_flag("--apply", options.apply, applied);
    add_choice<Options::Format, Options::Format>(*command, "--format", options.format,
                                                 {{"text", Options::Format::text}, {"json", Options::Format::json}},
                                                 "How results are written: for people, or one JSON object a line");
    return command;
}

CLI::App* define_repair(CLI::App& app, Options& options) {
    CLI::App* repair =
        define_patching(app, options, "repair", "Find the cheapest edits that repair tests", "Write the best repair into the file");
    add_number<size_t>(*repair, "--max-edits", options.max_edits, 1, largest_repair, "a number from 1 to " + std::to_string(largest_repair),
                       "Edits of one repair at most (default: 2)")
        ->type_name("N");
    repair
        ->add_option("--outcome", options.asked, "The outcome to make impossible, such as \"P1:r0=1; x=2\" (default: what the test claims)")
        ->type_name("OUTCOME");
    CLI::Option* all = repair->add_flag("--all", options.all, "Every minimal repair of so many edits, not only the cheapest ones");
    CLI::Option* strict = repair->add_flag("--strict", options.strict, "A data race that a test says nothing of is repaired, too");
    add_compiled(*repair, options, "Find spellings of which ptxas keeps what the model forbids it to change")
        ->excludes(all)
        ->excludes(strict)
        ->excludes(repair->get_option("--max-edits"))
        ->excludes(repair->get_option("--outcome"));
    repair->footer(repair_footer);
    return repair;
}

CLI::App* define_weaken(CLI::App& app, Options& options) {
    CLI::App* weaken = define_patching(app, options, "weaken", "Find fences, qualifiers and waits that tests do without",
                                       "Leave out of the file what can go together");
    weaken->add_flag("--all-state", options.all_state, "Outcomes name every register and location, not only those of the claim");
    weaken->footer(weaken_footer);
    return weaken;
}

// Which programs are searched.
void add_search(CLI::App& app, Options& options) {
    add_number<size_t>(app, "--max-instructions", options.max_instructions, 1, 12, "a number from 1 to 12",
                       "Search programs of at most N instructions (default: 5)")
        ->type_name("N");
    add_number<size_t>(app, "--max-threads", options.max_threads, 1, 3, "a number from 1 to 3",
                       "Search programs of at most N threads (default: 3)")
        ->type_name("N");
    app.add_option("--family", options.families, "Make programs of this family of instructions (repeatable; default: all)")
        ->type_name("NAME")
        ->allow_extra_args(false);
}

struct Commands {
    CLI::App* check = nullptr;
    CLI::App* outcomes = nullptr;
    CLI::App* show = nullptr;
    CLI::App* explain = nullptr;
    CLI::App* models = nullptr;
    CLI::App* fmt = nullptr;
    CLI::App* emit = nullptr;
    CLI::App* conform = nullptr;
    CLI::App* repair = nullptr;
    CLI::App* weaken = nullptr;
    CLI::App* compare = nullptr;
    CLI::App* compiled = nullptr;
    CLI::App* adequacy = nullptr;
    CLI::App* distinguish = nullptr;
    CLI::App* merge = nullptr;
    CLI::App* regress = nullptr;
    CLI::App* gen = nullptr;
    CLI::App* report = nullptr;
    CLI::App* quiz = nullptr;
    CLI::App* from_ptx = nullptr;
};

// The commands that go on from results.
void define_runs(CLI::App& app, Options& options, Commands& commands) {
    commands.merge = app.add_subcommand("merge", "Put the parts of a run together that --shard made");
    commands.merge->add_option("inputs", options.inputs, "What `litmus check --shard I/N --format json` wrote")->type_name("FILE");
    add_formats(*commands.merge, options, "How results are written, as for `litmus check`");
    add_no_time(*commands.merge, options);
    commands.merge->footer(merge_footer);

    commands.regress = app.add_subcommand("regress", "Compare what tests come to with a baseline");
    add_inputs(*commands.regress, options);
    commands.regress->add_option("--baseline", options.baseline, "The baseline (default: litmus.baseline in the first directory)")
        ->type_name("FILE");
    commands.regress->add_flag("--promote", options.promote, "Write the baseline from what the tests come to now");
    add_solving(*commands.regress, options);
    add_batch(*commands.regress, options);
    add_formats(*commands.regress, options, "How changes are written: for people, or one JSON object a line (src/analysis/regress/text.h)");
    commands.regress->add_flag("--strict", options.strict, "In verdicts, a data race that a test says nothing of counts against it");
    add_keeping(*commands.regress, options);
    commands.regress->footer(regress_footer);
}

// The commands that tell models apart.
void define_comparisons(CLI::App& app, Options& options, Commands& commands) {
    commands.compare = app.add_subcommand("compare", "List the tests on which two models, or two readings of one, differ");
    add_inputs(*commands.compare, options);
    add_sides(*commands.compare, options);
    add_timeout(*commands.compare, options);
    add_memory(*commands.compare, options);
    add_unroll(*commands.compare, options);
    add_solver(*commands.compare, options, Engine::by_size);
    add_jobs(*commands.compare, options);
    add_format(*commands.compare, options);
    commands.compare->add_flag("--strict", options.strict, "In verdicts, a data race that a test says nothing of counts against it");
    commands.compare->footer(compare_footer);

    commands.compiled = define_compiled(app, options);

    commands.adequacy = app.add_subcommand("adequacy", "List the parts of a model that no test needs");
    add_inputs(*commands.adequacy, options);
    add_model_name(*commands.adequacy, options);
    commands.adequacy->add_flag("--count", options.count, "Count all tests that need each part, where otherwise one is enough");
    commands.adequacy->add_option("--known", options.known, "Parts that are known to be redundant: lines PART | REASON")->type_name("FILE");
    add_timeout(*commands.adequacy, options);
    add_memory(*commands.adequacy, options);
    add_unroll(*commands.adequacy, options);
    add_jobs(*commands.adequacy, options);
    add_format(*commands.adequacy, options);
    commands.adequacy->add_flag("-v,--verbose", options.verbose, "List the parts that are needed, too");
    commands.adequacy->add_flag("--synthesise", options.synthesise,
                                "For each part that no test needs, look for a program that does, as `litmus distinguish` does");
    add_search(*commands.adequacy, options);
    commands.adequacy->footer(adequacy_footer);

    commands.distinguish = app.add_subcommand("distinguish", "Find a smallest program that tells two models apart");
    commands.distinguish->add_option("inputs", options.inputs, "The two models, or readings of one")->type_name("MODEL|SPEC");
    add_model_name(*commands.distinguish, options);
    add_search(*commands.distinguish, options);
    commands.distinguish->add_flag("--undefined", options.undefined,
                                   "A program that is undefined under one of the models alone tells them apart, too");
    add_number(*commands.distinguish, "--timeout", options.timeout, 0.0, 1e9, "a number of seconds",
               "End the search after S seconds (default: never)")
        ->type_name("S");
    add_memory(*commands.distinguish, options);
    add_jobs(*commands.distinguish, options);
    add_format(*commands.distinguish, options);
    commands.distinguish->footer(distinguish_footer);
}

CLI::App* define_gen(CLI::App& app, Options& options) {
    CLI::App* gen = app.add_subcommand("gen", "Generate tests from cycles of edges");
    gen->add_option("inputs", options.inputs, "The words of one cycle (default: many cycles)")->type_name("EDGE");
    add_number<size_t>(*gen, "--count", options.count_of_tests, 1, 10000000, "a number from 1 to 10000000", "Make N tests (default: 100)")
        ->type_name("N");
    add_number<size_t>(*gen, "--max-events", options.max_events, 2, 8, "a number from 2 to 8", "Cycles of at most N accesses (default: 4)")
        ->type_name("N");
    gen->add_option("--family", options.families, "Tests that have something of this family of accesses and edges (repeatable)")
        ->type_name("NAME")
        ->allow_extra_args(false);
    gen->add_option("--shape", options.shapes, "Tests of this shape, such as MP (repeatable)")->type_name("NAME")->allow_extra_args(false);
    gen->add_option("--seed", options.seed, "A random sample, the same for the same S (default: all tests, small ones first)")
        ->type_name("S");
    gen->add_option("-o,--output", options.into, "Write each test into a file of this folder, named after its cycle")->type_name("DIR");
    gen->add_flag("--claim", options.claims, "Let each test claim what the model says of it");
    gen->add_flag("--list", options.list, "Print all families with their words, and all shapes");
    add_model(*gen, options);
    add_timeout(*gen, options);
    add_memory(*gen, options);
    add_solver(*gen, options, Engine::by_size);
    add_jobs(*gen, options);
    add_format(*gen, options);
    gen->footer(gen_footer);
    return gen;
}

CLI::App* define_report(CLI::App& app, Options& options) {
    CLI::App* report = app.add_subcommand("report", "Make a site of static HTML: a page for each test, an index, the readings");
    add_inputs(*report, options);
    report->add_option("-o,--output", options.into, "The folder for the pages, which is replaced as a whole")->type_name("DIR")->required();
    report->add_option("--observed", options.observed, "What GPUs did: what `litmus-gpu run -o` wrote, or folders of such files")
        ->type_name("FILE|DIR");
    report->add_flag("--lab", options.lab, "Add the laboratory, a page in which tests are changed and checked");
    add_model(*report, options);
    add_timeout(*report, options);
    add_memory(*report, options);
    add_unroll(*report, options);
    add_solver(*report, options, Engine::by_size);
    add_jobs(*report, options);
    report->footer(report_footer);
    return report;
}

CLI::App* define_quiz(CLI::App& app, Options& options) {
    CLI::App* quiz = app.add_subcommand("quiz", "Ask what tests can do, and say what they do");
    quiz->preparse_callback([&options](size_t) { options.timeout = 20; });
    quiz->add_option("inputs", options.inputs, "Lessons by number, name or file, tests, folders of either (default: all lessons)")
        ->type_name("LESSON|FILE|DIR");
    quiz->add_option("--seed", options.seed, "Ask in another order, the same for the same S (default: as they are named)")->type_name("S");
    add_number<size_t>(*quiz, "--count", options.questions, 1, 10000000, "a number from 1 to 10000000",
                       "Ask about N lessons or tests at most (default: all)")
        ->type_name("N");
    add_model(*quiz, options);
    add_number(*quiz, "--timeout", options.timeout, 0.0, 1e9, "a number of seconds",
               "Pass over a test that is not decided after S seconds, 0: never (default: 20)")
        ->type_name("S");
    add_memory(*quiz, options);
    add_unroll(*quiz, options);
    add_solver(*quiz, options, Engine::by_size);
    quiz->footer(quiz_footer);
    return quiz;
}

Commands define(CLI::App& app, Options& options) {
    app.footer(main_footer);
    app.set_version_flag("--version", "litmus " LITMUS_VERSION, "Print the version and exit");
    app.require_subcommand(1);

    Commands commands;
    commands.check = app.add_subcommand("check", "Decide whether tests' claims hold, and list their outcomes");
    add_inputs(*commands.check, options);
    add_solving(*commands.check, options);
    add_batch(*commands.check, options);
    add_formats(*commands.check, options, "How results are written: for people, or one JSON object a line (src/analysis/verdict/json.h)");
    add_keeping(*commands.check, options);
    commands.check->add_flag("--strict", options.strict, "A data race that a test says nothing of is its verdict, a failure");
    add_compiled(*commands.check, options, "Judge what ptxas makes of each test in place of the test");
    commands.check->footer(check_footer);

    commands.outcomes = app.add_subcommand("outcomes", "List all outcomes of tests");
    add_inputs(*commands.outcomes, options);
    add_solving(*commands.outcomes, options);
    commands.outcomes->footer(outcomes_footer);

    commands.show = app.add_subcommand("show", "Show one execution of a test, as text or as a picture");
    add_inputs(*commands.show, options);
    add_solving(*commands.show, options);
    add_number<size_t>(*commands.show, "--outcome", options.outcome, 1, 1U << 30U,
                       "the number of an outcome, from 1; `litmus explain --outcome` takes its values",
                       "The execution behind outcome K (default: what decides the verdict)")
        ->type_name("K");
    commands.show->add_option("--test", options.test, "Which test, in a file with several")->type_name("NAME");
    CLI::Option* dot = commands.show->add_flag("--dot", options.dot, "Write a Graphviz graph");
    commands.show->add_flag("--svg", options.svg, "Draw it as a picture (SVG)")->excludes(dot);
    commands.show->footer(show_footer);

    commands.explain = define_explain(app, options);

    commands.models = app.add_subcommand("models", "List the models that come with the tool");
    commands.models->footer(models_footer);

    commands.fmt = app.add_subcommand("fmt", "Print tests canonically, or convert them between formats");
    add_inputs(*commands.fmt, options);
    add_choice<std::optional<Dialect>, Dialect>(*commands.fmt, "--to", options.to,
                                                {{"native", Dialect::native}, {"column", Dialect::column}, {"braces", Dialect::braces}},
                                                "Convert to this format");
    auto* check_only = commands.fmt->add_flag("--check", options.check_only, "Print the names of files that are not canonical");
    commands.fmt->add_flag("-i,--in-place", options.in_place, "Rewrite the files")->excludes(check_only);
    commands.fmt->footer(fmt_footer);

    commands.emit = app.add_subcommand("emit", "Write a test as a program for the GPU");
    add_inputs(*commands.emit, options);
    add_choice<std::optional<int>, int>(*commands.emit, "--sm", options.sm, {{"90", 90}, {"100a", 100}},
                                        "The target (default: the least that has every instruction of the test)");
    commands.emit->add_option("--test", options.test, "Which test, in a file with several")->type_name("NAME");
    commands.emit->footer(emit_footer);

    commands.conform = app.add_subcommand("conform", "Compare what GPUs did with what a model allows");
    commands.conform->add_option("inputs", options.inputs, "What `litmus-gpu run -o` wrote")->type_name("FILE");
    commands.conform->add_option("--tests", options.tests, "Where tests are found by their names, if not in the files that the run names")
        ->type_name("FILE|DIR|-")
        ->capture_default_str();
    commands.conform->add_option("--known", options.known, "Disagreements that are known: lines TEST | OUTCOME | REASON")
        ->type_name("FILE");
    add_model(*commands.conform, options);
    add_timeout(*commands.conform, options);
    add_memory(*commands.conform, options);
    add_unroll(*commands.conform, options);
    add_jobs(*commands.conform, options);
    add_formats(*commands.conform, options, "How the report is written: for people, or JSON (src/analysis/conform/text.h has the schema)");
    commands.conform->add_flag("-v,--verbose", options.verbose, "Write a line for every test and every outcome");
    commands.conform->footer(conform_footer);
    commands.repair = define_repair(app, options);
    commands.weaken = define_weaken(app, options);

    define_comparisons(app, options, commands);
    define_runs(app, options, commands);
    commands.gen = define_gen(app, options);
    commands.report = define_report(app, options);
    commands.quiz = define_quiz(app, options);
    commands.from_ptx = define_from_ptx(app, options);
    return commands;
}

// For packagers: no help lists it.
CLI::App* define_completions(CLI::App& app, CommandLineText& what) {
    CLI::App* completions = app.add_subcommand("completions", "Print completions for a shell, or the man page")->group("");
    add_choice<CommandLineText, CommandLineText>(
        *completions, "what", what,
        {{"bash", CommandLineText::bash}, {"zsh", CommandLineText::zsh}, {"fish", CommandLineText::fish}, {"man", CommandLineText::man}},
        "Which of them");
    return completions;
}

Options::Command chosen(const Commands& commands) {
    if (commands.outcomes->parsed()) return Options::Command::outcomes;
    if (commands.show->parsed()) return Options::Command::show;
    if (commands.explain->parsed()) return Options::Command::explain;
    if (commands.models->parsed()) return Options::Command::models;
    if (commands.fmt->parsed()) return Options::Command::fmt;
    if (commands.emit->parsed()) return Options::Command::emit;
    if (commands.conform->parsed()) return Options::Command::conform;
    if (commands.repair->parsed()) return Options::Command::repair;
    if (commands.weaken->parsed()) return Options::Command::weaken;
    if (commands.compare->parsed()) return Options::Command::compare;
    if (commands.compiled->parsed()) return Options::Command::compiled;
    if (commands.adequacy->parsed()) return Options::Command::adequacy;
    if (commands.distinguish->parsed()) return Options::Command::distinguish;
    if (commands.merge->parsed()) return Options::Command::merge;
    if (commands.regress->parsed()) return Options::Command::regress;
    if (commands.gen->parsed()) return Options::Command::gen;
    if (commands.report->parsed()) return Options::Command::report;
    if (commands.quiz->parsed()) return Options::Command::quiz;
    if (commands.from_ptx->parsed()) return Options::Command::from_ptx;
    return Options::Command::check;
}

// ---- the nearest legal word ------------------------------------------------------------------

std::vector<std::string> legal_words(const CLI::App& app, bool options) {
    std::vector<std::string> words;
    if (options)
        for (const CLI::Option* option : app.get_options())
            for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    else
        for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) words.push_back(command->get_name());
    return words;
}

// The first argument that looks like a command or an option and is none.
std::string unknown_word(const CLI::App& app, const CLI::App& command) {
    for (const std::string& word : command.remaining())
        if (word.rfind('-', 0) == 0) return word.substr(0, word.find('='));
    const std::vector<std::string> rest = app.remaining(true);
    return rest.empty() ? std::string() : rest.front().substr(0, rest.front().find('='));
}

int complain(const std::string& message, const std::string& hint, const std::string& command) {
    std::cerr << "litmus: error: " << message << "\n";
    if (!hint.empty()) std::cerr << "    hint: " << hint << "\n";
    std::cerr << "    see: litmus" << (command.empty() ? "" : " " + command) << " --help\n";
    return 2;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, const std::string& first_word) {
    const std::vector<CLI::App*> parsed = app.get_subcommands();
    const CLI::App& command = parsed.empty() ? app : *parsed.front();
    const std::string command_name = parsed.empty() ? std::string() : command.get_name();
    const std::string unknown = unknown_word(app, command);
    if (!unknown.empty() || (parsed.empty() && !first_word.empty())) {
        const std::string word = unknown.empty() ? first_word : unknown;
        const bool option = word.rfind('-', 0) == 0;
        const std::vector<std::string> legal = legal_words(command, option);
        const std::string close = nearest(word, {legal.begin(), legal.end()}, {.more = 1});
        return complain(std::string("unknown ") + (option ? "option" : "command") + " '" + word + "'",
                        close.empty() ? "" : "did you mean '" + close + "'?", command_name);
    }
    if (parsed.empty()) return complain("no command is given", "such as: litmus check FILE", command_name);
    return complain(error.what(), {}, command_name);
}

}  // namespace

Invocation parse_options(int argc, const char* const* argv) {
    CLI::App app("Checks litmus tests of the PTX memory model: all outcomes it allows, and whether a test's claim holds.", "litmus");
    Options options;
    const Commands commands = define(app, options);
    CommandLineText text = CommandLineText::bash;
    const CLI::App* completions = define_completions(app, text);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {  // help or version was asked for
        return {std::nullopt, app.exit(success, std::cout, std::cerr)};
    } catch (const CLI::ParseError& error) {
        return {std::nullopt, usage_error(app, error, argc > 1 ? argv[1] : "")};
    }
    if (completions->parsed()) {
        std::cout << command_line_text(app, text);
        return {std::nullopt, 0};
    }
    options.command = chosen(commands);
    const bool takes_none = options.command == Options::Command::models || options.command == Options::Command::gen ||
                            options.command == Options::Command::quiz ||
                            (options.command == Options::Command::compiled && options.compiled.is_campaign());
    if (options.inputs.empty() && !takes_none) {
        const std::string command = app.get_subcommands().front()->get_name();
        if (options.command == Options::Command::conform)
            return {std::nullopt, complain("no file is named", "name what `litmus-gpu run -o` wrote", command)};
        if (options.command == Options::Command::from_ptx)
            return {std::nullopt, complain("no file is named", "name a PTX file, as `nvcc -ptx -lineinfo k.cu` writes it", command)};
        if (options.command == Options::Command::merge)
            return {std::nullopt, complain("no file is named", "name what `litmus check --shard I/N --format json` wrote", command)};
        if (options.command == Options::Command::distinguish)
            return {std::nullopt, complain("no model is named", "name two, such as: weakest weakest,war-mbarrier", command)};
        return {std::nullopt, complain("no test is named", "name a file, a directory, or - for standard input", command)};
    }
    return {options, 0};
}

}  // namespace litmus
