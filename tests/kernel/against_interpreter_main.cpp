// Many random kernels: kernel_differential [--count N] [--seed S] compares the evaluator with the interpreter, and with --roles N the
// verdicts of N kernels with one thread of each role with those of two and three. Prints each kernel on which they differ, and how many
// were compared; exit status 1 where one differs.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>

#include "against_interpreter.h"
#include "random_kernel.h"

using namespace litmus::kernel::testing;

namespace {

using Number = unsigned long long;

bool evaluator_agrees(Number count, Number seed) {
    Number same = 0, refused = 0, opaque = 0, different = 0;
    for (Number i = seed; i < seed + count; ++i) {
        try {
            const Comparison result = compare_with_interpreter(i);
            refused += result.refused;
            opaque += result.opaque;
            if (result.refused) std::printf("seed %llu is refused: %s", i, result.difference.c_str());
            if (result.refused || result.opaque) continue;
            ++(result.difference.empty() ? same : different);
            if (!result.difference.empty()) std::printf("seed %llu differs: %s\n%s", i, result.difference.c_str(), result.ptx.c_str());
        } catch (const std::exception& error) {
            ++different;
            std::printf("seed %llu: %s\n", i, error.what());
        }
    }
    std::printf("%llu kernels the same on both ways, %llu different, %llu with values that are not computed, %llu refused\n", same,
                different, opaque, refused);
    return different == 0 && same > 0;
}

bool roles_agree(Number count, Number seed) {
    std::map<std::string, Number> verdicts;
    Number different = 0;
    for (Number i = seed; i < seed + count; ++i) {
        const std::string one = verdict_with(i, 1);
        ++verdicts[one.substr(0, one.find(':'))];
        for (const size_t more : {size_t{2}, size_t{3}}) {
            const std::string other = verdict_with(i, more);
            if (other == one || other == "unknown" || one == "unknown" || other.rfind("refused", 0) == 0) continue;
            ++different;
            std::printf("seed %llu: %s with one thread of each role, %s with %zu\n%s", i, one.c_str(), other.c_str(), more,
                        random_shared_kernel(i).ptx.c_str());
        }
    }
    for (const auto& [verdict, number] : verdicts) std::printf("%llu kernels: %s\n", number, verdict.c_str());
    std::printf("%llu different with more threads of each role\n", different);
    return different == 0;
}

}  // namespace

int main(int argc, char** argv) {
    Number count = 1000, seed = 1, roles = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        (option == "--count" ? count : option == "--roles" ? roles : seed) = std::strtoull(argv[i + 1], nullptr, 10);
    }
    const bool evaluator = evaluator_agrees(count, seed);
    return roles_agree(roles, seed) && evaluator ? 0 : 1;
}
