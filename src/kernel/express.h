// Arithmetic on dynamic words in the words of the language of tests.
//
// The language has fewer operations than PTX: what it lacks is put together from what it has (`mad` is a product and a sum), and where
// that is not possible a stand-in keeps the dependencies: the sum of the sources, whose value means nothing.
#pragma once

#include <string>
#include <vector>

#include "kernel/residual.h"
#include "kernel/state.h"

namespace litmus::kernel {

// A source as the residual program has it: a register of so many bits, or a number.
struct Input {
    Operand operand;
    int bits = 32;
};

// Where the result goes.
struct Target {
    std::string name;
    int bits = 32;  // 1: a predicate
};

// The instructions that leave in `target` what the operation `words` makes of the sources; those in between go to registers named after
// the target. Empty: there is no way to say it. For operations on integers and bits.
std::vector<Instruction> express(const std::vector<std::string>& words, const Target& target, const std::vector<Input>& sources);

// The instructions that leave in `target` something that depends on all sources that are registers.
std::vector<Instruction> stand_in(const Target& target, const std::vector<Input>& sources);

// The instructions that leave in `target` the case's value for what the register `root` holds.
std::vector<Instruction> choose(const Target& target, const Input& root, const std::vector<Case>& cases);

// mov{.b32,.b64} of a vector into one register, and of one into the n-th of `count` parts.
std::vector<Instruction> express_pack(const Target& target, const std::vector<Input>& elements);
std::vector<Instruction> express_unpack(const Target& target, const Input& whole, size_t nth, size_t count);

}  // namespace litmus::kernel
