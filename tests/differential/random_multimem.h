// Random tests with multimem addresses.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// A test as DSL text, with two or three threads and a multimem address; the same one from the same seed everywhere.
std::string random_multimem(uint64_t seed);

}  // namespace litmus
