// Whom `.aligned` is about: "all threads in the warp", or in the warpgroup, "must execute the same" instruction (ISA 9.7.14.5.15 and
// others).
#pragma once

#include "language/test.h"

namespace litmus {

// Whether all threads of a warp execute it as one: instructions of tensor memory, of tensor maps, and of warpgroups. One thread of a test
// stands for its warp there (model/semantics.md section 2).
bool is_executed_once(const Instruction& instruction);

// Whether the thread `other` has to execute the instruction where `thread` does. Barriers of a CTA are apart, and so is what another lane
// of the warp executes for its warp.
bool has_to_execute(const Test& test, const Instruction& instruction, const Thread& thread, const Thread& other);

// Whether some thread of the test has to execute it where this one does.
bool is_executed_with_others(const Test& test, const Instruction& instruction, const Thread& thread);

// The n-th such instruction of this kind in the one thread and in the other: whether they are the same, as far as a text can say it.
bool is_same_execution(const Instruction& a, const Instruction& b);

}  // namespace litmus
