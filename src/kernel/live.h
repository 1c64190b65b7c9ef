// What is known of a function before it runs: the form of each statement, the registers that it reads and writes, and which registers
// are live.
//
// A register is live before a statement when its value may be read from there on before it is written. Two states of a thread that
// agree in their live registers go on alike, so that the evaluator joins them (evaluate.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "kernel/module.h"
#include "ptx/table.h"

namespace litmus::kernel {

// The words of a name with dots between.
std::string dotted(const std::vector<std::string>& words);

// A set of registers of one function.
class Registers {
public:
    explicit Registers(size_t count = 0) : words_((count + 63) / 64) {}
    bool has(size_t r) const { return (words_[r / 64] >> (r % 64) & 1) != 0; }
    void insert(size_t r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
    void erase(size_t r) { words_[r / 64] &= ~(uint64_t{1} << (r % 64)); }
    bool join(const Registers& other);            // adds the other's; whether that changed anything
    bool none() const { return words_.empty(); }  // not: a set of no registers

private:
    std::vector<uint64_t> words_;
};

// A statement against the table of instructions.
struct Planned {
    std::optional<Spelling> form;  // as the table has it; of `ld.nc` that of `ld`, which it is but for the cache it uses
    std::optional<Refusal> refusal;
    std::vector<size_t> reads, writes;  // registers; the condition code is the one after the last
    bool writes_first = false;          // its first operand is a result
    bool synchronizes = false;          // a barrier, an operation on an mbarrier object, or an asynchronous instruction
};

struct Plan {
    const Function* function = nullptr;
    std::vector<Planned> statements;
    std::vector<bool> leaders;    // paths may meet here; also for the end of the code
    std::vector<Registers> kept;  // what is live before some of the statements, and at the end; none() of the others
    size_t carry = 0;             // the condition code's number

    // The registers that are live before a statement, or at the end.
    Registers live(size_t statement) const;
};

// Whether an instruction computes its result from its registers alone, whatever it computes: arithmetic (9.7.1 to 9.7.5), comparisons
// (9.7.6, 9.7.7), bits (9.7.8), conversions and permutations (9.7.9.3, .7, .21, .22), products of matrices in
// registers (9.7.14), video instructions (9.7.18).
bool computes(const std::vector<std::string>& words);

// The statements that may come after the given one within the function; the end of the code is one.
std::vector<size_t> successors(const Function& function, size_t statement);

// Takes time in proportion to the statements, and labels times registers / 64, and that again for each level of nested loops. Throws
// OverBudget, and Failure for a function of the file that would take a gigabyte of memory, or has a statement with wrong operands
// (operands.h).
Plan plan(const SourcePtr& file, const Function& function, const Budget& budget = {});

}  // namespace litmus::kernel
