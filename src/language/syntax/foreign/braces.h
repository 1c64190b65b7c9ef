// The braces format of the published mixed-proxy artifact.
//
//     .global x;
//     .surfref s virtually aliases x;
//     d0.b0.t0 { st [x], 1; $0 suld r0, [s]; }
//     $1 (r0 $2 1) as r0;
//     $$
//     fence.proxy.surface; | assert | ==
//                          | permit | !=
//
// A register names one value of the whole test. `ld r0, [x] == 1` counts only executions that read 1.
// `assert` must hold in all executions, `permit` in some, `check` is only reported.
#pragma once

#include <string>
#include <vector>

#include "base/source.h"
#include "language/test.h"

namespace litmus {

// One test per table row and command. A test is named after the file ("CoWR.test"), the row counted
// from 1 when there is a table ("CoWR.test#3"), and the claim when there are several commands
// ("CoWR.test:r0"). Leading comments `// name: ...`, and so with doc, ref, repairs and target, are read
// too, since the format has no other place for them. Throws Failure.
std::vector<Test> parse_braces(const SourcePtr& source);

// parse_braces(print_braces(t)) is {t}. `test` is of Dialect::braces (else: convert.h); throws
// Failure when it holds what the format cannot say.
std::string print_braces(const Test& test);

}  // namespace litmus
