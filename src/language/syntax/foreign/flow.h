// The control flow of one thread of a test, as the conversion between formats asks for it.
#pragma once

#include <string>
#include <vector>

#include "language/test.h"

namespace litmus {

// For each instruction, which may come next; body.size() is the end of the thread.
using Flow = std::vector<std::vector<size_t>>;

Flow control_flow(const Thread& thread);

// Every path through the thread executes instruction i exactly once.
bool executes_once(const Thread& thread, const Flow& flow, size_t i);

// Whether a path leads from the start to a read of `reg` (the thread's end counts when `at_end`) without a write.
bool reads_initial(const Thread& thread, const Flow& flow, const std::string& reg, bool at_end);

}  // namespace litmus
