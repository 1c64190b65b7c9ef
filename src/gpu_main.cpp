// litmus-gpu: runs tests on a GPU and writes down what was observed.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/visible.h"
#include "cli/inputs.h"
#include "gpu/advice.h"
#include "gpu/progress.h"
#include "gpu/run.h"
#include "gpu/supervise.h"
#include "gpu/values.h"

namespace litmus {

namespace {

constexpr const char* main_footer = R"(
Examples:
  litmus-gpu run mp.litmus                              one second of a test, its histogram
  litmus-gpu run litmus --tune 2 -o observed.json       every test of a directory, tuned, kept for `litmus conform`
  litmus-gpu values                                     what each operation computes, the tool's word against the GPU's

Exit status:
  0    every test ran or is skipped for a reason that was said; all values agree
  1    a launch did not end or faulted: its test is recorded, the other tests ran; or some value differs
  2    bad usage or input, no usable GPU, no test ran, or the driver refused one (the other tests ran)
  130  interrupted: what was counted is kept
)";

constexpr const char* run_footer = R"(
Each test becomes PTX (as `litmus emit` prints it), which the driver compiles. Launches of many instances follow one
another; outcomes are counted on the device. A * marks the outcomes that satisfy the condition of the claim. Waiting
loops are bounded; an instance that gave up is counted as timed out. Tests that this machine cannot run are skipped.
After a launch that faults or does not end, a new process goes on with the tests that are left.

How threads are placed, when they start, where locations are and what runs beside them is a configuration
(src/gpu/stress.h). Without --tune and --config it is the untuned one. --tune searches for one that shows the rarest
outcome most often, and where none is seen has the test run under several in turn; what is seen meanwhile counts too. Ctrl-C ends the run and keeps what was counted; a second one ends it at once.

Examples:
  litmus-gpu run mp.litmus --seconds 10
  litmus-gpu run mp.litmus sb.litmus --instances 100000000 --seed 7 -o observed.json
  litmus-gpu run litmus --tune 5 --tune-by family --instances 20000000 -o observed.json
  litmus-gpu run litmus --config observed.json -o again.json      each test under the configuration stored for it
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

struct Options {
    bool values_wanted = false;
    gpu::ValuesOptions values;
    std::vector<std::string> inputs;
    std::string output;
    int device = 0;
    gpu::RunOptions run;
    double tune = 0;  // seconds; 0: no tuning
    std::string tune_by = "test";
    std::string config;
    bool progress = false;
    bool verbose = false;
    std::vector<std::string> command;
};

void define(CLI::App& app, Options& options) {
    const CLI::Validator given([](const std::string& text) { return text.empty() ? std::string("it is empty") : std::string(); }, "");
    app.footer(main_footer);
    app.set_version_flag("--version", "litmus-gpu " LITMUS_VERSION, "Print the version and exit");
    app.require_subcommand(1);
    CLI::App* run = app.add_subcommand("run", "Run tests and print how they ended");
    run->add_option("inputs", options.inputs, "Test files or directories, or - for standard input")->type_name("FILE|DIR|-")->required();
    run->add_option("-o,--output", options.output, "Write observed.json here")->type_name("FILE")->check(given);
    auto* seconds = run->add_option("--seconds", options.run.seconds, "Run each test for S seconds")
                        ->type_name("S")
                        ->check(CLI::Range(0.001, 1e6))
                        ->capture_default_str();
    run->add_option("--instances", options.run.instances, "Run each test until at least N instances are done")
        ->type_name("N")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 50U))
        ->excludes(seconds);
    auto* tune = run->add_option("--tune", options.tune, "Search S seconds for a good configuration before each test or family")
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
    run->add_option("--seed", options.run.seed, "Of all random choices")
        ->type_name("K")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    run->add_option("--watchdog", options.run.watchdog, "Give a test up when a launch takes longer than S seconds")
        ->type_name("S")
        ->check(CLI::Range(0.1, 3600.0))
        ->capture_default_str();
    run->add_option("--device", options.device, "Which GPU, counted from 0; tests for several GPUs take those that follow, too")
        ->type_name("N")
        ->capture_default_str();
    run->add_flag("--progress", options.progress, "Report the progress even where standard error is no terminal");
    run->add_flag("--verbose", options.verbose, "Print each test's configuration");
    run->footer(run_footer);

    CLI::App* values = app.add_subcommand("values", "Compare what operations compute with what this tool computes");
    values->callback([&options] { options.values_wanted = true; });
    values->add_option("-o,--output", options.output, "Write the table here")->type_name("FILE")->check(given);
    values->add_option("--only", options.values.only, "Forms whose text contains TEXT")->type_name("TEXT");
    values->add_option("--differences", options.values.differences, "Print at most N differences of a form")
        ->type_name("N")
        ->capture_default_str();
    auto* ptx = values->add_flag("--ptx", options.values.ptx_only, "Print the kernels instead of running them");
    values->add_option("--sm", options.values.sm, "Their target")->type_name("NN")->needs(ptx)->capture_default_str();
    values->add_option("--device", options.device, "Which GPU, counted from 0")->type_name("N")->capture_default_str();
    values->footer(values_footer);
}

