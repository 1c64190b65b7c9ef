// The command line of `litmus from-ptx`.
#pragma once

#include <CLI/CLI.hpp>

#include "options.h"

namespace litmus {

CLI::App* define_from_ptx(CLI::App& app, Options& options);

}  // namespace litmus
