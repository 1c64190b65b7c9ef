// The command line of `litmus compiled`.
#pragma once

#include <CLI/CLI.hpp>

#include "options.h"

namespace litmus {

CLI::App* define_compiled(CLI::App& app, Options& options);

}  // namespace litmus
