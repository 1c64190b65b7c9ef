// litmus-gpu: runs tests on a GPU and writes down what was observed.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/share.h"
#include "gpu/emit/moved.h"
#include "gpu/run/campaign.h"
#include "gpu/run/ledger.h"
#include "gpu/run/supervise.h"
#include "gpu/run/values.h"
#include "sass/assembler.h"
#include "tool/inputs.h"
#include "tool/shard.h"

namespace litmus {

namespace {

constexpr const char* main_footer = R"(
Examples:
  litmus-gpu run mp.litmus                              one second of a test, its histogram
  litmus-gpu run litmus --tune 2 -o observed.json       every test of a directory, tuned, kept for `litmus conform`
  litmus-gpu values                                     what each operation computes, the tool's word against the GPU's
  litmus-gpu moved litmus                               what ptxas moves, merges and drops of these tests; no GPU is needed

Exit status:
  0    every test ran or is skipped for a reason that was said; all values agree
  1    a launch did not end or faulted: its test is recorded, the other tests ran; or some value differs
  2    bad usage or input, no usable GPU, no test ran, or the driver refused one (the other tests ran)
  130  interrupted: what was counted is kept
)";

constexpr const char* run_footer = R"(
Each test becomes PTX (as `litmus emit` prints it). Where there is a ptxas, that assembles it, and with each run is kept which
instructions it issued before which, merged or dropped; else the driver compiles it. With --pin something stands between the instructions
that ptxas moves nothing across and the GPU passes over: a branch that is always taken, past a fence. Launches of many instances follow one
another; outcomes are counted on the device. A * marks the outcomes that satisfy the condition of the claim. Waiting
loops are bounded; an instance that gave up is counted as timed out. Tests that this machine cannot run are skipped.
After a launch that faults or does not end, a new process goes on with the tests that are left.

How threads are placed, when they start, where locations are and what runs beside them is a configuration
(src/gpu/emit/stress.h). Without --tune and --config it is the untuned one. --tune searches for one that shows the rarest
outcome most often, and where none is seen has the test run under several in turn; what is seen meanwhile counts too. Ctrl-C ends the run and keeps what was counted; a second one ends it at once.

Examples:
  litmus-gpu run mp.litmus --seconds 10
  litmus-gpu run mp.litmus sb.litmus --instances 100000000 --seed 7 -o observed.json
  litmus-gpu run litmus --tune 5 --tune-by family --instances 20000000 -o observed.json
  litmus-gpu run litmus --config observed.json -o again.json      each test under the configuration stored for it
  litmus-gpu run litmus --shard 2/4 -o observed-2.json                 one of four machines
  litmus-gpu run litmus --shard 2/4 -o observed-2.json --resume        after that was killed
  litmus-gpu run mp.litmus --config '{"skew": 512, "scatter": "random"}'
  litmus-gpu run mp.litmus --config '[{"skew": 512}, {"traffic": 4, "bulk": 128}]'      in turn
)";

constexpr const char* values_footer = R"(
Every form that computes (atom, red, red.async, cp.reduce.async.bulk, redux.sync) is run on pairs of edge values of its
type and some random ones; results are compared bit for bit with those that `litmus` computes.

Examples:
  litmus-gpu values -o values.txt
  litmus-gpu values --only add.f32 --differences 20
  litmus-gpu values --ptx --sm 100              the kernels, without a GPU
)";

constexpr const char* moved_footer = R"(
Each test is assembled as `run` does it, and the order of its instructions read from the code: which are issued before one that stands above
them, which were dropped, or merged with another. Then a table of all, by kinds of instructions.

Examples:
  litmus-gpu moved litmus
  litmus-gpu moved litmus --pin                 nothing moves
  litmus-gpu moved mp.litmus --format json --ptxas /usr/local/cuda-12.8/bin/ptxas
)";

struct Options {
    bool values_wanted = false;
    bool moved_wanted = false;
    bool json = false;
    std::string ptxas;
    gpu::ValuesOptions values;
    std::vector<std::string> inputs;
    gpu::CampaignOptions campaign;  // its output and its device are those of `values`, too
    std::string tune_by = "test";
    std::string config;
    std::optional<Share> shard;
    bool progress = false;
};

constexpr const char* resume_option = "--resume";

void define_assembler(CLI::App& command, Options& options) {
    command
        .add_option("--ptxas", options.ptxas,
                    "The assembler (default: the first of PATH and /usr/local/cuda/bin), or `none`: the driver compiles")
        ->type_name("FILE");
    command.add_flag_callback(
        "--pin", [&options] { options.campaign.run.pins = gpu::Pins::between; },
        "Have something between instructions that ptxas moves nothing across");
}

