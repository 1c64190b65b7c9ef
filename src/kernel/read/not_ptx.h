// What a file is that is no PTX.
#pragma once

#include "base/source.h"

namespace litmus::kernel {

// Throws Failure where the text cannot be PTX, with what it seems to be and what would make PTX of it. Its lines are not quoted: it
// may be anything.
void require_ptx(const SourcePtr& source);

}  // namespace litmus::kernel
