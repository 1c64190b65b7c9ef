// How conditions are written here; how they are put together is said once for all formats (language/syntax/condition.h).
#include "language/syntax/native/dsl_condition.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/nearest.h"
#include "language/syntax/condition.h"

namespace litmus::dsl {

namespace {

constexpr int max_depth = 100;

class Conditions : public ConditionParser {
public:
    // `outcomes`: a semicolon between atoms says that both hold.
    explicit Conditions(Reader& in, bool outcomes = false) : in_(in), outcomes_(outcomes) {}

private:
    bool accept(Mark mark) override {
        switch (mark) {
            case Mark::either:
                return in_.accept("\\/") || in_.accept("||");
            case Mark::both:
                return in_.accept("/\\") || in_.accept("&&") || (outcomes_ && accept_between());
            case Mark::negation:
                return in_.accept("~") || in_.accept("!");
            case Mark::open:
                return in_.accept("(");
            case Mark::yes:
                return accept_word("true");
            case Mark::no:
                return accept_word("false");
        }
        return false;
    }

    // A semicolon that something follows.
    bool accept_between() {
        if (!in_.accept(";")) return false;
        return !in_.at_end();
    }

    // `true:r0` is a register of a thread of that name.
    bool accept_word(std::string_view word) {
        const DslToken& token = in_.lexer.peek();
        return token.kind == DslToken::Kind::word && token.text == word && !in_.lexer.followed_by(":") && in_.accept(word);
    }

    void close() override {
        in_.expect(")");
        refuse_implication();
    }

    void comparison(Condition& atom) override {
        parse_comparison(atom);
        refuse_implication();
    }

    // Of other tools.
    void refuse_implication() {
        if ((in_.at("=") || in_.at("-")) && in_.lexer.followed_by(">"))
            in_.fail(in_.lexer.peek().span, "a condition has no implication", "write `a => b` as `~(a) \\/ b`");
    }

    // The printer puts the operand of the innermost negation in parentheses.
    void check_depth(int depth) override {
        const bool negation = in_.at("~") || in_.at("!");
        if (negation ? depth > max_depth : in_.at("(") && depth > max_depth + 1)
            in_.fail(in_.lexer.peek().span, "the condition is nested more than 100 deep");
    }

    Span next() override { return in_.lexer.peek().span; }
    uint32_t last_end() const override { return in_.lexer.last_end(); }

    void parse_comparison(Condition& atom) {
        std::optional<Literal> left_literal, right_literal;
        atom.left = parse_term(left_literal);
        const DslToken mark = in_.lexer.peek();
        atom.comparison = comparison_of(mark);
        if (atom.comparison == Operator::none) in_.fail(mark.span, "expected a comparison, not " + shown(mark), "one of == != < <= > >=");
        in_.lexer.take();
        if (in_.at("{")) return compare_halves(atom);
        require_half(atom.left);
        atom.right = parse_term(right_literal);
        require_half(atom.right);
        if (left_literal) set_constant(atom.left, *left_literal, term_type(in_.test, atom.right));
        if (right_literal) set_constant(atom.right, *right_literal, term_type(in_.test, atom.left));
    }

    // ---- 128 bits: `x.lo == 1`, `P0:q.hi == 2`, and `x == {1, 2}`, which compares both halves

    // Whether the term names all of what has 128 bits.
    bool is_whole(const Term& term) const {
        if (term.kind == Term::Kind::location) return find_location(in_.test, term.name)->wide && !half_;
        if (term.kind != Term::Kind::reg || half_) return false;
        const auto& body = in_.test.threads[static_cast<size_t>(term.thread)].body;
        return std::any_of(body.begin(), body.end(), [&](const Instruction& i) {
            return std::any_of(i.operands.begin(), i.operands.end(), [&](const Operand& o) { return is_wide(o) && o.name == term.name; });
        });
    }

    void require_half(const Term& term) const {
        if (is_whole(term) && term.kind == Term::Kind::location)
            in_.fail(term.span, "`" + term.name + "` has 128 bits, and a comparison is of 64 at most", whole_hint(term));
    }

    static std::string whole_hint(const Term& term) {
        return "compare its halves, `" + term.name + ".lo` and `" + term.name + ".hi`, or both: `" + term.name + " == {1, 2}`";
    }

    // From the opening brace on.
    void compare_halves(Condition& atom) {
        const Span open = in_.lexer.peek().span;
        const bool differs = atom.comparison == Operator::ne;
        if (!is_whole(atom.left)) in_.fail(open, "two halves are the value of what has 128 bits");
        if (!differs && atom.comparison != Operator::eq) in_.fail(open, "two halves are equal to others or not: they have no order");
        Condition all;
        all.kind = Condition::Kind::conjunction;
        in_.expect("{");
        for (const int half : {0, 1}) {
            if (half == 1) in_.expect(",", " before the upper half");
            Condition one;
            one.kind = Condition::Kind::atom;
            one.comparison = Operator::eq;
            one.left = atom.left;
            if (one.left.kind == Term::Kind::location)
                one.left.element += half;
            else
                one.left.name += half == 0 ? ".lo" : ".hi";
            const Span begin = in_.lexer.peek().span;
            set_constant(one.right, in_.take_literal("a value"), Type::b64);
            one.right.span = {begin.begin, in_.lexer.last_end()};
            one.span = {atom.left.span.begin, in_.lexer.last_end()};
            all.operands.push_back(std::move(one));
        }
        in_.expect("}");
        all.span = {atom.left.span.begin, in_.lexer.last_end()};
        atom = std::move(all);
        if (!differs) return;
        Condition negated;
        negated.kind = Condition::Kind::negation;
        negated.span = atom.span;
        negated.operands.push_back(std::move(atom));
        atom = std::move(negated);
    }

