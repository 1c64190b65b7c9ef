// The needs of a kernel, as text and as JSON.
#pragma once

#include <string>

#include "analysis/needed/needed.h"

namespace litmus {

// A line for each part. Ends in a newline.
std::string needed_text(const Needed& needed);

// One line without its end; src/schemas/needed.json says what is in it. `file`: the PTX; `seconds`: that it took.
std::string needed_json(const Needed& needed, const std::string& file, double seconds);

}  // namespace litmus
