// The table as a page to read: model/instructions.md.
#pragma once

#include <string>
#include <string_view>

#include "ptx/instruction.h"

namespace litmus {

// Markdown: every modelled form by family, the five asynchronous and reducing pages first, then what is known by name
// only. `appendix` is Markdown that stands at the end as it is.
std::string instruction_page(std::string_view appendix);

// What an instruction with this operation contributes to an execution, in one sentence (semantics.md sections 2, 5, 6, 7).
std::string_view meaning(Op op);

}  // namespace litmus
