// `litmus compare`: the tests on which two models, or two readings of one, differ.
//
// The two sides from the command line, and the tests one by one on the workers of a batch.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "analysis/compare/text.h"
#include "analysis/verdict/support.h"
#include "tool/attempt.h"
#include "tool/batch.h"
#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/named_tests.h"
#include "tool/options.h"
#include "tool/output.h"

namespace litmus::compare_command {

namespace {

constexpr const char* footer = R"(
Asks two models, or two readings of one, what they allow of each test, and lists the tests on which they differ. A difference is an
outcome, undefined behaviour, a race or a hang that only one of them has (A is the first, B the second). The report says what rules it
out in the other: the minimal sets of axioms, and for two readings of one model the minimal sets of readings. An option that is given
once holds for both. A test that one of the models cannot express is not compared.

Examples:
  litmus compare --model ptx --model ptx-7.5 litmus/classic
  litmus compare --reading weakest --reading weakest,war-mbarrier litmus --format json
  litmus compare --model ptx --model ./mine.cat litmus

Exit status: 0 no test differs; 1 some test does; 2 bad input, or the same model twice; 3 some test was not decided or not
compared, and none differs (2 before 1 before 3).
)";

struct Options : LimitOptions {
    std::vector<std::string> inputs;
    std::vector<std::string> models, readings;  // of each side; one stands for both, none for the usual one
    std::vector<std::string> variants;          // of both models, switched on
    int unroll = 2;
    std::optional<Engine> engine = Engine::by_size;
    unsigned jobs = 0;
    Format format = Format::text;
    bool strict = false;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_list(app, "-m,--model", options.models, "NAME|FILE",
             "A shipped model (see `litmus models`) or a cat file; twice for two (default: ptx)");
    add_list(app, "--reading", options.readings, "SPEC", "How to read the ISA where it is silent; twice for two (default: default)");
    add_list(app, "--variant", options.variants, "NAME", "Switch on a variant of both models (repeatable)");
    add_timeout(app, options.timeout);
    add_memory(app, options.memory);
    add_unroll(app, options.unroll);
    add_solver(app, options.engine);
    add_jobs(app, options.jobs);
    add_format(app, options.format, "compare");
    add_strict(app, options.strict);
}

// The files of the two models, one where both sides are readings of it, and what was asked of them.
struct Sides {
    std::vector<std::unique_ptr<ModelFamily>> files;
    std::vector<ModelSide> models;
    SideNames names;
};

// What stands for a side where the option was given once, or never.
std::string chosen(const std::vector<std::string>& given, size_t side, const std::string& otherwise) {
    if (given.empty()) return otherwise;
    return given[std::min(side, given.size() - 1)];
}

Sides sides_of(const Options& options) {
    if (options.models.size() < 2 && options.readings.size() < 2)
        throw Failure(nullptr, {}, "two models are compared, and one is named", "give --model or --reading twice");
    if (options.models.size() > 2 || options.readings.size() > 2)
        throw Failure(nullptr, {}, "two models are compared, and more are named", "give --model and --reading twice at most");
    Sides sides;
    const std::string first = chosen(options.models, 0, "ptx"), second = chosen(options.models, 1, "ptx");
    sides.files.push_back(std::make_unique<ModelFamily>(first, options.variants));
    if (second != first) sides.files.push_back(std::make_unique<ModelFamily>(second, options.variants));
    const std::array<ModelFamily*, 2> files{sides.files.front().get(), sides.files.back().get()};
    const auto has_readings = [&](size_t side) { return !files[side]->by_default().readings.empty(); };
    for (const size_t side : {size_t{0}, size_t{1}}) {
        const std::string reading = chosen(options.readings, side, "default");
        // one reading for both is for those that have readings
        const bool meant = options.readings.size() != 1 || has_readings(side) || !has_readings(1 - side);
        sides.models.push_back({*files[side], meant ? resolve_readings(files[side]->by_default(), reading) : std::vector<std::string>{}});
        sides.names[side] = (side == 0 ? first : second) + (has_readings(side) ? " under " + reading : "");
    }
    return sides;
}

ComparedTest compare_test(const Input& input, const TwoModels& models, const Options& options) {
    ComparedTest compared{input.file, input.test ? input.test->name : input.file, {}, {}, {}, {}};
    const Trouble trouble = attempt([&] {
        if (input.failure) throw Failure(*input.failure);
        const Budget budget = options.budget();
        Program program = build_program(*input.test, {.unroll = options.unroll, .blocked = true, .budget = budget});
        try {
            for (const ModelSide& side : models) require_support(program, side.model());
        } catch (const Failure& lacking) {
            compared.not_compared = lacking.diagnostics().front().message;
            return;
        }
        Solver solver(Solver::usually, options.engine.value());
        compared.result = differences(*input.test, program, models, solver, options.strict);
    });
    compared.errors = trouble.errors();
    compared.internal_error = trouble.internal_error;
    if (!trouble.undecided.empty()) {
        compared.result.decided = false;
        compared.result.undecided = trouble.undecided;
    }
    return compared;
}

int run(const Options& options, Output& out) {
    const Sides sides = sides_of(options);
    const TwoModels models{sides.models[0], sides.models[1]};
    if (same_model(models))
        throw Failure(nullptr, {}, sides.names[0] + " and " + sides.names[1] + " are the same model", "no test can tell them apart");
    const std::vector<Input> inputs = tests_of(options.inputs, options.timeout);

    const bool json = options.format == Format::json;
    const TextStyle style{use_colour(STDOUT_FILENO), false, output_width()};
    if (!json) out.put(comparison_head(sides.names, style));
    std::vector<ComparedTest> tests(inputs.size());
    std::vector<ComparedTest> taken;
    int status = 0;
    Progress progress(inputs.size());
    const auto make_worker = [&]() -> Job { return [&](size_t i) { tests[i] = compare_test(inputs[i], models, options); }; };
    run_batch(inputs.size(), workers_for(options.jobs), make_worker, [&](size_t i) {
        progress.clear();
        ComparedTest test = std::move(tests[i]);
        complain(test.errors);
        complain_internal(test.internal_error);
        status = combine_status(status, exit_status(test));
        const bool wanted = out.put(json ? compared_json(test, sides.names) + "\n" : compared_text(test, style));
        taken.push_back(std::move(test));
        progress.at(taken.size());
        return wanted;
    });
    progress.clear();
    if (!json) out.put(comparison_end(taken));
    return taken.size() < inputs.size() ? combine_status(status, 3) : status;
}

}  // namespace

Command command() {
    return make_command("compare", "List the tests on which two models, or two readings of one, differ", footer, define, run);
}

}  // namespace litmus::compare_command
