// `litmus gen`: tests from cycles of edges.
//
// The cycles are found one after the other; their tests are written, and what they claim is computed, by several workers.
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <stdexcept>

#include "analysis/verdict/claims.h"
#include "analysis/verdict/verdict.h"
#include "base/visible.h"
#include "cat/readings.h"
#include "event/program.h"
#include "gen/generate.h"
#include "gen/generated.h"
#include "gen/write.h"
#include "language/syntax/native/print.h"
#include "solve/solve.h"
#include "tool/attempt.h"
#include "tool/batch.h"
#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/rewrite.h"

namespace litmus::gen_command {

namespace {

constexpr const char* footer = R"(
A test is a cycle of edges between accesses, as diy has them. PodWW goes by program order from a write to a write of a different
location. Rfe@gpu goes from a write to the read of another thread that takes its value, in another cluster of the GPU. The words of a
cycle, joined by "+", are the name of its test, and make it again. Each test asks whether its cycle can be: `exists (...)`. With
--claim, it claims what the model says of it: `exists` or `~exists`, `undefined`, `deadlock`, `may-deadlock`.
Two tests differ in more than the order of threads and the names of locations. With --seed, each well-known shape, and each number of
accesses, gets as many tests as the others.

Examples:
  litmus gen PodWW Rfe@gpu PodRR Fre@gpu
  litmus gen --shape MP --family fence --count 1000 -o tests
  litmus gen --seed 1 --max-events 6 --count 5000 --claim -o tests
  litmus gen --list

Exit status: 0 all were made; 1 there are not so many; 2 bad input; 3 some claim was not decided, and its test left out.
)";

struct Options : ModelOptions, LimitOptions {
    std::vector<std::string> inputs;  // the words of one cycle; none: many cycles
    size_t count = 100, max_events = 4;
    std::vector<std::string> families;  // of accesses and edges; none: all
    std::vector<std::string> shapes;    // of cycles; none: all
    std::optional<uint64_t> seed;       // of a random sample; none: all tests in order
    std::string into;                   // the folder for the tests; empty: standard output
    bool claims = false;                // what the model says of each test is what it claims
    bool list = false;                  // only say what there is
    std::optional<Engine> engine = Engine::by_size;
    unsigned jobs = 0;
    Format format = Format::text;
};

void define(CLI::App& app, Options& options) {
    add_names(app, options.inputs, "EDGE", "The words of one cycle (default: many cycles)");
    add_number<size_t>(app, "--count", options.count, 1, 10000000, "a number from 1 to 10000000", "N", "Make N tests (default: 100)");
    add_number<size_t>(app, "--max-events", options.max_events, 2, 8, "a number from 2 to 8", "N",
                       "Make cycles of at most N accesses (default: 4)");
    add_list(app, "--family", options.families, "NAME", "Make tests that use this family of accesses and edges (repeatable)");
    add_list(app, "--shape", options.shapes, "NAME", "Make tests of this shape, such as MP (repeatable)");
    add_seed(app, options.seed, "Take a random sample, the same for the same S (default: all tests, small ones first)");
    add_text(app, "-o,--output", options.into, "DIR", "Write each test into a file of this folder, named after its cycle");
    add_flag(app, "--claim", options.claims, "Let each test claim what the model says of it");
    add_flag(app, "--list", options.list, "Print all families with their words, and all shapes");
    add_model(app, options);
    add_timeout(app, options.timeout);
    add_memory(app, options.memory);
    add_solver(app, options.engine);
    add_jobs(app, options.jobs);
    add_format(app, options.format, "gen");
}

// What became of one cycle.
struct Made {
    std::string text;  // for the output
    std::string why;   // there is no test: what was not decided
};

class Maker {
public:
    explicit Maker(const Options& options) : options_(options), family_(options.model, options.variants) {
        family_.readings(options.reading);  // a mistake comes before any test
    }