void complain(const std::string& message) {
    std::istringstream lines("litmus-gpu: error: " + message);  // the driver's compiler writes several
    for (std::string line; std::getline(lines, line);) std::cerr << visible(line) << "\n";
}

void complain(const Failure& failure) {
    for (const Diagnostic& diagnostic : failure.diagnostics()) std::cerr << render(diagnostic, false);
}

// ---- run -------------------------------------------------------------------------------------------------

// The one thing that a signal handler may touch: shared with the worker, which ignores the signal.
std::atomic<bool>* interrupt_seen = nullptr;

extern "C" void note_interrupt(int number) {
    *interrupt_seen = true;
    std::signal(number, SIG_DFL);  // the second one is for the impatient
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string text_of(const std::string& path, const std::string& purpose = "") {
    constexpr size_t most_bytes = size_t{128} << 20;
    constexpr double longest = 60;  // of a pipe without a writer
    try {
        return read_source(path, {most_bytes, Budget(longest)})->text;
    } catch (const Failure& failure) {
        throw std::runtime_error(failure.diagnostics().front().message + purpose);
    }
}

gpu::Configurations read_config(const std::string& given) {
    if (given.empty()) return {};
    if (const size_t first = given.find_first_not_of(" \t\n"); first != std::string::npos && (given[first] == '{' || given[first] == '['))
        return gpu::read_configurations(given, "--config");
    return gpu::read_configurations(text_of(given, " (--config)"), given);
}

gpu::Gpus open_device(int ordinal, bool again) {
    try {
        return gpu::Gpus(ordinal);
    } catch (const std::exception& error) {
        if (!again) throw;
        throw std::runtime_error(std::string("the device answers nothing more (") + error.what() +
                                 "): the run ends here; what was counted before is kept");
    }
}

// What earlier workers have written; empty: nothing, or it went to a pipe, which cannot be read again.
std::string written_before(const gpu::Notes& notes, const std::string& output) {
    return notes->saved ? text_of(output) : "";
}

// A file is replaced, by one with more tests, again and again; a pipe or a terminal gets one document from each worker.
bool is_replaced(const std::string& output) {
    std::error_code ignored;
    return !std::filesystem::exists(output, ignored) || std::filesystem::is_regular_file(output, ignored);
}

// The tests of one command that are not done, one after the other: what a worker does.
class Campaign {
public:
    // All of these outlive it.
    Campaign(const Options& options, const gpu::Configurations& configurations, const std::vector<Input>& inputs, const gpu::Notes& notes)
        : options_(options),
          configurations_(configurations),
          inputs_(inputs),
          notes_(notes),
          earlier_(written_before(notes, options.output)),
          gpus_(open_device(options.device, notes->announced)),
          header_(gpu::header_of(gpus_.first(), options.run)),
          progress_(std::cerr, mode(options)),
          random_(options.run.seed) {
        header_.command = options.command;
        header_.configuration = configurations_.common;
        run_options_ = options.run;
        run_options_.interrupted = [this] { return interrupted(); };
        run_options_.progress = [this](const gpu::Observation& o) { tell(o); };
    }

    // Returns the exit status; does not return after a fault or a hang.
    int run() {
        announce();
        started_ = now();
        save_meanwhile(observations_);
        for (at_ = 0; at_ < inputs_.size() && !interrupted(); ++at_) {
            if (notes_.is_done(at_)) continue;
            notes_->at = at_;
            run_one();
            finished_.push_back(at_);
            save_meanwhile(observations_);
            runs_.erase(at_);
        }
        progress_.clear();
        keep_open_runs();  // tuned on, and interrupted before their turn
        save(observations_);
        if (!std::cout.flush()) {
            complain("cannot write standard output: the histograms are lost");
            notes_.worsen(2);
        }
        if (interrupted()) {
            complain("interrupted; what was counted until then is kept");
            return 130;
        }
        if (observations_.empty() && notes_->status == 0) {
            complain("no test ran");
            return 2;
        }
        return notes_->status;
    }

private:
    static gpu::ProgressLine::Mode mode(const Options& options) {
        if (isatty(STDERR_FILENO) != 0) return gpu::ProgressLine::Mode::terminal;
        return options.progress ? gpu::ProgressLine::Mode::lines : gpu::ProgressLine::Mode::silent;
    }

    const Input& input() const { return inputs_[at_]; }
    bool interrupted() const { return notes_->interrupted; }

    void announce() {
        const gpu::DeviceInfo& info = gpus_.first().info();
        if (!notes_->announced)
            std::cout << info.name << ", sm_" << info.sm << ", driver for CUDA " << gpu::cuda_version(info.driver) << ", seed "
                      << options_.run.seed << "\n\n";
        notes_->announced = true;
    }

    void say(const std::string& message) {
        progress_.clear();
        complain(message);
    }

    void run_one() {
        if (!input().test) {
            progress_.clear();
            complain(*input().failure);
            notes_.worsen(2);
            return;
        }
        try {
            gpu::TestRun& run = open(at_);
            const gpu::Stresses configurations = configuration(run);
            tuning_ = false;
            notes_->at = at_;
            if (!interrupted()) run.run(configurations);
            check_hung(run);
            finish(run.observation());
        } catch (const gpu::NotRun& reason) {
            header_.skipped.push_back({input().test->name, input().file, reason.what()});
            progress_.clear();
            std::cerr << visible(input().file) << ": '" << visible(input().test->name) << "' is skipped: " << reason.what() << "\n";
        } catch (const gpu::DriverError& error) {
            if (gpu::ends_everything(error.code())) leave_to_next(error.what());
            fail(error.what());
        } catch (const std::exception& error) {
            fail(error.what());
        }
    }

    void fail(const std::string& message) {
        say("'" + visible(input().test->name) + "': " + message);
        notes_.worsen(2);
        const auto run = runs_.find(at_);
        if (run != runs_.end() && run->second->observation().instances > 0) observations_.push_back(run->second->observation());
        header_.skipped.push_back({input().test->name, input().file, message});
    }

    // After a fault or a hang this process can do nothing more with the device, and everything that would free its memory fails
    // or waits. The test to blame is the one that the notes say, which is another than input() while a family is tuned.
    [[noreturn]] void leave_to_next(const std::string& reason) {
        const Input& culprit = inputs_[notes_->at];
        say("'" + culprit.test->name + "': " + reason);
        notes_.worsen(1);
        header_.skipped.push_back({culprit.test->name, culprit.file, reason});
        keep_open_runs();
        stopped_ = true;
        save(observations_);
        if (interrupted()) complain("interrupted; what was counted until then is kept");
        std::cout.flush();
        std::_Exit(interrupted() ? 130 : gpu::go_on);
    }

    void check_hung(const gpu::TestRun& run) {
        if (!run.observation().hung) return;
        std::ostringstream reason;
        reason << "a launch did not end within " << options_.run.watchdog << " s";
        leave_to_next(reason.str());
    }

    void keep_open_runs() {
        for (const auto& [index, run] : runs_)
            if (run->observation().instances > 0 || run->observation().hung) observations_.push_back(run->observation());
    }

    gpu::TestRun& open(size_t index) {
        auto& run = runs_[index];
        notes_->at = index;
        try {
            if (!run) run = std::make_unique<gpu::TestRun>(gpus_, *inputs_[index].test, inputs_[index].file, run_options_);
        } catch (...) {
            runs_.erase(index);
            throw;
        }
        return *run;
    }

    // ---- configurations

    gpu::Stresses configuration(gpu::TestRun& run) {
        if (!options_.config.empty()) {
            gpu::Stresses found = gpu::configuration_for(configurations_, run.observation().hash, run.observation().test);
            if (found.empty()) {
                progress_.clear();
                std::cerr << "litmus-gpu: warning: --config has nothing for '" << visible(run.observation().test) << "': it runs untuned\n";
                found = {gpu::Stress{}};
            }
            return found;
        }
        if (options_.tune <= 0) return {gpu::Stress{}};
        if (options_.tune_by == "test") return tuned({at_});
        const std::string family = std::filesystem::path(input().file).parent_path().string();
        const auto known = of_family_.find(family);
        if (known != of_family_.end()) return known->second;
        return of_family_[family] = tuned(members(family));
    }

    // This test, and one from the middle and the end of its directory that run here.
    std::vector<size_t> members(const std::string& family) {
        std::vector<size_t> all, result = {at_};
        for (size_t i = at_ + 1; i < inputs_.size(); ++i)
            if (inputs_[i].test && !notes_.is_done(i) && std::filesystem::path(inputs_[i].file).parent_path().string() == family)
                all.push_back(i);
        if (all.size() > 1) result.push_back(all[all.size() / 2]);
        if (!all.empty() && all.back() != result.back()) result.push_back(all.back());
        const auto fails = [&](size_t i) {
            try {
                open(i);
                return false;
            } catch (const gpu::DriverError& error) {
                if (gpu::ends_everything(error.code())) throw;
                return true;
            } catch (const std::exception&) {  // said when its turn comes
                return true;
            }
        };
        std::erase_if(result, fails);
        return result;
    }

    gpu::Stresses tuned(const std::vector<size_t>& tests) {
        std::vector<gpu::Trial> trials;
        for (const size_t i : tests)
            trials.emplace_back([this, i, &run = open(i)](const gpu::Stress& stress, double seconds) {
                notes_->at = i;
                const gpu::Measured measured = run.trial(stress, seconds);
                check_hung(run);
                return measured;
            });
        gpu::TuneOptions options;
        options.seconds = options_.tune;
        options.trial *= static_cast<double>(tests.size());
        options.stop = [this] { return interrupted(); };
        tuning_ = true;
        const gpu::Tuned result = gpu::tune(gpu::together(std::move(trials)), options, random_);
        tuning_ = false;
        if (options_.verbose) {
            progress_.clear();
            std::cout << "tuned in " << result.seconds << " s, " << result.trials << " trials: " << result.score.wanted
                      << " outcomes wanted, the rarest " << result.score.wanted_rate << " a second; " << result.score.outcomes
                      << " outcomes, the rarest " << result.score.rate << " a second\n";
        }
        return result.in_turn;
    }

    // ---- what there is so far

    void finish(const gpu::Observation& observation) {
        observations_.push_back(observation);
        progress_.clear();
        std::cout << gpu::to_text(observation);
        if (options_.verbose) std::cout << "Configuration " << gpu::configuration_text(observation.configuration) << "\n";
        std::cout << "\n" << std::flush;
    }

    void tell(const gpu::Observation& current) {
        gpu::Standing standing;
        standing.test = at_ + 1;
        standing.tests = inputs_.size();
        standing.name = current.test;
        standing.tuning = tuning_;
        standing.instances = current.instances;
        standing.seconds = current.seconds;
        standing.left = seconds_left(current);
        progress_.show(standing, now());
        if (now() - saved_ < seconds_between_saves) return;
        std::vector<gpu::Observation> all = observations_;
        all.push_back(current);
        save_meanwhile(all);
    }

    // By what is asked for each test, or, where that is a number of instances, by what the tests so far took.
    double seconds_left(const gpu::Observation& current) const {
        const double elapsed = now() - started_, done = static_cast<double>(observations_.size());
        const double tests_left = static_cast<double>(inputs_.size() - at_);
        if (options_.run.instances == 0) {
            const double each = options_.run.seconds + (options_.tune_by == "test" ? options_.tune : 0);
            return tests_left * each - current.seconds;
        }
        const double target = static_cast<double>(options_.run.instances);
        const double own = std::max(1e-3, static_cast<double>(current.instances) / target);
        return done > 0 ? elapsed / done * tests_left - current.seconds
                        : current.seconds / std::min(own, 1.0) * tests_left - current.seconds;
    }

    // As often as that takes a twentieth of the time at most. Should this process crash, what is not saved runs again.
    void save_meanwhile(const std::vector<gpu::Observation>& observations) {
        const double start = now();
        if (!is_replaced(options_.output) || start - saved_ < 20 * save_seconds_) return;
        save(observations);
        saved_ = now();
        save_seconds_ = saved_ - start;
    }

    void save(const std::vector<gpu::Observation>& observations) {
        write(observations);
        for (const size_t input : finished_) notes_.done(input);
        finished_.clear();
    }

    void write(const std::vector<gpu::Observation>& observations) {
        if (options_.output.empty()) return;
        std::error_code ignored;
        const bool nothing = observations.empty() && !notes_->saved && !stopped_;
        if (nothing && std::filesystem::exists(options_.output, ignored)) return;  // what is there stays until a test has run
        try {
            gpu::write_file(options_.output,
                            earlier_.empty() ? gpu::to_json(header_, observations) : gpu::to_json(header_, observations, earlier_));
            notes_->saved = is_replaced(options_.output);
        } catch (const std::exception& error) {
            say(error.what());
            notes_.worsen(2);
        }
    }

    static constexpr double seconds_between_saves = 30;

    const Options& options_;
    const gpu::Configurations& configurations_;
    const std::vector<Input>& inputs_;
    const gpu::Notes& notes_;
    const std::string earlier_;  // what earlier workers have written
    gpu::Gpus gpus_;
    gpu::RunHeader header_;
    gpu::RunOptions run_options_;
    gpu::ProgressLine progress_;
    std::mt19937_64 random_;
    std::map<size_t, std::unique_ptr<gpu::TestRun>> runs_;  // those that are open, by their place among the inputs
    std::map<std::string, gpu::Stresses> of_family_;
    std::vector<gpu::Observation> observations_;
    size_t at_ = 0;  // of inputs_
    bool tuning_ = false;
    bool stopped_ = false;          // by a fault or a hang
    std::vector<size_t> finished_;  // inputs since the last save
    double started_ = 0, saved_ = 0, save_seconds_ = 0;
};

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
    values.device = options.device;
    if (options.output.empty()) return gpu::run_values(values, std::cout);
    std::ofstream file(options.output);
    const int status = gpu::run_values(values, file);
    if (file.flush()) return status;
    complain("cannot write '" + options.output + "'");
    return 2;
}

