// Characters to tokens (see lexer.h).
#include "kernel/read/lexer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/letters.h"

namespace litmus::kernel {
namespace {

bool begins_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool continues_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// The end of a run of letters, digits, `_` and `$`.
size_t word_end(std::string_view text, size_t at) {
    while (at < text.size() && continues_word(text[at])) ++at;
    return at;
}

// `.shared::cta`: the end of a word after a dot, with all that `::` joins.
size_t dotted_end(std::string_view text, size_t dot) {
    size_t end = word_end(text, dot + 1);
    while (text.substr(end, 2) == "::" && end + 2 < text.size() && continues_word(text[end + 2])) end = word_end(text, end + 2);
    return end;
}

constexpr size_t tokens_to_check = 1024;  // between two looks at the budget
constexpr std::array<std::string_view, 8> pairs{"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

}  // namespace

const PtxToken& Cursor::peek(size_t ahead) {
    while (ahead_.size() <= ahead) ahead_.push_back(next());
    return ahead_[ahead];
}

PtxToken Cursor::take() {
    const PtxToken token = peek();
    if (token.kind != PtxToken::Kind::end) ahead_.pop_front();
    taken_ = token.span.end;
    return token;
}

bool Cursor::accept(std::string_view written) {
    if (!at(written)) return false;
    take();
    return true;
}

PtxToken Cursor::expect(std::string_view written, const std::string& where) {
    if (!at(written)) fail_expected("`" + std::string(written) + "`" + (where.empty() ? "" : " " + where));
    return take();
}

PtxToken Cursor::expect(PtxToken::Kind kind, const std::string& what) {
    if (peek().kind != kind) fail_expected(what);
    return take();
}

std::string_view Cursor::take_text(std::string_view until) {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(until, at_), text_.size());
    taken_ = static_cast<uint32_t>(at_);
    return text_.substr(begin, at_ - begin);
}

void Cursor::skip() {
    try {
        take();
    } catch (const Failure&) {  // said before, or not worth a second message in what is left out
    }
}

void Cursor::fail(Span span, std::string message, std::string hint) const {
    throw Failure(source_, span, std::move(message), std::move(hint));
}

void Cursor::fail_expected(const std::string& what) {
    const PtxToken& found = peek();
    const bool is_option = source_->name.rfind("--", 0) == 0;
    if (found.kind == PtxToken::Kind::end)
        fail(found.span, "expected " + what + ", found the end of the " + (is_option ? "argument" : "file"));
    constexpr size_t most_shown = 40;
    std::string text(found.text.substr(0, most_shown));
    if (found.text.size() > most_shown) text += "...";
    fail(found.span, "expected " + what + ", found `" + text + "`");
}

PtxToken Cursor::token(PtxToken::Kind kind, size_t length) {
    const size_t begin = at_;
    at_ += length;
    return {kind, text_.substr(begin, length), {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}};
}

// White space, comments, lines of a C preprocessor (`# 1 "k.cu"`) and the old `@@DWARF` lines.
void Cursor::skip_blanks() {
    while (at_ < text_.size()) {
        const std::string_view two = text_.substr(at_, 2);
        if (two == "//" || two == "@@" || two[0] == '#') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (two == "/*") {
            const size_t begin = at_, end = text_.find("*/", at_ + 2);
            at_ = end == std::string_view::npos ? text_.size() : end + 2;
            if (end == std::string_view::npos)
                fail({static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + 2)}, "this comment has no end",
                     "write `*/` where it ends");
        } else if (std::isspace(static_cast<unsigned char>(two[0])) != 0) {
            ++at_;
        } else {
            return;
        }
    }
}

// Of `0x1fU`, `0f3F800000`, `12`, `9.0`, `1.5e-3`; what stands behind without a gap belongs to it, and is refused by who reads it.
size_t Cursor::number_length() const {
    size_t end = word_end(text_, at_);
    const std::string_view begin = text_.substr(at_, 2);
    const bool has_base = begin.size() == 2 && begin[0] == '0' && std::isalpha(static_cast<unsigned char>(begin[1])) != 0;
    if (has_base) return end - at_;
    if (end < text_.size() && text_[end] == '.') end = word_end(text_, end + 1);
    const bool exponent = std::tolower(static_cast<unsigned char>(text_[end - 1])) == 'e';
    if (exponent && end + 1 < text_.size() && (text_[end] == '+' || text_[end] == '-') && is_digit(text_[end + 1]))
        end = word_end(text_, end + 1);
    return end - at_;
}

PtxToken Cursor::next() {
    if (++tokens_ % tokens_to_check == 0) budget_.check();
    skip_blanks();
    if (at_ == text_.size()) return token(PtxToken::Kind::end, 0);
    const char c = text_[at_];
    const bool more = at_ + 1 < text_.size();
    // `%` alone is the remainder
    if (begins_word(c) && (c != '%' || (more && begins_word(text_[at_ + 1]))))
        return token(PtxToken::Kind::word, word_end(text_, at_ + 1) - at_);
    if (c == '.' && more && continues_word(text_[at_ + 1])) return token(PtxToken::Kind::dotted, dotted_end(text_, at_) - at_);
    if (is_digit(c)) return token(PtxToken::Kind::number, number_length());
    if (c == '"') {
        const size_t begin = at_, end = text_.find_first_of("\"\n", at_ + 1);
        if (end != std::string_view::npos && text_[end] == '"') return token(PtxToken::Kind::string, end + 1 - at_);
        at_ = std::min(end, text_.size());
        fail({static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + 1)}, "this string has no end", "write `\"` on the same line");
    }
    if (std::find(pairs.begin(), pairs.end(), text_.substr(at_, 2)) != pairs.end()) return token(PtxToken::Kind::symbol, 2);
    constexpr std::string_view symbols = "()[]{},;:+-*/%&|^~!?<>=@";
    if (symbols.find(c) != std::string_view::npos) return token(PtxToken::Kind::symbol, 1);
    const auto begin = static_cast<uint32_t>(at_++);
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xc0) == 0x80) ++at_;  // the rest of its UTF-8
    fail({begin, static_cast<uint32_t>(at_)}, "this character has no place in PTX");
}

}  // namespace litmus::kernel
