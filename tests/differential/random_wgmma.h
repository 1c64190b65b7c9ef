// Random tests with wgmma.mma_async.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// As DSL text; the same one from the same seed everywhere.
std::string random_wgmma(uint64_t seed);

}  // namespace litmus