    Made make(const gen::Cycle& cycle) {
        Made made;
        const Trouble trouble = attempt([&] {
            std::optional<Test> test = gen::test_of(cycle);
            if (!test)
                throw Failure(nullptr, {}, "no test has the cycle " + gen::name(cycle),
                              "what it says of places, memory or values cannot be");
            if (options_.claims) test = claiming(*test);
            if (!test)
                made.why = "not decided";
            else
                made.text = written(cycle, *test);
        });
        if (!trouble.undecided.empty()) made.why = trouble.undecided;
        const std::lock_guard lock(mutex_);
        if (trouble.failure) failure_ = trouble.failure;
        if (!trouble.internal_error.empty()) internal_error_ = gen::name(cycle) + ": " + trouble.internal_error;
        return made;
    }

    // Throws what went wrong in one of the tests.
    void finish() const {
        if (failure_) throw Failure(*failure_);
        if (!internal_error_.empty()) throw std::logic_error(internal_error_);
    }
    bool failed() {
        const std::lock_guard lock(mutex_);
        return failure_ || !internal_error_.empty();
    }

private:
    std::optional<Test> claiming(const Test& test) {
        const Model& model = family_.under(family_.readings(options_.reading));
        Program program = build_program(test, {.blocked = true, .budget = options_.budget()});
        Solver solver(Solver::usually, options_.engine.value_or(Engine::by_size));
        SolveOptions wanted;
        wanted.want_outcomes = false;
        return with_true_claims(test, solver.solve(program, model, wanted));
    }

    // The text of the test, or its line of JSON; with -o the test is in a file.
    std::string written(const gen::Cycle& cycle, const Test& test) const {
        std::string file;
        if (!options_.into.empty()) {
            file = (std::filesystem::path(options_.into) / (test.name + ".litmus")).string();
            write_file(file, print(test));
        }
        if (options_.format == Format::json) return generated_json(cycle, test, file) + "\n";
        return file.empty() ? print(test) : std::string();
    }

    const Options& options_;
    ModelFamily family_;
    std::mutex mutex_;
    std::optional<Failure> failure_;
    std::string internal_error_;
};

std::vector<gen::Cycle> wanted_cycles(const Options& options) {
    if (!options.inputs.empty()) return {gen::parse_cycle(options.inputs)};
    std::vector<gen::Cycle> cycles;
    const gen::Wanted wanted{options.max_events, options.families, options.shapes, options.seed};
    gen::each_cycle(wanted, [&](const gen::Cycle& cycle) {
        cycles.push_back(cycle);
        return cycles.size() < options.count;
    });
    if (cycles.size() < options.count)
        std::fprintf(stderr, "litmus: %zu of %zu tests: there are no more%s\n", cycles.size(), options.count,
                     options.seed ? " that are found by chance" : "");
    return cycles;
}

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Failure(nullptr, {}, "cannot make the folder '" + folder + "': " + error.message());
}

int run(const Options& options, Output& out) {
    if (options.list) {
        out.put(vocabulary_text());
        return 0;
    }
    Maker maker(options);
    const std::vector<gen::Cycle> cycles = wanted_cycles(options);
    if (!options.into.empty()) make_folder(options.into);
    const bool text = options.format == Format::text && options.into.empty();
    std::vector<Made> made(cycles.size());
    size_t undecided = 0;
    {
        Progress progress(cycles.size());
        const auto make_worker = [&]() -> Job { return [&](size_t i) { made[i] = maker.make(cycles[i]); }; };
        run_batch(cycles.size(), workers_for(options.jobs), make_worker, [&](size_t i) {
            progress.at(i + 1);
            const Made done = std::move(made[i]);
            if (!done.why.empty()) {
                ++undecided;
                progress.clear();
                std::fprintf(stderr, "litmus: left out: %s: %s\n", gen::name(cycles[i]).c_str(), visible(done.why).c_str());
            }
            return !maker.failed() && out.put((text && i > 0 && !done.text.empty() ? "\n" : "") + done.text);
        });
    }
    maker.finish();
    const bool fewer = options.inputs.empty() && cycles.size() < options.count;
    return combine_status(undecided > 0 ? 3 : 0, fewer ? 1 : 0);
}

}  // namespace

Command command() {
    return make_command("gen", "Generate tests from cycles of edges", footer, define, run);
}

}  // namespace litmus::gen_command
