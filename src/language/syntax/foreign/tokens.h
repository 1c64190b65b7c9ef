// The tokens of the two foreign formats, and a cursor over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace litmus::foreign {

struct Lexeme {
    enum class Kind : uint8_t {
        word,    // identifier
        number,  // value
        hole,    // $n: value
        mark,    // punctuation; two characters: == != <= >= /\ \/ $$
        end,
    };
    Kind kind = Kind::end;
    std::string_view text;  // into the source
    uint64_t value = 0;
    Span span;
};

// The tokens of a range of the source, and an `end` token. Comments `//`, `/* */` and nested `(* *)`
// are skipped. Throws Failure on a character that starts no token and on an unclosed comment.
std::vector<Lexeme> scan(const SourcePtr& source, Span range);

// Where the text starts: behind a byte order mark.
uint32_t text_begin(const Source& source);

// The end of white space and comments that start at `at`.
uint32_t skip_blank(const SourcePtr& source, uint32_t at, uint32_t end);

// A position in a list of tokens.
class Cursor {
public:
    Cursor(SourcePtr source, std::vector<Lexeme> tokens);

    const Lexeme& peek(size_t ahead = 0) const;
    Lexeme take();
    // Where the last token taken ended.
    uint32_t last_end() const { return last_end_; }
    bool at_end() const { return peek().kind == Lexeme::Kind::end; }
    bool at(std::string_view text, size_t ahead = 0) const;
    bool at(Lexeme::Kind kind, size_t ahead = 0) const { return peek(ahead).kind == kind; }
    bool at_number() const { return at(Lexeme::Kind::number) || at("-"); }
    bool accept(std::string_view text);
    // Both throw Failure at the token found instead; `what` completes "expected ...".
    Lexeme expect(std::string_view text, std::string_view what);
    Lexeme expect(Lexeme::Kind kind, std::string_view what);
    // An identifier that is not one of the words conditions are made of.
    std::string take_name(std::string_view what);
    // [-]digits that fit 32 bits; negative ones in two's complement of 64 bits.
    uint64_t take_value(std::string_view what);
    // A small non-negative number (placements).
    int take_index(std::string_view what);
    [[noreturn]] void fail(Span span, std::string message, std::string hint = {}) const;
    const SourcePtr& source() const { return source_; }

private:
    SourcePtr source_;
    std::vector<Lexeme> tokens_;
    size_t next_ = 0;
    uint32_t last_end_ = 0;
};

// "3", "-1": the value of an immediate or of a condition's constant.
std::string signed_decimal(uint64_t value);
// Whether the text is one identifier that both formats can read back.
bool is_name(std::string_view text);
// Without white space at both ends.
std::string trimmed(std::string_view text);
// The NN of "sm_NN".
std::optional<int> target_number(std::string_view text);

}  // namespace litmus::foreign
