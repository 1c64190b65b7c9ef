// `litmus emit`: a test as a program for the GPU.
#include "gpu/emit/emit.h"

#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/named_tests.h"
#include "tool/options.h"
#include "tool/output.h"

namespace litmus::emit_command {

namespace {

constexpr const char* footer = R"(
Prints a PTX module that runs many instances of a test at a time and counts how they end. The module has the instructions of the test,
with registers and addresses in place of their operands. Comments explain what stands around them. `litmus-gpu run` runs it.

Examples:
  litmus emit mp.litmus > mp.ptx && ptxas -arch=sm_90 mp.ptx
  litmus emit mp.litmus --sm 100a

Exit status: 0 printed; 2 bad input, or a test that cannot run on one GPU of that kind.
)";

struct Options {
    std::vector<std::string> inputs;
    std::optional<int> sm;  // 90 or 100; none: the least that the test needs
    std::string test;       // which test of a file with several; empty: the only one
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_choice<std::optional<int>, int>(app, "--sm", options.sm, {{"90", 90}, {"100a", 100}},
                                        "The target (default: the least that has every instruction of the test)");
    add_test(app, options.test);
}

int run(const Options& options, Output& out) {
    const std::vector<Input> inputs = tests_of(options.inputs);
    out.put(gpu::emit(*chosen_test(inputs, options.test).test, options.sm).ptx);
    return 0;
}

}  // namespace

Command command() {
    return make_command("emit", "Write a test as a program for the GPU", footer, define, run);
}

}  // namespace litmus::emit_command
