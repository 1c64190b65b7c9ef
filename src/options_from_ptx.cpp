// Options of `litmus from-ptx` (see options_from_ptx.h).
#include "options_from_ptx.h"

#include "options_compiled.h"
#include "options_help.h"
#include "options_parts.h"

namespace litmus {
namespace {

// How the kernel is launched.
void add_launch(CLI::App& app, FromPtxOptions& from) {
    app.add_option("--entry", from.launch.entry, "Which kernel, in a file with several")->type_name("NAME");
    app.add_option("--grid", from.launch.grid, "Blocks of the grid, as in 2 or 2,2")->type_name("X[,Y[,Z]]");
    app.add_option("--block", from.launch.block, "Threads of a block; where the kernel says it (.reqntid), not needed")
        ->type_name("X[,Y[,Z]]");
    app.add_option("--cluster", from.launch.cluster, "Blocks of a cluster; where the kernel says it (.reqnctapercluster), not needed")
        ->type_name("X[,Y[,Z]]");
    app.add_option("--arg", from.launch.arguments,
                   "An argument, in the order of the parameters (repeatable): TYPE[COUNT], an array of zeros; TYPE[COUNT]:iota, :NUMBER or "
                   ":@FILE, one that holds that; a number; {s32[8],u32:3}, a struct; @FILE, its bytes; ptrs(NAME,...), a table of arrays")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    constexpr uint32_t most_shared = 1U << 18U;
    add_number<uint32_t>(app, "--shared", from.launch.shared_bytes, 0, most_shared, "a number of bytes up to 262144",
                         "Dynamic shared memory of a block (default: 0)")
        ->type_name("BYTES");
}

// Which threads become the test.
void add_choice_of_threads(CLI::App& app, FromPtxOptions& from) {
    app.add_option("--threads", from.threads, "Take just these threads, each as BLOCK.THREAD, with commas between (default: auto, by role)")
        ->type_name("auto|C.T,...");
    add_number<size_t>(app, "--per-role", from.per_role, 1, 32, "a number from 1 to 32", "Threads of each role and block (default: 1)")
        ->type_name("N");
    add_number<size_t>(app, "--max-threads", from.most_threads, 1, 128, "a number from 1 to 128",
                       "Refuse what needs a test of more threads (default: 16)")
        ->type_name("N");
    app.add_option("--ignore", from.ignored,
                   "Leave out instructions that begin so, which are not modelled; the output says it (repeatable)")
        ->type_name("FORM")
        ->allow_extra_args(false);
}

}  // namespace

CLI::App* define_from_ptx(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("from-ptx", "Make a test of a kernel");
    command->add_option("inputs", options.inputs, "A PTX file, as nvcc -ptx -lineinfo writes it, or - for standard input")
        ->type_name("FILE.ptx|-")
        ->expected(0, 1);
    add_launch(*command, options.from_ptx);
    add_choice_of_threads(*command, options.from_ptx);
    command->add_option("-o,--output", options.into, "Write the test into this file (default: standard output)")->type_name("FILE.litmus");
    CLI::Option* check = command->add_flag("--check", options.from_ptx.check, "Judge the test at once, as `litmus check` does");
    CLI::Option* needed = command
                              ->add_flag("--needed", options.from_ptx.needed,
                                         "Say what each fence, barrier, qualifier and wait of the kernel is needed for in this test")
                              ->excludes(check);
    add_compiled_kernel(*command, options)->excludes(check)->excludes(needed);
    command->preparse_callback([&options](size_t) { options.max_outcomes = 0; });
    add_model(*command, options);
    add_timeout(*command, options);
    add_memory(*command, options);
    add_number<size_t>(*command, "--max-outcomes", options.max_outcomes, 0, 1U << 30U, "a number of outcomes",
                       "With --check, list outcomes, too, at most N (default: 0)")
        ->type_name("N");
    add_unroll(*command, options);
    add_solver(*command, options, Engine::by_size, true);
    add_no_time(*command, options);
    add_formats(*command, options, "With --check, how the result is written: for people, or JSON (src/analysis/verdict/json.h)");
    command->footer(from_ptx_footer);
    return command;
}

}  // namespace litmus
