// Tokens of the DSL, and its number literals.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/source.h"
#include "ptx/operators.h"
#include "ptx/type.h"

namespace litmus::dsl {

struct DslToken {
    enum class Kind : uint8_t {
        word,    // identifier, register names with their '%' included
        number,  // as written
        string,  // as written, quotes included
        mark,    // punctuation; two characters: == != <= >= /\ \/ && ||
        end,
    };
    Kind kind = Kind::end;
    std::string_view text;  // into the source
    Span span;
};

// Reads tokens on demand; dotted names ("ld.shared::cta.u32") are asked for where the grammar has them,
// since a dot means something else in "gpu0.cta1" and "1.5".
class Lexer {
public:
    explicit Lexer(SourcePtr source);
    // Reads other text in the place of that of the source which begins at `offset`, character for character.
    Lexer(SourcePtr source, std::string text, uint32_t offset);

    // The next token, not consumed. Throws Failure for what is no token: an unclosed string or
    // comment, a stray character; that text is then consumed.
    const DslToken& peek();
    DslToken take();
    // Where the last token taken ended.
    uint32_t last_end() const { return last_end_; }
    // Whether the next token stands on a later line than the last one taken.
    bool at_line_start();
    // A word and what is joined to it by "." or "::"; the next token must be a word.
    DslToken take_dotted();
    // A word, and a number joined to it by ".", as in `W.2`; the next token must be a word.
    DslToken take_indexed();
    // Looks past the next token (a word): is the one after it this mark?
    bool followed_by(std::string_view mark);
    // The same past all that take_indexed would take.
    bool index_followed_by(std::string_view mark);
    // A place in the text, to read on from there again.
    struct Mark {
        size_t at = 0;
        uint32_t last_end = 0;
    };
    Mark mark();
    void go_back(const Mark& mark);
    // Skips raw text up to and including the next ';', or up to the next of `stops` that is not within
    // braces opened on the way.
    void skip_statement(std::string_view stops);
    // Skips raw text to the start of the next line.
    void skip_line();
    bool at_end();

private:
    void skip_blank();
    DslToken scan();
    DslToken scan_string();
    size_t number_end() const;
    size_t index_end(size_t at) const;
    bool is_at(std::string_view mark, size_t at);
    Span span_of(size_t begin, size_t end) const;

    SourcePtr source_;
    std::shared_ptr<const std::string> instead_;  // of the text of the source
    uint32_t offset_ = 0;                         // of the text in that of the source
    std::string_view text_;
    size_t at_ = 0;
    uint32_t last_end_ = 0;
    std::optional<DslToken> next_;
};

// A number as written.
struct Literal {
    enum class Kind : uint8_t {
        integer,  // decimal, octal, binary
        hex,      // 0x...: bits where a float is expected
        decimal,  // 1.5, 2e-3
        float32,  // 0fXXXXXXXX
        float64,  // 0dXXXXXXXXXXXXXXXX
    };
    Kind kind = Kind::integer;
    bool negative = false;
    uint64_t magnitude = 0;  // integer, hex; bits of float32 and float64
    double number = 0;       // decimal, sign included
    Span span;
};

// Reads a number token's text (ISA 4.5); nullopt when it is malformed or exceeds 64 bits.
std::optional<Literal> read_literal(std::string_view text);

// The bits of a literal in a type; integers stay in 64-bit two's complement. nullopt: it does not fit,
// or a float is written where an integer is expected.
std::optional<uint64_t> bits_of(const Literal& literal, Type type);

// Text of a string token without quotes and escapes; nullopt: a bad escape.
std::optional<std::string> unquote(std::string_view token);
std::string quote(std::string_view text);

// The comparison that a token is, `=` and `==` alike; none where it is something else.
Operator comparison_of(const DslToken& token);

}  // namespace litmus::dsl
