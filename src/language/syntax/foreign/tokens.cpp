// Characters to tokens: comments and white space are left out, numbers have their values.
#include "language/syntax/foreign/tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/letters.h"

namespace litmus::foreign {

namespace {

bool starts_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool in_word(char c) {
    return starts_word(c) || is_digit(c);
}

// Words that would change the meaning of a condition or of a file's end when used as a name.
bool is_reserved(std::string_view word) {
    constexpr std::array<std::string_view, 7> words{"not", "true", "false", "exists", "forall", "filter", "locations"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

uint32_t skip_comment(const SourcePtr& source, uint32_t at, uint32_t end) {
    const std::string_view text = source->text;
    const std::string_view opening = text.substr(at, 2);
    if (opening == "//") return static_cast<uint32_t>(std::min<size_t>(text.find('\n', at), end));
    const std::string_view closing = opening == "(*" ? "*)" : "*/";
    uint32_t depth = 0;
    for (uint32_t i = at; i + 1 < end; ++i) {
        const std::string_view two = text.substr(i, 2);
        if (two == closing) {
            if (--depth == 0) return i + 2;
            ++i;
        } else if (two == opening && (depth == 0 || opening == "(*")) {
            ++depth;
            ++i;
        }
    }
    throw Failure(source, {at, at + 2}, "comment is not closed", "close it with `" + std::string(closing) + "`");
}

bool starts_comment(std::string_view two) {
    return two == "//" || two == "/*" || two == "(*";
}
bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

// Digits from `at`, decimal or 0x; moves `at` behind them.
uint64_t scan_number(const SourcePtr& source, uint32_t& at, uint32_t end) {
    const std::string& text = source->text;
    const uint32_t begin = at;
    const bool hex = at + 1 < end && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
    const uint64_t base = hex ? 16 : 10;
    if (hex) at += 2;
    uint64_t value = 0;
    bool overflow = false;
    for (; at < end && in_word(text[at]); ++at) {
        const char c = text[at];
        const uint64_t digit = is_digit(c) ? static_cast<uint64_t>(c - '0') : static_cast<uint64_t>((c | 0x20) - 'a') + 10;
        if (c == '_' || digit >= base) {
            throw Failure(source, {begin, at + 1}, "malformed number", "names start with a letter or `_`");
        }
        overflow = overflow || value > (UINT64_MAX - digit) / base;
        value = value * base + digit;
    }
    if (hex && at == begin + 2) throw Failure(source, {begin, at}, "malformed number", "hexadecimal digits must follow `0x`");
    if (overflow) throw Failure(source, {begin, at}, "number does not fit 64 bits");
    return value;
}

Lexeme scan_token(const SourcePtr& source, uint32_t at, uint32_t end) {
    const std::string_view text = source->text;
    const char c = text[at];
    uint32_t stop = at + 1;
    Lexeme token;
    if (starts_word(c)) {
        while (stop < end && in_word(text[stop])) ++stop;
        token.kind = Lexeme::Kind::word;
    } else if (is_digit(c)) {
        stop = at;
        token.kind = Lexeme::Kind::number;
        token.value = scan_number(source, stop, end);
    } else if (c == '$' && stop < end && is_digit(text[stop])) {
        token.kind = Lexeme::Kind::hole;
        token.value = scan_number(source, stop, end);
    } else {
        constexpr std::array<std::string_view, 8> pairs{"==", "!=", "<=", ">=", "<>", "/\\", "\\/", "$$"};
        const std::string_view two = text.substr(at, std::min<size_t>(2, end - at));
        if (std::find(pairs.begin(), pairs.end(), two) != pairs.end()) {
            stop = at + 2;
        } else if (std::string_view("{}()[]<>=!~&|,;:.@-").find(c) == std::string_view::npos) {
            throw Failure(source, {at, stop}, "unexpected character");
        }
        token.kind = Lexeme::Kind::mark;
    }
    token.text = text.substr(at, stop - at);
    token.span = {at, stop};
    return token;
}

}  // namespace

uint32_t text_begin(const Source& source) {
    return source.text.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0;
}

uint32_t skip_blank(const SourcePtr& source, uint32_t at, uint32_t end) {
    const std::string_view text = source->text;
    while (at < end) {
        if (is_space(text[at])) {
            ++at;
        } else if (at + 1 < end && starts_comment(text.substr(at, 2))) {
            at = skip_comment(source, at, end);
        } else {
            break;
        }
    }
    return at;
}

std::vector<Lexeme> scan(const SourcePtr& source, Span range) {
    std::vector<Lexeme> tokens;
    uint32_t at = skip_blank(source, range.begin, range.end);
    while (at < range.end) {
        tokens.push_back(scan_token(source, at, range.end));
        at = skip_blank(source, tokens.back().span.end, range.end);
    }
    Lexeme end;
    end.span = {range.end, range.end};
    tokens.push_back(end);
    return tokens;
}

Cursor::Cursor(SourcePtr source, std::vector<Lexeme> tokens) : source_(std::move(source)), tokens_(std::move(tokens)) {}

const Lexeme& Cursor::peek(size_t ahead) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Lexeme Cursor::take() {
    const Lexeme token = peek();
    if (next_ + 1 < tokens_.size()) ++next_;
    last_end_ = token.span.end;
    return token;
}

bool Cursor::at(std::string_view text, size_t ahead) const {
    const Lexeme& token = peek(ahead);
    return (token.kind == Lexeme::Kind::mark || token.kind == Lexeme::Kind::word) && token.text == text;
}

bool Cursor::accept(std::string_view text) {
    if (!at(text)) return false;
    take();
    return true;
}

Lexeme Cursor::expect(std::string_view text, std::string_view what) {
    if (!at(text)) fail(peek().span, "expected " + std::string(what));
    return take();
}

Lexeme Cursor::expect(Lexeme::Kind kind, std::string_view what) {
    if (!at(kind)) fail(peek().span, "expected " + std::string(what));
    return take();
}

std::string Cursor::take_name(std::string_view what) {
    const Lexeme token = expect(Lexeme::Kind::word, what);
    if (is_reserved(token.text)) fail(token.span, "`" + std::string(token.text) + "` cannot be a name", "it is a word of the format");
    return std::string(token.text);
}

uint64_t Cursor::take_value(std::string_view what) {
    const Lexeme sign = peek();
    const bool negative = accept("-");
    const Lexeme token = expect(Lexeme::Kind::number, what);
    const uint64_t limit = negative ? uint64_t{1} << 31 : UINT32_MAX;
    if (token.value > limit) {
        fail({sign.span.begin, token.span.end}, "number does not fit 32 bits", "every location and register has 32 bits in this format");
    }
    return negative ? ~token.value + 1 : token.value;
}

int Cursor::take_index(std::string_view what) {
    const Lexeme token = expect(Lexeme::Kind::number, what);
    if (token.value > 65535) fail(token.span, "number is too large", "at most 65535");
    return static_cast<int>(token.value);
}

void Cursor::fail(Span span, std::string message, std::string hint) const {
    throw Failure(source_, span, std::move(message), std::move(hint));
}

std::string signed_decimal(uint64_t value) {
    return (value >> 63) != 0 ? "-" + std::to_string(~value + 1) : std::to_string(value);
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n\f\v";
    const size_t begin = text.find_first_not_of(blank);
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(blank) - begin + 1));
}

std::optional<int> target_number(std::string_view text) {
    const bool good =
        text.size() > 3 && text.size() < 9 && text.substr(0, 3) == "sm_" && std::all_of(text.begin() + 3, text.end(), is_digit);
    if (!good) return std::nullopt;
    return std::stoi(std::string(text.substr(3)));
}

bool is_name(std::string_view text) {
    return !text.empty() && starts_word(text[0]) && std::all_of(text.begin(), text.end(), in_word) && !is_reserved(text);
}

}  // namespace litmus::foreign
