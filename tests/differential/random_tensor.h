// Random tests with tensor maps.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// As DSL text; the same one from the same seed everywhere.
std::string random_tensor(uint64_t seed);

}  // namespace litmus
