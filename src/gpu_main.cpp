// litmus-gpu: runs tests on a GPU and writes down what was observed.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "cli/inputs.h"
#include "gpu/run.h"
#include "gpu/values.h"

namespace litmus {

namespace {

constexpr const char* main_footer = R"(
Examples:
  litmus-gpu run mp.litmus                      one second of a test, its histogram
  litmus-gpu run litmus -o observed.json        every test of a directory, kept for `litmus conform`
  litmus-gpu values                             what each operation computes, the tool's word against the GPU's

Exit status:
  0  all tests ran; all values agree
  1  a launch did not end: what was counted before it is kept; or some value differs
  2  bad usage or input, no usable GPU, or a test that this GPU cannot run
)";

constexpr const char* run_footer = R"(
Each test becomes PTX (as `litmus emit` prints it), which the driver compiles. Batches of many instances run with
random start skew and placement of the locations; outcomes are counted on the device. A * marks the outcomes that
satisfy the condition of the claim. Waiting loops are bounded; an instance that gave up is counted as timed out.

Examples:
  litmus-gpu run mp.litmus --seconds 10
  litmus-gpu run mp.litmus sb.litmus --instances 100000000 --seed 7 -o observed.json
)";

constexpr const char* values_footer = R"(
Every form that computes (atom, red, red.async, cp.reduce.async.bulk, redux.sync) is run on pairs of edge values of its
type and some random ones; results are compared bit for bit with those that `litmus` computes.

Examples:
  litmus-gpu values -o values.txt
  litmus-gpu values --only add.f32 --differences 20
  litmus-gpu values --ptx --sm 100              the kernels, without a GPU
)";

struct Options {
    bool values_wanted = false;
    gpu::ValuesOptions values;
    std::vector<std::string> inputs;
    std::string output;
    int device = 0;
    gpu::RunOptions run;
};

void define(CLI::App& app, Options& options) {
    app.footer(main_footer);
    app.set_version_flag("--version", "litmus-gpu " LITMUS_VERSION, "Print the version and exit");
    app.require_subcommand(1);
    CLI::App* run = app.add_subcommand("run", "Run tests and print how they ended");
    run->add_option("inputs", options.inputs, "Test files or directories, or - for standard input")->type_name("FILE|DIR|-")->required();
    run->add_option("-o,--output", options.output, "Write observed.json here")->type_name("FILE");
    auto* seconds = run->add_option("--seconds", options.run.seconds, "Run each test for S seconds")
                        ->type_name("S")
                        ->check(CLI::Range(0.001, 1e6))
                        ->capture_default_str();
    run->add_option("--instances", options.run.instances, "Run each test until at least N instances are done")
        ->type_name("N")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 50U))
        ->excludes(seconds);
    run->add_option("--seed", options.run.seed, "Of all random choices")->type_name("K")->capture_default_str();
    run->add_option("--watchdog", options.run.watchdog, "Give up on a launch after S seconds")
        ->type_name("S")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    run->add_option("--device", options.device, "Which GPU, as nvidia-smi numbers them")->type_name("N")->capture_default_str();
    run->footer(run_footer);

    CLI::App* values = app.add_subcommand("values", "Compare what operations compute with what this tool computes");
    values->callback([&options] { options.values_wanted = true; });
    values->add_option("-o,--output", options.output, "Write the table here")->type_name("FILE");
    values->add_option("--only", options.values.only, "Forms whose text contains TEXT")->type_name("TEXT");
    values->add_option("--differences", options.values.differences, "Print at most N differences of a form")
        ->type_name("N")
        ->capture_default_str();
    auto* ptx = values->add_flag("--ptx", options.values.ptx_only, "Print the kernels instead of running them");
    values->add_option("--sm", options.values.sm, "Their target")->type_name("NN")->needs(ptx)->capture_default_str();
    values->add_option("--device", options.device, "Which GPU, as nvidia-smi numbers them")->type_name("N")->capture_default_str();
    values->footer(values_footer);
}

void complain(const std::string& message) {
    std::cerr << "litmus-gpu: error: " << message << (message.empty() || message.back() != '\n' ? "\n" : "");
}

void complain(const Failure& failure) {
    for (const Diagnostic& diagnostic : failure.diagnostics()) std::cerr << render(diagnostic, false);
}

// What one run has done so far.
struct Progress {
    gpu::RunHeader header;
    std::vector<gpu::Observation> observations;
    int status = 0;
};

void save(const Options& options, Progress& progress) {
    if (options.output.empty()) return;
    std::ofstream file(options.output);
    file << gpu::to_json(progress.header, progress.observations);
    if (!file.flush()) {
        complain("cannot write '" + options.output + "'");
        progress.status = 2;
    }
}

void run_one(const gpu::Device& device, const Input& input, const Options& options, Progress& progress) {
    if (!input.test) {
        complain(*input.failure);
        progress.status = 2;
        return;
    }
    try {
        progress.observations.push_back(gpu::run_test(device, *input.test, input.file, options.run));
        std::cout << gpu::to_text(progress.observations.back()) << "\n" << std::flush;
    } catch (const Failure& failure) {
        complain(failure);
        progress.status = 2;
    } catch (const std::exception& error) {  // of the driver, or a device too small: the other tests still get their turn
        complain(error.what());
        progress.status = 2;
    }
    if (progress.observations.empty() || !progress.observations.back().hung) return;
    complain("a launch of '" + input.test->name + "' did not end in time (--watchdog); the run ends here, since nothing stops a kernel");
    save(options, progress);
    std::cout.flush();
    std::_Exit(1);  // everything else would wait for the kernel
}

int compare_values(const Options& options) {
    gpu::ValuesOptions values = options.values;
    values.device = options.device;
    if (options.output.empty()) return gpu::run_values(values, std::cout);
    std::ofstream file(options.output);
    const int status = gpu::run_values(values, file);
    if (file.flush()) return status;
    complain("cannot write '" + options.output + "'");
    return 2;
}

int run(const Options& options) {
    const std::vector<Input> inputs = parse_inputs(read_inputs(options.inputs));
    const gpu::Device device(options.device);
    Progress progress;
    progress.header = gpu::header_of(device, options.run);
    std::cout << device.info().name << ", sm_" << device.info().sm << ", driver for CUDA " << device.info().driver / 1000 << "."
              << device.info().driver % 1000 / 10 << ", seed " << options.run.seed << "\n\n";
    for (const Input& input : inputs) run_one(device, input, options, progress);
    save(options, progress);
    return progress.status;
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
        complain(error.what());
        std::cerr << "    see: litmus-gpu run --help\n";
        return 2;
    }
    if (options.values_wanted) return compare_values(options);
    return run(options);
}

}  // namespace

}  // namespace litmus

int main(int argc, char** argv) {
    try {
        return litmus::run_command_line(argc, argv);
    } catch (const std::exception& error) {
        litmus::complain(error.what());
    }
    return 2;
}
