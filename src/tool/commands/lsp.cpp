// `litmus lsp`: a language server for editors, over standard input and output.
#include <csignal>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "view/serve/language_server.h"

#ifndef LITMUS_VERSION
#define LITMUS_VERSION "unknown"
#endif

namespace litmus::lsp_command {

namespace {

constexpr const char* footer = R"(
Speaks the Language Server Protocol 3.17 over standard input and output. An editor starts it, for files that end in .litmus and .cat:

  * mistakes, and what goes wrong in a test, while it is being written
  * on an instruction: what it does, its section of the ISA, and why it is needed where it stands
  * names of instructions as they are typed; where a name is declared; the parts of a test; its canonical form
  * above each claim what the test comes to, and repairs to choose from

Neovim:
  vim.lsp.start({ name = "litmus", cmd = { "litmus", "lsp" } })

Each answer takes at most --seconds of a processor, in a process of its own. The client may give `reading` and `seconds` as
initializationOptions, too.

Exit status: 0 the editor has shut it down; 1 it ended without that.
)";

struct Options {
    std::string reading;
    double seconds = 2;
};

void define(CLI::App& app, Options& options) {
    add_text(app, "--reading", options.reading, "SPEC",
             "How to read the ISA where it is silent: weakest, default or strongest, then names and -names");
    add_number<double>(app, "--seconds", options.seconds, 0.1, 60, "a number from 0.1 to 60", "S",
                       "Of a processor for each answer (default: 2)");
}

int run(const Options& options, Output&) {
    std::signal(SIGPIPE, SIG_IGN);
    return serve_language(0, 1, {.reading = options.reading, .seconds = options.seconds}, LITMUS_VERSION);
}

}  // namespace

Command command() {
    return make_command("lsp", "Serve an editor: a language server for tests and models", footer, define, run);
}

}  // namespace litmus::lsp_command
