// All commands of litmus.
#pragma once

#include <vector>

#include "tool/command.h"

namespace litmus {

// In the order in which help shows them. Each call makes them anew.
std::vector<Command> all_commands();

}  // namespace litmus
