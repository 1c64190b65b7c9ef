// The operations on values: arithmetic on two of them, and comparisons. One row for each.
//
// A new operation is a word of the enumeration and its row, and a line in each of the functions that the compiler then
// asks for: what it makes of two values (value.cpp), and as a circuit (solve/words.cpp). Everything else reads the row. The
// two are written apart, since executions that the solver gives are computed again from the values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace litmus {

enum class Operator : uint8_t {
    none,
    add,
    add_ftz,   // of f32: subnormal operands and results are zeros of their signs
    add_snan,  // of f64: a NaN comes back as it is
    sub,
    mul,
    div,  // by a constant that is not 0
    rem,
    min,
    max,
    inc,
    dec,
    and_,
    or_,
    xor_,
    exch,
    shl,
    shr,
    mbarrier_step,  // an mbarrier object and what is done to it (ptx/mbarrier.h)
    cas,            // of more than two values
    popc,           // of any number of predicates
    eq,
    ne,
    lt,
    le,
    gt,
    ge,
    last = ge,
};

struct OperatorRow {
    enum class Domain : uint8_t {
        nothing,
        integers,
        bits,     // of any type
        numbers,  // integers, and floating-point numbers, packed ones lane by lane
        floats,
    };
    // What comes out where an operand is 0, or both are the same.
    enum class Gives : uint8_t { unknown, operand, zero };

    Operator op;
    std::string_view name;            // as PTX writes it
    std::string_view symbol = {};     // a comparison: as tests write it
    std::string_view unsigned_ = {};  // a comparison: its other name in PTX, of unsigned numbers
    Domain on = Domain::nothing;
    bool shifts = false;               // its second operand is an amount, of a type of its own
    bool commutes = false;             // the operands may be exchanged
    bool signedness = false;           // it tells signed from unsigned integers
    bool idempotent = false;           // x op y op y is x op y
    Gives same = Gives::unknown;       // x op x, of integers and bits
    Gives with_zero = Gives::unknown;  // x op 0
    Gives from_zero = Gives::unknown;  // 0 op x
    // A comparison: under which of the four relations of two numbers it holds; one is unordered where a NaN takes part.
    bool less = false, equal = false, greater = false, unordered = false;
    Operator contrary = Operator::none;  // a comparison of integers: what holds where it does not
};

