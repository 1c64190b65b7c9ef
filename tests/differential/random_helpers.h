// Random tests with ranges of memory and with the helpers of clusters and warps.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// As DSL text; the same one from the same seed everywhere.
std::string random_helpers(uint64_t seed);

}  // namespace litmus
