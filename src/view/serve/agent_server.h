// `litmus mcp`: a server of the Model Context Protocol (2025-06-18) over standard input and output, for agents and review bots.
#pragma once

#include <string>

namespace litmus {

// Answers on `output` what comes on `input`, both file descriptors, until the end of the input. Each call of a tool is an errand of its own
// (errands.h), of at most `seconds` of a processor for its search. Returns the exit status: 0, or 1 where what came were no messages.
int serve_agent(int input, int output, double seconds, const std::string& version);

}  // namespace litmus
