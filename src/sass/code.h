// What the order of instructions asks of SASS, the machine's own code, which NVIDIA does not document.
//
// An instruction of sm_70 and later has 16 bytes; the lowest 12 bits are its operation, of which the upper three say what kind of operands
// it has. What each operation is was learned from the assembler: each instruction of PTX alone, and what stands under its line.
#pragma once

#include <cstdint>
#include <string_view>

namespace litmus::sass {

inline constexpr uint64_t instruction_bytes = 16;

enum class Effect : uint8_t {
    none,    // registers, addresses, branches
    empty,   // a NOP: it keeps the place of an instruction that the machine needs nothing for
    memory,  // it accesses memory, or orders or waits for accesses: LDG, STS, ATOM, MEMBAR, DEPBAR, SYNCS, BAR, UTMALDG, ...
};

// Of the instruction that begins at this byte, a multiple of 16 inside the code.
Effect effect_at(std::string_view code, uint64_t address);

// Bits that a load or a store (LDG, LDS, LD, STG, STS, ST) moves; 0 for every other instruction.
int access_bits(std::string_view code, uint64_t address);

}  // namespace litmus::sass
