// Many random kernels, the evaluator against the interpreter: kernel_differential [--count N] [--seed S]. Prints each kernel on
// which they differ, and how many were compared; exit status 1 where one differs.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "against_interpreter.h"

using namespace litmus::kernel::testing;

int main(int argc, char** argv) {
    uint64_t count = 1000, seed = 1, compared = 0, refused = 0, opaque = 0, different = 0;
    for (int i = 1; i + 1 < argc; i += 2) (std::string(argv[i]) == "--count" ? count : seed) = std::strtoull(argv[i + 1], nullptr, 10);
    for (uint64_t i = seed; i < seed + count; ++i) {
        try {
            const Comparison result = compare_with_interpreter(i);
            refused += result.refused;
            opaque += result.opaque;
            compared += !result.refused && !result.opaque;
            if (result.refused) std::printf("seed %llu is refused: %s", static_cast<unsigned long long>(i), result.difference.c_str());
            if (result.refused || result.difference.empty()) continue;
            ++different;
            std::printf("seed %llu differs: %s\n%s", static_cast<unsigned long long>(i), result.difference.c_str(), result.ptx.c_str());
        } catch (const std::exception& error) {
            ++different;
            std::printf("seed %llu: %s\n", static_cast<unsigned long long>(i), error.what());
        }
    }
    std::printf("%llu kernels the same on both ways, %llu different, %llu with values that are not computed, %llu refused\n",
                static_cast<unsigned long long>(compared - different), static_cast<unsigned long long>(different),
                static_cast<unsigned long long>(opaque), static_cast<unsigned long long>(refused));
    return different == 0 && compared > 0 ? 0 : 1;
}
