// The statements of a kernel, each looked up once in the table of instructions.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "kernel/addresses.h"
#include "kernel/fold.h"
#include "kernel/live.h"
#include "ptx/demands.h"
#include "ptx/traits.h"

namespace litmus::sweep {

// The demands of an instruction on one of its arguments (ptx/demands.h).
struct Demands {
    Role role = Role::none;
    std::vector<NumberDemand> numbers;
    AlignmentDemand alignment;
    OwnerDemand owner;
};

// One element of an operand that may be a vector.
inline const kernel::Argument& element_of(const kernel::Argument& argument, uint32_t e) {
    return argument.kind == kernel::Argument::Kind::vector ? argument.elements.at(e) : argument;
}

struct Step {
    const kernel::Statement* statement = nullptr;
    const kernel::Statement* original = nullptr;  // in the module, of one that was copied (link.h)
    std::optional<Instruction> form;              // with its qualifiers, and without operands; none: the table lacks it
    std::vector<Role> roles;                      // of the arguments
    std::vector<Demands> demands;                 // likewise; none where the table lacks the instruction
    bool writes_first = false;                    // the first argument is a result
    bool computes = false;                        // it is arithmetic, though the table may lack it (kernel/residual.h)
    kernel::Named named;                          // of arithmetic
    bool reads_carry = false, writes_carry = false;
    kernel::AddressConversion converts;
    size_t target = 0;                         // of a branch
    std::vector<size_t> targets;               // of brx.idx
    bool awaited = false;                      // a read of shared memory for whose value others are known to wait; or nobody
    std::vector<size_t> reads, writes;         // registers; of kernels with wgmma or tcgen05.ld
    std::vector<uint32_t> waits_for;           // reads whose values it waits for, by statement
    bool reads_clock = false;                  // in a special register
    bool past_caches = false;                  // a read past the coherent caches (9.7.9.9)
    bool repeated = false;                     // a wait whose result false leads to a wait again, with nothing but arithmetic between
    std::array<std::string_view, 2> spaces{};  // the state spaces that it names: the destination's, or the only one, and the source's
    uint32_t bytes = 4;                        // of an element in memory
    uint32_t elements = 1;
    Type type = Type::b32;
    Scope scope = Scope::none;  // of a strong access
    Sem sem = Sem::weak;
    uint8_t reduction = 0;  // of memory: those with one number, which is not 0, leave the same in either order

    // As registers hold its elements: of 128 bits in two (link.h).
    uint32_t piece_bytes() const { return std::min(bytes, 8U); }
    uint32_t pieces() const { return elements * (bytes / piece_bytes()); }

    std::string_view name() const { return statement->words[0]; }
    bool has(std::string_view word) const;
    // The argument in this role; null where there is none.
    const kernel::Argument* find(Role role) const;
    // Its demands on this argument; null: it has none, or this is a part of an argument.
    const Demands* demands_of(const kernel::Argument& argument) const;
    // The state space that the instruction names for this role; empty: a generic address.
    std::string_view space(Role role) const;
};

// Throws as kernel::plan() does.
std::vector<Step> steps_of(const SourcePtr& file, const kernel::Function& function, const Budget& budget);

}  // namespace litmus::sweep
