// litmus: from a litmus test to the outcomes its memory model allows.
//
// This file is the pipeline. Each step is a function of a library; what holds after it stands beside it.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

#include "base/budget.h"
#include "base/source.h"
#include "base/visible.h"
#include "cat/readings.h"
#include "cli/adequacy.h"
#include "cli/batch.h"
#include "cli/compare.h"
#include "cli/conform.h"
#include "cli/distinguish.h"
#include "cli/explain.h"
#include "cli/fmt.h"
#include "cli/gen.h"
#include "cli/inputs.h"
#include "cli/missing.h"
#include "cli/output.h"
#include "cli/repair.h"
#include "cli/weaken.h"
#include "event/program.h"
#include "explain/hazards.h"
#include "explain/reliance.h"
#include "explain/support.h"
#include "gpu/emit.h"
#include "options.h"
#include "report/claim_text.h"
#include "report/columns.h"
#include "report/exhibit.h"
#include "report/json.h"
#include "report/missing.h"
#include "report/result.h"
#include "report/text.h"
#include "solve/solve.h"

namespace litmus {

namespace {

constexpr int internal_status = 70;

SolveOptions solve_options(const Options& options) {
    SolveOptions result;
    result.max_outcomes = options.max_outcomes;
    result.all_state = options.all_state;
    return result;
}

// Of both solvers the reference.
Engine engine_of(const Options& options) {
    return options.engine.value_or(Engine::z3);
}

// One test, from its text's meaning to its result. Throws Failure for a test that cannot be checked.
Result check_test(const Input& input, ModelFamily& family, const Options& options, Engine engine) {
    const double start = now();
    const Test& test = *input.test;
    const BuildOptions build{.unroll = options.unroll,
                             .blocked = true,
                             .budget = Budget(options.timeout, options.memory),  // for all steps together
                             .all_registers = options.all_state};
    Solver solver(Solver::usually, engine);  // a fresh one: what it finds depends on nothing but the test
    const std::vector<std::string> on = family.readings(options.reading);
    const Model& model = family.under(on);

    // Events and their static relations: loops are unrolled, addresses known, values expressions.
    Program program = build_program(test, build);
    // The model speaks of everything the program does.
    require_support(program, model);
    // The claim is decided, then outcomes are listed and hazards looked for; each execution was evaluated again.
    const Answer answer = solver.solve(program, model, solve_options(options));
    // A verdict, and all that is printed, apart from the program.
    Result result = make_result(input.file, test, program, model, answer, options.strict);
    add_hazards(result, test, explain(program, *answer.hazards));
    // Which readings of the ISA the verdict rests on.
    result.reliance = reliance({test, program, options.strict}, family, on, options.reading, answer, solver);
    result.seconds = now() - start;
    result.solver = solver.backend().engine();
    return result;
}

// The same by the solver, or the solvers, that are asked for. Throws std::logic_error where two of them disagree.
Result check_by_all(const Input& input, ModelFamily& family, const Options& options) {
    if (options.engine) return check_test(input, family, options, engine_of(options));
    Result result = check_test(input, family, options, Engine::z3);
    const Result other = check_test(input, family, options, Engine::cadical);
    const bool undecided = result.judgement.verdict == Verdict::unknown || other.judgement.verdict == Verdict::unknown;
    const std::string_view what = undecided ? std::string_view() : difference(result, other);
    if (!what.empty()) throw std::logic_error("test \"" + input.test->name + "\": the two solvers disagree: " + std::string(what));
    result.seconds += other.seconds;
    result.solver = "both";
    return result;
}

// The same, with every error as a result.
Result check_input(const Input& input, ModelFamily& family, const Options& options) {
    const std::string name = input.test ? input.test->name : std::string();
    Result result;
    try {
        if (input.failure) throw Failure(*input.failure);
        return check_by_all(input, family, options);
    } catch (const Failure& failure) {
        result = error_result(input.file, name, failure);
    } catch (const OverBudget& over) {
        result = unknown_result(input.file, *input.test, over.what());
    } catch (const std::bad_alloc&) {
        result = unknown_result(input.file, *input.test, "the machine has no more memory");
    } catch (const std::exception& error) {
        result = internal_error_result(input.file, name, error.what());
    }
    const Model& model = family.under(family.readings(options.reading));
    result.model = model.name;
    result.model_hash = model.hash;
    return result;
}

// Errors at once; warnings at the end and only when there was no error, which shall stand alone.
class Complaints {
public:
    void add(const Result& result) {
        status_ = combine_status(status_, result.internal_error.empty() ? exit_status(result.judgement.verdict) : internal_status);
        complain_internal(result.internal_error);
        complain(result.errors);
        warnings_.insert(warnings_.end(), result.warnings.begin(), result.warnings.end());
        erroneous_ = erroneous_ || result.judgement.verdict == Verdict::error;
    }
    void finish() const {
        if (!erroneous_) complain(warnings_);
    }
    int status() const { return status_; }
    // Of a run that ended early, because nobody reads its output any more: the tests that were not checked are not known.
    int status_of(size_t checked, size_t all) const { return checked < all ? combine_status(status_, 3) : status_; }

private:
    std::vector<Diagnostic> warnings_;
    bool erroneous_ = false;
    int status_ = 0;
};

// Checks all inputs and hands each result, in order, to `take`; stops when that returns false.
void check_all(const Options& options, const std::vector<Input>& inputs, ModelFamily& family, const std::function<bool(Result)>& take) {
    std::vector<Result> results(inputs.size());
    const auto make_worker = [&]() -> Job { return [&](size_t i) { results[i] = check_input(inputs[i], family, options); }; };
    run_batch(inputs.size(), workers_for(options.jobs), make_worker, [&](size_t i) { return take(std::move(results[i])); });
}

TextStyle text_style(const Options& options) {
    return {use_colour(STDOUT_FILENO), options.times, output_width()};
}

// The tests that are named, well formed; or, for each that is not, why.
std::vector<Input> inputs_of(const Options& options) {
    const FilesRead read = read_inputs(options.inputs, options.timeout);
    complain(read.warnings);
    return parse_inputs(read.files);
}

// ---- the commands ----------------------------------------------------------------------------

int check_json(const Options& options, const std::vector<Input>& inputs, ModelFamily& family, Output& out) {
    Complaints complaints;
    size_t checked = 0;
    check_all(options, inputs, family, [&](Result result) {
        if (!options.times) result.seconds = 0;
        complaints.add(result);
        ++checked;
        return out.put(json_line(result) + "\n");
    });
    complaints.finish();
    return complaints.status_of(checked, inputs.size());
}

// What stands in the first two columns; of an input that is no test, its file.
std::vector<TableTitle> table_titles(const std::vector<Input>& inputs) {
    std::vector<TableTitle> titles;
    for (const Input& input : inputs)
        titles.push_back(input.test ? TableTitle{input.test->name, claim_text(*input.test)} : TableTitle{input.file, {}});
    return titles;
}

// Of a test that fails: what is missing, and how to get it.
std::string advice(const Result& result, const Input& input, ModelFamily& family, const Options& options) {
    const Verdict verdict = result.judgement.verdict;
    if (!input.test || verdict == Verdict::ok || verdict == Verdict::unknown || verdict == Verdict::error) return {};
    Solver solver(Solver::usually, engine_of(options));
    const auto missing = what_is_missing(*input.test, family, family.readings(options.reading), solver, options);
    return missing ? missing_text(*missing, input.file) : std::string();
}

int check_text(const Options& options, const std::vector<Input>& inputs, ModelFamily& family, Output& out) {
    const TextStyle style = text_style(options);
    const TableWidths widths = table_widths(table_titles(inputs), style);
    const bool many = inputs.size() > 1;
    Complaints complaints;
    std::vector<Result> results;
    Progress progress(inputs.size());
    if (many) out.put(table_header(widths, style));
    check_all(options, inputs, family, [&](Result result) {
        progress.clear();
        complaints.add(result);
        const bool read =
            out.put(many ? table_row(result, widths, style) : text_report(result, style) + advice(result, inputs[0], family, options));
        results.push_back(std::move(result));
        progress.at(results.size());
        return read;
    });
    progress.clear();
    if (many) out.put(table_end(results, style));
    complaints.finish();
    return complaints.status_of(results.size(), inputs.size());
}

int check(const Options& options, Output& out) {
    const bool json = options.format == Options::Format::json;
    try {
        // The axioms, as a graph of sets and relations of events.
        ModelFamily family(options.model, options.variants);
        family.readings(options.reading);  // a mistake in --reading comes before any test
        const std::vector<Input> inputs = inputs_of(options);
        return json ? check_json(options, inputs, family, out) : check_text(options, inputs, family, out);
    } catch (const Failure& failure) {
        if (json) out.put(json_line(error_result(options.model, {}, failure)) + "\n");
        throw;
    }
}

int outcomes(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    const std::vector<Input> inputs = inputs_of(options);
    Complaints complaints;
    bool cut = false;
    size_t listed = 0;
    check_all(options, inputs, family, [&](const Result& result) {
        complaints.add(result);
        ++listed;
        const bool listed_enough = result.complete || result.states.size() >= options.max_outcomes;
        cut = cut || (result.judgement.verdict != Verdict::error && (result.unrolled || !listed_enough));
        return out.put(text_outcomes(result, text_style(options)));
    });
    complaints.finish();
    if (complaints.status() == 2 || complaints.status() == internal_status) return complaints.status();
    return cut || listed < inputs.size() ? 3 : 0;
}

int no_execution(const Test& test, const Answer& answer, size_t number) {
    std::string what = "no execution " + std::string(test.claim.kind == Claim::Kind::forall ? "breaks" : "satisfies") + " the condition";
    if (number > 0) what = "there is no outcome " + std::to_string(number) + " of " + std::to_string(answer.outcomes.size());
    if (answer.outcomes.empty() && answer.complete) what = "no execution terminates";
    if (answer.bound_hit) what += "; a loop was cut at the unroll bound";
    const std::string ran_out = what_ran_out(answer);
    if (!ran_out.empty()) what = "nothing found: " + ran_out;
    if (number == 0 && !answer.outcomes.empty()) what += "; --outcome 1 shows the first of " + std::to_string(answer.outcomes.size());
    std::fprintf(stderr, "litmus: %s: %s\n", visible(test.name).c_str(), what.c_str());
    return !ran_out.empty() || answer.bound_hit ? 3 : 1;
}

int show(const Options& options, Output& out) {
    ModelFamily family(options.model, options.variants);
    const Model& model = family.under(family.readings(options.reading));
    const std::vector<Input> inputs = inputs_of(options);
    const Test& test = *chosen_test(inputs, options.test).test;
    Program program = build_program(test, {.unroll = options.unroll, .blocked = true, .budget = Budget(options.timeout, options.memory)});
    require_support(program, model);
    SolveOptions wanted = solve_options(options);
    wanted.want_hazards = options.outcome == 0;
    Solver solver(Solver::usually, engine_of(options));
    const Answer answer = solver.solve(program, model, wanted);
    const std::optional<Drawing> drawing = exhibit(program, model, answer, options.outcome);
    if (!drawing) return no_execution(test, answer, options.outcome);
    out.put(options.dot ? dot_graph(*drawing) : execution_text(*drawing));
    return 0;
}

// "    axioms: coherence, causality"; nothing without names.
std::string constraint_line(const Model& model, std::string_view heading, bool flags) {
    std::string names;
    for (const Constraint& constraint : model.constraints)
        if (constraint.flag == flags) names += (names.empty() ? "" : ", ") + constraint.name;
    return names.empty() ? names : "    " + std::string(heading) + names + "\n";
}

std::string reading_lines(const Model& model) {
    std::string text;
    size_t width = 0;
    for (const Reading& reading : model.readings) width = std::max(width, reading.name.size());
    for (const Reading& reading : model.readings) {
        const std::string refuted = refutation(reading.refuted);
        text += "        " + left(reading.name, width) + "  " + left(std::string(name(reading.base)), 9) + "  " + reading.meaning +
                (refuted.empty() ? "" : " (" + refuted + ")") + "\n";
    }
    return text.empty() ? text : "    readings, each with the first base that has it:\n" + text;
}

int models(Output& out) {
    for (const ShippedModel& shipped : shipped_models()) {
        const Model model = load_model(std::string(shipped.name), {});
        out.put(std::string(shipped.name) + ": " + model.title + "\n" + constraint_line(model, "axioms: ", false) +
                constraint_line(model, "flags: ", true) + reading_lines(model));
    }
    return 0;
}

int emit_ptx(const Options& options, Output& out) {
    const std::vector<Input> inputs = inputs_of(options);
    out.put(gpu::emit(*chosen_test(inputs, options.test).test, options.sm).ptx);
    return 0;
}

int run(const Options& options, Output& out) {
    try {
        switch (options.command) {
            case Options::Command::check:
                return check(options, out);
            case Options::Command::repair:
                return repair_tests(options, out);
            case Options::Command::weaken:
                return weaken_tests(options, out);
            case Options::Command::outcomes:
                return outcomes(options, out);
            case Options::Command::show:
                return show(options, out);
            case Options::Command::explain:
                return explain(options, out);
            case Options::Command::models:
                return models(out);
            case Options::Command::fmt:
                return format_files(options, out);
            case Options::Command::emit:
                return emit_ptx(options, out);
            case Options::Command::conform:
                return conform(options, out);
            case Options::Command::compare:
                return compare(options, out);
            case Options::Command::adequacy:
                return adequacy(options, out);
            case Options::Command::distinguish:
                return distinguish(options, out);
            case Options::Command::gen:
                return generate(options, out);
        }
    } catch (const Failure& failure) {
        complain(failure.diagnostics());
    } catch (const OverBudget& over) {  // of `show`; the others note it for each test
        std::fprintf(stderr, "litmus: %s\n", over.what());
        return 3;
    } catch (const std::bad_alloc&) {  // likewise
        std::fprintf(stderr, "litmus: not decided: the machine has no more memory\n");
        return 3;
    }
    return 2;
}

// Makes the memory cheap that every Z3 context takes for its tables (17 MB) and gives back: the allocator keeps it, so that it is
// not mapped and cleared anew for each test, and the kernel is asked for large pages, since 4,000 faults of small ones were half of
// the time of a small test. Where the system grants none of this, nothing is lost but time.
void prepare_memory() {
#ifdef __GLIBC__
    constexpr int kept = 32 << 20;  // bytes; the largest that glibc takes as a threshold for mmap
    mallopt(M_MMAP_THRESHOLD, kept);
    mallopt(M_TRIM_THRESHOLD, 4 * kept);
    mallopt(M_TOP_PAD, kept / 8);
#ifdef MADV_HUGEPAGE
    constexpr uintptr_t large_page = 2 << 20;
    // From the heap, which grows by it and keeps it.
    if (char* const block = static_cast<char*>(std::malloc(3 * (kept / 4)))) {
        char* const first = block + (large_page - reinterpret_cast<uintptr_t>(block) % large_page) % large_page;
        const char* const end = static_cast<const char*>(sbrk(0));
        if (end > first) madvise(first, static_cast<size_t>(end - first) / large_page * large_page, MADV_HUGEPAGE);
        std::free(block);
    }
#endif
#endif
}

int run_command_line(int argc, const char* const* argv) {
    prepare_streams();
    prepare_memory();
    const Invocation invocation = parse_options(argc, argv);
    Output out;
    const int status = invocation.options ? run(*invocation.options, out) : invocation.status;
    return out.finish(status);
}

}  // namespace

}  // namespace litmus

int main(int argc, char** argv) {
    try {
        return litmus::run_command_line(argc, argv);
    } catch (const std::exception& error) {
        litmus::complain_internal(error.what());
    } catch (...) {
        litmus::complain_internal("an exception of an unknown type");
    }
    return litmus::internal_status;
}
