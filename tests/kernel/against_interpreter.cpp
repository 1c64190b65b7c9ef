// The evaluator against the interpreter (see against_interpreter.h).
#include "against_interpreter.h"

#include <algorithm>

#include "analysis/verdict/verdict.h"
#include "event/program.h"
#include "executor.h"
#include "interpreter.h"
#include "kernel/evaluate.h"
#include "kernel/write.h"
#include "random_kernel.h"
#include "solve/solve.h"

namespace litmus::kernel::testing {
namespace {

std::string first_difference(const Launch& launch, const Memory& a, const Memory& b) {
    for (size_t array = 0; array < a.size(); ++array)
        for (size_t i = 0; i < a[array].size(); ++i)
            if (a[array][i] != b[array][i])
                return launch.arrays[array].name + ", byte " + std::to_string(i) + ": the interpreter has " + std::to_string(a[array][i]) +
                       ", the evaluated threads " + std::to_string(b[array][i]);
    return {};
}

// Some words that look random, for `in`.
std::string words(const std::string&) {
    std::string bytes;
    uint32_t value = 12345;
    for (int i = 0; i < 64; ++i) {
        value = value * 1664525 + 1013904223;
        const uint32_t word = i % 4 == 0 ? value % 50 : value;
        for (int byte = 0; byte < 4; ++byte) bytes += static_cast<char>(word >> (8 * byte));
    }
    return bytes;
}

}  // namespace

Comparison compare_with_interpreter(uint64_t seed) {
    const RandomKernel kernel = random_kernel(seed);
    Comparison result;
    result.ptx = kernel.ptx;
    const Module module = read_module(make_source("seed" + std::to_string(seed) + ".ptx", kernel.ptx));
    const Launch launch = launch_of(module, kernel.launch, words);
    Traces traces;
    try {
        traces = evaluate(module, launch);
    } catch (const Failure& failure) {
        result.refused = true;
        result.difference = failure.what();
        return result;
    }
    for (const Trace& trace : traces.threads)
        for (const Note& note : trace.notes) result.opaque = result.opaque || note.text.find("any value") != std::string::npos;
    if (!result.opaque) result.difference = first_difference(launch, interpreted(module, launch), executed(traces, launch.arrays.size()));
    return result;
}

std::string verdict_with(uint64_t seed, size_t per_role) {
    const RandomKernel kernel = random_shared_kernel(seed);
    const Module module = read_module(make_source("seed" + std::to_string(seed) + ".ptx", kernel.ptx));
    const Launch launch = launch_of(module, kernel.launch, words);
    ChoiceOptions choice;
    choice.per_role = per_role;
    choice.most_threads = 64;
    try {
        Written written = write_test(module, launch, evaluate(module, launch), choice);
        written.test.claims_racefree = false;  // a race is a verdict of its own then
        static const Model model = load_model("ptx", {});
        Program program = build_program(written.test, {.unroll = 2, .blocked = true, .budget = Budget(20)});
        SolveOptions wanted;
        wanted.max_outcomes = 0;
        Solver solver(Solver::usually, faster);
        const Verdict verdict = judge(written.test, solver.solve(program, model, wanted), true).verdict;
        const bool not_all = std::any_of(written.lines_about_choice.begin(), written.lines_about_choice.end(),
                                         [](const std::string& line) { return line.find("not judged") != std::string::npos; });
        return verdict == Verdict::ok && not_all ? "unknown" : std::string(name(verdict));
    } catch (const OverBudget&) {
        return "unknown";
    } catch (const Failure& failure) {
        return std::string("refused: ") + failure.what();
    }
}

}  // namespace litmus::kernel::testing
