// What the definitions of commands and options are good for beside the command line: completions for shells, and the man page.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace litmus {

enum class CommandLineText : uint8_t { bash, zsh, fish, man };

// A completion script for the shell, or the page in roff, of this application and its commands.
std::string command_line_text(const CLI::App& app, CommandLineText what);

}  // namespace litmus
