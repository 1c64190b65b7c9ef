// Cat text to its tree: a scanner, and recursive descent with operator precedence (see syntax.h).
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/visible.h"
#include "cat/syntax.h"

namespace litmus::cat {

namespace {

constexpr int max_text_nesting = 200;
constexpr size_t max_terms = 20000;

struct CatToken {
    enum class Kind : uint8_t { end, name, string, symbol };
    Kind kind = Kind::end;
    std::string_view text;  // of a string: without the quotes
    Span span;
};

constexpr std::array<std::string_view, 14> keywords{"let",  "rec", "and",   "include", "if",          "then", "else",
                                                    "flag", "as",  "empty", "acyclic", "irreflexive", "in",   "fun"};

bool is_keyword(std::string_view text) {
    return std::find(keywords.begin(), keywords.end(), text) != keywords.end();
}

bool starts_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool continues_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
}

class Scanner {
public:
    explicit Scanner(SourcePtr source) : source_(std::move(source)), text_(source_->text) {}

    std::vector<CatToken> tokens() {
        std::vector<CatToken> result;
        result.reserve(text_.size() / 8);  // comments take their part
        do result.push_back(next());
        while (result.back().kind != CatToken::Kind::end);
        return result;
    }

private:
    bool at(std::string_view expected) const { return text_.substr(at_, expected.size()) == expected; }

    CatToken token(CatToken::Kind kind, size_t length) {
        const size_t begin = at_;
        at_ += length;
        return {kind, text_.substr(begin, length), {static_cast<uint32_t>(begin), static_cast<uint32_t>(at_)}};
    }

    [[noreturn]] void fail(size_t begin, size_t length, std::string message, std::string hint = {}) const {
        throw Failure(source_, {static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + length)}, std::move(message), std::move(hint));
    }

    void skip_blanks() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (std::isspace(static_cast<unsigned char>(c))) {
                ++at_;
            } else if (c == '(' && at("(*")) {
                skip_nested_comment();
            } else if (c == '/' && at("//")) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else {
                return;
            }
        }
    }

    void skip_nested_comment() {
        const size_t begin = at_;
        int depth = 0;
        do {
            if (at("(*")) {
                ++depth;
                at_ += 2;
            } else if (at("*)")) {
                --depth;
                at_ += 2;
            } else if (at_ < text_.size()) {
                ++at_;
            } else {
                fail(begin, 2, "this comment has no end", "write `*)` where it ends; comments nest");
            }
        } while (depth > 0);
    }

    CatToken next() {
        skip_blanks();
        if (at_ == text_.size()) return token(CatToken::Kind::end, 0);
        const char c = text_[at_];
        if (starts_name(c)) {
            size_t end = at_;
            while (end < text_.size() && continues_name(text_[end])) ++end;
            return token(CatToken::Kind::name, end - at_);
        }
        if (c == '"') return string();
        if (at("^-1")) return token(CatToken::Kind::symbol, 3);
        if (std::string_view("()[]|&\\;*+?~=,0").find(c) != std::string_view::npos) return token(CatToken::Kind::symbol, 1);
        fail(at_, 1, "unexpected character", c == '^' ? "the inverse of a relation is written r^-1" : "");
    }

    CatToken string() {
        const size_t close = text_.find_first_of("\"\n", at_ + 1);
        if (close == std::string_view::npos || text_[close] == '\n') fail(at_, 1, "this string has no end", "write `\"` on the same line");
        CatToken result = token(CatToken::Kind::string, close + 1 - at_);
        result.text = result.text.substr(1, result.text.size() - 2);
        if (visible(result.text) != result.text)  // names of readings and their meanings stand in all that is printed
            fail(result.span.begin, result.text.size() + 2, "this string has what acts on a terminal, a reader or a runner of CI",
                 "leave out control characters and marks of direction, and `::` at the beginning");
        return result;
    }

    SourcePtr source_;
    std::string_view text_;
    size_t at_ = 0;
};

struct Infix {
    int binding = 0;  // tighter is greater
    Node::Op op{};
};

