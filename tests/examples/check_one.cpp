// The library from C++: reads a test, asks the model `ptx` and prints the verdict.
#include <iostream>

#include "analysis/verdict/verdict.h"
#include "cat/readings.h"
#include "event/program.h"
#include "language/syntax/read.h"
#include "solve/solve.h"

int main(int argc, char** argv) {
    using namespace litmus;
    try {
        const Test test = parse_tests(read_source(argc > 1 ? argv[1] : "-")).at(0);
        ModelFamily family("ptx", {});
        Program program = build_program(test, {.blocked = true});
        const Answer answer = Solver().solve(program, family.by_default(), {});
        std::cout << test.name << ": " << name(judge(test, answer).verdict) << ", " << answer.outcomes.size() << " outcomes\n";
    } catch (const Failure& failure) {
        std::cerr << failure.what() << "\n";
        return 2;
    }
}
