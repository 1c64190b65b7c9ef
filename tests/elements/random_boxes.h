// Random programs of bulk operations that meet: boxes, rows and columns of tensors of every rank, strides of arrays, several arrays in the
// memory of several CTAs, under names of their own and through other addresses.
#pragma once

#include <cstdint>
#include <string>

namespace litmus {

// A test as DSL text; the same one from the same seed everywhere. Some are no tests: what one draws may break a static rule.
std::string random_boxes(uint64_t seed);

}  // namespace litmus
