// The canonical text of whole files, in any of the three formats.
#pragma once

#include <optional>
#include <string>

#include "language/test.h"

namespace litmus {

// All tests of a file in the wanted format, or each in its own; `single` demands that there is one. Throws Failure.
std::string canonical(const SourcePtr& source, std::optional<Dialect> to, bool single);

// Throws Failure where `text`, the canonical one, would stand in the place of the source and lose a comment of it.
void require_no_lost_comments(const SourcePtr& source, const std::string& text, std::optional<Dialect> to);

}  // namespace litmus
