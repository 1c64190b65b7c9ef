// The table as a page to read: model/instructions.md.
#pragma once

#include <string>
#include <string_view>

#include "ptx/instruction.h"

namespace litmus {

// Markdown: every modelled form by family, the five asynchronous and reducing pages first, then what is known by name
// only. `appendix` is Markdown that stands at the end as it is.
std::string instruction_page(std::string_view appendix);

}  // namespace litmus
