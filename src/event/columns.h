// The columns of tensor memory: what tcgen05.alloc waits for, and what is wrong with its use (ISA 9.7.16.7.1). Private to this folder.
#pragma once

#include <map>
#include <vector>

#include "event/program.h"

namespace litmus {

// One tcgen05.alloc, .dealloc or .relinquish_alloc_permit.
struct ColumnUse {
    size_t event = 0;  // happens where the thread gets past the instruction
    const Instruction* instruction = nullptr;
    int thread = 0;
    int cta = 0;                     // index into Program::ctas
    int peer = -1;                   // likewise, of `.cta_group::2`: the other one of the pair
    int64_t columns = 0;             // allocated or given back
    ExprId reached = ExprPool::yes;  // the thread comes to it
    ExprId stays = ExprPool::no;     // BuildOptions::blocked: and never gets past it
};

// Adds the order in which each CTA serves its uses ("allots"), what each of them waits for, and the violations among them.
// `exits`: each thread's exit event. Throws Failure where a CTA has too many uses, OverBudget.
void add_columns(Program& program, const std::vector<ColumnUse>& uses, const std::map<int, size_t>& exits);

}  // namespace litmus
