// Random tests with accesses of 128 bits.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// A test as DSL text, with two or three threads and a location of 128 bits; the same one from the same seed everywhere.
std::string random_words(uint64_t seed);

}  // namespace litmus
