// Random asynchronous litmus tests, as DSL text: the same ones from the same seed with every compiler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace litmus {

// The kinds of programs, each with a generator of its own: "story" is two or three threads around one or two asynchronous operations, with
// at most eight memory events (a read-modify-write counts as one, and so does an update of an mbarrier object; the barriers, fences and
// waits for groups between them come on top); the others are about what their names say.
const std::vector<std::string>& async_kinds();

// The kind of a program of no chosen kind: most are stories.
const std::string& any_async_kind(uint64_t seed);

// A program with its claim.
std::string random_async(uint64_t seed, const std::string& kind);

}  // namespace litmus
