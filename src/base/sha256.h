// A digest that nobody can make two texts agree in: SHA-256 (FIPS 180-4). Where texts differ by accident alone, base/hash.h will do.
#pragma once

#include <string>
#include <string_view>

namespace litmus {

// 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace litmus
