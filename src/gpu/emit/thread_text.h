// One thread of a test as PTX: its registers, the addresses it uses, its instructions.
#pragma once

#include "gpu/emit/plan.h"
#include "gpu/emit/text.h"
#include "language/test.h"

namespace litmus::gpu {

// `$P0$$thread`; labels and registers of the emitter's own have no `$$`.
std::string thread_label(const Thread& thread);

// Writes the block of thread number `thread`, from its label to the branch to `$finished`. The marks of the text are of the instructions
// that access memory, order accesses or wait.
void emit_thread(const Test& test, const Plan& plan, int thread, Pins pins, PtxText& text);

// The same without the harness, for bare.h: the registers, the addresses and the instructions, with the marks. An await is a loop that
// ends when it holds, a branch is itself, and no lane is singled out. In the end the registers are in $kept<n>; returns how many these are.
// `specials`: whether those that tell lanes apart, `%laneid` and its kin, stand there as values or by their names.
enum class Specials : uint8_t { values, names_of_lanes };
size_t emit_bare_thread(const Test& test, const Plan& plan, int thread, PtxText& text, Specials specials = Specials::values);

// Whether the assembled code has a place for it that line information tells: it accesses memory, orders accesses or waits. A wgmma has
// none, for ptxas writes no line for it, and its fence and commit are parts of others.
bool has_place(Op op);

// Whether all 32 lanes run the thread, since it takes part in barriers of the CTA or the cluster, or in operations of a warpgroup, of
// which it is the first lane; otherwise only its own lane does.
bool whole_warp(const Test& test, int thread);

// `slot` = the number of the instance's slot of region `region`.
void emit_slot(PtxText& text, int region, const std::string& slot);

// $slot and then `address` = that of the instance's slot of region `region`; `base` is $region or $second.
void emit_slot_address(PtxText& text, int region, const std::string& address, const std::string& base);

// A value as PTX writes it in an instruction of this type: 5, -1, 0f3f800000.
std::string literal(Type type, uint64_t value);

}  // namespace litmus::gpu
