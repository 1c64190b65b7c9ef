// How the formats write what conditions are made of; how these are put together is said once for all formats (language/syntax/condition.h).
#include "language/syntax/foreign/conditions.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "language/syntax/condition.h"
#include "language/syntax/foreign/instructions.h"

namespace litmus::foreign {

namespace {

constexpr int max_depth = 200;           // of a condition
constexpr int max_text_depth = 500;      // of its text: parentheses may be redundant, but are bounded, too
constexpr size_t max_conditions = 4096;  // parentheses and negations included

Term register_term(const Cursor& in, const Test& test, const std::string& thread, const std::string& name, Span span) {
    Term term;
    term.kind = Term::Kind::reg;
    term.thread = find_thread(test, thread);
    term.name = name;
    term.span = span;
    if (term.thread < 0) in.fail(span, "no thread `" + thread + "`");
    if (find_location(test, name) != nullptr) in.fail(span, "`" + name + "` is a location, not a register of " + thread);
    return term;
}

Term location_term(const Cursor& in, const Test& test, const std::string& name, Span span) {
    Term term;
    term.kind = Term::Kind::location;
    term.name = name;
    term.span = span;
    if (find_location(test, name) == nullptr) in.fail(span, "no location `" + name + "`", "registers are written `P0:" + name + "`");
    return term;
}

bool writes(const Thread& thread, const std::string& name) {
    return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& i) { return written_register(i) == name; });
}

// In the braces format a bare name is the register of the one thread that writes it.
Term bare_register(const Cursor& in, const Test& test, const std::string& name, Span span) {
    for (const Thread& thread : test.threads) {
        if (writes(thread, name)) return register_term(in, test, thread.name, name, span);
    }
    in.fail(span, "no thread writes a register `" + name + "`",
            find_location(test, name) != nullptr ? "final memory is not part of the braces format; load it into a register" : "");
}

// d0.b1.t0
std::string take_thread_name(Cursor& in) {
    std::string name = in.take_name("a thread");
    while (in.accept(".")) name += "." + in.take_name("a thread such as d0.b0.t0");
    return name;
}

Operator take_comparison(Cursor& in) {
    constexpr std::array<std::pair<std::string_view, Operator>, 8> spellings{{{"==", Operator::eq},
                                                                              {"=", Operator::eq},
                                                                              {"!=", Operator::ne},
                                                                              {"<>", Operator::ne},
                                                                              {"<=", Operator::le},
                                                                              {">=", Operator::ge},
                                                                              {"<", Operator::lt},
                                                                              {">", Operator::gt}}};
    for (const auto& [spelling, comparison] : spellings)
        if (in.accept(spelling)) return comparison;
    in.fail(in.peek().span, "expected a comparison", "one of == != < <= > >=");
}

bool accept_twice(Cursor& in, std::string_view mark) {
    if (!in.at(mark) || !in.at(mark, 1) || in.peek().span.end != in.peek(1).span.begin) return false;
    in.take();
    in.take();
    return true;
}

std::string depth_hint() {
    return "at most " + std::to_string(max_depth) + " levels";
}

int depth_of(const Condition& condition) {
    int depth = 0;
    for (const Condition& operand : condition.operands) depth = std::max(depth, depth_of(operand) + 1);
    return depth;
}

// How conditions are written in both formats.
class Conditions : public ConditionParser {
public:
    Conditions(Cursor& in, const Test& test) : in_(in), test_(test) {}

private:
    bool accept(Mark mark) override {
        switch (mark) {
            case Mark::either:
                return in_.accept("\\/") || accept_twice(in_, "|");
            case Mark::both:
                return in_.accept("/\\") || accept_twice(in_, "&");
            case Mark::negation:
                return in_.accept("~") || in_.accept("!") || in_.accept("not");
            case Mark::open:
                return in_.accept("(");
            case Mark::yes:
                return in_.accept("true");
            case Mark::no:
                return in_.accept("false");
        }
        return false;
    }

    void close() override { in_.expect(")", "`)` or a connective"); }

