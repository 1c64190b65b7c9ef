// Random tests that are kernels, in shapes of which a sweep may miss something or see too much.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace litmus {

// The names of the shapes, in the order in which a run goes through them.
const std::vector<std::string>& kernel_shapes();

// A test in the tests' language, without a claim; the same one from the same seed everywhere. Throws std::out_of_range for a shape that
// there is not.
std::string random_kernel(const std::string& shape, uint64_t seed);

}  // namespace litmus
