// Constant expressions by operator precedence (see constant.h).
#include "kernel/read/constant.h"

#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

#include "base/decimal.h"

namespace litmus::kernel {
namespace {

constexpr int most_constant_nesting = 64;
constexpr uint64_t warp_size = 32;  // WARP_SZ

// The operators of 4.5.4 with their precedence; tighter is greater.
struct Infix {
    std::string_view written;
    int binding;
};
constexpr std::array<Infix, 18> infixes{{{"||", 1},
                                         {"&&", 2},
                                         {"|", 3},
                                         {"^", 4},
                                         {"&", 5},
                                         {"==", 6},
                                         {"!=", 6},
                                         {"<", 7},
                                         {"<=", 7},
                                         {">", 7},
                                         {">=", 7},
                                         {"<<", 8},
                                         {">>", 8},
                                         {"+", 9},
                                         {"-", 9},
                                         {"*", 10},
                                         {"/", 10},
                                         {"%", 10}}};

std::optional<uint64_t> applied(std::string_view op, uint64_t a, uint64_t b, bool is_unsigned) {
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    const bool divides = op == "/" || op == "%";
    if (divides && b == 0) return std::nullopt;
    if (divides && !is_unsigned && sb == -1) return op == "/" ? 0 - a : 0;  // the least integer has no negative
    const bool less = is_unsigned ? a < b : sa < sb;
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return less;
    if (op == ">=") return !less;
    if (op == "<=") return less || a == b;
    if (op == ">") return !less && a != b;
    if (op == "<<") return b < 64 ? a << b : 0;
    if (op == ">>") {
        const uint64_t fill = !is_unsigned && sa < 0 ? ~uint64_t{0} : 0;
        if (b == 0) return a;
        return b < 64 ? a >> b | fill << (64 - b) : fill;
    }
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return is_unsigned ? a / b : static_cast<uint64_t>(sa / sb);
    return is_unsigned ? a % b : static_cast<uint64_t>(sa % sb);
}

class Expression {
public:
    Expression(Cursor& cursor, const FindSymbol& find) : cursor_(cursor), find_(find) {}

    Constant read(int binding = 0) {
        if (++depth_ > most_constant_nesting) cursor_.fail(cursor_.peek().span, "this expression nests too deeply");
        Constant left = unary();
        for (;;) {
            const Infix* op = infix(binding);
            if (op == nullptr) break;
            const PtxToken sign = cursor_.take();
            left = combine(left, sign, read(op->binding));
        }
        --depth_;
        return left;
    }

private:
    const Infix* infix(int above) {
        const PtxToken& token = cursor_.peek();
        if (token.kind != PtxToken::Kind::symbol) return nullptr;
        for (const Infix& candidate : infixes)
            if (candidate.written == token.text) return candidate.binding > above ? &candidate : nullptr;
        return nullptr;
    }

    // Of numbers anything; an address may be moved.
    Constant combine(const Constant& a, const PtxToken& sign, const Constant& b) {
        const Span span{a.span.begin, b.span.end};
        const bool integers = a.kind == Constant::Kind::integer && b.kind == Constant::Kind::integer;
        const bool moved = a.kind == Constant::Kind::address && b.kind == Constant::Kind::integer && (sign.is("+") || sign.is("-"));
        const bool moves = a.kind == Constant::Kind::integer && b.kind == Constant::Kind::address && sign.is("+");
        if (!integers && !moved && !moves)
            cursor_.fail(span, "`" + std::string(sign.text) + "` cannot combine these constants",
                         "integers have all operators; an integer may be added to an address or taken from it");
        const auto bits = applied(sign.text, a.bits, b.bits, unsigned_);
        if (!bits) cursor_.fail(b.span, "division by zero");
        Constant result = moves ? b : a;
        result.bits = *bits;
        result.span = span;
        return result;
    }

    Constant unary() {
        const PtxToken& token = cursor_.peek();
        const uint32_t begin = token.span.begin;
        if (token.is("-") || token.is("+") || token.is("~") || token.is("!")) {
            const PtxToken sign = cursor_.take();
            if (++depth_ > most_constant_nesting) cursor_.fail(sign.span, "this expression nests too deeply");
            Constant operand = unary();
            --depth_;
            operand.span.begin = begin;
            apply(sign, operand);
            return operand;
        }
        if (token.is("(")) return parenthesis();
        if (token.kind == PtxToken::Kind::number) return number();
        if (token.kind == PtxToken::Kind::word) return word();
        cursor_.fail_expected("a constant");
    }

    void apply(const PtxToken& sign, Constant& operand) {
        if (sign.is("+")) return;
        if (sign.is("-") && operand.kind == Constant::Kind::single) {
            operand.bits ^= uint64_t{1} << 31;
            return;
        }
        if (sign.is("-") && operand.kind == Constant::Kind::real) {
            operand.bits ^= uint64_t{1} << 63;
            return;
        }
        if (operand.kind != Constant::Kind::integer) cursor_.fail(operand.span, "`" + std::string(sign.text) + "` is for integers");
        if (sign.is("-")) operand.bits = 0 - operand.bits;
        if (sign.is("~")) operand.bits = ~operand.bits;
        if (sign.is("!")) operand.bits = operand.bits == 0;
    }

