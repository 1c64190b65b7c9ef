// `litmus mcp`: a server of the Model Context Protocol, over standard input and output.
#include <csignal>

#include "tool/command.h"
#include "tool/options.h"
#include "tool/output.h"
#include "view/serve/agent_server.h"

#ifndef LITMUS_VERSION
#define LITMUS_VERSION "unknown"
#endif

namespace litmus::mcp_command {

namespace {

constexpr const char* footer = R"(
Speaks the Model Context Protocol over standard input and output, one message a line. An agent or a review bot starts it:

  { "mcpServers": { "litmus": { "command": "litmus", "args": ["mcp"] } } }

Tools: check (which outcomes can be), explain (why, or why not), repair (which line to change), judge_kernel (a whole kernel, from its
PTX), instruction (what a PTX name is). Tests and kernels are given as text; no tool reads a file. Each answer takes at most three times
--seconds of a processor, in a process of its own.

Exit status: 0 the input has ended; 1 what came were no messages.
)";

struct Options {
    double seconds = 10;
};

void define(CLI::App& app, Options& options) {
    add_number<double>(app, "--seconds", options.seconds, 0.1, 600, "a number from 0.1 to 600", "S",
                       "Of a processor for each search (default: 10)");
}

int run(const Options& options, Output&) {
    std::signal(SIGPIPE, SIG_IGN);
    return serve_agent(0, 1, options.seconds, LITMUS_VERSION);
}

}  // namespace

Command command() {
    return make_command("mcp", "Serve agents: tools of the Model Context Protocol", footer, define, run);
}

}  // namespace litmus::mcp_command