std::optional<Infix> infix(std::string_view symbol) {
    if (symbol == "|") return Infix{1, Node::Op::union_};
    if (symbol == ";") return Infix{2, Node::Op::sequence};
    if (symbol == "\\") return Infix{3, Node::Op::difference};
    if (symbol == "&") return Infix{4, Node::Op::intersection};
    if (symbol == "*") return Infix{5, Node::Op::product};
    return std::nullopt;
}

std::optional<Node::Op> postfix(std::string_view symbol) {
    if (symbol == "+") return Node::Op::plus;
    if (symbol == "*") return Node::Op::star;
    if (symbol == "?") return Node::Op::optional;
    if (symbol == "^-1") return Node::Op::inverse;
    return std::nullopt;
}

std::optional<Constraint::Kind> constraint(std::string_view word) {
    if (word == "empty") return Constraint::Kind::empty;
    if (word == "irreflexive") return Constraint::Kind::irreflexive;
    if (word == "acyclic") return Constraint::Kind::acyclic;
    return std::nullopt;
}

class Parser {
public:
    explicit Parser(const SourcePtr& source) : tokens_(Scanner(source).tokens()) {
        file_.source = source;
        file_.terms.reserve(tokens_.size() / 2);
    }

    File file() {
        parse_title();
        while (peek().kind != CatToken::Kind::end) file_.statements.push_back(parse_statement());
        return std::move(file_);
    }

private:
    // ---- tokens ----

