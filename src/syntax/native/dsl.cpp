// The DSL's parser: recursive descent, one function per construct of litmus/language.md.
//
// A name is declared before it is used, so operands are resolved as they are read. An error is recorded
// and the rest of its statement skipped; reading goes on at the next `;` or block. What needs the whole
// test is checked at the end (dsl_check.h).
#include "syntax/native/dsl.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "base/nearest.h"
#include "ptx/table.h"
#include "ptx/traits.h"
#include "syntax/condition.h"
#include "syntax/native/dsl_advice.h"
#include "syntax/native/dsl_check.h"
#include "syntax/native/dsl_lexer.h"

namespace litmus {
namespace {

using dsl::Lexer;
using dsl::Literal;
using dsl::Token;

constexpr size_t max_text = size_t{1} << 20;
constexpr size_t max_errors = 20;        // shown
constexpr size_t max_kept_errors = 200;  // counted; then reading ends
constexpr size_t max_name = 128;
constexpr size_t max_threads = 256;
constexpr size_t max_instructions = 4096;
constexpr size_t max_locations = 1024;
constexpr uint64_t max_elements = 4096;
constexpr int max_depth = 100;
constexpr int max_place = 65535;
constexpr int first_specific_target = 90;  // ISA 11.1.2: sm_90a is the first of its kind
constexpr int warp_lanes = 32;
constexpr int cta_warps = 32;                      // 1024 threads (ISA 2.2.1, every target so far)
constexpr uint64_t max_arrivals = (1u << 20) - 1;  // ISA 9.7.13.15.2

constexpr std::array<std::string_view, 14> statements = {"test",   "doc",    "ref",      "target",    "repairs",  "thread", "filter",
                                                         "exists", "forall", "racefree", "undefined", "deadlock", "may",    "terminates"};

bool starts_statement(std::string_view word) {
    return std::find(statements.begin(), statements.end(), word) != statements.end();
}

Span join(Span a, Span b) {
    return {a.begin, b.end};
}

// An operand as written, before the instruction's shape says what it means.
struct Written {
    Operand operand;
    std::optional<Literal> literal;
    std::vector<Written> elements;
};

// Threads whose text names no warp get the lowest free ones of their CTA, in order.
void assign_warps(Test& test) {
    std::map<int, std::set<int>> used;
    for (const Thread& thread : test.threads)
        if (thread.at.warp_named) used[thread.at.cta].insert(thread.at.warp);
    for (Thread& thread : test.threads) {
        if (thread.at.warp_named) continue;
        int warp = 0;
        while (!used[thread.at.cta].insert(warp).second) ++warp;
        thread.at.warp = warp;
    }
}

class Parser {
public:
    explicit Parser(SourcePtr source) : source_(std::move(source)), lexer_(source_) { test_.source = source_; }

    Test parse() {
        if (source_->text.size() > max_text) throw Failure(source_, {}, "the file is larger than 1 MiB");
        guarded([&] { parse_name(); }, [&] { lexer_.skip_line(); });
        while (!at_end()) {
            const uint32_t before = lexer_.last_end();
            guarded([&] { parse_statement(); }, [&] { skip_block_statement(); });
            if (lexer_.last_end() == before && !at_end()) lexer_.skip_line();  // always get on
        }
        finish();
        return std::move(test_);
    }

private:
    // ---- errors ------------------------------------------------------------------------------------

    [[noreturn]] void fail(Span span, std::string message, std::string hint = {}) const {
        throw Failure(source_, span, std::move(message), std::move(hint));
    }

    void record(const Failure& failure) {
        errors_.insert(errors_.end(), failure.diagnostics().begin(), failure.diagnostics().end());
        if (errors_.size() >= max_kept_errors) give_up();
    }

