// Commands that messages name, to be copied into a shell.
#pragma once

#include <string>

#include "tool/options.h"

namespace litmus {

// `litmus NAME` with the options that decide what a test means, for this file.
std::string command_with(const std::string& name, const std::string& file, const TestOptions& options, bool strict = false);

// The same; empty where no other command finds in the file what this one read (standard input, a pipe, a device).
std::string command_on(const std::string& name, const std::string& file, const TestOptions& options, bool strict = false);

}  // namespace litmus
