// What every construct of the native format is read with: the tokens of the text, the test as far as it is read, and the errors
// so far.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.h"
#include "language/syntax/native/dsl_lexer.h"
#include "language/test.h"

namespace litmus::dsl {

inline constexpr size_t max_errors = 20;        // shown
inline constexpr uint64_t max_elements = 4096;  // of an array

inline constexpr int max_place = (1 << grid_bits) - 1;  // the number of a GPU, a cluster, a CTA
inline constexpr int max_grid = 255;
inline constexpr uint64_t max_line = 0x7fffffff;  // of a source file
inline constexpr uint64_t most_unrolled = 64;     // iterations that a test may ask for

// The parts of a thread's place, as in `gpu1.cluster0.cta2`, the widest first.
inline constexpr std::array<std::string_view, 6> place_words = {"gpu", "grid", "cluster", "cta", "warp", "lane"};

// The words that begin a statement of the test.
inline constexpr std::array<std::string_view, 15> statements = {"test",     "doc",       "ref",      "target", "unroll",
                                                                "repairs",  "thread",    "filter",   "exists", "forall",
                                                                "racefree", "undefined", "deadlock", "may",    "terminates"};
inline bool starts_statement(std::string_view word) {
    return std::find(statements.begin(), statements.end(), word) != statements.end();
}

inline Span join(Span a, Span b) {
    return {a.begin, b.end};
}

// A token in a message: `word`, or "the end of the file".
std::string shown(const DslToken& token);

// What an operand `%0` of an `asm` statement stands for.
struct Bound {
    Operand operand;
    std::optional<Literal> literal;
};

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
    std::optional<int> replica = {};    // `%i`, in the text of replicated threads
    bool pasting = false;               // the text of an `asm` statement
    std::vector<Bound> bound = {};      // and its `%0`, `%1`, ...

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
    DslToken expect(std::string_view text, const std::string& where = {});
    // A missing ';' is pointed at where it should stand.
    void expect_semicolon(const std::string& after);
    DslToken take(DslToken::Kind kind, const std::string& what);
    // A name that the test may choose: no register sign, no word of conditions.
    void check_name(const DslToken& token, const std::string& what) const;
    DslToken take_name(const std::string& what);
    // The name of a thread, `P0`, or of one of those that are written once, `W.2`.
    DslToken take_thread_name();
    std::string take_string(const std::string& what);
    Literal take_literal(const std::string& what);
    // A plain number of [0, max].
    uint64_t take_count(const std::string& what, uint64_t max);
    // The bits of a literal in a type that can hold it.
    uint64_t value_of(const Literal& literal, Type type) const;
    // A directive such as `.file` ends with its line (ISA 11.5.3, 11.5.4).
    void end_directive(const std::string& directive);

    // ---- replicated threads: what `%i` is part of ----

    // Whether a number comes next that depends on which of the threads it is: `%i`, or `(%i*4+1)`.
    bool at_replica();
    // That number, in [0, max_place], as a part of a name: of several words only in parentheses.
    uint64_t take_replica_number(const std::string& what);
    // `%i`, times a number, plus or minus another.
    int64_t take_replica_term();

    // ---- names and places ----

    // "cta1" with prefix "cta" -> 1
    std::optional<int> numbered(std::string_view word, std::string_view prefix) const;
    DslToken take_dotted(const std::string& what);
    const Location& declared(const DslToken& name) const;
    // Says nothing new when the declaration itself was in error.
    [[noreturn]] void fail_undeclared(const DslToken& name) const;
    std::string nearest_location(std::string_view name) const;
    // '%' is no part of a register's name.
    std::string register_name(const DslToken& token) const;
    // "cta1", "grid1.cta0" in one word: its number (Placement::cta)
    std::optional<int> numbered_cta(std::string_view word) const;
    // "@cta1": 1; nothing: -1
    int parse_instance();
    // "+8", "-4", "+-4", "[2]"
    void parse_offset(Operand& operand, const Location* location);
};

}  // namespace litmus::dsl
