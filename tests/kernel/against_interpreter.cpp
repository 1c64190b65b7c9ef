// The sweep against the interpreter (see against_interpreter.h).
#include "against_interpreter.h"

#include "interpreter.h"
#include "random_kernel.h"
#include "sweep/sweep.h"

namespace litmus::kernel::testing {
namespace {

std::string first_difference(const Launch& launch, const Memory& interpreted, const sweep::Left& left) {
    for (size_t array = 0; array < interpreted.size(); ++array)
        for (size_t i = 0; i < interpreted[array].size(); ++i) {
            const sweep::Contents& swept = left.arrays.at(array);
            if (swept.known.at(i) && swept.bytes.at(i) == interpreted[array][i]) continue;
            return launch.arrays[array].name + ", byte " + std::to_string(i) + ": the interpreter has " +
                   std::to_string(interpreted[array][i]) + ", the sweep " +
                   (swept.known.at(i) ? std::to_string(swept.bytes.at(i)) : "does not know it");
        }
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
    sweep::Options options;
    options.leaves = true;
    const sweep::Swept swept = sweep::sweep(module, launch, options);
    for (const sweep::Finding& finding : swept.findings) result.difference += "found: " + finding.text + "; ";
    for (const std::string& condition : swept.conditions) result.difference += "where " + condition + "; ";
    if (result.difference.empty()) result.difference = first_difference(launch, interpreted(module, launch), *swept.left);
    return result;
}

}  // namespace litmus::kernel::testing
