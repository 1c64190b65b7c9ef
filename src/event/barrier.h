// Barriers: which uses of a barrier fall in one generation, and what that relates.
//
// Where the text leaves one possibility, the relations are static; where counts leave a choice (more
// arrivals than one generation takes), generations are Boolean choices of the execution.
#pragma once

#include "event/program.h"

namespace litmus {

// One event that uses a barrier.
struct BarrierUse {
    static constexpr ExprId absent = 0xffffffffU;
    size_t event = 0;
    const Instruction* instruction = nullptr;
    ExprId barrier = absent;       // id; of bar_quorum: the second operand
    ExprId instance = absent;      // bar_quorum: the first operand
    ExprId count = absent;         // threads; bar.warp.sync: the mask
    ExprId contribution = absent;  // bar.red: the predicate; of what the lanes of a warp exchange: the own value
    ExprId lane = absent;          // shfl.sync: the lane that is named; none: the own one
    ExprId result = absent;        // bar.red and others: the leaf that stands for the result
    ExprId stays = absent;         // BuildOptions::blocked: the thread never gets past this use
    bool is_kept = true;           // false: a redux.sync, vote or other exchange that the assembler drops, since nothing uses its result
};

// Whether the use waits for others (arrive forms do not).
bool blocks(const BarrierUse& use);

// Adds syncbar, clusterbar, waits and the order of generations to the program (model/semantics.md section
// 7), with the choices and constraints they need. `exits`: each thread's exit event. Throws Failure
// for uses without a meaning (a count that cannot be, an id that depends on a value).
void add_barriers(Program& program, const std::vector<BarrierUse>& uses, const std::map<int, size_t>& exits);

}  // namespace litmus
