// The residual program of a thread: blocks of instructions, and what comes after each.
//
// The evaluator makes one block for each state in which paths may meet; `simplified` takes out what turned out to be of no use, and
// `write` puts the blocks one after the other, with labels where something jumps.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "kernel/trace.h"
#include "ptx/table.h"

namespace litmus::kernel {

// An instruction of the language of tests with this dotted name, its operands bound to their roles; none: the language has no such
// word.
std::optional<Instruction> make(const std::string& dotted, std::vector<Operand> operands);

// The same of a name that has been looked up.
Instruction make(const Spelling& spelling, std::vector<Operand> operands);

Operand reg_operand(const std::string& name);
Operand number_operand(uint64_t value);

struct Residual {
    Instruction instruction;
    size_t statement = 0;  // of the PTX: its offset in the text, equal for all threads
    Origin origin;
    bool trap = false;          // `exit`, where the kernel has a trap
    bool non_coherent = false;  // `ld`, where the kernel has `ld.nc`
    bool aligned = false;       // a barrier with `.aligned`, or `bar`
};

struct BasicBlock {
    enum class End : uint8_t { open, jump, branch, exit };
    std::vector<Residual> body;
    End end = End::open;
    size_t next = 0;   // jump, branch: where to
    size_t other = 0;  // branch: where to when the guard holds
    Guard guard;
    std::string open;      // branch: not empty: nothing says which way is taken, and why
    bool timed = false;    // open: a clock does
    TextSpan span;         // of an open branch, in the PTX
    size_t statement = 0;  // what ends it
    Origin origin;
};

using BasicBlocks = std::vector<BasicBlock>;

// The blocks that may come next.
std::vector<size_t> successors(const BasicBlock& block);

// Without instructions whose results nobody uses, with the loops that only wait for one instruction as that instruction awaited, and with
// blocks that go on alike made one. Of an open branch both ways then are the same, or it is left. The first block is where the
// thread begins. Throws OverBudget.
void simplify(BasicBlocks& blocks, const Budget& budget);

// Gives the open branches that hang on a clock a guard which nobody knows: a comparison with a clock, read then, in these registers. So
// each may go either way, at any time (litmus/language.md, "Bodies").
void decide_by_clock(BasicBlocks& blocks, const std::string& clock, const std::string& late);

// An open branch that can be reached; null: there is none.
const BasicBlock* open_branch(BasicBlocks& blocks);

// As the body of a trace.
void write(BasicBlocks blocks, Trace& trace);

}  // namespace litmus::kernel