    // `.lo` or `.hi`, if it is there: 0 or 1.
    std::optional<int> take_half() {
        if (!in_.accept(".")) return std::nullopt;
        const DslToken word = in_.take(DslToken::Kind::word, "`lo` or `hi`");
        if (word.text != "lo" && word.text != "hi") in_.fail(word.span, "expected `lo` or `hi`, not " + shown(word));
        return word.text == "lo" ? 0 : 1;
    }

    // A constant is read in the type that it is compared with.
    void set_constant(Term& term, const Literal& literal, std::optional<Type> type) const {
        const bool by_bits = literal.kind == Literal::Kind::float32 || literal.kind == Literal::Kind::float64;
        const bool number = literal.kind == Literal::Kind::decimal || (literal.kind == Literal::Kind::integer && type && is_float(*type));
        const Type free_type = literal.kind == Literal::Kind::decimal   ? Type::f64
                               : literal.kind == Literal::Kind::float32 ? Type::b32
                                                                        : Type::b64;
        const uint64_t value = in_.value_of(literal, type.value_or(free_type));
        const bool packed = type && lanes(*type) > 1;
        term.is_float = by_bits || (number && !packed);
        term.raw = by_bits || (literal.kind == Literal::Kind::hex && (!type || is_float(*type)));
        term.value = term.is_float && !by_bits ? number_bits(literal) : value;
    }

    static uint64_t number_bits(const Literal& literal) {
        const double magnitude = literal.kind == Literal::Kind::decimal ? literal.number : static_cast<double>(literal.magnitude);
        return bit_cast<uint64_t>(literal.negative ? -magnitude : magnitude);
    }

    Term parse_term(std::optional<Literal>& literal) {
        Term term;
        half_.reset();
        const DslToken first = in_.lexer.peek();
        if (first.kind == DslToken::Kind::number || in_.at("-")) {
            literal = in_.take_literal("a value");
        } else if (in_.accept("[")) {
            parse_location_term(term, true);
            in_.expect("]");
        } else if (first.kind == DslToken::Kind::word && in_.lexer.index_followed_by(":")) {
            const DslToken thread = in_.lexer.take_indexed();
            in_.expect(":");
            term.kind = Term::Kind::reg;
            term.thread = thread_named(thread);
            term.name = in_.register_name(in_.take(DslToken::Kind::word, "a register"));
            half_ = take_half();
            if (half_) term.name += *half_ == 0 ? ".lo" : ".hi";
        } else {
            parse_location_term(term, false);
        }
        term.span = {first.span.begin, in_.lexer.last_end()};
        return term;
    }

    int thread_named(const DslToken& token) const {
        const int thread = find_thread(in_.test, token.text);
        if (thread >= 0) return thread;
        if (!in_.threads_complete) throw Failure(std::vector<Diagnostic>{});  // its own header was in error
        std::vector<std::string_view> names;
        for (const Thread& known : in_.test.threads) names.push_back(known.name);
        const std::string near = nearest(token.text, names);
        in_.fail(token.span, "there is no thread " + shown(token), near.empty() ? "" : "the nearest is `" + near + "`");
    }

    // x, s[2], s@cta1[3]; in brackets also s+8
    void parse_location_term(Term& term, bool bracketed) {
        const DslToken token = in_.take(DslToken::Kind::word, "a register such as `P0:r0`, a location or a value");
        const Location& location = in_.declared(token);
        if (location.is_mbarrier) in_.fail(token.span, "the state of an mbarrier object has no value to compare");
        if (location.is_tensor) in_.fail(token.span, "what tensor memory holds is not modelled");
        if (location.is_tensor_map)
            in_.fail(token.span, "a tensor map has no value to compare (ISA 5.5.8)", "compare what a copy that reads it moves");
        term.kind = Term::Kind::location;
        term.name = location.name;
        term.cta = in_.parse_instance();
        Operand place;
        if (bracketed || in_.at("[")) in_.parse_offset(place, &location);
        const int64_t size = element_bytes(location);
        const int count = location.count / (location.wide ? 2 : 1);
        if (location.wide) half_ = take_half();
        const Span span{token.span.begin, in_.lexer.last_end()};
        if (place.offset % size != 0)
            in_.fail(span, "offset " + std::to_string(place.offset) + " is not at an element of `" + location.name + "`");
        if (place.offset < 0 || place.offset / size >= count)
            in_.fail(span, "`" + location.name + "` has " + std::to_string(count) + " element" + (count == 1 ? "" : "s"));
        term.element = static_cast<int>(place.offset / size) * (location.wide ? 2 : 1) + half_.value_or(0);
    }

    Reader& in_;
    bool outcomes_;
    std::optional<int> half_;  // that the last term names
};

}  // namespace

Condition parse_condition(Reader& in) {
    if (!in.at("(")) in.fail(in.lexer.peek().span, "expected a condition in parentheses, not " + shown(in.lexer.peek()));
    return Conditions(in).parse();
}

Condition parse_outcome(Reader& in) {
    Condition condition = Conditions(in, true).parse();
    if (!in.at_end()) in.fail(in.lexer.peek().span, "expected `;` and another value, not " + shown(in.lexer.peek()));
    return condition;
}

}  // namespace litmus::dsl
