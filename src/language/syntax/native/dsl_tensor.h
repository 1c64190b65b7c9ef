// The declarations of tensor maps: `.tensormap tm = g, dim 8, 2, box 4, 2;`, with `lower -1, upper -1, channels 4, pixels 8` in place of
// the box, and `.global .tensormap tm = g, dim 8, 2, box 4, 2;`.
#pragma once

#include "language/syntax/native/dsl_reader.h"

namespace litmus::dsl {

// Reads that of a constant map from the word `tensormap` on, and adds the map to the test.
void parse_tensor_map(Reader& in);

// Reads that of a map in memory from behind its name on, up to the semicolon, and adds the map to the test, before those that are constant:
// so they are in the order of their locations.
void parse_map_in_memory(Reader& in, const DslToken& name);

}  // namespace litmus::dsl
