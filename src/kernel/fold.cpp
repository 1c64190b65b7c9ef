// Integer operations on known values, a function for each family.
//
// `Operation` holds the name taken apart: its first word, its type and, besides, whether a word occurs. What the language of tests has,
// too, is computed as there (ptx/value.h).
#include "kernel/fold.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "kernel/mnemonic.h"
#include "ptx/type.h"
#include "ptx/value.h"

namespace litmus::kernel {

namespace {

using Wide = unsigned __int128;

struct Operation {
    std::span<const std::string> words;
    std::span<const uint64_t> sources;
    bool& carry;
    Mnemonic mnemonic = Mnemonic::other;
    Type type = Type::b32;

    int width() const { return bits(type); }
    bool has(std::string_view word) const { return std::find(words.begin(), words.end(), word) != words.end(); }
    // The n-th source in the operation's type, and as a number of its signedness.
    uint64_t bits_of(size_t n) const { return truncate(sources[n], width()); }
    int64_t number(size_t n) const { return sign_extend(sources[n], width()); }
    // The low word of the n-th source, whatever the operation's type: shift amounts, positions, masks.
    uint32_t word(size_t n) const { return static_cast<uint32_t>(sources[n]); }
    Results one(uint64_t value) const { return {truncate(value, width())}; }
};

// The 64-bit words that stand for numbers in both signednesses, extended to 128 bits.
Wide extended(const Operation& o, size_t n) {
    if (is_signed(o.type)) return static_cast<Wide>(static_cast<__int128>(o.number(n)));
    return o.bits_of(n);
}

// ---- arithmetic (9.7.1, 9.7.2) -----------------------------------------------------------------------------------------------

Results saturated(const Operation& o, int64_t value) {
    const int64_t most = (int64_t{1} << (o.width() - 1)) - 1;
    return o.one(static_cast<uint64_t>(std::clamp(value, -most - 1, most)));
}

// a + b + carry in, where a subtraction adds the complement: its carry is the absence of a borrow in the sum, and CC.CF the borrow.
std::optional<Results> add_or_sub(const Operation& o) {
    const bool subtracts = o.mnemonic == Mnemonic::sub || o.mnemonic == Mnemonic::subc;
    const bool with_carry = o.mnemonic == Mnemonic::addc || o.mnemonic == Mnemonic::subc;
    if (o.has("sat")) return saturated(o, subtracts ? o.number(0) - o.number(1) : o.number(0) + o.number(1));
    const uint64_t b = subtracts ? truncate(~o.bits_of(1), o.width()) : o.bits_of(1);
    const bool carry_in = with_carry ? o.carry != subtracts : subtracts;
    const Wide sum = static_cast<Wide>(o.bits_of(0)) + b + (carry_in ? 1 : 0);
    if (o.has("cc")) o.carry = ((sum >> o.width()) & 1) != (subtracts ? 1U : 0U);
    return o.one(static_cast<uint64_t>(sum));
}

Wide product(const Operation& o) {
    return extended(o, 0) * extended(o, 1);
}

// The part of the product that the mode names; `.wide` has twice the width.
uint64_t part(const Operation& o, Wide whole) {
    if (o.has("hi")) return truncate(static_cast<uint64_t>(whole >> o.width()), o.width());
    return truncate(static_cast<uint64_t>(whole), o.has("wide") ? std::min(64, 2 * o.width()) : o.width());
}

std::optional<Results> mul(const Operation& o) {
    return Results{part(o, product(o))};
}

std::optional<Results> mad(const Operation& o) {
    const int width = o.has("wide") ? 2 * o.width() : o.width();
    const uint64_t addend = truncate(o.sources[2], width);
    if (o.has("sat")) return saturated(o, sign_extend(part(o, product(o)), o.width()) + o.number(2));
    const Wide sum = static_cast<Wide>(part(o, product(o))) + addend + (o.mnemonic == Mnemonic::madc && o.carry ? 1 : 0);
    if (o.has("cc")) o.carry = ((sum >> width) & 1) != 0;
    return Results{truncate(static_cast<uint64_t>(sum), width)};
}

// mul24, mad24 (9.7.1.5, 9.7.1.6): of the 48 bits of the product of two 24-bit numbers the high 32 or the low 32.
std::optional<Results> mul24(const Operation& o) {
    const auto low = [&](size_t n) {
        return is_signed(o.type) ? sign_extend(truncate(o.sources[n], 24), 24) : static_cast<int64_t>(truncate(o.sources[n], 24));
    };
    const auto whole = static_cast<uint64_t>(low(0) * low(1));
    const uint64_t kept = o.has("hi") ? whole >> 16 : whole;
    return o.one(o.mnemonic == Mnemonic::mad24 ? kept + o.bits_of(2) : kept);
}

std::optional<Results> div_or_rem(const Operation& o) {
    if (o.bits_of(1) == 0) return std::nullopt;  // unspecified (9.7.1.8, 9.7.1.9)
    const bool div = o.mnemonic == Mnemonic::div;
    if (!is_signed(o.type)) return o.one(div ? o.bits_of(0) / o.bits_of(1) : o.bits_of(0) % o.bits_of(1));
    if (o.number(1) == -1) return o.one(div ? -static_cast<uint64_t>(o.number(0)) : 0);  // also of the least number, which wraps
    return o.one(static_cast<uint64_t>(div ? o.number(0) / o.number(1) : o.number(0) % o.number(1)));
}

bool less(const Operation& o, size_t a, size_t b) {
    return is_signed(o.type) ? o.number(a) < o.number(b) : o.bits_of(a) < o.bits_of(b);
}

// What tests compute, too.
std::optional<Results> plain(const Operation& o, Operator operation) {
    const auto result = apply(operation, o.type, o.sources[0], row(operation).shifts ? o.word(1) : o.sources[1]);
    return result ? std::optional(o.one(*result)) : std::nullopt;
}

std::optional<Results> min_or_max(const Operation& o, Operator operation) {
    auto chosen = plain(o, operation);
    if (chosen && o.has("relu") && sign_extend(chosen->at(0), o.width()) < 0) chosen->at(0) = 0;
    return chosen;
}

std::optional<Results> neg_or_abs(const Operation& o) {
    const bool negates = o.mnemonic == Mnemonic::neg || o.number(0) < 0;
    return o.one(negates ? -o.bits_of(0) : o.bits_of(0));
}

std::optional<Results> sad(const Operation& o) {  // c + |a - b|
    const bool first = less(o, 0, 1);
    const uint64_t difference = first ? o.bits_of(1) - o.bits_of(0) : o.bits_of(0) - o.bits_of(1);
    return o.one(difference + o.bits_of(2));
}

// dp4a.atype.btype (9.7.1.23): c plus the products of the four bytes of a and b.
std::optional<Results> dp4a(const Operation& o) {
    uint64_t sum = o.sources[2];
    for (int i = 0; i < 4; ++i) {
        const auto byte = [&](size_t n) {
            const uint64_t raw = (o.sources[n] >> (8 * i)) & 0xff;
            return o.words[n + 1][0] == 's' ? sign_extend(raw, 8) : static_cast<int64_t>(raw);
        };
        sum += static_cast<uint64_t>(byte(0) * byte(1));
    }
    return Results{truncate(sum, 32)};
}

// ---- bits (9.7.8, 9.7.1.14 to 9.7.1.22, 9.7.9.7) -------------------------------------------------------------------------------

// shf.l, shf.r (9.7.8.7): of the word pair hi:lo shifted by `amount` the high word, or the low word.
std::optional<Results> funnel(const Operation& o) {
    const uint64_t pair = (o.sources[1] << 32) | truncate(o.sources[0], 32);
    const uint32_t amount = o.has("wrap") ? o.word(2) & 31 : std::min(o.word(2), 32U);
    return Results{truncate(o.has("l") ? (pair << amount) >> 32 : pair >> amount, 32)};
}

// lop3 (9.7.8.6): bit i of the table is the result for a, b, c being the bits of i, a the highest.
std::optional<Results> lop3(const Operation& o) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < 8; ++i)
        if ((o.word(3) >> i & 1) != 0)
            result |=
                ((i & 4) != 0 ? o.word(0) : ~o.word(0)) & ((i & 2) != 0 ? o.word(1) : ~o.word(1)) & ((i & 1) != 0 ? o.word(2) : ~o.word(2));
    if (o.sources.size() < 5) return Results{result};
    const bool some = result != 0, other = o.sources[4] != 0;  // lop3.BoolOp.b32 d|p, a, b, c, table, q
    return Results{result, static_cast<uint64_t>(o.has("or") ? some || other : some && other)};
}

