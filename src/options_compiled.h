// The command line of `litmus compiled`, and --compiled of other commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "options.h"

namespace litmus {

// --compiled with its settings, which need it.
CLI::Option* add_compiled(CLI::App& app, Options& options, const std::string& help);
// The same for a kernel, which has a target and surroundings of its own.
CLI::Option* add_compiled_kernel(CLI::App& app, Options& options);
CLI::App* define_compiled(CLI::App& app, Options& options);

}  // namespace litmus