    const CatToken& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
    CatToken take() {
        const CatToken token = peek();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    bool is_word(std::string_view word, size_t ahead = 0) const {
        return peek(ahead).kind == CatToken::Kind::name && peek(ahead).text == word;
    }
    bool is_symbol(std::string_view symbol) const { return peek().kind == CatToken::Kind::symbol && peek().text == symbol; }
    bool accept_word(std::string_view word) {
        if (!is_word(word)) return false;
        take();
        return true;
    }
    bool accept(std::string_view symbol) {
        if (!is_symbol(symbol)) return false;
        take();
        return true;
    }

    [[noreturn]] void fail(Span span, std::string message, std::string hint = {}) const {
        throw Failure(file_.source, span, std::move(message), std::move(hint));
    }
    [[noreturn]] void fail_expected(const std::string& what) const {
        const CatToken& found = peek();
        if (found.kind == CatToken::Kind::end) fail(found.span, "expected " + what + ", found the end of the file");
        const std::string text = file_.source->text.substr(found.span.begin, found.span.end - found.span.begin);
        fail(found.span, "expected " + what + ", found `" + text + "`");
    }

    // `where`: words, or what makes them when they are needed.
    template <class Where>
    void expect(std::string_view symbol, const Where& where) {
        if (accept(symbol)) return;
        if constexpr (std::is_invocable_v<Where>)
            fail_expected("`" + std::string(symbol) + "` " + where());
        else
            fail_expected("`" + std::string(symbol) + "` " + where);
    }
    void expect_word(std::string_view word, const char* where) {
        if (!accept_word(word)) fail_expected("`" + std::string(word) + "` " + where);
    }
    CatToken expect_name(const char* what) {
        if (peek().kind != CatToken::Kind::name || is_keyword(peek().text)) fail_expected(what);
        return take();
    }
    CatToken expect_string(const char* what) {
        if (peek().kind != CatToken::Kind::string) fail_expected(what);
        return take();
    }

    // ---- statements ----

    void parse_title() {
        const bool word = peek().kind == CatToken::Kind::name && !is_keyword(peek().text) && peek().text != "reading";
        if (word || peek().kind == CatToken::Kind::string) file_.title = take().text;
    }

    Statement parse_statement() {
        if (accept_word("let")) return parse_let();
        if (accept_word("include")) return parse_include();
        if (accept_word("reading")) return parse_reading();
        if (is_word("flag") || is_symbol("~") || (peek().kind == CatToken::Kind::name && constraint(peek().text))) return parse_check();
        fail_statement();
    }

    [[noreturn]] void fail_statement() const {
        const std::string known = "a statement is: let, include, reading, [flag] [~] empty | irreflexive | acyclic";
        if (peek().kind != CatToken::Kind::name) fail(peek().span, "expected a statement", known);
        const std::string word(peek().text);
        const std::string near = nearest(word, {"let", "include", "reading", "flag", "empty", "irreflexive", "acyclic"});
        fail(peek().span, "`" + word + "` does not begin a statement of the cat fragment read here",
             near.empty() ? known : "did you mean `" + near + "`?");
    }

    Statement parse_let() {
        Let let;
        let.recursive = accept_word("rec");
        do let.bindings.push_back(parse_binding());
        while (accept_word("and"));
        return let;
    }

    Binding parse_binding() {
        const CatToken name = expect_name("a name to define");
        Binding binding{name.text, {}, 0, name.span, {}};
        if (accept("(")) {
            do {
                const CatToken parameter = expect_name("a parameter");
                const auto& known = binding.parameters;
                if (std::find(known.begin(), known.end(), parameter.text) != known.end()) {
                    fail(parameter.span, "two parameters are named `" + std::string(parameter.text) + "`");
                }
                binding.parameters.emplace_back(parameter.text);
            } while (accept(","));
            expect(")", [&] { return "after the parameters of `" + std::string(name.text) + "`"; });
        }
        if (peek().kind == CatToken::Kind::string) binding.phrase = parse_phrase();
        expect("=", [&] { return "after `" + std::string(name.text) + "`"; });
        binding.body = parse_term();
        return binding;
    }

    // "A synchronizes with B": a sentence about the events A and B, or about A.
    std::string_view parse_phrase() {
        const CatToken phrase = take();
        if (phrase.text.rfind("A ", 0) != 0)
            fail(phrase.span, "a phrase says something of an event A, or of the events A and B", "such as \"A synchronizes with B\"");
        return phrase.text;
    }

    Statement parse_include() {
        const CatToken file = expect_string("the name of a file, \"prelude.cat\"");
        return Include{file.text, file.span};
    }

    // reading "name" weakest | default | strongest "meaning" [ refuted "device, device" ] [ refuted by "compiler, compiler" ]
    //     [ for "..." ] [ against "..." ] [ safe "..." ]
    Statement parse_reading() {
        const CatToken name = expect_string("the name of a reading, \"name\"");
        Reading reading{std::string(name.text), Reading::Base::strongest, {}, {}, {}, name.span};
        if (accept_word("weakest")) {
            reading.base = Reading::Base::weakest;
        } else if (accept_word("default")) {
            reading.base = Reading::Base::default_;
        } else if (!accept_word("strongest")) {
            fail_expected("`weakest`, `default` or `strongest`: the first base that has this reading");
        }
        reading.meaning = expect_string("what the reading means, \"...\"").text;
        while (accept_word("refuted")) {
            const std::string by{accept_word("by") ? by_compiler : ""};
            for (const std::string& name : parse_names()) reading.refuted.push_back(by + name);
        }
        if (accept_word("for")) reading.argument.in_favour = parse_strings("what speaks for the reading, \"...\"");
        if (accept_word("against")) reading.argument.against = parse_strings("what speaks against the reading, \"...\"");
        if (accept_word("safe")) reading.argument.safe = parse_strings("what a program does to need no such reading, \"...\"");
        return reading;
    }

    // A text of one string or more, with a blank between them.
    std::string parse_strings(const char* what) {
        std::string text{expect_string(what).text};
        while (peek().kind == CatToken::Kind::string) text += " " + std::string(take().text);
        return text;
    }

    // "H100, H200": names between commas.
    std::vector<std::string> parse_names() {
        const CatToken list = expect_string("the devices that refuted the reading, \"H100, H200\"");
        std::vector<std::string> names;
        std::istringstream parts{std::string(list.text) + ","};
        for (std::string name; std::getline(parts, name, ',');) {
            const size_t begin = name.find_first_not_of(' ');
            if (begin == std::string::npos) fail(list.span, "a device without a name", "names stand between commas: \"H100, H200\"");
            names.push_back(name.substr(begin, name.find_last_not_of(' ') - begin + 1));
        }
        return names;
    }

    Statement parse_check() {
        const uint32_t begin = peek().span.begin;
        Check check;
        check.flag = accept_word("flag");
        check.negated = accept("~");
        const auto kind = peek().kind == CatToken::Kind::name ? constraint(peek().text) : std::nullopt;
        if (!kind) fail_expected("`empty`, `irreflexive` or `acyclic`");
        take();
        check.kind = *kind;
        check.term = parse_term();
        uint32_t end = file_.terms[check.term].span.end;
        if (accept_word("as")) {
            const CatToken name = expect_name("the name of the constraint");
            check.name = name.text;
            end = name.span.end;
        }
        check.span = {begin, end};
        return check;
    }

    // ---- terms ----

    TermId add(Term term) {
        if (file_.terms.size() == max_terms) fail(term.span, "this file is too large", "at most 20000 terms");
        file_.terms.push_back(std::move(term));
        return static_cast<TermId>(file_.terms.size() - 1);
    }

    Span spanning(uint32_t begin) const { return {begin, at_ == 0 ? begin : tokens_[at_ - 1].span.end}; }

    bool starts_operand(const CatToken& token) const {
        if (token.kind == CatToken::Kind::name) return token.text == "if" || !is_keyword(token.text);
        return token.kind == CatToken::Kind::symbol && (token.text == "(" || token.text == "[" || token.text == "~" || token.text == "0");
    }

    bool at_product() const { return is_symbol("*") && starts_operand(peek(1)); }

    TermId parse_term(int least_binding = 1) {
        const uint32_t begin = peek().span.begin;
        TermId left = parse_prefix();
        while (peek().kind == CatToken::Kind::symbol) {
            const auto operation = infix(peek().text);
            if (!operation || operation->binding < least_binding) break;
            take();
            const TermId right = parse_term(operation->binding + 1);
            left = add({Term::Kind::operation, operation->op, {}, {left, right}, spanning(begin)});
        }
        return left;
    }

    TermId parse_prefix() {
        const uint32_t begin = peek().span.begin;
        if (++nesting_ > max_text_nesting) fail(peek().span, "this term is nested too deeply", "at most 200 levels");
        TermId result = 0;
        if (accept("~")) {
            const TermId operand = parse_prefix();
            result = add({Term::Kind::operation, Node::Op::complement, {}, {operand}, spanning(begin)});
        } else {
            result = parse_postfix();
        }
        --nesting_;
        return result;
    }

    TermId parse_postfix() {
        const uint32_t begin = peek().span.begin;
        TermId operand = parse_primary();
        while (peek().kind == CatToken::Kind::symbol && !at_product()) {
            const auto op = postfix(peek().text);
            if (!op) break;
            take();
            operand = add({Term::Kind::operation, *op, {}, {operand}, spanning(begin)});
        }
        return operand;
    }

    TermId parse_primary() {
        const uint32_t begin = peek().span.begin;
        if (is_word("if")) return parse_choice();
        if (accept("(")) {
            const TermId inner = parse_term();
            expect(")", "to close the parenthesis");
            return inner;
        }
        if (accept("[")) {
            const TermId set = parse_term();
            expect("]", "after the set");
            return add({Term::Kind::operation, Node::Op::restriction, {}, {set}, spanning(begin)});
        }
        if (accept("0")) return add({Term::Kind::zero, Node::Op::empty, {}, {}, spanning(begin)});
        const std::string_view name = expect_name("a set or relation").text;
        if (!accept("(")) return add({Term::Kind::name, {}, name, {}, spanning(begin)});
        std::vector<TermId> arguments;
        do arguments.push_back(parse_term());
        while (accept(","));
        expect(")", [&] { return "after the arguments of `" + std::string(name) + "`"; });
        return add({Term::Kind::call, {}, name, std::move(arguments), spanning(begin)});
    }

    TermId parse_choice() {
        const uint32_t begin = take().span.begin;
        const std::string_view variant = expect_string("the name of a variant, \"name\"").text;
        expect_word("then", "after the variant");
        const TermId yes = parse_term();
        expect_word("else", "after what `then` gives");
        const TermId no = parse_term();
        return add({Term::Kind::choice, {}, variant, {yes, no}, spanning(begin)});
    }

    std::vector<CatToken> tokens_;
    size_t at_ = 0;
    int nesting_ = 0;
    File file_;
};

}  // namespace

File parse(const SourcePtr& source) {
    return Parser(source).file();
}

}  // namespace litmus::cat
