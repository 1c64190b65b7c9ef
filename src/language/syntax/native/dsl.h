// The litmus DSL (litmus/language.md): PTX instructions inside a small block language.
#pragma once

#include "language/test.h"

namespace litmus {

// Parses and checks one test. Throws Failure with up to 20 diagnostics: after an error, reading goes on at
// the next statement.
Test parse_dsl(const SourcePtr& source);

}  // namespace litmus
