// Which threads a scope denotes. Private to this folder.
#pragma once

#include "event/program.h"

namespace litmus {

// PTX ISA 8.5: whether a scope named at `a` includes a thread at `b`.
bool in_scope_at(Scope scope, const Placement& a, const Placement& b);

}  // namespace litmus
