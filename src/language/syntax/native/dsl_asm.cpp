// The strings stay where they are: their quotes and escapes become blanks, so that what is read has the spans of the text as it was
// pasted, and messages and reports point into it.
#include "language/syntax/native/dsl_asm.h"

#include <algorithm>
#include <array>
#include <utility>

#include "language/syntax/native/dsl_block.h"
#include "language/syntax/native/dsl_instruction.h"

namespace litmus::dsl {

namespace {

constexpr uint64_t max_registers = 4096;  // of a `.reg .b32 r<N>;`

// A string with its quotes and escapes, which begins at `begin` of the source, without them. `%%` is one percent sign.
std::string blanked(const Reader& in, std::string_view token, uint32_t begin) {
    std::string text(token);
    text.front() = text.back() = ' ';
    for (size_t k = 1; k + 2 < token.size(); ++k) {
        if (token.substr(k, 2) == "%%") text[k++] = ' ';
        if (token[k] != '\\') continue;
        const char escaped = token[k + 1];
        const Span span{begin + static_cast<uint32_t>(k), begin + static_cast<uint32_t>(k) + 2};
        if (std::string_view("nrtv\"\\").find(escaped) == std::string_view::npos)
            in.fail(span, "this escape is not known in inline assembly", "known are \\n \\r \\t \\v \\\" and \\\\");
        text[k] = ' ';
        text[k + 1] = escaped == 'n' ? '\n' : escaped == '"' || escaped == '\\' ? escaped : ' ';
        ++k;
    }
    return text;
}

// The strings that follow each other, as one text; between them nothing but blanks remains.
void take_strings(Reader& in, Pasted& pasted) {
    const DslToken first = in.lexer.peek();
    if (first.kind != DslToken::Kind::string)
        in.fail(first.span, "expected instructions in quotes, not " + shown(first), "write `asm(\"...\" : outputs : inputs);`");
    pasted.span = first.span;
    while (in.lexer.peek().kind == DslToken::Kind::string) {
        const DslToken token = in.lexer.take();
        for (uint32_t at = pasted.span.begin + static_cast<uint32_t>(pasted.text.size()); at < token.span.begin; ++at)
            pasted.text += in.source->text[at] == '\n' ? '\n' : ' ';
        pasted.text += blanked(in, token.text, token.span.begin);
        pasted.span.end = token.span.end;
    }
}

// `"r"(x), "r"(0)`; nothing where there are none.
void take_operands(Reader& in, std::vector<Bound>& operands) {
    while (in.lexer.peek().kind == DslToken::Kind::string) {
        in.lexer.take();
        in.expect("(");
        operands.push_back(take_bound(in));
        if (!in.accept(")"))
            in.fail(in.lexer.peek().span, "expected `)` after the operand, not " + shown(in.lexer.peek()),
                    "write the register, the location or the number of the test that stands for the expression");
        if (!in.accept(",")) return;
    }
}

}  // namespace

bool starts_asm(Reader& in) {
    return in.at("asm") || in.at("__asm__") || in.at("__asm");
}

Pasted take_asm(Reader& in) {
    Pasted pasted;
    in.lexer.take();
    while (in.accept("volatile") || in.accept("__volatile__")) continue;
    in.expect("(");
    take_strings(in, pasted);
    for (int lists = 0; lists < 2 && in.accept(":"); ++lists) take_operands(in, pasted.operands);
    if (in.accept(":")) do
            in.take_string("what is clobbered, as \"memory\"");
        while (in.accept(","));
    in.expect(")", " after the operands");
    in.expect_semicolon("the `asm` statement");
    return pasted;
}

InAsm::InAsm(Reader& in, const Pasted& pasted)
    : in_(in), outside_(std::exchange(in.lexer, Lexer(in.source, pasted.text, pasted.span.begin))) {
    in_.bound = pasted.operands;
    in_.pasting = true;
}

InAsm::~InAsm() {
    std::swap(in_.lexer, outside_);
    in_.bound.clear();
    in_.pasting = false;
}

void bind(const Pasted& pasted, Thread& thread, size_t first) {
    for (size_t i = first; i < thread.body.size(); ++i)
        each_register(thread.body[i], [&](std::string& name) {
            for (size_t k = 0; k < pasted.operands.size(); ++k)
                if (name == "%" + std::to_string(k)) {
                    name = pasted.operands[k].operand.name;
                    break;
                }
        });
}

std::vector<std::string> take_registers(Reader& in) {
    in.expect(".", " and a type");
    const DslToken type = in.take_dotted("a type");
    const bool known = type.text == "pred" || type_named(type.text);
    if (!known) in.fail(type.span, "a register cannot be a `." + std::string(type.text) + "`", "write `.reg .b32` or another type");
    std::vector<std::string> names;
    do {
        const std::string name = in.register_name(in.take(DslToken::Kind::word, "a register"));
        if (!in.accept("<")) {
            names.push_back(name);
            continue;
        }
        const uint64_t count = in.take_count("the number of registers", max_registers);
        in.expect(">");
        for (uint64_t k = 0; k < count; ++k) names.push_back(name + std::to_string(k));
    } while (in.accept(","));
    in.expect_semicolon("the registers");
    return names;
}

}  // namespace litmus::dsl