    // `(a + b)`, and the casts `(.s64)a` and `(.u64)a`, which decide how the expression divides, shifts and compares.
    Constant parenthesis() {
        const uint32_t begin = cursor_.take().span.begin;
        if (cursor_.at(".s64") || cursor_.at(".u64")) {
            unsigned_ = cursor_.take().is(".u64");
            cursor_.expect(")", "after the type");
            if (++depth_ > most_constant_nesting) cursor_.fail(cursor_.peek().span, "this expression nests too deeply");
            Constant operand = unary();
            --depth_;
            operand.span.begin = begin;
            return operand;
        }
        Constant inner = read();
        inner.span = {begin, cursor_.expect(")", "after this expression").span.end};
        return inner;
    }

    Constant number() {
        const PtxToken token = cursor_.take();
        Constant result;
        result.span = token.span;
        std::string_view text = token.text;
        const auto malformed = [&](const std::string& hint) { cursor_.fail(token.span, "this is no number", hint); };
        const auto digits = [&](std::string_view written, int base) {
            const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), result.bits, base);
            if (error == std::errc::result_out_of_range) cursor_.fail(token.span, "this number has more than 64 bits");
            if (written.empty() || end != written.data() + written.size()) malformed("");
        };
        const char letter = text.size() > 1 && text[0] == '0' ? static_cast<char>(std::tolower(static_cast<unsigned char>(text[1]))) : ' ';
        if (letter == 'f' || letter == 'd') {
            const size_t wanted = letter == 'f' ? 8 : 16;
            if (text.size() != wanted + 2) malformed("`0f` has 8 hexadecimal digits after it, `0d` has 16");
            digits(text.substr(2), 16);
            result.kind = letter == 'f' ? Constant::Kind::single : Constant::Kind::real;
            return result;
        }
        const bool is_hex = letter == 'x';
        if (!is_hex && text.find_first_of(".eE") != std::string_view::npos) {
            const auto value = parse_decimal(text);
            if (!value) malformed("");
            result.kind = Constant::Kind::real;
            result.bits = bit_cast<uint64_t>(*value);
            result.is_decimal = true;
            return result;
        }
        if (text.back() == 'U' || text.back() == 'u') {
            text.remove_suffix(1);
            unsigned_ = true;
        }
        if (is_hex || letter == 'b')
            digits(text.substr(2), is_hex ? 16 : 2);
        else
            digits(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
        if (cursor_.at("(")) return masked(result);
        return result;
    }

    // `0xFF00(x)`: byte 1 of the address of x (5.4.5).
    Constant masked(const Constant& mask) {
        uint32_t byte = 0;
        while (byte < 8 && mask.bits != uint64_t{0xff} << (8 * byte)) ++byte;
        if (byte == 8) cursor_.fail(mask.span, "a mask of an address has one byte of ones", "as 0xFF00(name)");
        cursor_.take();
        Constant inner = read();
        if (inner.kind != Constant::Kind::address) cursor_.fail(inner.span, "this is not the address of a variable");
        inner.byte = byte;
        inner.span = {mask.span.begin, cursor_.expect(")", "after the address").span.end};
        return inner;
    }

    Constant word() {
        const PtxToken token = cursor_.take();
        Constant result;
        result.span = token.span;
        if (token.is("WARP_SZ")) {
            result.bits = warp_size;
            return result;
        }
        if (token.is("generic") && cursor_.at("(")) {
            cursor_.take();
            Constant inner = read();
            if (inner.kind != Constant::Kind::address) cursor_.fail(inner.span, "this is not the address of a variable");
            inner.is_generic = true;
            inner.span = {token.span.begin, cursor_.expect(")", "after the address").span.end};
            return inner;
        }
        const auto symbol = find_(token.text);
        if (!symbol) cursor_.fail(token.span, "nothing is declared under the name `" + std::string(token.text.substr(0, 80)) + "`");
        result.kind = Constant::Kind::address;
        result.symbol = *symbol;
        return result;
    }

    Cursor& cursor_;
    const FindSymbol& find_;
    int depth_ = 0;
    bool unsigned_ = false;
};

}  // namespace

Constant read_constant(Cursor& cursor, const FindSymbol& find) {
    return Expression(cursor, find).read();
}

uint64_t read_number(Cursor& cursor, const std::string& what, uint64_t most) {
    const FindSymbol none = [](std::string_view) { return std::nullopt; };
    const PtxToken::Kind kind = cursor.peek().kind;
    if (kind != PtxToken::Kind::number && kind != PtxToken::Kind::symbol && !cursor.at("WARP_SZ")) cursor.fail_expected(what);
    constexpr int above_comparisons = 7;  // `%r<81>`
    const Constant constant = Expression(cursor, none).read(above_comparisons);
    if (constant.kind != Constant::Kind::integer) cursor.fail(constant.span, "expected " + what + ", a whole number");
    if (constant.bits > most) cursor.fail(constant.span, "expected " + what + " of at most " + std::to_string(most));
    return constant.bits;
}

uint64_t bits_in(const Constant& constant, std::string_view type) {
    const bool single = type == "f32";
    if (constant.kind == Constant::Kind::real && single && constant.is_decimal)
        return bit_cast<uint32_t>(static_cast<float>(bit_cast<double>(constant.bits)));
    if (constant.kind == Constant::Kind::single && type == "f64")
        return bit_cast<uint64_t>(static_cast<double>(bit_cast<float>(static_cast<uint32_t>(constant.bits))));
    return constant.bits;
}

}  // namespace litmus::kernel
