// Which registers still matter at each instruction of a thread. Private to this folder.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "language/test.h"

namespace litmus {

using RegisterNames = std::set<std::string>;

// The registers of the thread that outcomes are made of: what the claim, the filter and the test's list of observed registers mention;
// without a claim, all but those that a clock tells: a loop with a time-out then only waits.
RegisterNames observed_registers(const Test& test, size_t thread);

// By instruction, and one place more for the end of the thread: the registers whose value there can reach an address, a value in
// memory, a branch or a wait, or be one of `at_end`, before they are written again.
std::vector<RegisterNames> live_registers(const Thread& thread, const RegisterNames& at_end);

}  // namespace litmus
