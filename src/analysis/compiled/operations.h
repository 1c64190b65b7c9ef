// The instructions that a campaign tries, made from the table of instructions: every kind that touches memory, orders or waits, with
// operands.
#pragma once

#include <string>
#include <vector>

#include "ptx/traits.h"

namespace litmus::compiled {

// A line of a test with places in braces: {r} a register of its own, {p} a predicate of its own, {g} and {s} locations in global and in
// shared memory, {v} a value to write.
struct Operation {
    std::string text;                  // "ld.acquire.gpu.global.u32 {r}, [{g}];"
    std::vector<std::string> prelude;  // lines that must stand before it, in the same form
    std::string kind;                  // its name without scope and type, as gpu::kind_of has it
    bool is_access = false;            // a load, a store or an atomic of the thread itself
    bool is_plain = false;             // an access that orders nothing: weak, relaxed or volatile
    Traits::Kind traits{};             // what it is
    bool grouped = false;              // asynchronous, and part of a group that is committed and waited for
    int sm = 90;                       // the least that has it
};

// All of them: of those that differ in their type, their vector or what they compute, one. What a thread of its own cannot execute (parts
// of a warpgroup, tensor memory) is not among them. Each is a well-formed instruction of a test.
std::vector<Operation> operations();

// What lines with places filled can name.
struct Places {
    static constexpr const char* declarations =
        ".global .u32 x[4] = 0;\n.global .u32 y[4] = 0;\n.shared.cta0 .u32 s[4] = 0;\n.shared.cta0 .u32 t[4] = 0;\n"
        ".shared.cta0 .mbarrier bar = 1;\n";
    static constexpr const char* map =
        ".global .u64 image[2] = 0;\n.global .tensormap tm = image, dim 2, box 2;\n.shared.cta0 .u64 tile[2] = 0;\n";
};

// The line with its places filled. `number` makes registers its own.
std::string filled(const std::string& text, size_t number, const std::string& global, const std::string& shared);

// A test of a thread P0 with these lines, and, where there are some, of P1 beside it in the same CTA. Throws Failure where it is none.
std::string test_text(const std::string& name, const std::vector<std::string>& thread, const std::vector<std::string>& partner);

}  // namespace litmus::compiled
