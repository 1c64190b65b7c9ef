// Tokens with their errors, and the names of a test.
#include "language/syntax/native/dsl_reader.h"

#include <algorithm>
#include <utility>

#include "base/nearest.h"

namespace litmus::dsl {

namespace {

constexpr size_t max_kept_errors = 200;  // counted; then reading ends
constexpr size_t max_name = 160;         // some instructions have more than 140 characters

}  // namespace

void Reader::fail(Span span, std::string message, std::string hint) const {
    throw Failure(source, span, std::move(message), std::move(hint));
}

void Reader::record(const Failure& failure) {
    errors.insert(errors.end(), failure.diagnostics().begin(), failure.diagnostics().end());
    if (errors.size() >= max_kept_errors) give_up();
}

void Reader::give_up() {
    gave_up = true;
    std::stable_sort(errors.begin(), errors.end(), [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
    if (errors.size() > max_errors) {
        const size_t more = errors.size() - max_errors;
        const std::string shown = (errors.size() >= max_kept_errors ? "at least " : "") + std::to_string(more);
        errors.resize(max_errors);
        errors.push_back({Diagnostic::Level::note, nullptr, {}, "and " + shown + " more " + (more == 1 ? "error" : "errors"), ""});
    }
    throw Failure(std::move(errors));
}

bool Reader::at_end() {
    bool end = false;
    guarded([&] { end = lexer.at_end(); }, [&] { end = at_end(); });
    return end;
}

bool Reader::at(std::string_view text) {
    const DslToken& next = lexer.peek();
    return next.text == text && next.kind != DslToken::Kind::string && next.kind != DslToken::Kind::end;
}

bool Reader::accept(std::string_view text) {
    if (!at(text)) return false;
    lexer.take();
    return true;
}

std::string shown(const DslToken& token) {
    if (token.kind == DslToken::Kind::end) return "the end of the file";
    return "`" + std::string(token.text.substr(0, 40)) + "`";
}

DslToken Reader::expect(std::string_view text, const std::string& where) {
    if (!at(text)) fail(lexer.peek().span, "expected `" + std::string(text) + "`" + where + ", not " + shown(lexer.peek()));
    return lexer.take();
}

void Reader::expect_semicolon(const std::string& after) {
    if (accept(";")) return;
    const bool next_line = lexer.at_line_start() || lexer.at_end();
    const Span place = next_line ? Span{lexer.last_end(), lexer.last_end() + 1} : lexer.peek().span;
    const Failure failure(source, place, "expected `;` after " + after + (next_line ? "" : ", not " + shown(lexer.peek())));
    if (!next_line) throw failure;
    record(failure);
}

DslToken Reader::take(DslToken::Kind kind, const std::string& what) {
    const DslToken next = lexer.peek();
    if (next.kind != kind) fail(next.span, "expected " + what + ", not " + shown(next));
    return lexer.take();
}

void Reader::check_name(const DslToken& token, const std::string& what) const {
    if (token.kind != DslToken::Kind::word) fail(token.span, "expected " + what + ", not " + shown(token));
    if (token.text.size() > max_name) fail(token.span, "this name is longer than " + std::to_string(max_name) + " characters");
    if (token.text[0] == '%') fail(token.span, what + " cannot start with `%`");
    if (token.text == "_" || token.text == "true" || token.text == "false")
        fail(token.span, "`" + std::string(token.text) + "` cannot be " + what);
}

DslToken Reader::take_name(const std::string& what) {
    check_name(lexer.peek(), what);
    return lexer.take();
}

DslToken Reader::take_thread_name() {
    check_name(lexer.peek(), "a thread's name");
    return lexer.take_indexed();
}

std::string Reader::take_string(const std::string& what) {
    const DslToken token = take(DslToken::Kind::string, what);
    const auto text = unquote(token.text);
    if (!text) fail(token.span, "bad escape in this string", "known are \\\" \\\\ \\n \\t and \\x with two hexadecimal digits");
    return *text;
}

Literal Reader::take_literal(const std::string& what) {
    const uint32_t begin = lexer.peek().span.begin;
    const bool negative = accept("-");
    if (at_replica()) {
        const bool open = accept("(");
        const int64_t value = negative ? -take_replica_term() : take_replica_term();
        if (open) expect(")");
        Literal literal;
        literal.negative = value < 0;
        literal.magnitude = static_cast<uint64_t>(value < 0 ? -value : value);
        literal.span = {begin, lexer.last_end()};
        return literal;
    }
    const DslToken token = take(DslToken::Kind::number, what);
    auto literal = read_literal(token.text);
    const Span span{begin, token.span.end};
    if (!literal) fail(span, "`" + std::string(token.text.substr(0, 40)) + "` is no number of at most 64 bits");
    if (negative && (literal->kind == Literal::Kind::float32 || literal->kind == Literal::Kind::float64))
        fail(span, "a float given by its bits takes no sign", "set the sign bit");
    literal->negative = negative;
    literal->span = span;
    return *literal;
}

uint64_t Reader::take_count(const std::string& what, uint64_t max) {
    const Literal literal = take_literal(what);
    const bool integer = literal.kind == Literal::Kind::integer || literal.kind == Literal::Kind::hex;
    if (!integer || literal.negative || literal.magnitude > max)
        fail(literal.span, what + " must be an integer from 0 to " + std::to_string(max));
    return literal.magnitude;
}

uint64_t Reader::value_of(const Literal& literal, Type type) const {
    if (const auto value = bits_of(literal, type)) return *value;
    const std::string typed = "`." + std::string(name(type)) + "`";
    if (literal.kind == Literal::Kind::decimal && !is_float(type)) fail(literal.span, "a float literal cannot be a " + typed);
    if (literal.kind == Literal::Kind::float32 && bits(type) == 64)
        fail(literal.span, "a 32-bit float cannot be a " + typed, "write 0d and 16 hexadecimal digits");
    if (literal.kind == Literal::Kind::float64 && bits(type) == 32)
        fail(literal.span, "a 64-bit float cannot be a " + typed, "write 0f and 8 hexadecimal digits");
    fail(literal.span, "the value does not fit " + typed);
}

void Reader::end_directive(const std::string& directive) {
    const DslToken& next = lexer.peek();
    if (!lexer.at_line_start() && next.kind != DslToken::Kind::end)
        fail(next.span, "expected the end of the line after `." + directive + "`, not " + shown(next));
}

bool Reader::at_replica() {
    return replica && (at("%i") || (at("(") && lexer.followed_by("%i")));
}

int64_t Reader::take_replica_term() {
    constexpr uint64_t most = 0xffffffff;
    const auto number = [&] {
        const auto literal = read_literal(take(DslToken::Kind::number, "a number").text);
        const bool integer = literal && (literal->kind == Literal::Kind::integer || literal->kind == Literal::Kind::hex);
        if (!integer || literal->magnitude > most) fail({lexer.last_end() - 1, lexer.last_end()}, "expected an integer of 32 bits here");
        return static_cast<int64_t>(literal->magnitude);
    };
    expect("%i");
    int64_t value = *replica;
    if (accept("*")) value *= number();
    if (accept("+")) return value + number();
    return accept("-") ? value - number() : value;
}

uint64_t Reader::take_replica_number(const std::string& what) {
    const Span span = lexer.peek().span;
    int64_t value = *replica;
    if (accept("(")) {
        value = take_replica_term();
        expect(")");
    } else {
        expect("%i");
    }
    if (value < 0 || value > max_place)
        fail({span.begin, lexer.last_end()}, what + " is " + std::to_string(value) + " in replica " + std::to_string(*replica) +
                                                 ": it must be from 0 to " + std::to_string(max_place));
    return static_cast<uint64_t>(value);
}

std::optional<int> Reader::numbered(std::string_view word, std::string_view prefix) const {
    if (word.substr(0, prefix.size()) != prefix || word.size() == prefix.size()) return std::nullopt;
    int value = 0;
    for (const char c : word.substr(prefix.size())) {
        if (c < '0' || c > '9' || value > max_place) return std::nullopt;
        value = 10 * value + (c - '0');
    }
    const bool padded = word.size() > prefix.size() + 1 && word[prefix.size()] == '0';
    return value <= max_place && !padded ? std::optional(value) : std::nullopt;
}

DslToken Reader::take_dotted(const std::string& what) {
    const DslToken& next = lexer.peek();
    if (next.kind != DslToken::Kind::word) fail(next.span, "expected " + what + ", not " + shown(next));
    const DslToken token = lexer.take_dotted();
    if (token.text.size() > max_name) fail(token.span, "this name is longer than " + std::to_string(max_name) + " characters");
    return token;
}

const Location& Reader::declared(const DslToken& name) const {
    if (const Location* location = find_location(test, name.text)) return *location;
    fail_undeclared(name);
}

void Reader::fail_undeclared(const DslToken& name) const {
    if (!declarations_complete) throw Failure(std::vector<Diagnostic>{});
    fail(name.span, "`" + std::string(name.text.substr(0, 40)) + "` is not declared", nearest_location(name.text));
}

std::string Reader::nearest_location(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const Location& location : test.locations) names.push_back(location.name);
    const std::string near = nearest(name, names);
    if (!near.empty()) return "the nearest is `" + near + "`";
    return declares ? "declare it before it is used: `.global .u32 " + std::string(name.substr(0, 40)) + " = 0;`" : "";
}

void Reader::fail_for_good(Span span, const std::string& message) {
    errors.push_back({Diagnostic::Level::error, source, span, message, ""});
    give_up();
}

std::string Reader::register_name(const DslToken& token) const {
    std::string_view text = token.text;
    if (text[0] == '%') text.remove_prefix(1);
    const bool good = !text.empty() && text != "_" && !(text[0] >= '0' && text[0] <= '9') && text[0] != '%';
    const bool of_inline_assembly = token.text[0] == '%' && !text.empty() && text[0] >= '0' && text[0] <= '9';
    if (!good || text.size() > max_name)
        fail(token.span, "`" + std::string(token.text.substr(0, 40)) + "` is no register",
             of_inline_assembly && pasting
                 ? "this `asm` has " + std::to_string(bound.size()) + (bound.size() == 1 ? " operand" : " operands")
             : of_inline_assembly ? "an operand of inline assembly: write what it stands for, or paste all of `asm(\"...\" :: \"r\"(bar));`"
                                  : "a register's name starts with a letter");
    return std::string(text);
}

std::optional<int> Reader::numbered_cta(std::string_view word) const {
    const size_t dot = word.find('.');
    if (dot == std::string_view::npos) return numbered(word, "cta");
    const auto grid = numbered(word.substr(0, dot), "grid"), cta = numbered(word.substr(dot + 1), "cta");
    return grid && cta && *grid <= max_grid ? std::optional(in_grid(*grid, *cta)) : std::nullopt;
}

int Reader::parse_instance() {
    if (!accept("@")) return -1;
    DslToken token = take(DslToken::Kind::word, "an instance such as `cta1`");
    int grid = 0;
    if (const auto named = numbered(token.text, "grid"); named && *named <= max_grid && accept(".")) {
        grid = *named;
        token = take(DslToken::Kind::word, "an instance such as `cta1`");
    }
    if (token.text == "cta" && at_replica()) return in_grid(grid, static_cast<int>(take_replica_number("the number of the CTA")));
    const auto cta = numbered(token.text, "cta");
    if (!cta) fail(token.span, "expected an instance such as `cta1`, not " + shown(token));
    return in_grid(grid, *cta);
}

void Reader::parse_offset(Operand& operand, const Location* location) {
    if (location && accept("[")) {
        const uint64_t index = take_count("an element's number", max_elements);
        expect("]");
        operand.offset += static_cast<int64_t>(index) * element_bytes(*location);
        return;
    }
    if (!at("+") && !at("-")) return;
    bool negative = accept("-");
    if (!negative) lexer.take(), negative = accept("-");
    const auto offset = static_cast<int64_t>(take_count("an offset in bytes", 1u << 20));
    operand.offset += negative ? -offset : offset;
}

}  // namespace litmus::dsl
