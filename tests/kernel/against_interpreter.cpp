// The evaluator against the interpreter (see against_interpreter.h).
#include "against_interpreter.h"

#include "executor.h"
#include "interpreter.h"
#include "kernel/evaluate.h"
#include "random_kernel.h"

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

}  // namespace litmus::kernel::testing
