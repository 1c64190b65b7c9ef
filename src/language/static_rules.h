// The static rules of the instructions of a native test (model/semantics.md section 9, "Static rules"): what an instruction
// may not do with its operands, wherever these are known before the test runs.
//
// The rules are asked twice: by the reader of the text, which knows operands that are written as names and numbers, and
// by the builder of events, which knows what constant folding makes of registers. What is not known breaks no rule.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/source.h"
#include "language/test.h"
#include "ptx/table.h"

namespace litmus {

// What is known of one operand: where an address points, or the value of a source.
struct KnownOperand {
    const Location* location = nullptr;                  // null: no address, or one that is not known
    int cta = -1;                                        // of a shared location: the CTA in whose memory its instance lies
    int64_t offset = 0;                                  // bytes into the location
    std::optional<uint64_t> value;                       // of a source; none: not known
    bool generic = false;                                // of a shared location: the generic address, not that in its window
    std::vector<std::optional<uint64_t>> elements = {};  // coordinates in a tensor, or offsets to them; none: not known
};

// One instruction as a thread executes it.
struct KnownInstruction {
    const Test& test;
    const Thread& thread;
    const Instruction& instruction;      // its row is bound
    std::vector<KnownOperand> operands;  // one for each of the instruction's
    // Whether the whole text of the test could be read. Where it could not, a CTA or a location that seems to be missing may stand
    // in what was not read, and no rule may complain of it.
    bool whole_test = true;
};

// What is wrong with it, each at its operand; empty: nothing. State space, CTA, alignment, bounds and element size of
// accesses; ids, counts and masks of barriers; counts, sizes, masks and places of mbarrier and asynchronous operations.
std::vector<Diagnostic> broken_rules(const KnownInstruction& known);

// Whether rules are broken, and all of them by something that the ISA allows and the model does not have: an access that overlaps elements
// in part.
bool is_unmodelled(const KnownInstruction& known);

}  // namespace litmus
