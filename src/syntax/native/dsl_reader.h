// What every construct of the native format is read with: the tokens of the text, the test as far as it is read, and the errors
// so far.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"
#include "syntax/native/dsl_lexer.h"
#include "test/test.h"

namespace litmus::dsl {

inline constexpr size_t max_errors = 20;        // shown
inline constexpr uint64_t max_elements = 4096;  // of an array

inline constexpr int max_place = 65535;  // the number of a GPU, a cluster, a CTA

inline Span join(Span a, Span b) {
    return {a.begin, b.end};
}

// A token in a message: `word`, or "the end of the file".
std::string shown(const Token& token);

struct Reader {
    explicit Reader(SourcePtr of) : source(std::move(of)), lexer(source) { test.source = source; }

    SourcePtr source;
    Lexer lexer;
    Test test;
    std::vector<Diagnostic> errors;
    bool gave_up = false;
    bool declarations_complete = true;  // none was skipped: a name that is not known was not declared
    bool threads_complete = true;       // no instruction was skipped: what is not written there is written nowhere
    bool declares = true;               // a location that is not known could be declared

    // ---- errors: each throws Failure, which its statement ends with ----

    [[noreturn]] void fail(Span span, std::string message, std::string hint = {}) const;
    void record(const Failure& failure);
    [[noreturn]] void fail_for_good(Span span, const std::string& message);  // reading ends
    // The first errors in the order of the text, and how many more there are.
    [[noreturn]] void give_up();
    // Runs `read`; an error in it is recorded, and `recover` finds the place to go on from.
    template <typename Read, typename Recover>
    void guarded(Read read, Recover recover) {
        try {
            read();
            return;
        } catch (const Failure& failure) {
            if (gave_up) throw;
            record(failure);
        }
        recover();
    }

    // ---- tokens: what is not there is an error ----

    bool at_end();
    bool at(std::string_view text);
    bool accept(std::string_view text);
    Token expect(std::string_view text, const std::string& where = {});
    // A missing ';' is pointed at where it should stand.
    void expect_semicolon(const std::string& after);
    Token take(Token::Kind kind, const std::string& what);
    // A name that the test may choose: no register sign, no word of conditions.
    Token take_name(const std::string& what);
    std::string take_string(const std::string& what);
    Literal take_literal(const std::string& what);
    // A plain number of [0, max].
    uint64_t take_count(const std::string& what, uint64_t max);
    // The bits of a literal in a type that can hold it.
    uint64_t value_of(const Literal& literal, Type type) const;
    // ---- names and places ----

    // "cta1" with prefix "cta" -> 1
    std::optional<int> numbered(std::string_view word, std::string_view prefix) const;
    Token take_dotted(const std::string& what);
    const Location& declared(const Token& name) const;
    // Says nothing new when the declaration itself was in error.
    [[noreturn]] void fail_undeclared(const Token& name) const;
    std::string nearest_location(std::string_view name) const;
    // '%' is no part of a register's name.
    std::string register_name(const Token& token) const;
    // "@cta1": 1; nothing: -1
    int parse_instance();
    // "+8", "-4", "+-4", "[2]"
    void parse_offset(Operand& operand, const Location* location);
};

}  // namespace litmus::dsl