    void comparison(Condition& atom) override {
        atom.left = parse_term(in_, test_);
        atom.comparison = take_comparison(in_);
        atom.right = parse_term(in_, test_);
    }

    void check_depth(int depth) override {
        if (depth > max_text_depth) in_.fail(next(), "the condition is nested too deeply", depth_hint());
        if (++count_ > max_conditions) in_.fail(next(), "the condition is too long");
    }

    Span next() override { return in_.peek().span; }
    uint32_t last_end() const override { return in_.last_end(); }

    Cursor& in_;
    const Test& test_;
    size_t count_ = 0;
};

std::string print_operands(const Condition& condition, const Test& test, std::string_view connective) {
    std::string text;
    for (const Condition& operand : condition.operands) {
        const bool composite = operand.kind == Condition::Kind::disjunction ||
                               (operand.kind == Condition::Kind::conjunction && condition.kind == Condition::Kind::conjunction);
        if (!text.empty()) text += connective;
        text += composite ? "(" + print_condition(operand, test) + ")" : print_condition(operand, test);
    }
    return text;
}

}  // namespace

Condition parse_condition(Cursor& in, const Test& test) {
    Condition condition = Conditions(in, test).parse();
    if (depth_of(condition) > max_depth) in.fail(condition.span, "the condition is nested too deeply", depth_hint());
    return condition;
}

Term parse_term(Cursor& in, const Test& test) {
    const Lexeme first = in.peek();
    const bool braces = test.dialect == Dialect::braces;
    if (first.kind == Lexeme::Kind::number && in.at(":", 1) && !braces) {
        const std::string thread = "P" + std::to_string(first.value);
        in.take();
        in.take();
        const Span name = in.peek().span;
        return register_term(in, test, thread, in.take_name("a register"), {first.span.begin, name.end});
    }
    if (in.at_number()) {
        Term term;
        term.value = in.take_value("a number");
        term.span = first.span;
        return term;
    }
    if (in.at("[") && !braces) {
        in.take();
        const std::string name = in.take_name("a location");
        const Lexeme close = in.expect("]", "`]`");
        return location_term(in, test, name, {first.span.begin, close.span.end});
    }
    if (in.at(Lexeme::Kind::word) && (in.at(":", 1) || in.at(".", 1))) {
        const std::string thread = take_thread_name(in);
        in.expect(":", "`:` and a register");
        const Span name = in.peek().span;
        return register_term(in, test, thread, in.take_name("a register"), {first.span.begin, name.end});
    }
    const std::string name = in.take_name(braces ? "a register or a number" : "a register, a location or a number");
    return braces ? bare_register(in, test, name, first.span) : location_term(in, test, name, first.span);
}

std::string print_term(const Term& term, const Test& test) {
    switch (term.kind) {
        case Term::Kind::constant:
            return signed_decimal(term.value);
        case Term::Kind::location:
            return term.name;
        case Term::Kind::reg:
            break;
    }
    const Thread& thread = test.threads.at(static_cast<size_t>(term.thread));
    const bool bare = test.dialect == Dialect::braces && writes(thread, term.name);
    return bare ? term.name : thread.name + ":" + term.name;
}

std::string print_condition(const Condition& condition, const Test& test) {
    const bool braces = test.dialect == Dialect::braces;
    switch (condition.kind) {
        case Condition::Kind::constant:
            return condition.value ? "true" : "false";
        case Condition::Kind::atom:
            return print_term(condition.left, test) + " " + std::string(symbol(condition.comparison)) + " " +
                   print_term(condition.right, test);
        case Condition::Kind::conjunction:
            return print_operands(condition, test, braces ? " && " : " /\\ ");
        case Condition::Kind::disjunction:
            return print_operands(condition, test, braces ? " || " : " \\/ ");
        case Condition::Kind::negation:
            break;
    }
    return (braces ? "not (" : "~(") + print_condition(condition.operands.at(0), test) + ")";
}

}  // namespace litmus::foreign
