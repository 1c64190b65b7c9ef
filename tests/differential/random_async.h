// Random asynchronous litmus tests, as DSL text: the same ones from the same seed with every compiler.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// Two or three threads around one or two asynchronous operations, with a claim. At most eight memory events: a
// read-modify-write counts as one, and so does an update of an mbarrier object; the barriers, fences and waits for
// groups between them come on top.
std::string random_async(uint64_t seed);

}  // namespace litmus