void define(CLI::App& app, Options& options) {
    const CLI::Validator given([](const std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); }, "");
    app.footer(main_footer);
    app.set_version_flag("--version", "litmus-gpu " LITMUS_VERSION, "Print the version and exit");
    app.require_subcommand(1);
    CLI::App* run = app.add_subcommand("run", "Run tests and print how they ended");
    run->add_option("inputs", options.inputs, "Test files or directories, or - for standard input")->type_name("FILE|DIR|-")->required();
    auto* output = run->add_option("-o,--output", options.campaign.output, "Write observed.json here")->type_name("FILE")->check(given);
    auto* seconds = run->add_option("--seconds", options.campaign.run.seconds, "Run each test for S seconds")
                        ->type_name("S")
                        ->check(CLI::Range(0.001, 1e6))
                        ->capture_default_str();
    run->add_option("--instances", options.campaign.run.instances, "Run each test until at least N instances are done")
        ->type_name("N")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 50U))
        ->excludes(seconds);
    auto* tune = run->add_option("--tune", options.campaign.tune, "Search S seconds for a good configuration before each test or family")
                     ->type_name("S")
                     ->check(CLI::Range(0.01, 1e6));
    run->add_option("--tune-by", options.tune_by, "One configuration for each test, or for each family (the tests of a directory)")
        ->check(CLI::IsMember({"test", "family"}))
        ->needs(tune)
        ->capture_default_str();
    run->add_option("--config", options.config, "Take the configuration from a JSON object, or each test's from an observed.json")
        ->type_name("FILE|JSON")
        ->check(given)
        ->excludes(tune);
    run->add_option("--seed", options.campaign.run.seed, "Of all random choices")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    run->add_option("--watchdog", options.campaign.run.watchdog, "Give a test up when a launch takes longer than S seconds")
        ->type_name("S")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    run->add_option("--device", options.campaign.device, "Which GPU, counted from 0; tests for several GPUs take those that follow, too")
        ->type_name("N")
        ->capture_default_str();
    run->add_flag(resume_option, options.campaign.resume,
                  "Go on with what the same command has written to the file of -o before it was killed")
        ->needs(output);
    run->add_option_function<std::string>(
           "--shard",
           [&options](const std::string& text) {
               options.shard = parse_share(text);
               if (!options.shard) throw CLI::ValidationError("--shard", "'" + text + "' is not I/N, from 1/N to N/N");
           },
           "Run the I-th of N parts of the files, shared out by what they hold; `litmus conform` takes what all of them wrote")
        ->type_name("I/N");
    define_assembler(*run, options);
    run->add_flag("--progress", options.progress, "Report the progress even where standard error is no terminal");
    run->add_flag("--verbose", options.campaign.verbose, "Print each test's configuration");
    run->footer(run_footer);

    CLI::App* values = app.add_subcommand("values", "Compare what operations compute with what this tool computes");
    values->callback([&options] { options.values_wanted = true; });
    values->add_option("-o,--output", options.campaign.output, "Write the table here")->type_name("FILE")->check(given);
    values->add_option("--only", options.values.only, "Forms whose text contains TEXT")->type_name("TEXT");
    values->add_option("--differences", options.values.differences, "Print at most N differences of a form")
        ->type_name("N")
        ->capture_default_str();
    auto* ptx = values->add_flag("--ptx", options.values.ptx_only, "Print the kernels instead of running them");
    values->add_option("--sm", options.values.sm, "Their target")->type_name("NN")->needs(ptx)->capture_default_str();
    values->add_option("--device", options.campaign.device, "Which GPU, counted from 0")->type_name("N")->capture_default_str();
    values->footer(values_footer);

    CLI::App* moved = app.add_subcommand("moved", "Print what ptxas moves, merges and drops of tests");
    moved->callback([&options] { options.moved_wanted = true; });
    moved->add_option("inputs", options.inputs, "Test files or directories, or - for standard input")->type_name("FILE|DIR|-")->required();
    define_assembler(*moved, options);
    moved
        ->add_option_function<std::string>(
            "--format", [&options](const std::string& format) { options.json = format == "json"; }, "Of the output: text or json")
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"text", "json"}));
    moved->footer(moved_footer);
}

// ---- run -------------------------------------------------------------------------------------------------

// The one thing that a signal handler may touch: shared with the worker, which ignores the signal.
std::atomic<bool>* interrupt_seen = nullptr;

extern "C" void note_interrupt(int number) {
    *interrupt_seen = true;
    std::signal(number, SIG_DFL);  // the second one is for the impatient
}

gpu::Configurations read_config(const std::string& given) {
    if (given.empty()) return {};
    if (const size_t first = given.find_first_not_of(" \t\n"); first != std::string::npos && (given[first] == '{' || given[first] == '['))
        return gpu::read_configurations(given, "--config");
    return gpu::read_configurations(gpu::text_of_file(given, " (--config)"), given);
}

// Before hours of running, not after.
void check_output(const std::string& path) {
    if (path.empty()) return;
    if (path == "-")
        throw std::runtime_error("-o takes a file, since standard output has the histograms; /dev/stdout or ./- if you mean it");
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    if (std::filesystem::is_directory(path) || access(folder.c_str(), W_OK) != 0)
        throw std::runtime_error("cannot write '" + path + "': name a file in a folder that exists and may be written to");
}