    // The first errors in the order of the text, and how many more there are.
    [[noreturn]] void give_up() {
        gave_up_ = true;
        std::stable_sort(errors_.begin(), errors_.end(),
                         [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
        if (errors_.size() > max_errors) {
            const size_t more = errors_.size() - max_errors;
            const std::string shown = (errors_.size() >= max_kept_errors ? "at least " : "") + std::to_string(more);
            errors_.resize(max_errors);
            errors_.push_back({Diagnostic::Level::note, nullptr, {}, "and " + shown + " more " + (more == 1 ? "error" : "errors"), ""});
        }
        throw Failure(std::move(errors_));
    }

    // Runs `read`; an error in it is recorded, and `recover` finds the place to go on from.
    template <typename Read, typename Recover>
    void guarded(Read read, Recover recover) {
        try {
            read();
            return;
        } catch (const Failure& failure) {
            if (gave_up_) throw;
            record(failure);
        }
        recover();
    }

    bool at_end() {
        bool end = false;
        guarded([&] { end = lexer_.at_end(); }, [&] { end = at_end(); });
        return end;
    }

    // To the line where the next top-level statement may begin.
    void skip_block_statement() {
        for (;;) {
            lexer_.skip_line();
            try {
                const Token& next = lexer_.peek();
                if (next.kind == Token::Kind::end || starts_statement(next.text) || next.text == "." || next.text == "~") return;
            } catch (const Failure&) {  // what cannot be read is skipped with the rest
            }
        }
    }

    void finish() {
        if (errors_.empty() && test_.threads.empty()) fail({}, "the test has no thread", "write `thread P0 @ cta0 { ... }`");
        assign_warps(test_);
        for (Diagnostic& diagnostic : dsl::check(test_, threads_complete_)) errors_.push_back(std::move(diagnostic));
        if (!errors_.empty()) give_up();
    }

    // ---- tokens ------------------------------------------------------------------------------------

    bool at(std::string_view text) {
        const Token& next = lexer_.peek();
        return next.text == text && next.kind != Token::Kind::string && next.kind != Token::Kind::end;
    }

    bool accept(std::string_view text) {
        if (!at(text)) return false;
        lexer_.take();
        return true;
    }

    static std::string shown(const Token& token) {
        if (token.kind == Token::Kind::end) return "the end of the file";
        return "`" + std::string(token.text.substr(0, 40)) + "`";
    }

    Token expect(std::string_view text, const std::string& where = {}) {
        if (!at(text)) fail(lexer_.peek().span, "expected `" + std::string(text) + "`" + where + ", not " + shown(lexer_.peek()));
        return lexer_.take();
    }

    // A missing ';' is pointed at where it should stand.
    void expect_semicolon(const std::string& after) {
        if (accept(";")) return;
        const bool next_line = lexer_.at_line_start() || lexer_.at_end();
        const Span place = next_line ? Span{lexer_.last_end(), lexer_.last_end() + 1} : lexer_.peek().span;
        const Failure failure(source_, place, "expected `;` after " + after + (next_line ? "" : ", not " + shown(lexer_.peek())));
        if (!next_line) throw failure;
        record(failure);
    }

    Token take(Token::Kind kind, const std::string& what) {
        const Token next = lexer_.peek();
        if (next.kind != kind) fail(next.span, "expected " + what + ", not " + shown(next));
        return lexer_.take();
    }

    // A name that the test may choose: no register sign, no word of conditions.
    Token take_name(const std::string& what) {
        const Token token = take(Token::Kind::word, what);
        if (token.text.size() > max_name) fail(token.span, "this name is longer than 128 characters");
        if (token.text[0] == '%') fail(token.span, what + " cannot start with `%`");
        if (token.text == "_" || token.text == "true" || token.text == "false")
            fail(token.span, "`" + std::string(token.text) + "` cannot be " + what);
        return token;
    }

    std::string take_string(const std::string& what) {
        const Token token = take(Token::Kind::string, what);
        const auto text = dsl::unquote(token.text);
        if (!text) fail(token.span, "bad escape in this string", "known are \\\" \\\\ \\n \\t and \\x with two hexadecimal digits");
        return *text;
    }

    Literal take_literal(const std::string& what) {
        const uint32_t begin = lexer_.peek().span.begin;
        const bool negative = accept("-");
        const Token token = take(Token::Kind::number, what);
        auto literal = dsl::read_literal(token.text);
        const Span span{begin, token.span.end};
        if (!literal) fail(span, "`" + std::string(token.text.substr(0, 40)) + "` is no number of at most 64 bits");
        if (negative && (literal->kind == Literal::Kind::float32 || literal->kind == Literal::Kind::float64))
            fail(span, "a float given by its bits takes no sign", "set the sign bit");
        literal->negative = negative;
        literal->span = span;
        return *literal;
    }

    // A plain number of [0, max].
    uint64_t take_count(const std::string& what, uint64_t max) {
        const Literal literal = take_literal(what);
        const bool integer = literal.kind == Literal::Kind::integer || literal.kind == Literal::Kind::hex;
        if (!integer || literal.negative || literal.magnitude > max)
            fail(literal.span, what + " must be an integer from 0 to " + std::to_string(max));
        return literal.magnitude;
    }

    uint64_t value_of(const Literal& literal, Type type) const {
        if (const auto value = dsl::bits_of(literal, type)) return *value;
        const std::string typed = "`." + std::string(name(type)) + "`";
        if (literal.kind == Literal::Kind::decimal && !is_float(type)) fail(literal.span, "a float literal cannot be a " + typed);
        if (literal.kind == Literal::Kind::float32 && bits(type) == 64)
            fail(literal.span, "a 32-bit float cannot be a " + typed, "write 0d and 16 hexadecimal digits");
        if (literal.kind == Literal::Kind::float64 && bits(type) == 32)
            fail(literal.span, "a 64-bit float cannot be a " + typed, "write 0f and 8 hexadecimal digits");
        fail(literal.span, "the value does not fit " + typed);
    }

    // ---- the header and the blocks -------------------------------------------------------------------

    void parse_name() {
        const Token first = lexer_.peek();
        if (!at("test")) fail(first.span, "expected `test \"name\"`, not " + shown(first), "a test begins with its name");
        lexer_.take();
        test_.name = take_string("the test's name in quotes");
        if (test_.name.empty()) fail(first.span, "the test's name is empty");
    }

    void parse_statement() {
        if (at(".")) return parse_location();
        if (at("~")) return parse_claim();
        const Token word = lexer_.peek();
        if (word.kind != Token::Kind::word) unexpected(word);
        if (word.text == "doc")
            once("doc"), test_.doc = take_string("the description in quotes");
        else if (word.text == "ref")
            lexer_.take(), test_.refs.push_back(take_string("the source in quotes"));
        else if (word.text == "repairs")
            once("repairs"), test_.repairs = take_string("the name of the other test in quotes");
        else if (word.text == "target")
            parse_target();
        else if (word.text == "thread")
            parse_thread();
        else if (word.text == "filter")
            parse_filter();
        else if (word.text == "exists" || word.text == "forall")
            parse_claim();
        else if (word.text == "racefree")
            once("racefree"), test_.claims_racefree = true;
        else if (word.text == "undefined")
            once("undefined"), test_.claims_undefined = true;
        else if (word.text == "deadlock")
            once("deadlock"), test_.claims_deadlock = true;
        else if (word.text == "may")
            parse_may_deadlock();
        else if (word.text == "terminates")
            parse_terminates();
        else if (word.text == "test")
            fail(word.span, "a file holds one test", "put the other one into a file of its own");
        else
            unexpected(word);
    }

    [[noreturn]] void unexpected(const Token& token) const {
        const std::string near = token.kind == Token::Kind::word ? nearest(token.text, {statements.begin(), statements.end()}) : "";
        fail(token.span, "expected a declaration, a thread or a claim, not " + shown(token),
             near.empty() ? "" : "the nearest is `" + (near == "may" ? "may-deadlock" : near) + "`");
    }

    // Takes the word that begins a clause which may stand only once.
    void once(const std::string& clause) {
        const Token word = lexer_.take();
        if (!clauses_.insert(clause).second) fail(word.span, "duplicate `" + clause + "`", "a test has at most one");
    }

    void parse_may_deadlock() {
        const Span span = lexer_.peek().span;
        once("may-deadlock");
        if (!accept("-") || !accept("deadlock")) fail(span, "expected `may-deadlock`");
        test_.claims_may_deadlock = true;
        refuse_contraries(span);
    }

    void parse_terminates() {
        const Span span = lexer_.peek().span;
        once("terminates");
        test_.claims_terminates = true;
        refuse_contraries(span);
    }

    void refuse_contraries(Span span) const {
        if (test_.claims_may_deadlock && test_.claims_terminates)
            fail(span, "`may-deadlock` and `terminates` contradict each other", "`terminates` says that no execution gets stuck");
    }

    void parse_target() {
        once("target");
        const Token token = take(Token::Kind::word, "a target such as `sm_90`");
        std::string_view number = token.text;
        test_.target_specific = number.size() > 4 && number.back() == 'a';
        if (test_.target_specific) number.remove_suffix(1);
        const auto sm = numbered(number, "sm_");
        if (!sm || !known_target(*sm) || (test_.target_specific && *sm < first_specific_target))
            fail(token.span, "unknown target " + shown(token), "sm_70, sm_75, sm_80, sm_90, sm_100, sm_100a, sm_120, ...");
        test_.target = sm;
    }

    void check_new_name(const Token& token, bool known, const std::string& what) const {
        if (known) fail(token.span, "duplicate " + what + " `" + std::string(token.text) + "`");
    }

    // "cta1" with prefix "cta" -> 1
    std::optional<int> numbered(std::string_view word, std::string_view prefix) const {
        if (word.substr(0, prefix.size()) != prefix || word.size() == prefix.size()) return std::nullopt;
        int value = 0;
        for (const char c : word.substr(prefix.size())) {
            if (c < '0' || c > '9' || value > max_place) return std::nullopt;
            value = 10 * value + (c - '0');
        }
        const bool padded = word.size() > prefix.size() + 1 && word[prefix.size()] == '0';
        return value <= max_place && !padded ? std::optional(value) : std::nullopt;
    }

    // ---- locations ----------------------------------------------------------------------------------------

    void parse_location() {
        guarded([&] { parse_declaration(); },
                [&] {
                    declarations_complete_ = threads_complete_ = false;
                    lexer_.skip_statement("\n");
                });
    }

    void parse_declaration() {
        Location location;
        lexer_.take();
        parse_space(location);
        expect(".", " and a type");
        parse_location_type(location);
        const Token name = take_name("a location's name");
        location.name = name.text;
        location.span = name.span;
        check_new_name(name, find_location(test_, name.text) != nullptr, "location");
        if (accept("[")) {
            location.array = true;
            const Span span = lexer_.peek().span;
            location.count = static_cast<int>(take_count("the number of elements", max_elements));
            if (location.count == 0) fail(span, "an array has at least one element");
            expect("]");
        }
        elements_ += static_cast<size_t>(location.count);
        if (test_.locations.size() == max_locations || elements_ > max_locations * 64)
            fail(name.span, "too many locations", "at most 1024, and 65536 elements in all");
        if (at("alias"))
            parse_alias(location);
        else
            parse_initial(location);
        expect_semicolon("the declaration");
        test_.locations.push_back(std::move(location));
    }

    void parse_space(Location& location) {
        const Token token = take_dotted("a state space");
        const size_t dot = token.text.find('.');
        const std::string_view space = token.text.substr(0, dot);
        refuse_directive(token, space);
        if (space == "const" || space == "local" || space == "param")
            fail(token.span, "the state space `." + std::string(space) + "` is known PTX (ISA 5.1) but not modelled");
        if (space != "global" && space != "shared") {
            const std::string near = nearest(space, {"global", "shared"});
            fail(token.span, "unknown state space `." + std::string(space) + "`",
                 near.empty() ? "write `.global` or `.shared`" : "the nearest is `." + near + "`");
        }
        location.space = space == "global" ? Space::global : Space::shared;
        if (dot == std::string_view::npos) return;
        if (location.space == Space::global) fail(token.span, "global memory belongs to no CTA", "write `.global`");
        location.cta = numbered(token.text.substr(dot + 1), "cta");
        if (!location.cta) fail(token.span, "expected the owning CTA", "write `.shared.cta1`");
    }

    void refuse_directive(const Token& token, std::string_view word) const {
        const dsl::Advice advice = dsl::directive_advice(word);
        if (!advice.message.empty()) fail(token.span, advice.message, advice.hint);
    }

    void parse_location_type(Location& location) {
        const Token token = take_dotted("a type");
        refuse_directive(token, token.text);
        if (token.text == "mbarrier") {
            if (location.space == Space::global)
                fail(token.span, "an mbarrier object lies in shared memory (ISA 9.7.13.15)", "write `.shared.cta0`");
            location.is_mbarrier = true;
            location.type = Type::b64;
            return;
        }
        const auto type = type_named(token.text);
        if (type == Type::b128) fail(token.span, "`.b128` is known PTX (ISA 5.2.1) but not modelled yet");
        if (!type || *type == Type::pred) {
            const std::string near = nearest(token.text, {"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64",
                                                          "f16", "bf16", "f32", "f64", "f16x2", "bf16x2"});
            fail(token.span, "a location cannot be a `." + std::string(token.text.substr(0, 40)) + "`",
                 near.empty() ? "" : "the nearest is `." + near + "`");
        }
        location.type = *type;
    }

    Token take_dotted(const std::string& what) {
        const Token& next = lexer_.peek();
        if (next.kind != Token::Kind::word) fail(next.span, "expected " + what + ", not " + shown(next));
        const Token token = lexer_.take_dotted();
        if (token.text.size() > max_name) fail(token.span, "this name is longer than 128 characters");
        return token;
    }

    void parse_alias(Location& location) {
        lexer_.take();
        if (location.is_mbarrier) fail(location.span, "an mbarrier object has no alias");
        for (const auto& [word, proxy] :
             {std::pair{"surface", Proxy::surface}, {"texture", Proxy::texture}, {"constant", Proxy::constant}}) {
            if (!at(word) || lexer_.followed_by(";")) continue;
            lexer_.take();
            location.proxy = proxy;
            break;
        }
        const Token target = take_name("a location's name");
        const Location& other = declared(target);
        location.alias_of = target.text;
        if (other.is_mbarrier) fail(target.span, "an mbarrier object has no alias");
        if (other.space != Space::global || location.space != Space::global)
            fail(target.span, "only global memory can have a second address");
        if (other.type != location.type || other.count != location.count || other.array != location.array)
            fail(target.span, "an alias is declared with the type and size of `" + other.name + "`",
                 "write `." + std::string(name(other.type)) + " " + location.name +
                     (other.array ? "[" + std::to_string(other.count) + "]" : "") + " alias " + other.name + "`");
        if (at("=")) fail(lexer_.peek().span, "an alias has the initial value of `" + other.name + "`");
        location.init = other.init;
    }

    void parse_initial(Location& location) {
        const auto count = static_cast<size_t>(location.count);
        if (location.is_mbarrier) {
            if (accept("=")) {
                const Span span = lexer_.peek().span;
                const Literal arrivals = take_literal("the number of arrivals");
                const bool integer = arrivals.kind == Literal::Kind::integer || arrivals.kind == Literal::Kind::hex;
                if (!integer || arrivals.negative || arrivals.magnitude < 1 || arrivals.magnitude > max_arrivals)
                    fail(span, "the number of expected arrivals is from 1 to 1048575 (ISA 9.7.13.15.2)");
                location.arrivals = static_cast<uint32_t>(arrivals.magnitude);
            }
            location.init.assign(count, 0);
            return;
        }
        if (!accept("=")) {
            location.init.assign(count, 0);
            return;
        }
        const Span open = lexer_.peek().span;
        if (accept("{")) {
            if (!location.array) fail(open, "one value initialises a scalar", "leave out the braces");
            do {
                if (location.init.size() == count) fail(lexer_.peek().span, "more than " + std::to_string(count) + " initial values");
                location.init.push_back(initial_value(location));
            } while (accept(","));
            expect("}");
        } else {
            location.init.push_back(initial_value(location));
        }
        if (location.init.size() == 1) location.init.resize(count, location.init[0]);
        if (location.init.size() != count)
            fail(open, std::to_string(location.init.size()) + " initial values for " + std::to_string(count) + " elements",
                 "give one for all, or one for each");
    }

    uint64_t initial_value(const Location& location) {
        return truncate(value_of(take_literal("a value"), location.type), bits(location.type));
    }

    const Location& declared(const Token& name) const {
        if (const Location* location = find_location(test_, name.text)) return *location;
        fail_undeclared(name);
    }

    // Says nothing new when the declaration itself was in error.
    [[noreturn]] void fail_undeclared(const Token& name) const {
        if (!declarations_complete_) throw Failure(std::vector<Diagnostic>{});
        fail(name.span, "`" + std::string(name.text.substr(0, 40)) + "` is not declared", nearest_location(name.text));
    }

    std::string nearest_location(std::string_view name) const {
        std::vector<std::string_view> names;
        for (const Location& location : test_.locations) names.push_back(location.name);
        const std::string near = nearest(name, names);
        return near.empty() ? "declare it before it is used: `.global .u32 " + std::string(name.substr(0, 40)) + " = 0;`"
                            : "the nearest is `" + near + "`";
    }

    // ---- threads --------------------------------------------------------------------------------------------

    void parse_thread() {
        lexer_.take();
        Thread thread;
        guarded([&] { parse_thread_header(thread); }, [&] { lexer_.skip_statement("{"); });
        threads_complete_ = threads_complete_ && !thread.name.empty();
        expect("{");
        inner_blocks_ = 0;
        std::vector<std::string> labels;
        for (;;) {
            bool closed = false;
            guarded([&] { closed = parse_body_item(thread, labels); }, [&] { skip_instruction(); });
            if (closed) break;
        }
        thread.end_labels = std::move(labels);
        if (!thread.name.empty()) test_.threads.push_back(std::move(thread));
    }

    // An instruction or a label; true at the end of the body.
    bool parse_body_item(Thread& thread, std::vector<std::string>& labels) {
        const Token next = lexer_.peek();
        if (accept("}")) return inner_blocks_-- == 0;
        if (next.text == "." || next.text == "{") return refuse_in_body(thread);
        const bool statement =
            next.kind == Token::Kind::word && starts_statement(next.text) && lexer_.at_line_start() && !lexer_.followed_by(":");
        if (next.kind == Token::Kind::end || statement) {
            record(Failure(source_, next.span, "expected `}` at the end of thread `" + thread.name + "`, not " + shown(next)));
            threads_complete_ = false;
            return true;
        }
        if (next.kind == Token::Kind::word && lexer_.followed_by(":")) {
            labels.emplace_back(take_name("a label").text);
            lexer_.take();
            return false;
        }
        if (++instructions_ > max_instructions) fail_for_good(next.span, "more than 4096 instructions");
        Instruction instruction = parse_instruction();
        instruction.labels = std::exchange(labels, {});
        thread.body.push_back(std::move(instruction));
        return false;
    }

    // Directives and blocks, which pasted code has; reading goes on inside a block.
    bool refuse_in_body(const Thread& thread) {
        const Token mark = lexer_.take();
        if (mark.text == "{") {
            if (++inner_blocks_ == 1)
                record(Failure(source_, mark.span, "a body has no inner blocks",
                               "leave out the braces: registers and labels belong to thread `" + thread.name + "`"));
            return false;
        }
        const Token word = take_dotted("an instruction");
        refuse_directive(word, word.text.substr(0, word.text.find('.')));
        fail(join(mark.span, word.span), "expected an instruction, not a directive", "locations are declared before the threads");
    }

    [[noreturn]] void fail_for_good(Span span, const std::string& message) {
        errors_.push_back({Diagnostic::Level::error, source_, span, message, ""});
        give_up();
    }

    void skip_instruction() {
        threads_complete_ = false;
        lexer_.skip_statement("}");
    }

    void parse_thread_header(Thread& thread) {
        const Token name = take_name("a thread's name");
        check_new_name(name, find_thread(test_, name.text) >= 0, "thread");
        if (test_.threads.size() == max_threads) fail_for_good(name.span, "more than 256 threads");
        expect("@", " and a placement such as `cta0`");
        thread.at = parse_placement();
        thread.span = name.span;
        thread.name = name.text;
    }

    Placement parse_placement() {
        Placement placement;
        const Token token = take_dotted("a placement such as `gpu0.cta1`");
        struct Part {
            std::string_view prefix;
            int* value;
            int limit;
        };
        const std::array<Part, 5> parts = {{{"gpu", &placement.gpu, max_place},
                                            {"cluster", &placement.cluster, max_place},
                                            {"cta", &placement.cta, max_place},
                                            {"warp", &placement.warp, cta_warps - 1},
                                            {"lane", &placement.lane, warp_lanes - 1}}};
        size_t next = 0;
        for (size_t begin = 0; begin <= token.text.size();) {
            const size_t end = std::min(token.text.find('.', begin), token.text.size());
            const std::string_view word = token.text.substr(begin, end - begin);
            const Span span{token.span.begin + static_cast<uint32_t>(begin), token.span.begin + static_cast<uint32_t>(end)};
            std::optional<int> value;
            while (next < parts.size() && !(value = numbered(word, parts[next].prefix))) ++next;
            if (!value)
                fail(span, "`" + std::string(word) + "` is no part of a placement here",
                     "a placement is gpuG.clusterC.ctaN.warpW.laneL; what is left out is 0");
            if (*value > parts[next].limit)
                fail(span, "`" + std::string(word) + "` is out of range: 0 to " + std::to_string(parts[next].limit));
            *parts[next].value = *value;
            placement.warp_named = placement.warp_named || parts[next].prefix == "warp";
            ++next;
            begin = end + 1;
        }
        return placement;
    }

    // ---- instructions -----------------------------------------------------------------------------------------

    Instruction parse_instruction() {
        Instruction instruction;
        instruction.span = lexer_.peek().span;
        if (accept("@")) {
            const bool negated = accept("!");
            instruction.guard = Guard{register_name(take(Token::Kind::word, "a predicate register")), negated};
        }
        instruction.await = accept("await");
        const Token name = take_dotted("an instruction");
        const auto found = resolve(name.text);
        if (const Refusal* refused = std::get_if<Refusal>(&found)) {
            const Refusal refusal = errors_.size() < max_errors ? dsl::advise(name.text, *refused) : *refused;
            fail({name.span.begin + refusal.begin, name.span.begin + refusal.end}, refusal.message, refusal.hint);
        }
        const Spelling& spelled = std::get<Spelling>(found);
        instruction.op = *spelled.form->op;
        instruction.row.form = spelled.form;
        instruction.mnemonic = spelled.form->mnemonic;
        instruction.qualifiers = spelled.qualifiers;
        check_direction(instruction, name, *spelled.form);
        parse_operands(instruction, name, *spelled.form);
        parse_expectation(instruction, name);
        instruction.span.end = lexer_.last_end();
        expect_semicolon("the instruction");
        return instruction;
    }

    // The two state spaces of a copy stand in this order only: they say which way it goes.
    void check_direction(const Instruction& instruction, const Token& name, const Form& form) const {
        if (!is_copy(instruction.op)) return;
        size_t at = 0;
        for (const std::string& qualifier : instruction.qualifiers) {
            if (qualifier != "global" && qualifier.substr(0, 6) != "shared") continue;
            at = name.text.find("." + qualifier, at);
            if (at == std::string_view::npos)
                fail(name.span, "no form of `" + form.mnemonic + "` copies this way: the destination's state space stands first",
                     form.box + " (ISA " + form.section + ")");
        }
    }

    static bool is_wait(const Instruction& instruction) { return kind(instruction.op) == Traits::Kind::mbarrier_wait; }

    void parse_operands(Instruction& instruction, const Token& name, const Form& form) {
        std::vector<Written> written;
        if (!at(";") && !(lexer_.at_line_start() && form.operands.empty())) do
                written.push_back(parse_operand(0));
            while (accept(","));
        // ISA 9.7.9.8: a cache policy needs the qualifier .L2::cache_hint
        const bool hinted = name.text.find(".L2::cache_hint") != std::string_view::npos;
        const std::vector<const Shape*> shapes = shapes_of(form, instruction.await, form.operands.size(), hinted);
        if (instruction.await && is_wait(instruction) && !written.empty() && written[0].operand.kind != Operand::Kind::address)
            fail(written[0].operand.span, "an awaited wait has no predicate operand",
                 "leave it out: `await` says that the wait returned true");
        const auto required = static_cast<size_t>(std::count_if(shapes.begin(), shapes.end(), [](const Shape* s) { return !s->optional; }));
        if (written.size() < required && !at(";") && !lexer_.at_line_start()) expect(",", " before the next operand");
        if (written.size() < required || written.size() > shapes.size()) {
            const bool has_policy =
                std::any_of(form.operands.begin(), form.operands.end(), [](const Shape& s) { return s.role == Role::policy; });
            if (has_policy && !hinted && written.size() == shapes.size() + 1 && written.back().operand.kind == Operand::Kind::reg)
                fail(written.back().operand.span, "a cache policy needs the qualifier `.L2::cache_hint` (ISA " + form.section + ")");
            if (is_wait(instruction) && !instruction.await && !written.empty() && written[0].operand.kind == Operand::Kind::address)
                fail(name.span, "`" + form.mnemonic + "` writes a predicate, which stands first",
                     "write `p, [bar]`, or `await` before the instruction");
            const std::string wanted =
                required == shapes.size() ? std::to_string(required) : std::to_string(required) + " or " + std::to_string(shapes.size());
            fail(join(name.span, {0, lexer_.last_end()}),
                 "`" + form.mnemonic + "` takes " + wanted + (wanted == "1" ? " operand" : " operands") + ", not " +
                     std::to_string(written.size()),
                 form.box + " (ISA " + form.section + ")");
        }
        const std::vector<const Shape*> filled = shapes_of(form, instruction.await, written.size(), hinted);
        for (size_t i = 0; i < written.size(); ++i) {
            Operand operand = conform(std::move(written[i]), *filled[i], instruction, form);
            operand.role = filled[i]->role;
            if (operand.role != Role::policy) instruction.operands.push_back(std::move(operand));
        }
    }

    void parse_expectation(Instruction& instruction, const Token& name) {
        if (instruction.await && !is_load(instruction.op) && !is_wait(instruction))
            fail(name.span, "`" + instruction.mnemonic + "` cannot be awaited",
                 traits(instruction.op).waits ? "leave out `await`: it blocks by itself"
                                              : "await a load with a condition: await ld.acquire.gpu.u32 r0, [flag] == 1;");
        static constexpr std::array comparisons = {"==", "!=", "<=", ">=", "<", ">", "="};
        const Token token = lexer_.peek();
        const bool compares =
            token.kind == Token::Kind::mark && std::find(comparisons.begin(), comparisons.end(), token.text) != comparisons.end();
        if (instruction.await && is_wait(instruction)) {
            if (compares)
                fail(token.span, "an awaited wait has no condition of its own", "leave it out: it waits until the wait returns true");
            return;
        }
        if (instruction.await && !compares)
            fail({lexer_.last_end(), lexer_.last_end() + 1}, "an awaited load needs a condition", "add `== 1`");
        if (instruction.await && vector_width(instruction) > 1) fail(name.span, "a vector cannot be awaited", "await one element");
        if (!compares) return;
        if (!instruction.await)
            fail(token.span, "only an awaited load has a condition", "write `await` before it, or a `filter` for the test");
        lexer_.take();
        Expectation expectation{token.text == "=" ? "==" : std::string(token.text), {}};
        Shape shape;
        shape.name = "the value";
        expectation.value = conform_value(parse_operand(0), shape, data_type(instruction));
        instruction.expect = std::move(expectation);
    }

    // '%' is no part of a register's name.
    std::string register_name(const Token& token) const {
        std::string_view text = token.text;
        if (text[0] == '%') text.remove_prefix(1);
        const bool good = !text.empty() && text != "_" && !(text[0] >= '0' && text[0] <= '9') && text[0] != '%';
        const bool of_inline_assembly = token.text[0] == '%' && !text.empty() && text[0] >= '0' && text[0] <= '9';
        if (!good || text.size() > max_name)
            fail(token.span, "`" + std::string(token.text.substr(0, 40)) + "` is no register",
                 of_inline_assembly ? "an operand of inline assembly: write the register or the location that it stands for"
                                    : "a register's name starts with a letter");
        return std::string(text);
    }

    Written parse_operand(int depth) {
        Written written;
        const Token first = lexer_.peek();
        const uint32_t begin = first.span.begin;
        if (first.text == "[" && first.kind == Token::Kind::mark) {
            written.operand = parse_address();
        } else if (first.text == "{" && first.kind == Token::Kind::mark) {
            if (depth > 0) fail(first.span, "a vector holds registers and values only");
            lexer_.take();
            written.operand.kind = Operand::Kind::vector;
            do written.elements.push_back(parse_operand(depth + 1));
            while (accept(",") && written.elements.size() < 16);
            expect("}");
        } else if (accept("!")) {
            written.operand.name = register_name(take(Token::Kind::word, "a predicate register"));
            written.operand.negated = true;
        } else if (first.kind == Token::Kind::number || at("-")) {
            written.literal = take_literal("a value");
            written.operand.kind = Operand::Kind::immediate;
        } else {
            written.operand = parse_named_operand();
        }
        written.operand.span = {begin, lexer_.last_end()};
        return written;
    }

    // A register, `_`, a label, or a location: `x`, `s@cta1+4`, `s[1]`.
    Operand parse_named_operand() {
        Operand operand;
        const Token token = take(Token::Kind::word, "an operand");
        if (token.text == "_") {
            operand.kind = Operand::Kind::sink;
            return operand;
        }
        if (const Location* location = find_location(test_, token.text)) {
            operand.name = location->name;
            operand.cta = parse_instance();
            operand.kind = at("[") ? Operand::Kind::address : Operand::Kind::symbol;  // ISA 6.4.2 puts no brackets around `s[1]`
            parse_offset(operand, location);
            return operand;
        }
        if (token.text[0] == '%' && at("."))
            fail(token.span, "special registers are not modelled", "a litmus thread knows its place: write the value");
        operand.name = register_name(token);
        const bool joined = lexer_.peek().span.begin == token.span.end;  // `s[1]`; `r0 [x]` lacks a comma
        if (joined && (at("[") || at("@"))) fail_undeclared(token);
        if (at("|"))
            fail(lexer_.peek().span, "a second predicate, `p|q`, is known PTX (ISA 9.7.6.2) but not modelled yet",
                 "write an instruction for each predicate");
        return operand;
    }

    // `[x]`, `[s@cta1+8]`, `[s[1]]`, `[r0]`, `[r0+4]`
    Operand parse_address() {
        lexer_.take();
        Operand operand;
        operand.kind = Operand::Kind::address;
        const Token token = lexer_.peek();
        if (token.kind == Token::Kind::number) fail(token.span, "an address names a location or a register");
        take(Token::Kind::word, "a location or a register");
        if (const Location* location = find_location(test_, token.text)) {
            operand.name = location->name;
            operand.cta = parse_instance();
            parse_offset(operand, location);
        } else {
            operand.name = register_name(token);
            operand.indirect = true;
            if (at("@") || at("[")) fail_undeclared(token);
            parse_offset(operand, nullptr);
        }
        expect("]");
        return operand;
    }

    // "@cta1": 1; nothing: -1
    int parse_instance() {
        if (!accept("@")) return -1;
        const Token token = take(Token::Kind::word, "an instance such as `cta1`");
        const auto cta = numbered(token.text, "cta");
        if (!cta) fail(token.span, "expected an instance such as `cta1`, not " + shown(token));
        return *cta;
    }

    // "+8", "-4", "+-4", "[2]"
    void parse_offset(Operand& operand, const Location* location) {
        if (location && accept("[")) {
            const uint64_t index = take_count("an element's number", max_elements);
            expect("]");
            operand.offset = static_cast<int64_t>(index) * bits(location->type) / 8;
            return;
        }
        if (!at("+") && !at("-")) return;
        bool negative = accept("-");
        if (!negative) lexer_.take(), negative = accept("-");
        const auto offset = static_cast<int64_t>(take_count("an offset in bytes", 1u << 20));
        operand.offset = negative ? -offset : offset;
    }

    // ---- operands against their shapes -------------------------------------------------------------------------

    static const char* kind_name(Operand::Kind kind) {
        switch (kind) {
            case Operand::Kind::reg:
                return "a register";
            case Operand::Kind::immediate:
                return "a value";
            case Operand::Kind::address:
                return "an address";
            case Operand::Kind::vector:
                return "a vector";
            case Operand::Kind::sink:
                return "`_`";
            case Operand::Kind::label:
                return "a label";
            case Operand::Kind::symbol:
                return "a location";
        }
        return "";
    }

    [[noreturn]] void wrong_kind(const Operand& operand, const Shape& shape, const std::string& wanted, const Form& form) const {
        fail(operand.span, "operand `" + shape.name + "` of `" + form.mnemonic + "` is " + wanted + ", not " + kind_name(operand.kind),
             form.box + " (ISA " + form.section + ")");
    }

    Operand conform(Written written, const Shape& shape, const Instruction& instruction, const Form& form) const {
        Operand& operand = written.operand;
        const Type type = shape.from_source_type ? source_type(instruction) : shape.type.value_or(data_type(instruction));
        const int width = shape.type || shape.from_source_type ? 1 : vector_width(instruction);
        if (is_address(shape.role)) {
            const bool object = shape.role == Role::mbarrier;
            if (operand.kind != Operand::Kind::address)
                wrong_kind(operand, shape, object ? "the address of an mbarrier object such as `[bar]`" : "an address such as `[x]`", form);
            return operand;
        }
        if (shape.only_sink) {
            if (operand.kind != Operand::Kind::sink)
                fail(operand.span, "an arrival by `.shared::cluster` returns no state (ISA " + form.section + ")",
                     "write `_` in its place");
            return operand;
        }
        if (shape.role == Role::label) {
            if (operand.kind != Operand::Kind::reg || operand.negated) wrong_kind(operand, shape, "a label", form);
            operand.kind = Operand::Kind::label;
            return operand;
        }
        if (shape.role == Role::policy) {
            if (operand.kind != Operand::Kind::reg) wrong_kind(operand, shape, "a register", form);
            return operand;
        }
        if (width > 1) return conform_vector(std::move(written), shape, type, width, form);
        if (operand.kind == Operand::Kind::vector && instruction.op == Op::mov)
            fail(operand.span, "packing and unpacking with `mov` is known PTX (ISA 9.7.9.4) but not modelled yet");
        if (shape.constant) return conform_constant(std::move(written), shape, form);
        if (operand.kind == Operand::Kind::vector)
            wrong_kind(operand, shape, shape.role == Role::result ? "a register" : "a register or a value", form);
        if (operand.kind == Operand::Kind::sink && shape.sink) return operand;
        if (operand.kind == Operand::Kind::symbol && shape.symbol) return operand;
        if (shape.role == Role::result) {
            if (operand.kind == Operand::Kind::reg && !operand.negated) return operand;
            wrong_kind(operand, shape, "a register", form);
        }
        if (operand.negated && !shape.negatable) fail(operand.span, "this operand cannot be negated");
        if (operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::immediate)
            return conform_value(std::move(written), shape, type);
        wrong_kind(operand, shape, "a register or a value", form);
    }

    Operand conform_constant(Written written, const Shape& shape, const Form& form) const {
        const bool number =
            written.literal && (written.literal->kind == Literal::Kind::integer || written.literal->kind == Literal::Kind::hex);
        if (!number || written.literal->negative)
            fail(written.operand.span,
                 "operand `" + shape.name + "` of `" + form.mnemonic + "` is a constant, 0 or more (ISA " + form.section + ")",
                 "write a number such as 0");
        return conform_value(std::move(written), shape, *shape.type);
    }

    Operand conform_value(Written written, const Shape& shape, Type type) const {
        Operand& operand = written.operand;
        if (operand.kind != Operand::Kind::reg && operand.kind != Operand::Kind::immediate)
            fail(operand.span, shape.name + " must be a register or a value, not " + kind_name(operand.kind));
        if (written.literal) {
            if (shape.type && !dsl::bits_of(*written.literal, type))
                fail(operand.span, "the value does not fit operand `" + shape.name + "`, which is a `." + std::string(name(type)) + "`");
            operand.value = value_of(*written.literal, type);
            operand.is_float =
                is_float(type) || written.literal->kind == Literal::Kind::float32 || written.literal->kind == Literal::Kind::float64;
        }
        return operand;
    }

    Operand conform_vector(Written written, const Shape& shape, Type type, int width, const Form& form) const {
        Operand& operand = written.operand;
        if (operand.kind != Operand::Kind::vector) wrong_kind(operand, shape, "a vector of " + std::to_string(width), form);
        if (written.elements.size() != static_cast<size_t>(width))
            fail(operand.span,
                 "a vector of " + std::to_string(width) + " is needed here, not of " + std::to_string(written.elements.size()));
        for (Written& element : written.elements) {
            const Operand::Kind kind = element.operand.kind;
            const bool is_register = kind == Operand::Kind::reg && !element.operand.negated;
            const bool allowed = is_register || (kind == Operand::Kind::sink && shape.sink) ||
                                 (kind == Operand::Kind::immediate && shape.role != Role::result);
            if (!allowed) fail(element.operand.span, "a vector cannot hold " + std::string(kind_name(kind)) + " here");
            operand.elements.push_back(kind == Operand::Kind::sink ? element.operand : conform_value(std::move(element), shape, type));
        }
        return operand;
    }

    // ---- conditions ------------------------------------------------------------------------------------------

    void parse_filter() {
        once("filter");
        test_.filter = parse_condition();
    }

    void parse_claim() {
        const Token first = lexer_.peek();
        Claim claim;
        claim.span = first.span;
        const bool negated = accept("~");
        if (negated && !at("exists")) fail(lexer_.peek().span, "expected `exists` after `~`, not " + shown(lexer_.peek()));
        const bool forall = at("forall");
        once("claim");
        claim.kind = negated ? Claim::Kind::not_exists : forall ? Claim::Kind::forall : Claim::Kind::exists;
        claim.condition = parse_condition();
        claim.span.end = lexer_.last_end();
        test_.claim = std::move(claim);
    }

    Condition parse_condition() {
        if (!at("(")) fail(lexer_.peek().span, "expected a condition in parentheses, not " + shown(lexer_.peek()));
        return Conditions(*this).parse();
    }

    // How conditions are written here.
    class Conditions : public ConditionParser {
    public:
        explicit Conditions(Parser& in) : in_(in) {}

    private:
        bool accept(Mark mark) override {
            switch (mark) {
                case Mark::either:
                    return in_.accept("\\/") || in_.accept("||");
                case Mark::both:
                    return in_.accept("/\\") || in_.accept("&&");
                case Mark::negation:
                    return in_.accept("~") || in_.accept("!");
                case Mark::open:
                    return in_.accept("(");
                case Mark::yes:
                    return accept_word("true");
                case Mark::no:
                    return accept_word("false");
            }
            return false;
        }

        // `true:r0` is a register of a thread of that name.
        bool accept_word(std::string_view word) {
            const Token& token = in_.lexer_.peek();
            return token.kind == Token::Kind::word && token.text == word && !in_.lexer_.followed_by(":") && in_.accept(word);
        }

        void close() override { in_.expect(")"); }

        void comparison(Condition& atom) override { in_.parse_comparison(atom); }

        // The printer puts the operand of the innermost negation in parentheses.
        void check_depth(int depth) override {
            const bool negation = in_.at("~") || in_.at("!");
            if (negation ? depth > max_depth : in_.at("(") && depth > max_depth + 1)
                in_.fail(in_.lexer_.peek().span, "the condition is nested more than 100 deep");
        }

        Span next() override { return in_.lexer_.peek().span; }
        uint32_t last_end() const override { return in_.lexer_.last_end(); }

        Parser& in_;
    };

    void parse_comparison(Condition& atom) {
        std::optional<Literal> left_literal, right_literal;
        atom.left = parse_term(left_literal);
        const Token mark = lexer_.peek();
        for (const std::string_view comparison : {"==", "!=", "<=", ">=", "<", ">", "="})
            if (atom.comparison.empty() && accept(comparison)) atom.comparison = comparison == "=" ? "==" : comparison;
        if (atom.comparison.empty()) fail(mark.span, "expected a comparison, not " + shown(mark), "one of == != < <= > >=");
        atom.right = parse_term(right_literal);
        if (left_literal) set_constant(atom.left, *left_literal, term_type(test_, atom.right));
        if (right_literal) set_constant(atom.right, *right_literal, term_type(test_, atom.left));
    }

    // A constant is read in the type that it is compared with.
    void set_constant(Term& term, const Literal& literal, std::optional<Type> type) const {
        const bool by_bits = literal.kind == Literal::Kind::float32 || literal.kind == Literal::Kind::float64;
        const bool number = literal.kind == Literal::Kind::decimal || (literal.kind == Literal::Kind::integer && type && is_float(*type));
        const Type free_type = literal.kind == Literal::Kind::decimal   ? Type::f64
                               : literal.kind == Literal::Kind::float32 ? Type::b32
                                                                        : Type::b64;
        const uint64_t value = value_of(literal, type.value_or(free_type));
        const bool packed = type && lanes(*type) > 1;
        term.is_float = by_bits || (number && !packed);
        term.raw = by_bits || (literal.kind == Literal::Kind::hex && (!type || is_float(*type)));
        term.value = term.is_float && !by_bits ? number_bits(literal) : value;
    }

    static uint64_t number_bits(const Literal& literal) {
        const double magnitude = literal.kind == Literal::Kind::decimal ? literal.number : static_cast<double>(literal.magnitude);
        return std::bit_cast<uint64_t>(literal.negative ? -magnitude : magnitude);
    }

    Term parse_term(std::optional<Literal>& literal) {
        Term term;
        const Token first = lexer_.peek();
        if (first.kind == Token::Kind::number || at("-")) {
            literal = take_literal("a value");
        } else if (accept("[")) {
            parse_location_term(term, true);
            expect("]");
        } else if (first.kind == Token::Kind::word && lexer_.followed_by(":")) {
            lexer_.take();
            expect(":");
            term.kind = Term::Kind::reg;
            term.thread = thread_named(first);
            term.name = register_name(take(Token::Kind::word, "a register"));
        } else {
            parse_location_term(term, false);
        }
        term.span = {first.span.begin, lexer_.last_end()};
        return term;
    }

    int thread_named(const Token& token) const {
        const int thread = find_thread(test_, token.text);
        if (thread >= 0) return thread;
        if (!threads_complete_) throw Failure(std::vector<Diagnostic>{});  // its own header was in error
        std::vector<std::string_view> names;
        for (const Thread& known : test_.threads) names.push_back(known.name);
        const std::string near = nearest(token.text, names);
        fail(token.span, "there is no thread " + shown(token), near.empty() ? "" : "the nearest is `" + near + "`");
    }

    // x, s[2], s@cta1[3]; in brackets also s+8
    void parse_location_term(Term& term, bool bracketed) {
        const Token token = take(Token::Kind::word, "a register such as `P0:r0`, a location or a value");
        const Location& location = declared(token);
        if (location.is_mbarrier) fail(token.span, "the state of an mbarrier object has no value to compare");
        term.kind = Term::Kind::location;
        term.name = location.name;
        term.cta = parse_instance();
        Operand place;
        if (bracketed || at("[")) parse_offset(place, &location);
        const int64_t size = bits(location.type) / 8;
        const Span span{token.span.begin, lexer_.last_end()};
        if (place.offset % size != 0)
            fail(span, "offset " + std::to_string(place.offset) + " is not at an element of `" + location.name + "`");
        if (place.offset < 0 || place.offset / size >= location.count)
            fail(span, "`" + location.name + "` has " + std::to_string(location.count) + " element" + (location.count == 1 ? "" : "s"));
        term.element = static_cast<int>(place.offset / size);
    }

    SourcePtr source_;
    Lexer lexer_;
    Test test_;
    std::vector<Diagnostic> errors_;
    std::set<std::string> clauses_;
    size_t instructions_ = 0;
    size_t elements_ = 0;
    int inner_blocks_ = 0;  // that are open in the body being read
    bool gave_up_ = false;
    bool declarations_complete_ = true;  // none was skipped: a name that is not known was not declared
    bool threads_complete_ = true;       // no instruction was skipped: what is not written there is written nowhere
};

}  // namespace

Test parse_dsl(const SourcePtr& source) {
    return Parser(source).parse();
}

}  // namespace litmus