// A worker that a signal has ended could say nothing itself.
void record_death(const Options& options, const Input& input, const gpu::Notes& notes, const std::string& signal) {
    const std::string reason = "the process that ran it was ended by a signal: " + signal;
    if (isatty(STDERR_FILENO) != 0) std::cerr << "\n";  // below the line of the progress
    complain("'" + (input.test ? input.test->name : input.file) + "': " + reason);
    notes.worsen(1);
    if (!notes->saved) return;
    const std::string name = input.test ? input.test->name : "";
    gpu::write_file(options.output, gpu::with_skipped(text_of(options.output), {name, input.file, reason}));
}

std::vector<Input> inputs_of(const std::vector<std::string>& names) {
    const FilesRead read = read_inputs(names);
    for (const Diagnostic& warning : read.warnings) std::cerr << render(warning, false);
    return parse_inputs(read.files);
}

int run(const Options& options) {
    check_output(options.output);
    for (const std::string& input : options.inputs) {
        std::error_code ignored;
        if (!options.output.empty() && std::filesystem::equivalent(input, options.output, ignored))
            throw std::runtime_error("-o names an input, '" + input + "': name another file");
    }
    if (std::isnan(options.tune) || std::isnan(options.run.seconds)) throw std::runtime_error("--tune and --seconds take numbers");
    const gpu::Configurations configurations = read_config(options.config);
    const std::vector<Input> inputs = inputs_of(options.inputs);
    if (std::none_of(inputs.begin(), inputs.end(),
                     [](const Input& input) { return input.test != nullptr; })) {  // no GPU is needed to say so
        for (const Input& input : inputs) complain(*input.failure);
        return 2;
    }
    const gpu::Notes notes(inputs.size());
    interrupt_seen = &notes->interrupted;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, note_interrupt);
    return gpu::supervise(
        notes, [&] { return Campaign(options, configurations, inputs, notes).run(); },
        [&](size_t index, const std::string& signal) { record_death(options, inputs[index], notes, signal); });
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
    options.command.assign(argv, argv + argc);
    options.command[0] = "litmus-gpu";
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
