// The cycles are found one after the other; their tests are written, and what they claim is computed, by several workers.
#include "tool/gen.h"

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <new>
#include <stdexcept>

#include "analysis/verdict/claims.h"
#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "event/program.h"
#include "gen/generate.h"
#include "gen/generated.h"
#include "gen/write.h"
#include "language/syntax/native/print.h"
#include "solve/solve.h"
#include "tool/batch.h"
#include "tool/rewrite.h"

namespace litmus {

namespace {

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
        try {
            std::optional<Test> test = gen::test_of(cycle);
            if (!test)
                throw Failure(nullptr, {}, "no test has the cycle " + gen::name(cycle),
                              "what it says of places, memory or values cannot be");
            if (options_.claims) test = claiming(*test);
            if (!test)
                made.why = "not decided";
            else
                made.text = written(cycle, *test);
        } catch (const OverBudget& over) {
            made.why = over.what();
        } catch (const std::bad_alloc&) {
            made.why = "the machine has no more memory";
        } catch (const Failure& failure) {
            const std::lock_guard lock(mutex_);
            failure_ = failure;
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            internal_error_ = gen::name(cycle) + ": " + error.what();
        }
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
        Program program =
            build_program(test, {.unroll = options_.unroll, .blocked = true, .budget = Budget(options_.timeout, options_.memory)});
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
        if (options_.format == Options::Format::json) return generated_json(cycle, test, file) + "\n";
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
        return cycles.size() < options.count_of_tests;
    });
    if (cycles.size() < options.count_of_tests)
        std::fprintf(stderr, "litmus: %zu of %zu tests: there are no more%s\n", cycles.size(), options.count_of_tests,
                     options.seed ? " that are found by chance" : "");
    return cycles;
}

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw Failure(nullptr, {}, "cannot make the folder '" + folder + "': " + error.message());
}

}  // namespace

int generate(const Options& options, Output& out) {
    if (options.list) {
        out.put(vocabulary_text());
        return 0;
    }
    Maker maker(options);
    const std::vector<gen::Cycle> cycles = wanted_cycles(options);
    if (!options.into.empty()) make_folder(options.into);
    const bool text = options.format == Options::Format::text && options.into.empty();
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
                std::fprintf(stderr, "litmus: left out: %s: %s\n", gen::name(cycles[i]).c_str(), done.why.c_str());
            }
            return !maker.failed() && out.put((text && i > 0 && !done.text.empty() ? "\n" : "") + done.text);
        });
    }
    maker.finish();
    const bool fewer = options.inputs.empty() && cycles.size() < options.count_of_tests;
    return combine_status(undecided > 0 ? 3 : 0, fewer ? 1 : 0);
}

}  // namespace litmus
