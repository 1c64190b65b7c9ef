// The order in which a compiled thread issues its instructions, against that in which the PTX has them.
//
// Each instruction of PTX stands on a line of its own, and what was made of it is found by that line: some arithmetic for its operands, and
// the instructions that access, order or wait (sass/code.h), of which the first is where it is issued. An instruction of the thread has
// moved past an earlier one where it is issued before that. One that has no such instruction of its own was dropped, or merged with
// another: then that one's access is wider than it was written.
//
// The order of addresses is the order of issue where the thread runs straight on. Code that the assembler puts out of line, as the
// further turns of a loop or what few executions come to, stands behind. So of two that stand the other way round only those have moved
// that a thread can execute so: it comes to the later one without the earlier one, and then from there to the earlier one (sass/flow.h).
// What counts is the first place of each.
//
// An instruction of the code that has no row of its own counts as one of the row before it. The assembler gives none to what it copies, as
// the first turn of a loop: then an access seems to belong to a line that has none, a mov. Such a copy is told by its bits, which are those
// of an instruction of the thread; where there is no such one, it is a stray, and nobody can say whose it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sass/cubin.h"

namespace litmus::sass {

// Two instructions, by their numbers in the thread: the later one is issued first.
struct Moved {
    size_t earlier = 0, later = 0;
    bool operator==(const Moved& other) const = default;
};

// One without code of its own.
struct Gone {
    size_t instruction = 0;
    std::optional<size_t> into;  // the one that does its access, too
    bool operator==(const Gone& other) const = default;
};

struct Order {
    std::vector<std::vector<uint64_t>> places;  // by instruction: the addresses at which it accesses, orders or waits
    std::vector<int> bits;                      // by instruction: of its widest load or store; 0: it has none
    std::vector<Moved> moved;
    std::vector<Gone> gone;
    std::vector<uint64_t> strays;  // addresses
};

// The order of a thread whose instructions stand on these lines, in the order of the PTX. The instructions are such as access memory, order
// or wait: of any other one nothing can be said.
Order order_of(const Cubin& cubin, const Function& function, const std::vector<uint32_t>& lines);

}  // namespace litmus::sass
