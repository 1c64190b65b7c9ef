// Which registers of a function are live.
//
// A register is live before a statement when its value may be read from there on before it is written. Two states of a thread that
// agree in their live registers go on alike, so that the evaluator joins them (evaluate.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "kernel/program.h"

namespace litmus::kernel {

// A set of registers of one function.
class Registers {
public:
    explicit Registers(size_t count = 0) : words_((count + 63) / 64) {}
    bool has(size_t r) const { return (words_[r / 64] >> (r % 64) & 1) != 0; }
    void insert(size_t r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
    void erase(size_t r) { words_[r / 64] &= ~(uint64_t{1} << (r % 64)); }
    bool join(const Registers& other);            // adds the other's; whether that changed anything
    std::vector<size_t> all() const;              // ascending
    bool none() const { return words_.empty(); }  // not: a set of no registers

private:
    std::vector<uint64_t> words_;
};

// A function before it runs.
struct Plan {
    const Function* function = nullptr;
    std::vector<Step> steps;
    std::vector<bool> leaders;    // paths may meet here; also for the end of the code
    std::vector<Registers> kept;  // what is live before some of the statements, and at the end; none() of the others
    size_t carry = 0;             // the condition code's number

    // The registers that are live before a statement, or at the end.
    Registers live(size_t statement) const;
};

// The statements that may come after the given one within the function; the end of the code is one.
std::vector<size_t> successors(const Function& function, size_t statement);

// Takes time in proportion to the statements, and labels times registers / 64, and that again for each level of nested loops. Throws
// as decoded() does, and Failure for a function that would take a gigabyte of memory.
Plan plan(const SourcePtr& file, const Function& function, const Budget& budget = {});

}  // namespace litmus::kernel
