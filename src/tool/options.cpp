// How each option is called, what it takes, and its line in help (see options.h).
#include "tool/options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>
#include <system_error>

#include "gpu/emit/bare.h"

namespace litmus {

// ---- one option ------------------------------------------------------------------------------

CLI::Option* add_flag(CLI::App& app, const std::string& names, bool& target, const std::string& help) {
    return app.add_flag(names, target, help);
}

CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& target, const std::string& type, const std::string& help) {
    return app.add_option(names, target, help)->type_name(type);
}

CLI::Option* add_list(CLI::App& app, const std::string& names, std::vector<std::string>& target, const std::string& type,
                      const std::string& help) {
    return app.add_option(names, target, help)->type_name(type)->allow_extra_args(false);
}

CLI::Option* add_several(CLI::App& app, const std::string& names, std::vector<std::string>& target, const std::string& type,
                         const std::string& help) {
    return app.add_option(names, target, help)->type_name(type);
}

template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& names, Number& target, Number least, Number most, const std::string& shown,
                        const std::string& type, const std::string& help) {
    const auto parse = [=, &target](const std::string& text) {
        Number value{};
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || rest != end || !(value >= least && value <= most))
            throw CLI::ValidationError(names.substr(names.find("--")), "'" + text + "' is not " + shown);
        target = value;
    };
    return app.add_option_function<std::string>(names, parse, help)->type_name(type);
}

template CLI::Option* add_number(CLI::App&, const std::string&, int&, int, int, const std::string&, const std::string&, const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, unsigned&, unsigned, unsigned, const std::string&, const std::string&,
                                 const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, size_t&, size_t, size_t, const std::string&, const std::string&,
                                 const std::string&);
template CLI::Option* add_number(CLI::App&, const std::string&, double&, double, double, const std::string&, const std::string&,
                                 const std::string&);

void add_words(CLI::App& app, const std::string& names, const std::vector<std::string>& words, const std::function<void(size_t)>& choose,
               const std::string& help) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : "|") + word;
    const auto parse = [=](const std::string& text) {
        for (size_t i = 0; i < words.size(); ++i)
            if (words[i] == text) return choose(i);
        throw CLI::ValidationError(names, "'" + text + "' is none of " + all);
    };
    app.add_option_function<std::string>(names, parse, help)->type_name(all);
}

void add_seed(CLI::App& app, std::optional<uint64_t>& seed, const std::string& help) {
    app.add_option("--seed", seed, help)->type_name("S");
}

void exclude(CLI::Option* option, std::initializer_list<CLI::Option*> others) {
    for (CLI::Option* other : others) option->excludes(other);
}

void require(CLI::Option* option) {
    option->required();
}

void show_default(CLI::Option* option) {
    option->capture_default_str();
}

namespace {

class OneScreen : public CLI::Formatter {
public:
    OneScreen() { column_width(28); }
    std::string make_usage(const CLI::App* app, std::string name) const override {
        std::string usage = "Usage: " + name + " [OPTIONS]", about;
        for (const CLI::Option* one : app->get_options([](const CLI::Option* option) { return option->get_positional(); })) {
            usage += " " + one->get_type_name() + "...";
            about += "  " + one->get_description() + "\n";
        }
        return usage + "\n" + about;
    }
    std::string make_positionals(const CLI::App*) const override { return {}; }
    std::string make_option_opts(const CLI::Option* option) const override {
        return option->get_type_size() == 0 ? "" : " " + option->get_type_name();
    }
    std::string make_footer(const CLI::App* app) const override { return app->get_footer(); }
};

}  // namespace

void fit_screen(CLI::App& app) {
    app.formatter(std::make_shared<OneScreen>());
}

void reword(CLI::App& app, const std::string& option, const std::string& help) {
    app.get_option(option)->description(help);
}

// ---- what stands without an option's name ----------------------------------------------------

CLI::Option* add_names(CLI::App& app, std::vector<std::string>& names, const std::string& type, const std::string& help) {
    return app.add_option("inputs", names, help)->type_name(type);
}

CLI::Option* add_required_names(CLI::App& app, std::vector<std::string>& names, const std::string& type, const std::string& help,
                                const NothingNamed& nothing, const std::function<bool()>& needless) {
    app.callback([&names, nothing, needless] {
        if (names.empty() && !(needless && needless())) throw NothingNamed(nothing);
    });
    return add_names(app, names, type, help);
}

