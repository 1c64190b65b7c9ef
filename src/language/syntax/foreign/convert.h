// Tests from one format to another, with the same meaning; between the foreign formats through the native one.
//
// What makes the outcomes the same, construct by construct:
// * Everything in the foreign formats is a 32-bit unsigned word in global memory; the native form
//   says so with `.global` and `.u32` (`.b32` where PTX has the operation on bits only).
// * A register without a definition on some path to a use reads its initial value, 0 if none is given, as
//   in herd. The native test sets exactly those with a mov at the start; a mov of a constant makes no event and no
//   dependency.
// * beq/bne a, b, L is setp and a guarded bra on a fresh predicate: the control dependency on a and b stays.
// * bar.cta.sync I[, B[, Q]], and bar.cta.arrive without waiting, synchronizes those uses of one (I, B) in a CTA that
//   complete together with each other and with later ones, and opens when Q threads have come (model/semantics.md
//   section 7). A PTX barrier with a count has generations of exactly that many arrivals. The two agree when each of n
//   threads uses (I, B) exactly once on every path and n <= Q: there is one generation, of all uses if n = Q, of none if
//   n < Q (both hang). All else is refused.
// * An expectation `ld r0, [x] == 1` keeps the executions in which r0 is 1 after the load. It becomes a
//   filter on r0, not an await: await would add a control dependency and deadlocks. No other instruction writes r0, so the
//   final r0, which the filter looks at, is the value read.
#pragma once

#include "language/test.h"

namespace litmus {

// Each returns a test of the named dialect (the test itself when it is one already), and throws
// Failure, naming the construct, when the target cannot express it.

// Types and state spaces explicit, CTA numbers unique, branches on comparisons as setp and a guarded
// bra, quorum barriers as bar.sync with a count, initial registers as mov, expectations as a filter.
Test to_native(const Test& test);
Test to_column(const Test& test);
Test to_braces(const Test& test);

}  // namespace litmus