int compare_values(const Options& options) {
    gpu::ValuesOptions values = options.values;
    values.device = options.campaign.device;
    if (options.campaign.output.empty()) return gpu::run_values(values, std::cout);
    std::ostringstream text;
    const int status = gpu::run_values(values, text);
    gpu::write_file(options.campaign.output, text.str());
    return status;
}

std::vector<Input> inputs_of(const std::vector<std::string>& names, const Share& share) {
    FilesRead read = read_inputs(names);
    for (const Diagnostic& warning : read.warnings) std::cerr << render(warning, false);
    read.files.erase(std::remove_if(read.files.begin(), read.files.end(), [&](const InputFile& file) { return !is_in(share, file); }),
                     read.files.end());
    return parse_inputs(read.files);
}

// Throws where the one that was named is none.
std::optional<sass::Assembler> assembler_of(const Options& options) {
    if (options.ptxas == "none") return std::nullopt;
    std::optional<sass::Assembler> found = sass::find_assembler(options.ptxas);
    if (!found && !options.ptxas.empty()) throw std::runtime_error("'" + options.ptxas + "' is no ptxas");
    return found;
}

int print_moved(const Options& options) {
    const std::optional<sass::Assembler> assembler = assembler_of(options);
    if (!assembler) throw std::runtime_error("there is no ptxas on the PATH or in /usr/local/cuda/bin: name one with --ptxas");
    gpu::MovedTable table;
    table.pins = options.campaign.run.pins;
    int status = 0;
    for (const Input& input : inputs_of(options.inputs, {})) {
        if (input.test) {
            gpu::count(*input.test, input.file, *assembler, table);
        } else {
            gpu::complain(std::cerr, *input.failure);
            status = 2;
        }
    }
    std::cout << (options.json ? gpu::to_json(table) : gpu::to_text(table)) << std::flush;
    return status;
}

int run(const Options& options) {
    check_output(options.campaign.output);
    for (const std::string& input : options.inputs) {
        std::error_code ignored;
        if (!options.campaign.output.empty() && std::filesystem::equivalent(input, options.campaign.output, ignored))
            throw std::runtime_error("-o names an input, '" + input + "': name another file");
    }
    if (std::isnan(options.campaign.tune) || std::isnan(options.campaign.run.seconds))
        throw std::runtime_error("--tune and --seconds take numbers");
    const gpu::Configurations configurations = read_config(options.config);
    const Share share = share_of(options.shard);
    const std::vector<Input> inputs = inputs_of(options.inputs, share);
    if (inputs.empty() && !share.whole()) {
        std::cout << "No test of this part.\n";
        return 0;
    }
    if (std::none_of(inputs.begin(), inputs.end(),
                     [](const Input& input) { return input.test != nullptr; })) {  // no GPU is needed to say so
        for (const Input& input : inputs) gpu::complain(std::cerr, *input.failure);
        return 2;
    }
    std::vector<gpu::Task> tasks;
    for (const Input& input : inputs) tasks.push_back({input.file, input.test.get(), input.failure ? &*input.failure : nullptr});
    const gpu::Notes notes(tasks.size());
    if (const size_t done = gpu::recall(options.campaign, tasks, notes); done > 0)
        std::cerr << "litmus-gpu: " << done << " of " << tasks.size() << " tests are done, as '" << options.campaign.output << "' has it\n";
    interrupt_seen = &notes->interrupted;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note_interrupt);
    return gpu::supervise(
        notes,
        [&] {
            return gpu::run_campaign(options.campaign, configurations, tasks, notes, {std::cout, std::cerr});
        },
        [&](size_t task, const std::string& signal) { gpu::record_death(options.campaign, tasks[task], notes, signal, std::cerr); });
}

// What of the options follows from others and from where the output goes.
void complete(Options& options) {
    options.campaign.tune_families = options.tune_by == "family";
    options.campaign.configured = !options.config.empty();
    if (isatty(STDERR_FILENO) != 0)
        options.campaign.progress = gpu::ProgressLine::Mode::terminal;
    else if (options.progress)
        options.campaign.progress = gpu::ProgressLine::Mode::lines;
}

int run_command_line(int argc, char** argv) {
    CLI::App app("Runs litmus tests of the PTX memory model on a GPU.", "litmus-gpu");
    Options options;
    define(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        gpu::complain(std::cerr, error.what());
        std::cerr << "    see: litmus-gpu run --help\n";
        return 2;
    }
    options.campaign.command.assign(argv, argv + argc);
    options.campaign.command[0] = "litmus-gpu";
    std::erase(options.campaign.command, resume_option);
    complete(options);
    if (options.values_wanted) return compare_values(options);
    if (options.moved_wanted) return print_moved(options);
    options.campaign.run.assembler = assembler_of(options);
    return run(options);
}

}  // namespace

}  // namespace litmus

int main(int argc, char** argv) {
    try {
        return litmus::run_command_line(argc, argv);
    } catch (const std::exception& error) {
        litmus::gpu::complain(std::cerr, error.what());
    }
    return 2;
}