void add_inputs(CLI::App& app, std::vector<std::string>& inputs, const std::function<bool()>& needless) {
    add_names(app, inputs, "FILE|DIR|-", "Test files, directories, or - for standard input");
    app.callback([&inputs, needless] {
        if (inputs.empty() && !(needless && needless()))
            throw NothingNamed{"no test is named", "name a file, a directory, or - for standard input"};
    });
}

// ---- the options of the groups ---------------------------------------------------------------

void add_model_name(CLI::App& app, std::string& model) {
    app.add_option("-m,--model", model, "A shipped model (see `litmus models`) or a cat file (default: " + model + ")")
        ->type_name("NAME|FILE");
}

void add_model(CLI::App& app, ModelOptions& options) {
    add_model_name(app, options.model);
    add_list(app, "--variant", options.variants, "NAME", "Switch on a variant of the model (repeatable)");
    add_text(app, "--reading", options.reading, "SPEC",
             "How to read the ISA where it is silent: weakest, default or strongest, then names and -names");
}

void add_timeout(CLI::App& app, double& seconds, const std::string& help) {
    add_number(app, "--timeout", seconds, 0.0, 1e9, "a number of seconds", "S", help);
}

void add_memory(CLI::App& app, size_t& megabytes) {
    add_number<size_t>(app, "--memory", megabytes, 0, size_t{1} << 40U, "a number of megabytes", "MB",
                       "Give up on a test when the tool or the solver takes more than MB megabytes for it; the limit is per worker "
                       "(default: never)");
}

CLI::Option* add_unroll(CLI::App& app, int& unroll) {
    return add_number(app, "--unroll", unroll, 1, 1000, "a number from 1 to 1000", "N",
                      "Iterations of a loop that does more than wait (default: 2)");
}

void add_solver(CLI::App& app, std::optional<Engine>& engine, bool both) {
    std::vector<std::pair<std::string, std::optional<Engine>>> there;
    std::string help, missing;
    for (const SolverRow& each : solvers) {
        if (!each.is_there()) {
            missing += (missing.empty() ? "; this litmus was built without " : ", ") + std::string(each.name);
            continue;
        }
        there.emplace_back(each.name, each.engine);
        help += (help.empty() ? "The solver: " : ", ") + std::string(each.name) + " (" + std::string(each.title) + ")";
    }
    if (both && row(Engine::cadical).is_there() && row(Engine::z3).is_there()) {
        there.emplace_back("both", std::nullopt);
        help += ", both (Z3 and CaDiCaL, compared)";
    }
    add_choice(app, "--solver", engine, there, help + missing + " (default: " + std::string(name(engine.value())) + ")");
}

void add_deciding(CLI::App& app, TestOptions& options, const std::string& timeout) {
    add_timeout(app, options.timeout, timeout);
    add_memory(app, options.memory);
    add_unroll(app, options.unroll);
    add_solver(app, options.engine);
}

void add_solving(CLI::App& app, SolvingOptions& options) {
    add_model(app, options);
    add_timeout(app, options.timeout);
    add_memory(app, options.memory);
    add_number<size_t>(app, "--max-outcomes", options.max_outcomes, 0, 1U << 30U, "a number of outcomes", "N",
                       "List at most N outcomes; the claim is decided in any case (default: 1024)");
    add_flag(app, "--all-state", options.all_state,
             "Name every register and location, not only those of the claim; addresses and mere loop counters are left out");
    add_unroll(app, options.unroll);
    add_solver(app, options.engine, true);
}

void add_jobs(CLI::App& app, unsigned& jobs) {
    add_number(app, "-j,--jobs", jobs, 1U, 1024U, "a number from 1 to 1024", "N", "Workers (default: one per core)");
}

void add_no_time(CLI::App& app, bool& times) {
    app.add_flag_callback(
        "--no-time", [&times] { times = false; }, "Print no times, so that equal runs print equal bytes");
}

void add_batch(CLI::App& app, BatchOptions& options) {
    add_jobs(app, options.jobs);
    add_no_time(app, options.times);
}

void add_test(CLI::App& app, std::string& test) {
    add_text(app, "--test", test, "NAME", "Which test, in a file with several");
}

void add_strict(CLI::App& app, bool& strict) {
    add_flag(app, "--strict", strict, "Count an unclaimed data race as a failure in verdicts");
}

