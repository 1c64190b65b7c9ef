// Blocks in the body of a thread, `{ .reg .pred p; ... }`, as pasted PTX has them (ISA 5.4, 6.1).
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "language/test.h"

namespace litmus::dsl {

// Calls `visit(name)` with every register that an instruction names, as a reference.
void each_register(Instruction& instruction, const std::function<void(std::string&)>& visit);

// The blocks that are open while a body is read. Labels of a block, and registers that it declares, are its own: where the thread
// has such a name already, it gets another one when the block is closed ("DONE", "DONE_2").
class Blocks {
public:
    explicit Blocks(Thread& thread) : thread_(thread) {}

    void open();
    // Closes the innermost block; true: there is none, and this is the end of the body.
    bool close();
    size_t depth() const { return open_.size(); }
    // The innermost block declares these registers. The body itself does not: its registers need no declaration.
    void declare(const std::vector<std::string>& registers);

    std::vector<std::string> labels;  // before the instruction that comes next
    std::set<std::string> bound;      // registers that the operands of an `asm` statement stand for, as long as it is read

private:
    struct OpenBlock {
        size_t first = 0;             // instruction
        size_t first_label = 0;       // of those that stand before it
        std::set<std::string> taken;  // names of the thread before the block
        std::set<std::string> registers;
    };
    std::set<std::string> names() const;
    void rename(const OpenBlock& block);
    std::string fresh(const std::string& name) const;

    Thread& thread_;
    std::vector<OpenBlock> open_;
};

}  // namespace litmus::dsl
