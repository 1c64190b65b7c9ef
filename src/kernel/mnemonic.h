// The words with which the computations of a kernel begin. The language of
// tests has some of them (ptx/rows.h); all are folded (fold.h, fold_float.h). fold.cpp
// dispatches by the enumeration without a default: a new word is asked for
// there, and nowhere else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace litmus::kernel {

enum class Mnemonic : uint8_t {
    other,  // no computation that is known here
    add,
    sub,
    addc,
    subc,
    mul,
    mad,
    madc,
    fma,
    mul24,
    mad24,
    div,
    rem,
    rcp,
    sqrt,
    min,
    max,
    neg,
    abs,
    sad,
    dp4a,
    and_,
    or_,
    xor_,
    not_,
    cnot,
    shl,
    shr,
    shf,
    lop3,
    prmt,
    bfe,
    bfi,
    popc,
    clz,
    bfind,
    brev,
    fns,
    bmsk,
    szext,
    setp,
    set,
    selp,
    slct,
    mov,
    cvt,
    last = cvt,
};

struct MnemonicRow {
    Mnemonic mnemonic;
    std::string_view name;
    size_t sources = 0;  // the least number of them
    // How many of its first sources the result is made of bit by bit: each bit of it depends on at most one bit of each of these. The other
    // sources say on which. This holds for integers and bits.
    size_t by_bits = 0;
};

namespace mnemonic_rows {

// clang-format off
inline constexpr auto all = std::to_array<MnemonicRow>({
    {Mnemonic::other, ""},
    {Mnemonic::add, "add", 2},     {Mnemonic::sub, "sub", 2},     {Mnemonic::addc, "addc", 2},   {Mnemonic::subc, "subc", 2},
    {Mnemonic::mul, "mul", 2},     {Mnemonic::mad, "mad", 3},     {Mnemonic::madc, "madc", 3},   {Mnemonic::fma, "fma", 3},
    {Mnemonic::mul24, "mul24", 2}, {Mnemonic::mad24, "mad24", 3}, {Mnemonic::div, "div", 2},     {Mnemonic::rem, "rem", 2},
    {Mnemonic::rcp, "rcp", 1},     {Mnemonic::sqrt, "sqrt", 1},   {Mnemonic::min, "min", 2},     {Mnemonic::max, "max", 2},
    {Mnemonic::neg, "neg", 1},     {Mnemonic::abs, "abs", 1},     {Mnemonic::sad, "sad", 3},     {Mnemonic::dp4a, "dp4a", 3},
    {Mnemonic::and_, "and", 2, 2},    {Mnemonic::or_, "or", 2, 2},      {Mnemonic::xor_, "xor", 2, 2},    {Mnemonic::not_, "not", 1, 1},
    {Mnemonic::cnot, "cnot", 1},   {Mnemonic::shl, "shl", 2, 1},     {Mnemonic::shr, "shr", 2, 1},     {Mnemonic::shf, "shf", 3, 2},
    {Mnemonic::lop3, "lop3", 4, 3},   {Mnemonic::prmt, "prmt", 3, 2},   {Mnemonic::bfe, "bfe", 3, 1},     {Mnemonic::bfi, "bfi", 4, 2},
    {Mnemonic::popc, "popc", 1},   {Mnemonic::clz, "clz", 1},     {Mnemonic::bfind, "bfind", 1}, {Mnemonic::brev, "brev", 1, 1},
    {Mnemonic::fns, "fns", 3},     {Mnemonic::bmsk, "bmsk", 2},   {Mnemonic::szext, "szext", 2, 1}, {Mnemonic::setp, "setp", 2},
    {Mnemonic::set, "set", 2},     {Mnemonic::selp, "selp", 3, 3},   {Mnemonic::slct, "slct", 3},   {Mnemonic::mov, "mov", 1, 1},
    {Mnemonic::cvt, "cvt", 1, 1},
});
// clang-format on

constexpr bool are_complete() {
    for (size_t i = 0; i < all.size(); ++i)
        if (static_cast<size_t>(all[i].mnemonic) != i) return false;
    return all.back().mnemonic == Mnemonic::last;
}
static_assert(are_complete());

}  // namespace mnemonic_rows

constexpr const MnemonicRow& row(Mnemonic mnemonic) {
    return mnemonic_rows::all[static_cast<size_t>(mnemonic)];
}

// The computation that begins with this word; `other` where there is none.
Mnemonic mnemonic_of(std::string_view word);

}  // namespace litmus::kernel
