// litmus: from a litmus test to the outcomes its memory model allows.
//
// The commands, the shorter of them whole. The way of a test through the tool is tool/pipeline.cpp.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

#include "analysis/explain/exhibit.h"
#include "analysis/verdict/support.h"
#include "base/budget.h"
#include "base/source.h"
#include "base/visible.h"
#include "cat/readings.h"
#include "event/program.h"
#include "gpu/emit/emit.h"
#include "options.h"
#include "print/columns.h"
#include "solve/solve.h"
#include "tool/adequacy.h"
#include "tool/check.h"
#include "tool/compare.h"
#include "tool/compiled.h"
#include "tool/conform.h"
#include "tool/distinguish.h"
#include "tool/explain.h"
#include "tool/fmt.h"
#include "tool/from_ptx.h"
#include "tool/gen.h"
#include "tool/inputs.h"
#include "tool/interruption.h"
#include "tool/merge.h"
#include "tool/output.h"
#include "tool/pipeline.h"
#include "tool/quiz.h"
#include "tool/regress.h"
#include "tool/repair.h"
#include "tool/report.h"
#include "tool/weaken.h"
#include "view/picture/svg.h"

namespace litmus {

namespace {

// The tests that are named, well formed; or, for each that is not, why.
std::vector<Input> inputs_of(const Options& options) {
    const FilesRead read = read_inputs(options.inputs, options.timeout);
    complain(read.warnings);
    return parse_inputs(read.files);
}

// ---- the commands ----------------------------------------------------------------------------

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
    out.put(options.svg ? svg_picture(*drawing) : options.dot ? dot_graph(*drawing) : execution_text(*drawing));
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
            case Options::Command::merge:
                return merge(options, out);
            case Options::Command::regress:
                return regress(options, out);
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
            case Options::Command::compiled:
                return compiled_tests(options, out);
            case Options::Command::adequacy:
                return adequacy(options, out);
            case Options::Command::distinguish:
                return distinguish(options, out);
            case Options::Command::gen:
                return generate(options, out);
            case Options::Command::report:
                return report(options, out);
            case Options::Command::quiz:
                return quiz(options, out);
            case Options::Command::from_ptx:
                return from_ptx(options, out);
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
    prepare_signals();
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
    } catch (const std::bad_alloc&) {  // before any command runs
        std::fputs("litmus: not decided: the machine has no more memory\n", stderr);
        return 3;
    } catch (const std::exception& error) {
        litmus::complain_internal(error.what());
    } catch (...) {
        litmus::complain_internal("an exception of an unknown type");
    }
    return litmus::internal_status;
}
