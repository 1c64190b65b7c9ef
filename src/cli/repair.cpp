// Each test on a worker, results in the order of the inputs; nothing is printed by what finds them.
#include "cli/repair.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <thread>

#include "base/visible.h"
#include "cli/batch.h"
#include "cli/inputs.h"
#include "cli/rewrite.h"
#include "explain/verdict.h"
#include "repair/repair.h"
#include "report/repair.h"

namespace litmus {

namespace {

Engine engine(const Options& options) {
    return options.solvers == Options::Solvers::cadical ? Engine::cadical : Engine::z3;
}

RepairReport repair_input(const Input& input, ModelFamily& family, const std::vector<std::string>& on, const Options& options) {
    RepairReport report;
    const double start = now();
    const std::string name = input.test ? input.test->name : std::string();
    try {
        if (input.failure) throw Failure(*input.failure);
        Solver solver(Solver::usually, engine(options));
        const RepairOptions wanted{.max_edits = options.max_edits,
                                   .all = options.all,
                                   .strict = options.strict,
                                   .unroll = options.unroll,
                                   .budget = Budget(options.timeout, options.memory)};
        report = make_report(input.file, *input.test, repair(*input.test, family, on, solver, wanted));
        if (report.status == Repairs::Status::partial) report.why = "not all was tried or decided within the bounds";
    } catch (const Failure& failure) {
        report.errors = failure.diagnostics();
    } catch (const OverBudget& over) {
        report.status = Repairs::Status::partial;
        report.why = over.what();
    } catch (const std::bad_alloc&) {
        report.status = Repairs::Status::partial;
        report.why = "the machine has no more memory";
    } catch (const std::exception& error) {
        report.internal_error = error.what();
    }
    report.file = input.file;
    report.test = name;
    report.model = family.by_default().name;
    report.max_edits = options.max_edits;
    report.all = options.all;
    report.seconds = options.times ? now() - start : 0;
    return report;
}

// The best repair becomes the file, unless that is no longer what was read.
void apply_best(const Input& input, const std::string& text) {
    if (input.file == "<stdin>") throw Failure(nullptr, {}, "standard input cannot be rewritten", "leave out --apply");
    if (read_source(input.file)->text != input.test->source->text)
        throw Failure(nullptr, {}, "'" + input.file + "' has changed since it was read", "try again");
    write_file(input.file, text);
}

}  // namespace

int repair_tests(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    const std::vector<std::string> on = options.reading.empty() ? readings_of(family.by_default(), Reading::Base::default_)
                                                                : resolve_readings(family.by_default(), options.reading);
    const FilesRead read = read_inputs(options.inputs, options.timeout);
    complain(read.warnings);
    std::vector<Input> inputs = parse_inputs(read.files);
    if (!options.test.empty())
        inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                                    [&](const Input& input) { return input.test && input.test->name != options.test; }),
                     inputs.end());
    if (inputs.empty()) throw Failure(nullptr, {}, "there is no test '" + options.test + "'");

    std::vector<RepairReport> reports(inputs.size());
    const auto make_worker = [&]() -> Job { return [&](size_t i) { reports[i] = repair_input(inputs[i], family, on, options); }; };
    const size_t workers = options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
    const TextStyle style{use_colour(STDOUT_FILENO), options.times, output_width()};
    Progress progress(inputs.size());
    int status = 0;
    size_t done = 0;
    run_batch(inputs.size(), workers, make_worker, [&](size_t i) {
        const RepairReport& report = reports[i];
        progress.clear();
        status = done++ == 0 ? exit_status(report) : combine_status(status, exit_status(report));
        complain(report.errors);
        if (!report.internal_error.empty())
            std::fprintf(stderr, "litmus: internal error: %s (please report)\n", visible(report.internal_error).c_str());
        const bool json = options.format == Options::Format::json, failed = !report.errors.empty() || !report.internal_error.empty();
        const bool read_on = json ? out.put(repair_json(report) + "\n") : failed || out.put(repair_text(report, style));
        try {
            if (options.apply && report.best) apply_best(inputs[i], *report.best);
        } catch (const Failure& failure) {
            complain(failure.diagnostics());
            status = combine_status(status, 2);
        }
        progress.at(done);
        return read_on;
    });
    progress.clear();
    return done < inputs.size() ? combine_status(status, 3) : status;
}

}  // namespace litmus
