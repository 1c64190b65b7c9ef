// The DSL's lexer: one pass over the text, no token stored but the next one.
#include "language/syntax/native/dsl_lexer.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/decimal.h"
#include "base/letters.h"
#include "base/visible.h"
#include "ptx/value.h"

namespace litmus::dsl {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool starts_word(char c) {
    return is_letter(c) || c == '_' || c == '$' || c == '%';
}
bool in_name(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}
bool in_word(char c) {
    return in_name(c) || c == '$';
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

constexpr std::array<std::string_view, 8> long_marks = {"==", "!=", "<=", ">=", "/\\", "\\/", "&&", "||"};
constexpr std::string_view short_marks = "{}()[];,:@+-*=<>~!.|";

// [digits] in base; false on overflow, a foreign digit or no digit at all
bool read_digits(std::string_view text, int base, uint64_t& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

Lexer::Lexer(SourcePtr source) : source_(std::move(source)), text_(source_->text) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;  // a byte order mark
}

Lexer::Lexer(SourcePtr source, std::string text, uint32_t offset)
    : source_(std::move(source)), instead_(std::make_shared<const std::string>(std::move(text))), offset_(offset), text_(*instead_) {
    last_end_ = offset;
}

Span Lexer::span_of(size_t begin, size_t end) const {
    return {offset_ + static_cast<uint32_t>(begin), offset_ + static_cast<uint32_t>(end)};
}

void Lexer::skip_blank() {
    while (at_ < text_.size()) {
        if (is_space(text_[at_])) {
            ++at_;
        } else if (text_.substr(at_, 2) == "//") {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (text_.substr(at_, 2) == "/*") {
            const size_t begin = at_;
            const size_t end = text_.find("*/", at_ + 2);
            at_ = end == std::string_view::npos ? text_.size() : end + 2;
            if (end == std::string_view::npos) throw Failure(source_, span_of(begin, begin + 2), "this comment is not closed", "add `*/`");
        } else {
            return;
        }
    }
}

size_t Lexer::number_end() const {
    size_t end = at_;
    const auto skip_digits = [&] {
        while (end < text_.size() && is_digit(text_[end])) ++end;
    };
    const char second = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (text_[at_] != '0' || !is_letter(second) || second == 'e' || second == 'E') {
        skip_digits();
        if (end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1])) {
            ++end;
            skip_digits();
        }
        if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
            size_t exponent = end + 1;
            if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
            if (exponent < text_.size() && is_digit(text_[exponent])) {
                end = exponent;
                skip_digits();
            }
        }
    }
    while (end < text_.size() && in_name(text_[end])) ++end;  // prefix, suffix, or garbage that read_literal refuses
    return end;
}

DslToken Lexer::scan_string() {
    const size_t begin = at_;
    for (size_t end = at_ + 1; end < text_.size() && text_[end] != '\n'; ++end) {
        if (text_[end] == '\\') {
            ++end;
            if (end < text_.size() && text_[end] == '\n') break;
        } else if (text_[end] == '"') {
            at_ = end + 1;
            return {DslToken::Kind::string, text_.substr(begin, at_ - begin), span_of(begin, at_)};
        }
    }
    at_ = std::min(text_.find('\n', at_), text_.size());
    throw Failure(source_, span_of(begin, begin + 1), "this string is not closed on its line", "write a line break as \\n");
}

DslToken Lexer::scan() {
    skip_blank();
    const size_t begin = at_;
    if (begin == text_.size()) return {DslToken::Kind::end, {}, span_of(begin, begin)};
    const char c = text_[begin];
    if (c == '"') return scan_string();
    DslToken::Kind kind = DslToken::Kind::mark;
    size_t end = begin + 1;
    if (starts_word(c)) {
        kind = DslToken::Kind::word;
        while (end < text_.size() && in_word(text_[end])) ++end;
    } else if (is_digit(c)) {
        kind = DslToken::Kind::number;
        end = number_end();
    } else {
        for (const std::string_view mark : long_marks)
            if (text_.substr(begin, 2) == mark) end = begin + 2;
        if (end == begin + 1 && short_marks.find(c) == std::string_view::npos) {
            while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) ++end;  // all of the code point
            at_ = end;
            throw Failure(source_, span_of(begin, end), "unexpected character");
        }
    }
    at_ = end;
    return {kind, text_.substr(begin, end - begin), span_of(begin, end)};
}

