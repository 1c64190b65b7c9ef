// What the order of instructions asks of SASS, the machine's own code, which NVIDIA does not document.
//
// An instruction of sm_70 and later has 16 bytes; the lowest 12 bits are its operation, of which the upper three say what kind of operands
// it has. What each operation is was learned from the assembler: each instruction of PTX alone, and what stands under its line.
//
// Bits 12 to 15 name the predicate under which an instruction is executed, and bits 105 to 125 hold what other machines find out for
// themselves: how many cycles to stall, and which of six scoreboards the instruction waits for (a mask), which one it will release when its
// result has come, and which when its operands have been read. Nothing else says that the result of a load has been waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace litmus::sass {

inline constexpr uint64_t instruction_bytes = 16;

enum class Effect : uint8_t {
    none,    // registers, addresses, branches, the thread's own stack; and what is never executed
    empty,   // a NOP: it keeps the place of an instruction that the machine needs nothing for
    memory,  // it accesses memory, or orders or waits for accesses: LDG, STS, ATOM, MEMBAR, DEPBAR, SYNCS, BAR, UTMALDG, ...
};

// Of the instruction that begins at this byte, a multiple of 16 inside the code.
Effect effect_at(std::string_view code, uint64_t address);

// Whether it makes the caches of its multiprocessor forget what they hold (CCTL): the end of an acquire.
bool forgets_caches(std::string_view code, uint64_t address);
// Whether it is a fence (MEMBAR).
bool is_fence(std::string_view code, uint64_t address);
// Whether it asks which kind of memory an address is in (QSPC).
bool asks_for_space(std::string_view code, uint64_t address);
// Whether it tests the phase of an mbarrier object (SYNCS.PHASECHK).
bool is_phase_test(std::string_view code, uint64_t address);
// Whether it is a load (LDG, LD) that these caches may answer: bits 77 to 80 say how strong it is, and what is weak, non-coherent or of the
// scope of a CTA is not read past them.
bool reads_through_caches(std::string_view code, uint64_t address);

// How far behind the first the second of two loads, or of two stores, accesses memory, where both are of one width and have one register
// for their address.
std::optional<int64_t> distance(std::string_view code, uint64_t first, uint64_t second);

// Whether the two are the same but for their scoreboards and the like.
bool are_copies(std::string_view code, uint64_t a, uint64_t b);

struct Scoreboards {
    std::optional<unsigned> result;  // released when what it reads has come
    unsigned awaited = 0;            // those that must be free before it is issued, as a mask
};
Scoreboards scoreboards_at(std::string_view code, uint64_t address);

// Where a thread goes on behind an instruction.
struct Next {
    bool falls_through = true;       // to the next one
    std::optional<uint64_t> branch;  // or there
    bool by_table = false;           // or to where a table says, which the code does not hold
};
Next next_of(std::string_view code, uint64_t address);

// Whether it is a load (LDG, LDS, LD).
bool is_load(std::string_view code, uint64_t address);
// Bits that a load or a store (LDG, LDS, LD, STG, STS, ST) moves; 0 for every other instruction.
int access_bits(std::string_view code, uint64_t address);

}  // namespace litmus::sass
