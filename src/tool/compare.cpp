// The two sides from the command line, and the tests one by one on the workers of a batch.
#include "tool/compare.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "analysis/compare/text.h"
#include "analysis/verdict/support.h"
#include "tool/batch.h"
#include "tool/inputs.h"

namespace litmus {

namespace {

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
    try {
        if (input.failure) throw Failure(*input.failure);
        const Budget budget(options.timeout, options.memory);
        Program program = build_program(*input.test, {.unroll = options.unroll, .blocked = true, .budget = budget});
        try {
            for (const ModelSide& side : models) require_support(program, side.model());
        } catch (const Failure& lacking) {
            compared.not_compared = lacking.diagnostics().front().message;
            return compared;
        }
        Solver solver(Solver::usually, options.engine.value());
        compared.result = differences(*input.test, program, models, solver, options.strict);
    } catch (const Failure& failure) {
        compared.errors = failure.diagnostics();
    } catch (const OverBudget& over) {
        compared.result.decided = false;
        compared.result.undecided = over.what();
    } catch (const std::bad_alloc&) {
        compared.result.decided = false;
        compared.result.undecided = "the machine has no more memory";
    } catch (const std::exception& error) {
        compared.internal_error = error.what();
    }
    return compared;
}

}  // namespace

int compare(const Options& options, Output& out) {
    const Sides sides = sides_of(options);
    const TwoModels models{sides.models[0], sides.models[1]};
    if (same_model(models))
        throw Failure(nullptr, {}, sides.names[0] + " and " + sides.names[1] + " are the same model", "no test can tell them apart");
    const FilesRead read = read_inputs(options.inputs, options.timeout);
    complain(read.warnings);
    const std::vector<Input> inputs = parse_inputs(read.files);

    const bool json = options.format == Options::Format::json;
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

}  // namespace litmus
