// Each operation that the language of tests lacks has a function that writes it with those that it has.
#include "kernel/express.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "kernel/mnemonic.h"
#include "ptx/type.h"

namespace litmus::kernel {

namespace {

// Writes instructions one after the other; any that the language lacks makes the whole impossible.
class Writer {
public:
    explicit Writer(const Target& target) : target_(target) {}

    Operand result() const { return reg_operand(target_.name); }
    // A register between.
    Operand fresh() { return reg_operand(target_.name + "_" + std::to_string(++count_)); }
    void add(const std::string& dotted, std::vector<Operand> operands) {
        auto instruction = make(dotted, std::move(operands));
        if (instruction)
            out_.push_back(std::move(*instruction));
        else
            failed_ = true;
    }
    // The operation's result in a register between.
    Operand with(const std::string& dotted, std::vector<Operand> sources) {
        const Operand d = fresh();
        sources.insert(sources.begin(), d);
        add(dotted, std::move(sources));
        return d;
    }
    std::vector<Instruction> take() { return failed_ ? std::vector<Instruction>{} : std::move(out_); }
    void fail() { failed_ = true; }

private:
    const Target& target_;
    std::vector<Instruction> out_;
    size_t count_ = 0;
    bool failed_ = false;
};

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string bits_type(int width) {
    return "b" + std::to_string(std::max(width, 16));
}
std::string unsigned_type(int width) {
    return "u" + std::to_string(width);
}

// The source in a register (or number) of 64 bits, by its type's sign.
Operand widened(Writer& out, const Input& source, Type type) {
    if (source.operand.kind == Operand::Kind::immediate) {
        const uint64_t value = source.operand.value;
        return number_operand(is_signed(type) ? static_cast<uint64_t>(sign_extend(value, bits(type))) : truncate(value, bits(type)));
    }
    return out.with(std::string("cvt.") + (is_signed(type) ? "s64." : "u64.") + std::string(name(type)), {source.operand});
}

using Inputs = std::vector<Input>;
using Words = std::vector<std::string>;

std::optional<Type> type_of(const Words& words) {
    const auto type = type_named(words.back());
    return type && !is_float(*type) ? type : std::nullopt;
}

// mul.wide, mad.lo, mad.wide: products of twice the width are made in 64 bits.
void product(Writer& out, const Words& words, const Inputs& sources, Type type) {
    const bool wide = has(words, "wide"), sums = words[0] == "mad";
    if ((!wide && !has(words, "lo")) || has(words, "sat") || (wide && bits(type) != 32 && bits(type) != 16)) return out.fail();
    const std::string kind = wide && bits(type) == 32 ? (is_signed(type) ? "s64" : "u64") : std::string(name(type));
    const Type whole = *type_named(wide && bits(type) == 16 ? (is_signed(type) ? "s32" : "u32") : kind);
    const auto factor = [&](const Input& s) {
        if (!wide) return s.operand;
        if (bits(whole) == 64) return widened(out, s, type);
        return s.operand.kind == Operand::Kind::immediate
                   ? s.operand
                   : out.with("cvt." + std::string(name(whole)) + "." + std::string(name(type)), {s.operand});
    };
    const std::string multiply = "mul.lo." + std::string(name(whole));
    const Operand a = factor(sources[0]), b = factor(sources[1]);
    if (!sums) return out.add(multiply, {out.result(), a, b});
    const Operand p = out.with(multiply, {a, b});
    out.add("add." + std::string(name(whole)), {out.result(), p, sources[2].operand});
}

// bfe with a known place: shifted to the top and down again, which also copies the sign.
void extract(Writer& out, const Inputs& sources, Type type) {
    const auto number = [&](size_t n) {
        return sources[n].operand.kind == Operand::Kind::immediate ? std::optional(sources[n].operand.value & 0xff) : std::nullopt;
    };
    const auto pos = number(1), len = number(2);
    const auto width = static_cast<uint64_t>(bits(type));
    if (!pos || !len || *len == 0 || *pos + *len > width) return out.fail();
    const Operand top = out.with("shl.b" + std::to_string(width), {sources[0].operand, number_operand(width - *pos - *len)});
    out.add("shr." + std::string(name(type)), {out.result(), top, number_operand(width - *len)});
}

// lop3 with a known table: the union of the terms whose bit is set; a term is the intersection of its three sources, or their complements.
void any_of_three(Writer& out, const Inputs& sources) {
    if (sources.size() != 4 || sources[3].operand.kind != Operand::Kind::immediate) return out.fail();
    const uint64_t table = sources[3].operand.value & 0xff;
    const Operand &a = sources[0].operand, &b = sources[1].operand, &c = sources[2].operand;
    switch (table) {  // what nvcc writes most, in one or two instructions
        case 0xc0:
            return out.add("and.b32", {out.result(), a, b});
        case 0xfc:
            return out.add("or.b32", {out.result(), a, b});
        case 0x3c:
            return out.add("xor.b32", {out.result(), a, b});
        case 0x80:
            return out.add("and.b32", {out.result(), out.with("and.b32", {a, b}), c});
        case 0xfe:
            return out.add("or.b32", {out.result(), out.with("or.b32", {a, b}), c});
        case 0x96:
            return out.add("xor.b32", {out.result(), out.with("xor.b32", {a, b}), c});
        case 0xea:
            return out.add("or.b32", {out.result(), out.with("and.b32", {a, b}), c});
        case 0xf8:
            return out.add("or.b32", {out.result(), a, out.with("and.b32", {b, c})});
        default:
            break;
    }
    Operand sum = number_operand(0);
    for (uint32_t i = 0; i < 8; ++i) {
        if ((table >> i & 1) == 0) continue;
        Operand term = number_operand(0xffffffff);
        for (uint32_t n = 0; n < 3; ++n) {
            const Operand& source = sources[n].operand;
            const Operand factor = (i >> (2 - n) & 1) != 0 ? source : out.with("not.b32", {source});
            term = out.with("and.b32", {term, factor});
        }
        sum = out.with("or.b32", {sum, term});
    }
    out.add("mov.b32", {out.result(), sum});
}

// shf with a known amount: of two words the part that is left.
void funnel(Writer& out, const Words& words, const Inputs& sources) {
    if (sources[2].operand.kind != Operand::Kind::immediate) return out.fail();
    const uint64_t given = sources[2].operand.value & 0xffffffff;
    const uint64_t amount = has(words, "wrap") ? given & 31 : std::min<uint64_t>(given, 32);
    const Operand &low = sources[0].operand, &high = sources[1].operand;
    const bool left = has(words, "l");
    const Operand a = out.with("shl.b32", {high, number_operand(left ? amount : 32 - amount)});
    const Operand b = out.with("shr.u32", {low, number_operand(left ? 32 - amount : amount)});
    out.add("or.b32", {out.result(), a, b});
}

// setp with a second predicate: the comparison, then the two together.
void compare(Writer& out, const Words& words, const Inputs& sources) {
    Words plain;
    std::string joins;
    for (const std::string& word : words)
        if (word == "and" || word == "or" || word == "xor")
            joins = word;
        else
            plain.push_back(word);
    if (joins.empty() || sources.size() < 3) return out.fail();
    const Operand first = out.with(dotted(plain), {sources[0].operand, sources[1].operand});
    out.add(joins + ".pred", {out.result(), first, sources[2].operand});
}

// Division by a power of two.
void divide(Writer& out, const Words& words, const Inputs& sources, Type type) {
    const Operand& by = sources[1].operand;
    const uint64_t n = truncate(by.value, bits(type));
    if (is_signed(type) || by.kind != Operand::Kind::immediate || n == 0 || (n & (n - 1)) != 0) return out.fail();
    uint64_t log = 0;
    while (uint64_t{1} << log != n) ++log;
    if (words[0] == "div") return out.add("shr." + std::string(name(type)), {out.result(), sources[0].operand, number_operand(log)});
    out.add("and.b" + std::to_string(bits(type)), {out.result(), sources[0].operand, number_operand(n - 1)});
}

void absolute(Writer& out, const Inputs& sources, Type type) {
    const std::string kind(name(type));
    out.add("max." + kind, {out.result(), sources[0].operand, out.with("neg." + kind, {sources[0].operand})});
}

void select_by_sign(Writer& out, const Words& words, const Inputs& sources) {
    if (words.back() != "s32") return out.fail();
    const Operand p = out.with("setp.ge.s32", {sources[2].operand, number_operand(0)});
    out.add("selp." + words[words.size() - 2], {out.result(), sources[0].operand, sources[1].operand, p});
}

}  // namespace

std::vector<Instruction> express(const Words& words, const Target& target, const Inputs& sources) {
    Writer out(target);
    std::vector<Operand> operands = {out.result()};
    for (const Input& source : sources) operands.push_back(source.operand);
    if (auto same = make(dotted(words), operands)) return {std::move(*same)};
    const auto type = type_of(words);
    if (!type) return {};
    switch (mnemonic_of(words[0])) {
        case Mnemonic::mul:
        case Mnemonic::mad:
            if (has(words, "cc"))
                out.fail();
            else
                product(out, words, sources, *type);
            break;
        case Mnemonic::bfe:
            extract(out, sources, *type);
            break;
        case Mnemonic::lop3:
            any_of_three(out, sources);
            break;
        case Mnemonic::shf:
            funnel(out, words, sources);
            break;
        case Mnemonic::setp:
            compare(out, words, sources);
            break;
        case Mnemonic::div:
        case Mnemonic::rem:
            divide(out, words, sources, *type);
            break;
        case Mnemonic::abs:
            absolute(out, sources, *type);
            break;
        case Mnemonic::slct:
            select_by_sign(out, words, sources);
            break;
        default:  // a stand-in
            out.fail();
    }
    return out.take();
}

std::vector<Instruction> stand_in(const Target& target, const Inputs& sources) {
    Writer out(target);
    const int width = target.bits == 1 ? 32 : std::max(target.bits, 16);
    std::optional<Operand> sum;
    for (const Input& source : sources) {
        if (source.operand.kind != Operand::Kind::reg) continue;
        Operand term = source.operand;
        if (source.bits == 1)
            term = out.with("selp." + bits_type(width), {number_operand(1), number_operand(0), term});
        else if (std::max(source.bits, 16) != width)
            term = out.with("cvt." + unsigned_type(width) + "." + unsigned_type(std::max(source.bits, 16)), {term});
        sum = sum ? out.with("add." + unsigned_type(width), {*sum, term}) : term;
    }
    if (!sum) sum = number_operand(0);
    if (target.bits == 1)
        out.add("setp.ne." + unsigned_type(width), {out.result(), *sum, number_operand(0)});
    else
        out.add("mov." + bits_type(width), {out.result(), *sum});
    return out.take();
}

std::vector<Instruction> choose(const Target& target, const Input& root, const std::vector<Case>& cases) {
    Writer out(target);
    const auto is_key = [&](uint64_t key) { return out.with("setp.eq." + bits_type(root.bits), {root.operand, number_operand(key)}); };
    if (target.bits == 1) {  // true where the root is one of the keys whose value is
        if (root.bits == 1 && cases.size() == 2 && cases[0].value != cases[1].value) {
            const bool same = (cases[0].key != 0) == (cases[0].value != 0);
            out.add(same ? "mov.pred" : "not.pred", {out.result(), root.operand});
            return out.take();
        }
        std::vector<uint64_t> keys;
        for (const Case& c : cases)
            if (c.value != 0) keys.push_back(c.key);
        if (keys.size() == 1) {
            out.add("setp.eq." + bits_type(root.bits), {out.result(), root.operand, number_operand(keys[0])});
            return out.take();
        }
        std::optional<Operand> any;
        for (const uint64_t key : keys) {
            const Operand here = is_key(key);
            any = any ? out.with("or.pred", {*any, here}) : here;
        }
        if (!any) return {};
        out.add("mov.pred", {out.result(), *any});
        return out.take();
    }
    const std::string select = "selp." + bits_type(target.bits);
    if (root.bits == 1 && cases.size() == 2) {
        const bool first_is_true = cases[0].key != 0;
        out.add(select, {out.result(), number_operand(cases[first_is_true ? 0 : 1].value),
                         number_operand(cases[first_is_true ? 1 : 0].value), root.operand});
        return out.take();
    }
    Operand chosen = number_operand(cases.back().value);
    for (size_t i = cases.size() - 1; i-- > 0;) {
        const Operand here = is_key(cases[i].key);
        chosen = out.with(select, {number_operand(cases[i].value), chosen, here});
    }
    out.add("mov." + bits_type(target.bits), {out.result(), chosen});
    return out.take();
}

std::vector<Instruction> express_pack(const Target& target, const Inputs& elements) {
    Writer out(target);
    const int each = target.bits / static_cast<int>(std::max<size_t>(1, elements.size()));
    if (each < 16) return stand_in(target, elements);
    Operand all = number_operand(0);
    for (size_t n = 0; n < elements.size(); ++n) {
        Operand part = elements[n].operand;
        if (part.kind == Operand::Kind::reg) part = out.with("cvt." + unsigned_type(target.bits) + "." + unsigned_type(each), {part});
        if (n > 0) part = out.with("shl." + bits_type(target.bits), {part, number_operand(n * static_cast<size_t>(each))});
        all = n > 0 ? out.with("or." + bits_type(target.bits), {all, part}) : part;
    }
    out.add("mov." + bits_type(target.bits), {out.result(), all});
    return out.take();
}

std::vector<Instruction> express_unpack(const Target& target, const Input& whole, size_t nth, size_t count) {
    Writer out(target);
    const int each = whole.bits / static_cast<int>(std::max<size_t>(1, count));
    Operand part = whole.operand;
    if (nth > 0) part = out.with("shr." + unsigned_type(whole.bits), {part, number_operand(nth * static_cast<size_t>(each))});
    out.add("cvt." + unsigned_type(std::max(each, 16)) + "." + unsigned_type(whole.bits), {out.result(), part});
    return out.take();
}

}  // namespace litmus::kernel
