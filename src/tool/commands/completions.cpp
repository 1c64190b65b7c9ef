// `litmus completions`: for packagers; no help lists it.
#include "tool/command.h"
#include "tool/command_line.h"
#include "tool/command_line_text.h"
#include "tool/commands.h"
#include "tool/options.h"
#include "tool/output.h"

namespace litmus::completions_command {

namespace {

struct Options {
    CommandLineText text = CommandLineText::bash;
};

void define(CLI::App& app, Options& options) {
    add_choice<CommandLineText, CommandLineText>(
        app, "what", options.text,
        {{"bash", CommandLineText::bash}, {"zsh", CommandLineText::zsh}, {"fish", CommandLineText::fish}, {"man", CommandLineText::man}},
        "Which of them");
}

int run(const Options& options, Output& out) {
    out.put(command_line_text(CommandLine(all_commands()).with_all_options(), options.text));
    return 0;
}

}  // namespace

Command command() {
    Command command = make_command("completions", "Print completions for a shell, or the man page", {}, define, run);
    command.hidden = true;
    return command;
}

}  // namespace litmus::completions_command
