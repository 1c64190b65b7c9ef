// Operations of PTX on registers whose values are known (ISA 9.7.1, 9.7.2, 9.7.6, 9.7.8, 9.7.9.21).
//
// What nvcc emits for addresses, counters and predicates: integer arithmetic, bits, comparisons and conversions between integers.
// Values are bits in 64-bit words, truncated to the width of their type; predicates are 0 and 1. What the ISA leaves open (a
// division by zero, a mask of fns beyond the word) is not known here either.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/mnemonic.h"
#include "ptx/type.h"
#include "ptx/value.h"

namespace litmus::kernel {

// What an operation gives: its results in the order in which they are written (two for `p|q`).
using Results = std::vector<uint64_t>;

// What the name of an operation says of it, for who executes it more than once.
struct Named {
    Mnemonic mnemonic = Mnemonic::other;
    Operator operation = Operator::none;  // of one that tests alone have
    std::optional<Type> type = {};
};
Named named(std::span<const std::string> words);

// `words` is the dotted name, `sources` are the operands that are read, in their order. `carry` is the condition code register CC.CF
// (9.7.2), which `.cc` writes and addc, subc and madc read. None: no integer operation, or one whose result the ISA leaves open.
std::optional<Results> fold(const Named& named, std::span<const std::string> words, std::span<const uint64_t> sources, bool& carry);

// Whether the operation writes the carry, and whether it reads it.
bool writes_carry(std::span<const std::string> words);
bool reads_carry(std::span<const std::string> words);

// mov of a vector (9.7.9.4): the elements, lowest first, in one register of so many bits, and back.
uint64_t pack(std::span<const uint64_t> elements, int bits);
std::vector<uint64_t> unpack(uint64_t value, int bits, size_t count);

}  // namespace litmus::kernel