void add_keeping(CLI::App& app, KeepingOptions& options) {
    const auto parse = [&options](const std::string& text) {
        options.shard = parse_share(text);
        if (!options.shard) throw CLI::ValidationError("--shard", "'" + text + "' is not I/N, from 1/N to N/N");
    };
    app.add_option_function<std::string>("--shard", parse, "Take only the I-th of N parts of the files; a file's content decides its part")
        ->type_name("I/N");
    add_text(app, "--resume", options.resume, "FILE",
             "Write each result to FILE at once, as a JSON line; results that FILE already has are not computed again");
    add_text(app, "--cache", options.cache, "DIR", "Keep results in a folder; results that it already has are not computed again");
}

void add_patching(CLI::App& app, PatchingOptions& options, const std::string& schema, const std::string& applied) {
    add_inputs(app, options.inputs);
    add_model(app, options);
    add_timeout(app, options.timeout, "Give what was found of a test after S seconds of a processor, 0: never (default: 25)");
    add_memory(app, options.memory);
    add_unroll(app, options.unroll);
    add_solver(app, options.engine);
    add_jobs(app, options.jobs);
    add_no_time(app, options.times);
    add_text(app, "--test", options.test, "NAME", "Which test, of several files");
    add_flag(app, "--apply", options.apply, applied);
    add_format(app, options.format, schema);
}

void add_search(CLI::App& app, SearchOptions& options) {
    add_number<size_t>(app, "--max-instructions", options.max_instructions, 1, 12, "a number from 1 to 12", "N",
                       "Search programs of at most N instructions (default: 5)");
    add_number<size_t>(app, "--max-threads", options.max_threads, 1, 3, "a number from 1 to 3", "N",
                       "Search programs of at most N threads (default: 3)");
    add_list(app, "--family", options.families, "NAME", "Use this family of instructions (repeatable; default: all)");
}

namespace {

std::string with_schema(const std::string& help, const std::string& schema) {
    return help + " (share/litmus/schemas/" + schema + ".json)";
}

}  // namespace

void add_format(CLI::App& app, Format& format, const std::string& schema, const std::string& help) {
    add_choice<Format, Format>(app, "--format", format, {{"text", Format::text}, {"json", Format::json}}, with_schema(help, schema));
}

void add_formats(CLI::App& app, Format& format, const std::string& schema, const std::string& help) {
    std::vector<std::pair<std::string, Format>> choices{{"text", Format::text}, {"json", Format::json}};
    std::string titles = ";";
    for (const CaseFormat& each : case_formats()) {
        choices.emplace_back(each.name, Format{&each});
        titles += (titles == ";" || &each == &case_formats().back() ? " or " : " ") + std::string(each.title) + ",";
    }
    titles.pop_back();
    add_choice<Format, Format>(app, "--format", format, choices, with_schema(help, schema) + titles);
}

std::vector<CLI::Option*> add_assembler(CLI::App& app, CompiledOptions& options) {
    CLI::Option* assembler = add_list(app, "--ptxas", options.assemblers, "FILE",
                                      "An assembler (repeatable; default: the first of PATH and /usr/local/cuda/bin)");
    CLI::Option* level = app.add_option("-O", options.levels, "Levels of optimisation (default: 1,2,3)")
                             ->type_name("N,...")
                             ->delimiter(',')
                             ->allow_extra_args(false)
                             ->check(CLI::Range(0, 3).description(""));
    return {assembler, level};
}

std::vector<CLI::Option*> add_settings(CLI::App& app, CompiledOptions& options) {
    std::vector<CLI::Option*> all = add_assembler(app, options);
    CLI::Option* target = add_list(app, "--target", options.targets, "SM,...", "Targets (default: sm_90a,sm_100a)")->delimiter(',');
    std::vector<std::string> bodies;
    std::string words;
    for (const gpu::Body body : gpu::bodies) {
        bodies.emplace_back(gpu::name(body));
        words += bodies.back() + "|";
    }
    bodies.emplace_back("harness");
    CLI::Option* body = add_list(app, "--body", options.bodies, words + "harness,...",
                                 "What stands around the instructions (default: plain,fixed,loop,pressure)")
                            ->delimiter(',')
                            ->check(CLI::IsMember(bodies).description(""));
    all.insert(all.end(), {target, body});
    return all;
}

CLI::Option* add_compiled(CLI::App& app, CompiledOptions& options, const std::string& help,
                          std::vector<CLI::Option*> (*settings)(CLI::App&, CompiledOptions&)) {
    CLI::Option* wanted = add_flag(app, "--compiled", options.wanted, help);
    for (CLI::Option* option : settings(app, options)) option->needs(wanted);
    return wanted;
}

}  // namespace litmus