namespace operator_rows {

using Domain = OperatorRow::Domain;
using Gives = OperatorRow::Gives;

inline constexpr std::array all{
    OperatorRow{.op = Operator::none, .name = ""},
    OperatorRow{.op = Operator::add,
                .name = "add",
                .on = Domain::numbers,
                .commutes = true,
                .with_zero = Gives::operand,
                .from_zero = Gives::operand},
    OperatorRow{.op = Operator::add_ftz, .name = "add.ftz", .on = Domain::floats},
    OperatorRow{.op = Operator::add_snan, .name = "add.snan", .on = Domain::floats},
    OperatorRow{.op = Operator::sub, .name = "sub", .on = Domain::integers, .same = Gives::zero, .with_zero = Gives::operand},
    OperatorRow{
        .op = Operator::mul, .name = "mul", .on = Domain::integers, .commutes = true, .with_zero = Gives::zero, .from_zero = Gives::zero},
    OperatorRow{.op = Operator::div, .name = "div", .on = Domain::integers, .signedness = true, .from_zero = Gives::zero},
    OperatorRow{.op = Operator::rem, .name = "rem", .on = Domain::integers, .signedness = true, .from_zero = Gives::zero},
    OperatorRow{.op = Operator::min,
                .name = "min",
                .on = Domain::numbers,
                .commutes = true,
                .signedness = true,
                .idempotent = true,
                .same = Gives::operand},
    OperatorRow{.op = Operator::max,
                .name = "max",
                .on = Domain::numbers,
                .commutes = true,
                .signedness = true,
                .idempotent = true,
                .same = Gives::operand},
    OperatorRow{.op = Operator::inc, .name = "inc", .on = Domain::integers},
    OperatorRow{.op = Operator::dec, .name = "dec", .on = Domain::integers},
    OperatorRow{.op = Operator::and_,
                .name = "and",
                .on = Domain::bits,
                .commutes = true,
                .idempotent = true,
                .same = Gives::operand,
                .with_zero = Gives::zero,
                .from_zero = Gives::zero},
    OperatorRow{.op = Operator::or_,
                .name = "or",
                .on = Domain::bits,
                .commutes = true,
                .idempotent = true,
                .same = Gives::operand,
                .with_zero = Gives::operand,
                .from_zero = Gives::operand},
    OperatorRow{.op = Operator::xor_,
                .name = "xor",
                .on = Domain::bits,
                .commutes = true,
                .same = Gives::zero,
                .with_zero = Gives::operand,
                .from_zero = Gives::operand},
    OperatorRow{.op = Operator::exch, .name = "exch", .on = Domain::bits, .idempotent = true},
    OperatorRow{.op = Operator::shl, .name = "shl", .on = Domain::bits, .shifts = true, .with_zero = Gives::operand},
    OperatorRow{
        .op = Operator::shr, .name = "shr", .on = Domain::integers, .shifts = true, .signedness = true, .with_zero = Gives::operand},
    OperatorRow{.op = Operator::mbarrier_step, .name = "mbarrier.step", .on = Domain::integers},
    OperatorRow{.op = Operator::cas, .name = "cas", .idempotent = true},
    OperatorRow{.op = Operator::popc, .name = "popc"},
    OperatorRow{.op = Operator::eq, .name = "eq", .symbol = "==", .commutes = true, .equal = true, .contrary = Operator::ne},
    OperatorRow{.op = Operator::ne,
                .name = "ne",
                .symbol = "!=",
                .commutes = true,
                .less = true,
                .greater = true,
                .unordered = true,
                .contrary = Operator::eq},
    OperatorRow{
        .op = Operator::lt, .name = "lt", .symbol = "<", .unsigned_ = "lo", .signedness = true, .less = true, .contrary = Operator::ge},
    OperatorRow{.op = Operator::le,
                .name = "le",
                .symbol = "<=",
                .unsigned_ = "ls",
                .signedness = true,
                .less = true,
                .equal = true,
                .contrary = Operator::gt},
    OperatorRow{
        .op = Operator::gt, .name = "gt", .symbol = ">", .unsigned_ = "hi", .signedness = true, .greater = true, .contrary = Operator::le},
    OperatorRow{.op = Operator::ge,
                .name = "ge",
                .symbol = ">=",
                .unsigned_ = "hs",
                .signedness = true,
                .equal = true,
                .greater = true,
                .contrary = Operator::lt},
};

// Every word of the enumeration has its row, in its place.
constexpr bool operators_are_complete() {
    for (size_t i = 0; i < all.size(); ++i)
        if (static_cast<size_t>(all[i].op) != i) return false;
    return all.back().op == Operator::last;
}
static_assert(operators_are_complete());

}  // namespace operator_rows

constexpr const OperatorRow& row(Operator op) {
    return operator_rows::all[static_cast<size_t>(op)];
}
constexpr std::string_view name(Operator op) {
    return row(op).name;
}
constexpr std::string_view symbol(Operator comparison) {
    return row(comparison).symbol;
}
constexpr bool compares(Operator op) {
    return !row(op).symbol.empty();
}

// The operation of this name, `none` where there is none.
constexpr Operator operator_named(std::string_view name) {
    for (const OperatorRow& r : operator_rows::all)
        if (r.name == name) return r.op;
    return Operator::none;
}
// The comparison that PTX writes so, "lo" included; `none` where it is none.
constexpr Operator comparison_named(std::string_view name) {
    for (const OperatorRow& r : operator_rows::all)
        if (compares(r.op) && (r.name == name || (!r.unsigned_.empty() && r.unsigned_ == name))) return r.op;
    return Operator::none;
}
// The comparison with this symbol; `none` where it is none.
constexpr Operator comparison_of(std::string_view symbol) {
    for (const OperatorRow& r : operator_rows::all)
        if (compares(r.op) && r.symbol == symbol) return r.op;
    return Operator::none;
}

}  // namespace litmus
