// What else the two foreign formats (column.h, braces.h) share: limits, and where their threads stand.
#pragma once

#include <cstddef>

#include "language/test.h"

namespace litmus::foreign {

// Sizes beyond which a text is refused: an answer could not be had anyway.
constexpr size_t max_text = size_t{1} << 20;
constexpr size_t max_threads = 256;
constexpr size_t max_instructions = 4096;
constexpr size_t max_locations = 4096;

// Gives every thread a warp of its own in its CTA, in order.
void assign_warps(Test& test);

}  // namespace litmus::foreign
