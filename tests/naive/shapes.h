// Random small tests of the shapes in which front ends go wrong: objects initialised by instructions and again, tokens that
// travel, polling loops with loads inside, registers as addresses and sizes, aliases under bulk operations, restricted
// fences, remote accesses and early exits, loops through bar.red, asynchronous arrivals in later phases.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace litmus::naive {

// The names of the shapes, in the order in which programs take turns; the last ones are the random programs of the other differential
// runs: the kinds of asynchronous ones (random_async.h), and those that are not ("plain").
const std::vector<std::string>& shapes();

// A test as DSL text, of the given shape; the same one from the same seed everywhere.
std::string random_shape(const std::string& shape, uint64_t seed);

}  // namespace litmus::naive
