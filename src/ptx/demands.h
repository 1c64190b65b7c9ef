// The demands of instructions on their operands: a number lies in its range, an address is aligned and lies in the right CTA.
//
// A breach is undefined behaviour, whatever other threads do. This is the one table of these rules. The static rules of a test
// (language/static_rules.h) ask it of what is known of an operand, the sweep (sweep/demands.cpp) asks it of what a thread has in its
// registers. Operands are told apart by their roles, so a new row of rows.h with a known role has its demands.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.h"

namespace litmus {

// A demand on a number, in the 32 bits that the instruction reads.
struct NumberDemand {
    uint64_t least = 0, most = UINT32_MAX, multiple = 1;
    bool power_of_two = false;
    Role at_most = Role::none;      // it is no larger than the number in this role, either
    std::string_view what = {};     // it counts: "a tx-count"
    std::string_view section = {};  // of the ISA; empty: that of the instruction

    // Whether its own range has the number; `at_most` is not looked at.
    bool admits(uint64_t number) const;
    // The rule: "a tx-count is at most 1048575".
    std::string says() const;
};
std::vector<NumberDemand> number_demands(const Instruction& instruction, Role role);

// A demand on an address: it is a multiple of `bytes`, and of the number in the role `to`.
struct AlignmentDemand {
    uint64_t bytes = 1;
    Role to = Role::none;
    std::string_view section = {};  // as above
};
AlignmentDemand alignment_demand(const Instruction& instruction, Role role);

// A demand on an address in shared memory: it belongs to this CTA.
struct OwnerDemand {
    enum class Owner : uint8_t {
        any,         // of the cluster
        own,         // the executing CTA, by what the operation is
        own_window,  // the executing CTA, whose window the text names: `.shared`, `.shared::cta` (5.1.7)
        another,     // of the cluster, and not the executing one
        of_data,     // the CTA that has the data: of `address` or `copy_to`
        of_pair,     // that one, or the other CTA of its pair (9.7.16.5)
    };
    Owner owner = Owner::any;
    std::string_view section = {};  // as above
};
OwnerDemand owner_demand(const Instruction& instruction, Role role);

// Whether the coordinates in a tensor are non-negative: of a copy to global memory (9.7.9.27.1.1).
bool needs_coordinates_inside(const Instruction& instruction);

// Whether elements of a tensor have this reduction (9.7.9.27.1.3). A tensor's type has no `.b32`: it stands for `.u32` (5.5.1).
bool has_tensor_reduction(Operator operation, Type element);

// Says what is wrong with the shape in an instruction descriptor of tcgen05.mma (9.7.16.2.1, table 42), with the section; empty: nothing.
std::string fault_of_shape(const Instruction& instruction, uint64_t descriptor);

// The state spaces that the words of a name say. A copy names that of its destination first, then that of its source.
using NamedSpaces = std::array<std::string_view, 2>;
NamedSpaces named_spaces(const std::vector<std::string>& words);
// The one of the operand in this role; empty: none, so that the address is generic. The mbarrier object of a copy lies in shared memory.
std::string_view space_of(const NamedSpaces& spaces, Role role);
std::string_view named_space(const Instruction& instruction, Role role);

// " (ISA 6.4.1)": the section of a rule, or that of the instruction.
std::string citation(std::string_view section, const Instruction& instruction);

// Whether an exited thread of the warp makes the instruction undefined, as the pages of matrix instructions say.
bool needs_whole_warp(const Instruction& instruction);

}  // namespace litmus