const DslToken& Lexer::peek() {
    if (!next_) next_ = scan();
    return *next_;
}

DslToken Lexer::take() {
    const DslToken token = peek();
    next_.reset();
    last_end_ = token.span.end;
    return token;
}

bool Lexer::at_line_start() {
    const uint32_t begin = peek().span.begin;
    return text_.substr(last_end_ - offset_, begin - last_end_).find('\n') != std::string_view::npos;
}

DslToken Lexer::take_dotted() {
    const size_t begin = peek().span.begin - offset_;
    next_.reset();
    at_ = begin;
    while (at_ < text_.size()) {
        const size_t joint = text_[at_] == '.' ? 1 : text_.substr(at_, 2) == "::" ? 2 : 0;
        const size_t name = at_ + joint;
        if ((joint == 0) != (at_ == begin) || name >= text_.size() || !in_name(text_[name])) break;
        at_ = name;
        while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    }
    if (at_ == begin) return take();  // "$x": a word, but no dotted name
    last_end_ = span_of(at_, at_).end;
    return {DslToken::Kind::word, text_.substr(begin, at_ - begin), span_of(begin, at_)};
}

// Behind ".2", if that stands there.
size_t Lexer::index_end(size_t at) const {
    size_t end = at + 1;
    while (at < text_.size() && text_[at] == '.' && end < text_.size() && is_digit(text_[end])) ++end;
    return end > at + 1 ? end : at;
}

DslToken Lexer::take_indexed() {
    DslToken token = take();
    const size_t begin = token.span.begin - offset_;
    at_ = index_end(at_);
    token.text = text_.substr(begin, at_ - begin);
    token.span = span_of(begin, at_);
    last_end_ = token.span.end;
    return token;
}

bool Lexer::is_at(std::string_view mark, size_t at) {
    const size_t kept = std::exchange(at_, at);
    skip_blank();
    const bool result = text_.substr(at_, mark.size()) == mark && !(mark == ":" && text_.substr(at_, 2) == "::");
    at_ = kept;
    return result;
}

bool Lexer::followed_by(std::string_view mark) {
    return is_at(mark, peek().span.end - offset_);
}

bool Lexer::index_followed_by(std::string_view mark) {
    return is_at(mark, index_end(peek().span.end - offset_));
}

Lexer::Mark Lexer::mark() {
    return {next_ ? next_->span.begin - offset_ : at_, last_end_};
}

void Lexer::go_back(const Mark& mark) {
    next_.reset();
    at_ = mark.at;
    last_end_ = mark.last_end;
}

void Lexer::skip_statement(std::string_view stops) {
    if (next_) at_ = next_->span.begin - offset_;
    next_.reset();
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
        const char c = text_[at_];
        if (text_.substr(at_, 2) == "//")
            at_ = std::min(text_.find('\n', at_), text_.size() - 1);
        else if (depth == 0 && stops.find(c) != std::string_view::npos)
            break;
        else if (c == '{')
            ++depth;
        else if (c == '}' && depth > 0)
            --depth;
        else if (c == ';' && ++at_)
            break;
    }
    last_end_ = span_of(at_, at_).end;
}

void Lexer::skip_line() {
    if (next_) at_ = next_->span.begin - offset_;
    next_.reset();
    const size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
    last_end_ = span_of(at_, at_).end;
}

bool Lexer::at_end() {
    return peek().kind == DslToken::Kind::end;
}

