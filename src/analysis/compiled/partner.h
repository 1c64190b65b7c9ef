// Threads that make visible what became of a thread. A thread alone has no outcomes that another order of its instructions would change.
#pragma once

#include <string>
#include <vector>

#include "analysis/compiled/thread.h"
#include "language/test.h"

namespace litmus::compiled {

// Lines of threads to stand beside thread 0 of the test, which was compiled with this change; each is tried in a test of its own, and the
// empty one is the thread alone. An execution goes wrong in a cycle: where the thread does a and then b, its partner does the contrary to b
// and then to a, with everything in between that orders (a write for a read, a read for a write, an arrival for a wait, a barrier for a
// barrier). So the first partner meets the instruction that changed and then, behind a fence, what stands before it; the second what
// stands behind it, and then the instruction itself.
std::vector<std::vector<std::string>> partners(const Test& test, const Change& change);

}  // namespace litmus::compiled
