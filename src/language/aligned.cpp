// By the kinds of instructions: which of them have `.aligned` the table of forms says.
#include "language/aligned.h"

#include <algorithm>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus {

namespace {

using Kind = Traits::Kind;

// ISA 9.7.15.5.2, 9.7.15.7, 9.7.19.5.
bool is_of_warpgroup(const Instruction& i) {
    return traits(i.op).family == Traits::Family::wgmma || i.mnemonic == "setmaxnreg";
}

bool has_it(const Thread& thread, const Instruction& instruction) {
    return std::any_of(thread.body.begin(), thread.body.end(),
                       [&](const Instruction& i) { return i.op == instruction.op && i.mnemonic == instruction.mnemonic; });
}

}  // namespace

bool is_executed_once(const Instruction& i) {
    return i.has("aligned") && (traits(i.op).family == Traits::Family::tcgen || kind(i.op) == Kind::map_write || is_of_warpgroup(i));
}

bool has_to_execute(const Test& test, const Instruction& i, const Thread& thread, const Thread& other) {
    if (&other == &thread || !i.has("aligned") || kind(i.op) == Kind::cta_barrier) return false;
    if (!is_executed_once(i)) return same_cta(other.at, thread.at) && other.at.warp == thread.at.warp;
    if (!is_of_warpgroup(i) || !same_warpgroup(other.at, thread.at) || other.at.warp == thread.at.warp) return false;
    return has_it(other, i) || std::none_of(test.threads.begin(), test.threads.end(), [&](const Thread& lane) {
               return same_cta(lane.at, other.at) && lane.at.warp == other.at.warp && has_it(lane, i);
           });
}

bool is_executed_with_others(const Test& test, const Instruction& i, const Thread& thread) {
    return std::any_of(test.threads.begin(), test.threads.end(),
                       [&](const Thread& other) { return has_to_execute(test, i, thread, other); });
}

bool is_same_execution(const Instruction& a, const Instruction& b) {
    if (spelling(a) != spelling(b) || a.operands.size() != b.operands.size()) return false;
    for (size_t k = 0; k < a.operands.size(); ++k) {
        const bool number = a.operands[k].kind == Operand::Kind::immediate && b.operands[k].kind == Operand::Kind::immediate;
        if (number && a.operands[k].value != b.operands[k].value) return false;
    }
    return true;
}

}  // namespace litmus