std::optional<Literal> read_literal(std::string_view text) {
    Literal literal;
    const auto digits = [&](size_t prefix, int base) { return read_digits(text.substr(prefix), base, literal.magnitude); };
    const char second = text.size() > 1 ? static_cast<char>(std::tolower(static_cast<unsigned char>(text[1]))) : '\0';
    const bool prefixed = text[0] == '0' && is_letter(second);
    if (prefixed && second == 'f') {
        literal.kind = Literal::Kind::float32;
        return text.size() == 10 && digits(2, 16) ? std::optional(literal) : std::nullopt;
    }
    if (prefixed && second == 'd') {
        literal.kind = Literal::Kind::float64;
        return text.size() == 18 && digits(2, 16) ? std::optional(literal) : std::nullopt;
    }
    if (text.find('.') != std::string_view::npos || (second != 'x' && text.find_first_of("eE") != std::string_view::npos)) {
        literal.kind = Literal::Kind::decimal;
        const std::optional<double> number = parse_decimal(text);
        literal.number = number.value_or(0);
        return number ? std::optional(literal) : std::nullopt;
    }
    if (text.size() > 1 && text.back() == 'U') text.remove_suffix(1);
    bool good;
    if (prefixed && second == 'x') {
        literal.kind = Literal::Kind::hex;
        good = digits(2, 16);
    } else if (prefixed && second == 'b') {
        good = digits(2, 2);
    } else {
        good = digits(0, text[0] == '0' && text.size() > 1 ? 8 : 10);
    }
    return good ? std::optional(literal) : std::nullopt;
}

std::optional<uint64_t> bits_of(const Literal& literal, Type type) {
    const int n = bits(type);
    if (literal.kind == Literal::Kind::float32 || literal.kind == Literal::Kind::float64) {
        const int width = literal.kind == Literal::Kind::float32 ? 32 : 64;
        return width == n && !literal.negative && lanes(type) == 1 ? std::optional(literal.magnitude) : std::nullopt;
    }
    const bool written_as_number = literal.kind != Literal::Kind::hex;
    if (is_float(type) && written_as_number && lanes(type) == 1) {
        const double magnitude = literal.kind == Literal::Kind::decimal ? literal.number : static_cast<double>(literal.magnitude);
        const uint64_t result = float_bits(type, literal.negative ? -magnitude : magnitude);
        return std::isfinite(float_value(type, result)) ? std::optional(result) : std::nullopt;
    }
    if (literal.kind == Literal::Kind::decimal) return std::nullopt;
    if (lanes(type) > 1 && written_as_number && literal.magnitude != 0) return std::nullopt;  // packed floats: 0 or 0x...
    const uint64_t limit = literal.negative ? uint64_t{1} << (n - 1) : truncate(~uint64_t{0}, n);
    if (literal.magnitude > limit) return std::nullopt;
    return literal.negative ? 0 - literal.magnitude : literal.magnitude;
}

std::optional<std::string> unquote(std::string_view token) {
    const std::string_view text = token.substr(1, token.size() - 2);
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        const char escape = ++i < text.size() ? text[i] : '\0';
        uint64_t byte = 0;
        if (escape == 'n')
            out += '\n';
        else if (escape == 't')
            out += '\t';
        else if (escape == '"' || escape == '\\')
            out += escape;
        else if (escape == 'x' && i + 2 < text.size() && read_digits(text.substr(i + 1, 2), 16, byte))
            out += static_cast<char>(byte), i += 2;
        else
            return std::nullopt;
    }
    return out;
}

std::string quote(std::string_view text) {
    std::string out = "\"";
    size_t acts = 0;  // bytes of a character that acts (base/visible.h), of which each is escaped
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (acts == 0) acts = acting(text.substr(at));
        if (c == '"' || c == '\\') {
            out += '\\', out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (acts > 0) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
            out += escape;
        } else {
            out += c;
        }
        acts -= acts > 0 ? 1 : 0;
    }
    return out + "\"";
}

Operator comparison_of(const DslToken& token) {
    if (token.kind != DslToken::Kind::mark) return Operator::none;
    return token.text == "=" ? Operator::eq : litmus::comparison_of(token.text);
}

}  // namespace litmus::dsl
