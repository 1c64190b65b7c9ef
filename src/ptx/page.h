// The table as a page to read: model/instructions.md.
#pragma once

#include <string>
#include <string_view>

#include "ptx/instruction.h"

namespace litmus {

// Markdown: every modelled form by family, the five asynchronous and reducing pages first, then what is known by name
// only. `appendix` is Markdown that stands at the end as it is.
std::string instruction_page(std::string_view appendix);

// What the page says of one form: its events, its box, and what its slots and operands hold.
struct Form;
std::string form_text(const Form& form);

}  // namespace litmus
