// Which registers a loop that waits hands on from one round to the next, and which branches are no matter.
//
// How often such a loop goes round depends on the order of the threads. That is no matter if a round leaves nothing behind. A counter of
// the rounds is something, unless nothing depends on it: it only says how long to sleep, or when to give up by a trap.
//
// A branch decides nothing if both of its ways come to one statement, by arithmetic and `nanosleep` alone, and no register that they write
// matters there. So a clock may say how long to sleep, and a count may say whether to ask the clock. A way that goes in a circle is none of
// these: it may not end. But a circle may let time pass: it goes on while a clock of 64 bits is below a number, or has gone less far.
#pragma once

#include <vector>

#include "base/budget.h"
#include "kernel/live.h"
#include "kernel/program.h"

namespace litmus::sweep {

// Fills `carried` of reads and waits, and behind branches, where lanes stand that others leave behind: the registers that are strongly live
// before them (R. Giegerich, U. Moencke and R. Wilhelm, Invariance of approximative semantics with respect to program transformations,
// 1981). An operand of arithmetic counts if its result does, and the guard of a branch if it decides something. Fills `decides_nothing`,
// too. Takes time and memory in proportion to statements times registers / 64, and again for each level of nested loops. Gives what is live
// before each statement, and at the end; nothing where no statement is such a read or wait, or reads a clock.
std::vector<kernel::Registers> note_carried(std::vector<kernel::Step>& steps, size_t registers, const Budget& budget);

}  // namespace litmus::sweep
