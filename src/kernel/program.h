// The decoded statements of a kernel: the only decoding of PTX, which all who execute kernels read.
//
// A *step* is a statement with all that its words say. It has its form in the table of instructions and the roles of its arguments. It has
// what it does to memory (ptx/effects.h) and asks of its operands (ptx/demands.h). It has the registers and state spaces that it names, and
// where it branches to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "kernel/addresses.h"
#include "kernel/fold.h"
#include "kernel/module.h"
#include "ptx/demands.h"
#include "ptx/effects.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::kernel {

// The words of a name with dots between.
std::string dotted(const std::vector<std::string>& words);

// Whether an instruction computes its result from its registers alone, whatever it computes: arithmetic (9.7.1 to 9.7.5), comparisons
// (9.7.6, 9.7.7), bits (9.7.8), conversions and permutations (9.7.9.3, .7, .21, .22), products of matrices in
// registers (9.7.14), video instructions (9.7.18).
bool computes(const std::vector<std::string>& words);

// The demands of an instruction on one of its arguments (ptx/demands.h).
struct Demands {
    Role role = Role::none;
    std::vector<NumberDemand> numbers;
    AlignmentDemand alignment;
    OwnerDemand owner;
};

// One element of an operand that may be a vector.
inline const Argument& element_of(const Argument& argument, uint32_t e) {
    return argument.kind == Argument::Kind::vector ? argument.elements.at(e) : argument;
}

struct Step {
    const Statement* statement = nullptr;
    const Statement* original = nullptr;  // in the module, of one that was copied (link.h)
    std::optional<Instruction> form;      // with its qualifiers, and without operands; none: the table lacks it. Of `ld.nc` it
                                          // is that of `ld`, which it is but for the cache that it uses
    std::optional<Spelling> spelling;     // likewise, as the table has it
    std::optional<Refusal> refusal;       // why the table lacks it
    std::vector<Role> roles;              // of the arguments
    std::vector<Demands> demands;         // likewise; none where the table lacks the instruction
    std::vector<MemoryEffect> effects;    // of all arguments
    bool writes_first = false;            // the first argument is a result
    bool computes = false;                // it is arithmetic, though the table may lack it (computes())
    Named named;                          // of arithmetic
    bool reads_carry = false, writes_carry = false;
    AddressConversion converts;
    size_t target = 0;                  // of a branch
    std::vector<size_t> targets;        // of brx.idx
    bool awaited = false;               // a read of shared memory for whose value others are known to wait; or nobody
    std::vector<size_t> reads, writes;  // registers; the condition code is the one after the last
    std::vector<uint32_t> waits_for;    // reads whose values it waits for, by statement
    bool reads_clock = false;           // in a special register
    bool past_caches = false;           // a read past the coherent caches (9.7.9.9)
    bool repeats = false;               // a weak load in a loop that waits (sweep/rounds.h)
    bool decides_nothing = false;       // it has a guard, and what holds there is no matter (sweep/carried.h)
    std::vector<size_t> carried;        // where a round of a loop that waits begins or ends: registers whose values matter from there on
    std::optional<size_t> loop;         // of a read that is the first round of a loop: the read of the other rounds
    std::vector<size_t> first_rounds;   // of a read of a loop: those reads
    std::vector<size_t> rounds;         // of a read of a loop that stands in several ones: all of them
    NamedSpaces spaces{};               // the state spaces that it names
    uint32_t bytes = 4;                 // of an element in memory
    uint32_t elements = 1;
    Type type = Type::b32;
    Scope scope = Scope::none;  // of a strong access
    Sem sem = Sem::weak;
    uint8_t reduction = 0;  // of memory: those with one number, which is not 0, leave the same in either order
    uint16_t sum = 0;       // likewise, and of floating-point numbers: these leave the same but for rounding

    // As registers hold its elements: of 128 bits in two (link.h).
    uint32_t piece_bytes() const { return std::min(bytes, 8U); }
    uint32_t pieces() const { return elements * (bytes / piece_bytes()); }
    uint32_t element_of(uint32_t piece) const { return piece / (bytes / piece_bytes()); }

    std::string_view name() const { return statement->words[0]; }
    bool has(std::string_view word) const;
    // The argument in this role; null where there is none.
    const Argument* find(Role role) const;
    // Its demands on this argument; null: it has none, or this is a part of an argument.
    const Demands* demands_of(const Argument& argument) const;
    // The state space that the instruction names for this role; empty: a generic address.
    std::string_view space(Role role) const;
};

// The steps of a function, a statement each. Throws OverBudget, and Failure for a statement of the file with wrong operands (operands.h).
std::vector<Step> decoded(const SourcePtr& file, const Function& function, const Budget& budget);

}  // namespace litmus::kernel
