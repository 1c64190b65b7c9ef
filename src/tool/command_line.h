// What stands on the command line, by CLI11.
#pragma once

#include <memory>
#include <vector>

#include "tool/command.h"

namespace litmus {

class CommandLine {
public:
    explicit CommandLine(std::vector<Command> commands);
    ~CommandLine();

    // The command that is asked for, its options taken; it lives as long as this. Null: there is nothing to do but to exit with `status`.
    // Help and version go to standard output with status 0; a mistake goes to standard error, with the nearest legal option, and has
    // status 2.
    const Command* parse(int argc, const char* const* argv, int& status);

    // In the place of parse(): the application with the options of every command, for what lists them all.
    const CLI::App& with_all_options();

private:
    const std::vector<Command> commands_;
    const std::unique_ptr<CLI::App> app_;
};

}  // namespace litmus
