// Random tests with tcgen05 and tensor memory.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// The text of a test; the same for the same seed. It needs no more than a few dozen events.
std::string random_tcgen05(uint64_t seed);

}  // namespace litmus