// prmt (9.7.9.7): each nibble of the selector picks a byte of b:a; its highest bit asks for copies of that byte's sign.
std::optional<Results> permute(const Operation& o) {
    static constexpr std::array<std::string_view, 6> modes = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    const uint64_t bytes = (o.sources[1] << 32) | truncate(o.sources[0], 32);
    const auto mode = std::find_if(modes.begin(), modes.end(), [&](std::string_view m) { return o.has(m); });
    const int n = static_cast<int>(o.word(2) & 3);
    uint64_t result = 0;
    for (int i = 0; i < 4; ++i) {
        int from = 0;
        bool sign = false;
        if (mode == modes.end()) {
            const uint32_t nibble = o.word(2) >> (4 * i) & 15;
            from = static_cast<int>(nibble & 7);
            sign = (nibble & 8) != 0;
        } else {
            switch (mode - modes.begin()) {
                case 0:
                    from = n + i;
                    break;  // forward four
                case 1:
                    from = (n - i) & 7;
                    break;  // backward four
                case 2:
                    from = n;
                    break;  // replicate eight
                case 3:
                    from = std::max(i, n);
                    break;  // edge clamp left
                case 4:
                    from = std::min(i, n);
                    break;  // edge clamp right
                default:
                    from = 2 * (n & 1) + (i & 1);
                    break;  // replicate sixteen
            }
        }
        uint64_t byte = bytes >> (8 * from) & 0xff;
        if (sign) byte = (byte & 0x80) != 0 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return Results{result};
}

std::optional<Results> extract(const Operation& o) {  // bfe: positions beyond the word are copies of the sign, or zeros
    const uint32_t pos = o.word(1) & 0xff, len = o.word(2) & 0xff, last = static_cast<uint32_t>(o.width()) - 1;
    const bool sign = is_signed(o.type) && len > 0 && (o.bits_of(0) >> std::min(pos + len - 1, last) & 1) != 0;
    uint64_t result = 0;
    for (uint32_t i = 0; i <= last; ++i)
        if (i < len && pos + i <= last ? (o.bits_of(0) >> (pos + i) & 1) != 0 : sign) result |= uint64_t{1} << i;
    return o.one(result);
}

std::optional<Results> insert(const Operation& o) {  // bfi a, b, pos, len: the low bits of a at pos of b
    const uint32_t pos = o.word(2) & 0xff, len = o.word(3) & 0xff;
    uint64_t result = o.bits_of(1);
    for (uint32_t i = 0; i < len && pos + i < static_cast<uint32_t>(o.width()); ++i) {
        const uint64_t bit = uint64_t{1} << (pos + i);
        result = (o.sources[0] >> i & 1) != 0 ? result | bit : result & ~bit;
    }
    return o.one(result);
}

std::optional<Results> count_bits(const Operation& o) {
    const uint64_t value = o.bits_of(0);
    if (o.mnemonic == Mnemonic::popc) return Results{static_cast<uint64_t>(std::popcount(value))};
    return Results{static_cast<uint64_t>(std::countl_zero(value) - (64 - o.width()))};
}

std::optional<Results> find_bit(const Operation& o) {  // bfind: the highest bit that differs from the sign
    const bool negative = is_signed(o.type) && o.number(0) < 0;
    const uint64_t value = truncate(negative ? ~o.bits_of(0) : o.bits_of(0), o.width());
    if (value == 0) return Results{0xffffffff};
    const int highest = 63 - std::countl_zero(value);
    return Results{static_cast<uint64_t>(o.has("shiftamt") ? o.width() - 1 - highest : highest)};
}

std::optional<Results> reverse(const Operation& o) {
    uint64_t result = 0;
    for (int i = 0; i < o.width(); ++i)
        if ((o.sources[0] >> i & 1) != 0) result |= uint64_t{1} << (o.width() - 1 - i);
    return Results{result};
}

// fns (9.7.1.17): the n-th set bit of the mask from `base` on, upwards for n > 0, downwards for n < 0; base itself for 0.
std::optional<Results> find_nth(const Operation& o) {
    const uint32_t mask = o.word(0), base = o.word(1);
    const auto n = static_cast<int32_t>(o.word(2));
    if (base > 31) return std::nullopt;
    if (n == 0) return Results{(mask >> base & 1) != 0 ? base : 0xffffffffU};
    int64_t left = n > 0 ? n : -static_cast<int64_t>(n);
    for (int64_t at = base; at >= 0 && at<32; at += n> 0 ? 1 : -1)
        if ((mask >> at & 1) != 0 && --left == 0) return Results{static_cast<uint64_t>(at)};
    return Results{0xffffffff};
}

std::optional<Results> mask_of(const Operation& o) {  // bmsk.clamp/.wrap: `len` ones from `pos` on
    const uint32_t pos = o.has("wrap") ? o.word(0) & 31 : o.word(0), len = o.has("wrap") ? o.word(1) & 31 : o.word(1);
    if (pos > 31) return Results{0};
    const uint64_t ones = len > 31 ? 0xffffffff : (uint64_t{1} << len) - 1;
    return Results{truncate(ones << pos, 32)};
}

std::optional<Results> extend(const Operation& o) {  // szext.clamp/.wrap: the low n bits, extended
    const uint32_t n = o.has("wrap") ? o.word(1) & 31 : o.word(1);
    if (n == 0) return Results{0};
    if (n > 31) return o.one(o.sources[0]);
    const uint64_t low = truncate(o.sources[0], static_cast<int>(n));
    return o.one(is_signed(o.type) ? static_cast<uint64_t>(sign_extend(low, static_cast<int>(n))) : low);
}

// ---- comparisons and selections (9.7.6) ------------------------------------------------------------------------------------------

std::optional<bool> compared(const Operation& o) {
    for (const std::string& word : o.words) {
        const Operator comparison = comparison_named(word);
        if (comparison == Operator::none) continue;
        const bool sign = is_signed(o.type) && word != row(comparison).unsigned_;
        if (sign) return compare(comparison, Type::s64, static_cast<uint64_t>(o.number(0)), static_cast<uint64_t>(o.number(1)));
        return compare(comparison, Type::u64, o.bits_of(0), o.bits_of(1));
    }
    return std::nullopt;
}

bool combined(const Operation& o, bool first) {
    if (o.sources.size() < 3) return first;
    const bool other = o.sources[2] != 0;
    if (o.has("and")) return first && other;
    return o.has("or") ? first || other : first != other;
}

std::optional<Results> setp(const Operation& o) {
    const auto holds = compared(o);
    if (!holds) return std::nullopt;
    return Results{static_cast<uint64_t>(combined(o, *holds)), static_cast<uint64_t>(combined(o, !*holds))};
}

std::optional<Results> set(const Operation& o) {  // set.CmpOp{.BoolOp}.dtype.stype: all ones, or 1.0, or zero
    const auto holds = compared(o);
    if (!holds) return std::nullopt;
    const uint64_t yes = o.words[o.words.size() - 2] == "f32" ? 0x3f800000 : 0xffffffff;
    return Results{combined(o, *holds) ? yes : 0};
}

std::optional<Results> selp(const Operation& o) {
    return o.one(o.sources[2] != 0 ? o.sources[0] : o.sources[1]);
}

std::optional<Results> slct(const Operation& o) {  // slct.dtype.s32: a where c >= 0
    if (o.type != Type::s32) return std::nullopt;
    const auto dtype = type_named(o.words[o.words.size() - 2]);
    return Results{truncate(o.number(2) >= 0 ? o.sources[0] : o.sources[1], dtype ? bits(*dtype) : 64)};
}

// ---- moves and conversions (9.7.9) -----------------------------------------------------------------------------------------------

std::optional<Results> mov(const Operation& o) {
    return o.one(o.sources[0]);
}

// The number in the source's type, clamped to the destination's range.
uint64_t clamped(const Operation& o, Type to) {
    const auto value = static_cast<__int128>(extended(o, 0));
    const __int128 most = (static_cast<__int128>(1) << (is_signed(to) ? bits(to) - 1 : bits(to))) - 1;
    const __int128 least = is_signed(to) ? -most - 1 : 0;
    return static_cast<uint64_t>(std::clamp(value, least, most));
}

// cvt.dtype.atype between integers. A destination narrower than its register is extended to it by its sign (9.7.9.21).
std::optional<Results> cvt(const Operation& o) {
    const auto to = type_named(o.words[o.words.size() - 2]);
    if (!to || is_float(*to)) return std::nullopt;
    const uint64_t value = truncate(o.has("sat") ? clamped(o, *to) : static_cast<uint64_t>(extended(o, 0)), bits(*to));
    return Results{is_signed(*to) ? static_cast<uint64_t>(sign_extend(value, bits(*to))) : value};
}

// cvt.pack.sat.dtype.s32{.b32} d, a, b{, c} (9.7.9.22): b, then a above it, then the low part of c.
std::optional<Results> cvt_pack(const Operation& o) {
    constexpr int most_bits = 16;
    const auto to = type_named(o.words[3]);
    if (!to || bits(*to) > most_bits || o.sources.size() < 2) return std::nullopt;
    uint64_t result = o.sources.size() > 2 ? o.sources[2] << (2 * bits(*to)) : 0;
    bool none = false;
    for (size_t n = 0; n < 2; ++n) {
        const Operation element{o.words, o.sources.subspan(n, 1), none, o.mnemonic, Type::s32};
        result |= truncate(clamped(element, *to), bits(*to)) << (n == 0 ? bits(*to) : 0);
    }
    return Results{truncate(result, 32)};
}

std::optional<Results> computed(const Operation& o) {
    switch (o.mnemonic) {
        case Mnemonic::add:
        case Mnemonic::sub:
        case Mnemonic::addc:
        case Mnemonic::subc:
            return add_or_sub(o);
        case Mnemonic::mul:
            return mul(o);
        case Mnemonic::mad:
        case Mnemonic::madc:
            return mad(o);
        case Mnemonic::mul24:
        case Mnemonic::mad24:
            return mul24(o);
        case Mnemonic::div:
        case Mnemonic::rem:
            return div_or_rem(o);
        case Mnemonic::min:
            return min_or_max(o, Operator::min);
        case Mnemonic::max:
            return min_or_max(o, Operator::max);
        case Mnemonic::neg:
        case Mnemonic::abs:
            return neg_or_abs(o);
        case Mnemonic::sad:
            return sad(o);
        case Mnemonic::dp4a:
            return dp4a(o);
        case Mnemonic::and_:
            return plain(o, Operator::and_);
        case Mnemonic::or_:
            return plain(o, Operator::or_);
        case Mnemonic::xor_:
            return plain(o, Operator::xor_);
        case Mnemonic::not_:
            return o.one(~o.sources[0]);
        case Mnemonic::cnot:
            return o.one(o.bits_of(0) == 0 ? 1 : 0);
        case Mnemonic::shl:
            return plain(o, Operator::shl);
        case Mnemonic::shr:
            return plain(o, Operator::shr);
        case Mnemonic::shf:
            return funnel(o);
        case Mnemonic::lop3:
            return lop3(o);
        case Mnemonic::prmt:
            return permute(o);
        case Mnemonic::bfe:
            return extract(o);
        case Mnemonic::bfi:
            return insert(o);
        case Mnemonic::popc:
        case Mnemonic::clz:
            return count_bits(o);
        case Mnemonic::bfind:
            return find_bit(o);
        case Mnemonic::brev:
            return reverse(o);
        case Mnemonic::fns:
            return find_nth(o);
        case Mnemonic::bmsk:
            return mask_of(o);
        case Mnemonic::szext:
            return extend(o);
        case Mnemonic::setp:
            return setp(o);
        case Mnemonic::set:
            return set(o);
        case Mnemonic::selp:
            return selp(o);
        case Mnemonic::slct:
            return slct(o);
        case Mnemonic::mov:
            return mov(o);
        case Mnemonic::cvt:
            return o.words.size() > 3 && o.words[1] == "pack" ? cvt_pack(o) : cvt(o);
        case Mnemonic::other:
        case Mnemonic::fma:
        case Mnemonic::rcp:
        case Mnemonic::sqrt:
            return std::nullopt;
    }
    return std::nullopt;
}

// Operations that move bits whatever these stand for.
bool moves_bits(Mnemonic mnemonic) {
    return mnemonic == Mnemonic::mov || mnemonic == Mnemonic::selp || mnemonic == Mnemonic::slct;
}

}  // namespace

