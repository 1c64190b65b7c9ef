// The declaration of a tensor map: `.tensormap tm = g, dim 8, 2, box 4, 2;`, or with
// `lower -1, upper -1, channels 4, pixels 8` in place of the box.
#pragma once

#include "syntax/native/dsl_reader.h"

namespace litmus::dsl {

// Reads it from the word `tensormap` on, and adds the map to the test.
void parse_tensor_map(Reader& in);

}  // namespace litmus::dsl
