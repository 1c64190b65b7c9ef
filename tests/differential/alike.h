// Programs in which threads do the same: what solve/symmetry.h leaves out is enumerated.
#pragma once

#include <optional>
#include <string>

#include "cat/model.h"
#include "language/test.h"
#include "solve/solve.h"

namespace litmus {

// What tells the last copy from the others: nothing, a constant, the locations that it accesses, the CTA that it shares with another
// thread.
enum class Odd : uint8_t { nothing, constant, location, place };

// The test with its thread number `thread` as often as `copies` says, all in the CTA of that thread or each in a CTA of its own, if no
// shared memory belongs to a CTA by name. No filter, and a claim about the final values of global memory, which no exchange of the copies
// moves.
Test with_copies(Test test, size_t thread, size_t copies, bool in_own_ctas, Odd odd);

struct AlikeReport {
    std::optional<std::string> difference;  // between the solver and the enumerator, in words
    bool compared = false;                  // no: too many executions, or orders
    bool ordered = false;                   // the solver looked at one order of some threads
};

// What the solver finds where it looks at one order of threads that are alike, and all that the enumerator finds of the same program.
AlikeReport compare_alike(Solver& solver, const Test& test, const Model& model, size_t most_executions);

// What a solver finds that looks at one order of threads that are alike, and one that tries all orders, of the program with blocked
// threads: outcomes, and hazards with their places.
AlikeReport compare_orders(Solver& ordering, Solver& trying, const Test& test, const Model& model);

}  // namespace litmus
