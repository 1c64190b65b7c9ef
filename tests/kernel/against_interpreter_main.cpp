// Many random kernels: kernel_differential [--count N] [--seed S] compares the sweep with the interpreter. Prints each kernel on which they
// differ, and how many were compared; exit status 1 where one differs.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "against_interpreter.h"

using namespace litmus::kernel::testing;

int main(int argc, char** argv) {
    using Number = unsigned long long;
    Number count = 1000, seed = 1, same = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        (option == "--count" ? count : seed) = std::strtoull(argv[i + 1], nullptr, 10);
    }
    for (Number i = seed; i < seed + count; ++i) {
        try {
            const Comparison result = compare_with_interpreter(i);
            same += result.difference.empty();
            if (!result.difference.empty()) std::printf("seed %llu differs: %s\n%s", i, result.difference.c_str(), result.ptx.c_str());
        } catch (const std::exception& error) {
            std::printf("seed %llu: %s\n", i, error.what());
        }
    }
    std::printf("%llu kernels the same on both ways, %llu different\n", same, count - same);
    return same == count && same > 0 ? 0 : 1;
}
