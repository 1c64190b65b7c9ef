// `litmus conform`: what GPUs did, against what a model allows.
//
// From files of observations to a report: the model is asked about each test once, whatever devices ran it, on the workers of a batch.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "analysis/conform/text.h"
#include "analysis/explain/why.h"
#include "analysis/explain/why_text.h"
#include "analysis/verdict/support.h"
#include "analysis/verdict/verdict.h"
#include "base/paths.h"
#include "cat/readings.h"
#include "gpu/run/observed_json.h"
#include "language/syntax/foreign/convert.h"
#include "tool/attempt.h"
#include "tool/batch.h"
#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/observations.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/results.h"

namespace litmus::conform_command {

namespace {

constexpr const char* footer = R"(
Reads what `litmus-gpu run -o` wrote, adds up the runs of each test on each device, and asks the model which outcomes are allowed. By
default the model has the weakest readings of the ISA. An outcome that was observed and is forbidden is explained. An outcome that is
allowed and was not seen gets a bound and is never called impossible: in N instances, its rate is below 3/N with 95 % confidence.
If behaviour is undefined, everything is allowed. Data races are not undefined here. The final value of a location says nothing if a
bulk operation that nobody waits for may still write it: such a value is called "late". The report ends with the readings: for each, it
says whether something was observed that the reading forbids. The other readings are then as under weakest.
A run names the file of its test. If that file is not the test, the test of that name is looked for in --tests: a file, a directory, or
- for standard input (for what `litmus-gpu run -` ran). A test that is missing, or whose text has changed since the run, is reported and
not compared. A forbidden outcome that --known lists is shown with its reason and does not count for the exit status.

Examples:
  litmus conform observed.json
  litmus conform litmus/observed/*.json --verbose
  litmus conform observed.json --tests litmus --reading strongest --format json > conform.json

Exit status: 0 nothing forbidden was observed; 1 something was; 2 a file that cannot be used, or nothing to compare;
3 a time-out, a loop bound or outcomes that were not listed left something undecided (2 before 1 before 3).
)";

struct Options : ModelOptions, LimitOptions {
    std::vector<std::string> inputs;
    std::string tests = "litmus";  // where tests are found by their names: a file, a folder, or "-"
    std::string known;             // path of the list of known disagreements
    int unroll = 2;
    unsigned jobs = 0;
    Format format = Format::text;
    bool verbose = false;
};

void define(CLI::App& app, Options& options) {
    add_required_names(app, options.inputs, "FILE", "What `litmus-gpu run -o` wrote",
                       {"no file is named", "name what `litmus-gpu run -o` wrote"});
    show_default(add_text(app, "--tests", options.tests, "FILE|DIR|-",
                          "Where tests are found by their names, if the files that the run names do not have them"));
    add_text(app, "--known", options.known, "FILE", "Disagreements that are known: lines TEST | OUTCOME | REASON");
    add_model(app, options);
    add_timeout(app, options.timeout);
    add_memory(app, options.memory);
    add_unroll(app, options.unroll);
    add_jobs(app, options.jobs);
    add_formats(app, options.format, "conform", "Write text, or one JSON object");
    add_flag(app, "-v,--verbose", options.verbose, "Write a line for every test and every outcome");
}

constexpr size_t most_explained = 8;  // forbidden outcomes of a test

// ---- the tests, found again ---------------------------------------------------------------------

// A test whose text is that of the run, or why there is none.
struct Found {
    std::shared_ptr<const Test> test;  // native
    std::string file;
    std::string reason, detail;  // without a test
};

class Library {
public:
    explicit Library(const Options& options) : place_(options.tests), seconds_(options.timeout) {
        for (const std::string& file : options.inputs) add_folder(std::filesystem::path(file).parent_path());
        add_folder(".");
    }

    // First where the run says it is, then, by its name, in the library's place.
    Found find(const gpu::Observation& o) {
        Found result{nullptr, o.file, "missing", missing(o)};
        std::error_code ignored;
        if (may_read(o.file) && std::filesystem::is_regular_file(o.file, ignored))
            for (const Input& input : inputs_of(o.file)) consider(input, o, result);
        if (result.test) return result;
        for (const Input& input : all())
            if (input.test || input.file == place_ || place_ == "-")
                consider(input, o, result);  // of a folder, files that do not parse do not matter
        return result;
    }

private:
    // What a run says of its files is not what the user asked for: they are read below the folder where one works and that
    // of the run; others are found by their names.
    void add_folder(const std::filesystem::path& folder) {
        std::error_code error;
        const std::filesystem::path there = std::filesystem::canonical(folder.empty() ? "." : folder, error);
        if (!error) folders_.push_back(there);
    }
    bool may_read(const std::string& file) const {
        std::error_code error;
        const std::filesystem::path there = std::filesystem::canonical(file, error);
        return !error && std::any_of(folders_.begin(), folders_.end(),
                                     [&](const auto& folder) { return there == folder || is_inside(there, folder); });
    }

    static bool from_stdin(const gpu::Observation& o) { return o.file == "<stdin>"; }

    std::string missing(const gpu::Observation& o) const {
        std::error_code ignored;
        const bool there = place_ == "-" || std::filesystem::exists(place_, ignored);
        return std::string(from_stdin(o) ? "it was read from standard input" : "there is no such file") + ", and " +
               (there ? "no test of this name is in '" : "there is no '") + place_ + "': name a file or folder that has it with --tests";
    }

    static std::string changed(const gpu::Observation& o) {
        return from_stdin(o) ? "another text was run, read from standard input: name a file that has it with --tests"
                             : "its text changed since the run: not compared";
    }

    // Takes a test with the right text; of others notes why they are not it.
    static void consider(const Input& input, const gpu::Observation& o, Found& result) {
        if (result.test) return;
        try {
            if (!input.test) throw Failure(*input.failure);
            if (input.test->name != o.test) return;
            Test native = to_native(*input.test);
            if (gpu::text_hash(native) == o.hash)
                result = {std::make_shared<const Test>(std::move(native)), input.file, {}, {}};
            else
                result = {nullptr, input.file, "changed", changed(o)};
        } catch (const Failure& failure) {
            if (result.reason == "missing") result = {nullptr, input.file, "unreadable", failure.diagnostics().front().message};
        }
    }

    const std::vector<Input>& inputs_of(const std::string& file) {
        const auto known = files_.find(file);
        if (known != files_.end()) return known->second;
        return files_[file] = parse_inputs(read_inputs({file}, seconds_).files);
    }

    const std::vector<Input>& all() {
        std::error_code ignored;
        const auto is_there = [&] { return place_ == "-" || std::filesystem::exists(place_, ignored); };
        if (!all_) all_ = is_there() ? parse_inputs(read_inputs({place_}, seconds_).files) : std::vector<Input>();
        return *all_;
    }

    std::string place_;
    double seconds_;  // for reading a pipe
    std::vector<std::filesystem::path> folders_;
    std::map<std::string, std::vector<Input>> files_;
    std::optional<std::vector<Input>> all_;
};

// ---- one test -----------------------------------------------------------------------------------

// One test on every device that ran it.
struct Work {
    Found found;
    std::vector<const Runs*> runs;
    std::vector<size_t> devices;  // of the runs
};

struct Done {
    std::vector<ConformTest> tests;  // by run; empty: see below
    std::string reason, detail;      // not compared
    std::vector<Diagnostic> errors;
    std::string internal_error;
};

// The list that --known names: a line `TEST | OUTCOME | REASON` for each; empty lines and those that start with # are none.
std::vector<Known> read_known(const std::string& path, double seconds) {
    std::vector<Known> list;
    if (path.empty()) return list;
    const SourcePtr text = read_source(path, {.budget = Budget(seconds)});
    const SourcePtr source = make_source(path, text->text, false);  // it may be any file
    std::istringstream in(source->text);
    size_t next = 0;
    for (std::string line; std::getline(in, line);) {
        const size_t at = next;
        next += line.size() + 1;
        while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.pop_back();
        if (line.empty() || line[0] == '#') continue;
        const size_t first = line.find(" | "), second = line.find(" | ", first == std::string::npos ? first : first + 3);
        if (second == std::string::npos)  // two bars with blanks around them: a reason that is empty is refused, too
            throw Failure(source, {static_cast<uint32_t>(at), static_cast<uint32_t>(at + line.size())},
                          "a known disagreement is a line `TEST | OUTCOME | REASON`", "the outcome as `litmus conform` writes it");
        list.push_back({line.substr(0, first), line.substr(first + 3, second - first - 3), line.substr(second + 3)});
    }
    return list;
}

class Judge {
public:
    Judge(const Options& options, ModelFamily& family, const std::vector<std::string>& on, const std::vector<Known>& known)
        : options_(options), family_(family), on_(on), model_(family.under(on)), known_(known) {}

    // Every error becomes part of the result.
    Done run(const Work& work, Solver& solver) const {
        Done done;
        const Trouble trouble = attempt([&] { compare_all(work, solver, done); });
        done.errors = trouble.errors();
        done.internal_error = trouble.internal_error;
        if (!trouble.undecided.empty()) {
            done.reason = "not decided";
            done.detail = trouble.undecided;
        }
        return done;
    }

private:
    // Nothing when the model, or the tool, has no word for something in the test: `done` then says what.
    std::optional<Program> built(const Test& test, const BuildOptions& build, Done& done) const {
        try {
            Program program = build_program(test, build);
            require_support(program, model_);
            return program;
        } catch (const Failure& failure) {
            done.reason = "not covered";
            done.detail = failure.diagnostics().front().message;
            return std::nullopt;
        }
    }

    void compare_all(const Work& work, Solver& solver, Done& done) const {
        const Test& test = *work.found.test;
        const BuildOptions build{options_.unroll, false, options_.budget()};
        std::optional<Program> maybe = built(test, build, done);
        if (!maybe) return;
        Program& program = *maybe;
        const Prediction prediction = predict(test, family_, on_, build, solver);
        std::vector<ConformTest> tests;
        for (const Runs* run : work.runs) {
            ConformTest result{test.name,
                               work.found.file,
                               run->tally.sum().hash,
                               run->tally.sum().hung,
                               prediction,
                               compared(prediction, *run),
                               {},
                               {},
                               {},
                               {}};
            if (test.source) {
                result.begin = position(*test.source, test.claim.span.begin);
                result.end = position(*test.source, test.claim.span.end);
            }
            for (const Seen& seen : result.comparison.seen) {
                if (seen.standing != Standing::forbidden) continue;
                if (result.why.size() < most_explained) result.why[seen.values] = explained(program, prediction, seen.values, solver);
                const std::string outcome = outcome_text(prediction.observables, seen.values);
                for (const Known& known : known_)
                    if (known.test == test.name && known.outcome == outcome) result.known[seen.values] = known.reason;
            }
            tests.push_back(std::move(result));
        }
        done.tests = std::move(tests);
    }

    WhyForbidden explained(Program& program, const Prediction& prediction, const OutcomeValues& values, Solver& solver) const {
        const WhyNot refusal = why_forbidden(program, model_, values, solver);
        return in_words(program, model_, refusal, program.test->name + ": " + outcome_text(prediction.observables, values));
    }

    const Options& options_;
    ModelFamily& family_;
    const std::vector<std::string>& on_;
    const Model& model_;
    const std::vector<Known>& known_;
};

// ---- everything ---------------------------------------------------------------------------------

// Each entry once, and whether its test ran all the same. Skipped tests have no hash: their names tell them apart.
std::vector<ConformSkipped> skipped_once(const std::vector<gpu::Skipped>& all, const std::vector<ObservedDevice>& devices) {
    std::set<std::string> ran;
    for (const ObservedDevice& device : devices)
        for (const Runs& runs : device.tests) ran.insert(runs.tally.sum().test);
    std::set<std::tuple<std::string, std::string, std::string>> known;
    std::vector<ConformSkipped> result;
    for (const gpu::Skipped& s : all)
        if (known.emplace(s.test, s.file, s.reason).second) result.push_back({s.test, s.file, s.reason, ran.count(s.test) > 0});
    return result;
}

std::vector<Work> find_tests(const std::vector<ObservedDevice>& devices, const Options& options, ConformReport& report) {
    Library library(options);
    std::vector<Work> works;
    std::map<std::string, size_t> known;  // by hash
    for (size_t d = 0; d < devices.size(); ++d)
        for (const Runs& runs : devices[d].tests) {
            const gpu::Observation& o = runs.tally.sum();
            const auto not_compared = [&](const std::string& file, const std::string& reason, const std::string& detail) {
                report.not_compared.push_back({o.test, file, devices[d].name, reason, detail});
            };
            if (o.instances == 0) {
                not_compared(o.file, "nothing ran", "no instance ran");
                continue;
            }
            if (const auto work = known.find(o.hash); work != known.end()) {
                works[work->second].runs.push_back(&runs);
                works[work->second].devices.push_back(d);
                continue;
            }
            Found found = library.find(o);
            if (!found.test) {
                not_compared(found.file, found.reason, found.detail);
                continue;
            }
            known[o.hash] = works.size();
            works.push_back({std::move(found), {&runs}, {d}});
        }
    return works;
}

void take(const Work& work, Done done, ConformReport& report) {
    for (size_t r = 0; r < done.tests.size(); ++r) report.devices[work.devices[r]].tests.push_back(std::move(done.tests[r]));
    if (done.reason == "not decided") report.status = combine_status(report.status, 3);
    if (!done.reason.empty())
        for (const size_t d : work.devices)
            report.not_compared.push_back({work.found.test->name, work.found.file, report.devices[d].name, done.reason, done.detail});
    report.errors.insert(report.errors.end(), done.errors.begin(), done.errors.end());
    if (!done.internal_error.empty())
        report.errors.push_back({Diagnostic::Level::error,
                                 nullptr,
                                 {},
                                 "internal error: " + work.found.file + ": " + done.internal_error + " (please report)",
                                 {}});
    if (!done.internal_error.empty()) report.status = internal_status;
}

void weigh_all(ConformReport& report, const Model& model) {
    for (ConformDevice& device : report.devices) {
        std::vector<Compared> tests;
        for (const ConformTest& test : device.tests) tests.push_back({&test.prediction, &test.comparison});
        device.evidence = weigh(model, tests);
    }
}

void set_status(ConformReport& report) {
    size_t compared = 0;
    for (const ConformDevice& device : report.devices) compared += device.tests.size();
    if (compared == 0 && report.errors.empty() && report.status != 3)
        report.errors.push_back(
            {Diagnostic::Level::error, nullptr, {}, "there is nothing to compare", "name a file or the folder of the tests with --tests"});
    if (!report.errors.empty()) report.status = combine_status(report.status, 2);
    if (count_unknown(report) > 0) report.status = combine_status(report.status, 1);
    if (count_of(report, Standing::undecided) > 0) report.status = combine_status(report.status, 3);
}

// The model under the readings that were asked for, noted in the report. Throws Failure for a reading that the model does not have.
const Model& choose_model(const Options& options, ModelFamily& family, ConformReport& report) {
    report.reading = options.reading.empty() ? "weakest" : options.reading;
    report.readings_on = resolve_readings(family.by_default(), report.reading);
    const Model& model = family.under(report.readings_on);
    report.model = model.name;
    report.model_hash = model.hash;
    report.readings = model.readings;
    return model;
}

bool was_seen(const Known& entry, const ConformReport& report) {
    for (const ConformDevice& device : report.devices)
        for (const ConformTest& test : device.tests)
            for (const auto& [values, reason] : test.known)
                if (entry.test == test.name && entry.outcome == outcome_text(test.prediction.observables, values)) return true;
    return false;
}

void compare_all(const Options& options, ModelFamily& family, const std::vector<Known>& known, const std::vector<Work>& works,
                 ConformReport& report) {
    std::vector<Done> results(works.size());
    const Judge judge(options, family, report.readings_on, known);
    const auto make_worker = [&]() -> Job {
        return [&](size_t i) {
            Solver solver(Solver::usually, faster);
            results[i] = judge.run(works[i], solver);
        };
    };
    Progress progress(works.size());
    run_batch(works.size(), workers_for(options.jobs), make_worker, [&](size_t i) {
        take(works[i], std::move(results[i]), report);
        progress.at(i + 1);
        return true;
    });
    for (const Known& entry : known)
        if (!was_seen(entry, report)) report.known_unseen.push_back(entry);
}

void make_report(const Options& options, ConformReport& report) {
    ModelFamily family(options.model, options.variants);
    const Model& model = choose_model(options, family, report);
    const std::vector<Known> known = read_known(options.known, options.timeout);
    const Observations observed = read_observations(options.inputs, options.timeout);
    const std::vector<ObservedDevice>& devices = observed.devices;
    report.files = observed.files;
    report.errors = observed.errors;
    report.skipped = skipped_once(observed.skipped, devices);
    for (const ObservedDevice& d : devices) report.devices.push_back({d.name, d.sm, d.drivers, {}, {}});
    compare_all(options, family, known, find_tests(devices, options, report), report);
    weigh_all(report, model);
    set_status(report);
}

int run(const Options& options, Output& out) {
    ConformReport report;
    try {
        make_report(options, report);
    } catch (const Failure& failure) {  // no such model or reading, or a file that cannot be read
        report.errors = failure.diagnostics();
        report.status = 2;
    }
    complain(report.errors);
    const TextStyle style{use_colour(STDOUT_FILENO), false, output_width()};
    if (const auto writer = case_writer(options.format, conform_rules())) {
        out.put(writer->begin());
        for (const Case& one : conform_cases(report)) out.put(writer->put(one));
        out.put(writer->end());
    } else if (options.format == Format::json) {
        out.put(conform_json(report));
    } else if (!report.devices.empty()) {
        out.put(conform_text(report, style, options.verbose));
    }
    return report.status;
}

}  // namespace

Command command() {
    return make_command("conform", "Compare what GPUs did with what a model allows", footer, define, run);
}

}  // namespace litmus::conform_command