Named named(std::span<const std::string> words) {
    Named named;
    if (words.empty()) return named;
    named.mnemonic = mnemonic_of(words[0]);
    if (named.mnemonic == Mnemonic::other) named.operation = operator_named(words[0]);
    named.type = named.mnemonic == Mnemonic::prmt ? Type::b32 : type_named(words.back());  // prmt ends with its mode
    return named;
}

std::optional<Results> fold(const Named& named, std::span<const std::string> words, std::span<const uint64_t> sources, bool& carry) {
    const auto& [mnemonic, operation, type] = named;
    if (mnemonic == Mnemonic::other && operation == Operator::none) return std::nullopt;
    if (sources.size() < (mnemonic == Mnemonic::other ? 2 : row(mnemonic).sources)) return std::nullopt;
    if (!type) return std::nullopt;
    const bool packed = lanes(*type) > 1 || *type == Type::b128;
    if ((is_float(*type) || packed) && !moves_bits(mnemonic)) return std::nullopt;
    const Operation whole{words, sources, carry, mnemonic, *type};
    return mnemonic == Mnemonic::other ? plain(whole, operation) : computed(whole);
}

bool writes_carry(std::span<const std::string> words) {
    return std::find(words.begin(), words.end(), "cc") != words.end();
}

bool reads_carry(std::span<const std::string> words) {
    return words[0] == "addc" || words[0] == "subc" || words[0] == "madc";
}

uint64_t pack(std::span<const uint64_t> elements, int bits) {
    const int each = bits / static_cast<int>(std::max<size_t>(1, elements.size()));
    uint64_t value = 0;
    for (size_t i = elements.size(); i-- > 0;) value = (each == 64 ? 0 : value << each) | truncate(elements[i], each);
    return value;
}

std::vector<uint64_t> unpack(uint64_t value, int bits, size_t count) {
    const int each = bits / static_cast<int>(std::max<size_t>(1, count));
    std::vector<uint64_t> elements;
    for (size_t i = 0; i < count; ++i) elements.push_back(truncate(value >> (each * static_cast<int>(i) & 63), each));
    return elements;
}

}  // namespace litmus::kernel
