// Options of `litmus compiled`, and of --compiled (see options_compiled.h).
#include "options_compiled.h"

#include "gpu/emit/bare.h"
#include "options_help.h"
#include "options_parts.h"

namespace litmus {

namespace {

// By what, and how well, code is made.
std::vector<CLI::Option*> add_assembler(CLI::App& app, CompiledOptions& compiled) {
    CLI::Option* assembler =
        app.add_option("--ptxas", compiled.assemblers, "An assembler (repeatable; default: the first of PATH and /usr/local/cuda/bin)")
            ->type_name("FILE")
            ->allow_extra_args(false);
    CLI::Option* level = app.add_option("-O", compiled.levels, "Levels of optimisation (default: 1,2,3)")
                             ->type_name("N,...")
                             ->delimiter(',')
                             ->allow_extra_args(false)
                             ->check(CLI::Range(0, 3).description(""));
    return {assembler, level};
}

// How tests are assembled.
std::vector<CLI::Option*> add_settings(CLI::App& app, CompiledOptions& compiled) {
    std::vector<CLI::Option*> all = add_assembler(app, compiled);
    CLI::Option* target = app.add_option("--target", compiled.targets, "Targets (default: sm_90a,sm_100a)")
                              ->type_name("SM,...")
                              ->delimiter(',')
                              ->allow_extra_args(false);
    std::vector<std::string> bodies;
    std::string words;
    for (const gpu::Body body : gpu::bodies) {
        bodies.emplace_back(gpu::name(body));
        words += bodies.back() + "|";
    }
    bodies.emplace_back("harness");
    CLI::Option* body =
        app.add_option("--body", compiled.bodies, "What stands around the instructions (default: plain,fixed,loop,pressure)")
            ->type_name(words + "harness,...")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->check(CLI::IsMember(bodies).description(""));
    all.insert(all.end(), {target, body});
    return all;
}

}  // namespace

CLI::Option* add_compiled(CLI::App& app, Options& options, const std::string& help) {
    CLI::Option* wanted = app.add_flag("--compiled", options.compiled.wanted, help);
    for (CLI::Option* option : add_settings(app, options.compiled)) option->needs(wanted);
    return wanted;
}

CLI::Option* add_compiled_kernel(CLI::App& app, Options& options) {
    CLI::Option* wanted = app.add_flag("--compiled", options.compiled.wanted,
                                       "Say what ptxas, given this PTX, does to the accesses of the test, and whether the model allows it");
    for (CLI::Option* option : add_assembler(app, options.compiled)) option->needs(wanted);
    return wanted;
}

CLI::App* define_compiled(CLI::App& app, Options& options) {
    CLI::App* command = app.add_subcommand("compiled", "Ask whether what ptxas makes of tests may do what the tests may not");
    add_inputs(*command, options);
    CompiledOptions& compiled = options.compiled;
    add_settings(*command, compiled);
    command->add_option("--test", options.test, "Which test, in a file with several")->type_name("NAME");
    command->add_flag("-v,--verbose", compiled.all, "Print settings in which all is kept, too");
    command->add_flag("--print-test", compiled.print_test, "Print the compiled tests");
    add_number<size_t>(*command, "--random", compiled.random, 1, 100000000, "a number of threads",
                       "No tests: search N random threads for what the assembler breaks")
        ->type_name("N");
    add_number<size_t>(*command, "--triples", compiled.triples, 1, 100000000, "a number of triples",
                       "No tests: search N triples, an access, any operation and an access; all of them if N is more than there are")
        ->type_name("N");
    add_number<size_t>(
        *command, "--waits", compiled.waits, 1, 100000000, "a number of threads",
        "No tests: search N threads of a copy, its commit, its wait and any operation; all of them if N is more than there are")
        ->type_name("N");
    command->add_option("--seed", options.seed, "Other random threads (default: 1)")->type_name("S");
    command
        ->add_option("-o,--output", options.into,
                     "Write the smallest program of each class of --random, --triples and --waits into this folder")
        ->type_name("DIR");
    add_timeout(*command, options);
    add_memory(*command, options);
    add_unroll(*command, options);
    add_solver(*command, options, Engine::by_size);
    add_jobs(*command, options);
    add_format(*command, options);
    command->footer(compiled_footer);
    return command;
}

}  // namespace litmus
