// The grammar of editors and of the page (src/page/litmus.tmLanguage.json), held against the instruction table and against every test
// of the library: what the reader of tests takes for an instruction, a number, a string, a register or a comment has that scope.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "documents/repository.h"
#include "ptx/table.h"
#include "syntax/native/dsl_lexer.h"
#include "syntax/read.h"

using namespace litmus;

namespace {

// A rule of the grammar; `end` where it spans lines.
struct Rule {
    std::string scope;
    std::regex begin;
    std::optional<std::regex> end;
};

std::vector<Rule> rules() {
    const auto grammar = nlohmann::json::parse(documents::contents("src/page/litmus.tmLanguage.json"));
    std::vector<Rule> found;
    for (const auto& pattern : grammar.at("patterns")) {
        Rule rule{pattern.at("name"), std::regex(pattern.at(pattern.contains("end") ? "begin" : "match").get<std::string>()), {}};
        if (pattern.contains("end")) rule.end = std::regex(pattern.at("end").get<std::string>());
        found.push_back(rule);
    }
    return found;
}

// Of each character of a text the scope it has; empty: none. As an editor does it: line by line, at each place the first rule that matches.
std::vector<std::string> scopes(const std::vector<Rule>& rules, const std::string& text) {
    std::vector<std::string> found(text.size());
    const Rule* inside = nullptr;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        for (size_t at = begin; at < end;) {
            const auto flags = std::regex_constants::match_continuous |
                               (at > begin ? std::regex_constants::match_prev_avail : std::regex_constants::match_default);
            const auto here = text.begin() + static_cast<std::ptrdiff_t>(at);
            const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
            std::smatch match;
            size_t length = 1;
            std::string scope = inside != nullptr ? inside->scope : "";
            if (inside != nullptr) {
                if (std::regex_search(here, stop, match, *inside->end, flags))
                    length = static_cast<size_t>(match.length()), inside = nullptr;
            } else {
                for (const Rule& rule : rules) {
                    if (!std::regex_search(here, stop, match, rule.begin, flags)) continue;
                    REQUIRE_MESSAGE(match.length() > 0, rule.scope, " matches nothing");
                    length = static_cast<size_t>(match.length());
                    scope = rule.scope;
                    if (rule.end) inside = &rule;
                    break;
                }
            }
            for (size_t i = 0; i < length; ++i) found[at + i] = scope;
            at += length;
        }
        begin = end + 1;
    }
    return found;
}

bool starts(const std::string& text, const std::string& beginning) {
    return text.rfind(beginning, 0) == 0;
}

// A text with its scopes; what is not as it should be is a failure that quotes it.
struct Coloured {
    std::string text;
    std::vector<std::string> of;

    void expect(Span span, const std::string& scope) const {
        size_t at = span.begin;
        while (at < span.end && starts(of[at], scope)) ++at;
        if (at < span.end) FAIL_CHECK(text.substr(span.begin, span.end - span.begin), " is ", of[at], ", not ", scope);
    }
    // `ld.acquire.gpu.u32`: the word, and behind it qualifiers.
    void expect_instruction(Span span) const {
        const size_t dot = std::min<size_t>(text.find('.', span.begin), span.end);
        expect({span.begin, static_cast<uint32_t>(dot)}, "support.function.instruction");
        expect({static_cast<uint32_t>(dot), span.end}, "storage");
    }
    // A register as an operand, its sign and its complement included, or a number.
    void expect_operand(const Operand& operand) const {
        for (const Operand& element : operand.elements) expect_operand(element);
        Span span = operand.span;
        while (span.begin < span.end && (text[span.begin] == '!' || text[span.begin] == '-' || text[span.begin] == ' ')) ++span.begin;
        if (operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::label) expect(span, "variable.other");
        if (operand.kind == Operand::Kind::immediate) expect(span, "constant.numeric");
    }
};

Coloured coloured(const std::vector<Rule>& rules, const std::string& text) {
    return {text, scopes(rules, text)};
}

// Strings and numbers of a text as the lexer of tests sees them, and comments: what it passes over and is not blank.
void expect_tokens(const Coloured& file, const std::vector<Span>& dotted) {
    dsl::Lexer lexer(make_source("test", file.text));
    uint32_t last = 0;
    size_t word = 0;
    while (true) {
        const dsl::Token token = lexer.take();
        for (uint32_t i = last; i < token.span.begin; ++i)
            if (std::isspace(static_cast<unsigned char>(file.text[i])) == 0) file.expect({i, i + 1}, "comment");
        last = token.span.end;
        while (word < dotted.size() && dotted[word].end <= token.span.begin) ++word;
        const bool in_name = word < dotted.size() && dotted[word].begin <= token.span.begin;  // .L2::64B is no number
        if (token.kind == dsl::Token::Kind::end) return;
        if (token.kind == dsl::Token::Kind::string) file.expect(token.span, "string");
        if (token.kind == dsl::Token::Kind::number && !in_name) file.expect(token.span, "constant.numeric");
        if (token.text == "await" || token.text == "thread" || token.text == "exists" || token.text == "forall")
            file.expect(token.span, "keyword");
    }
}

}  // namespace

TEST_CASE("every name of the instruction table is an instruction and its qualifiers") {
    const std::vector<Rule> all = rules();
    size_t seen = 0;
    std::set<std::string> shortest;  // each name without a qualifier, and of each form the first with its fixed words
    for (const Form& form : forms()) {
        if (!form.op) continue;
        bool first = true;
        each_name(form, [&](const std::vector<std::string>& words, Version) {
            if (!first && words.size() > 1) return;
            first = false;
            std::string name;
            for (const std::string& word : words) name += (name.empty() ? "" : ".") + word;
            shortest.insert(name);
        });
        for (const Slot& slot : form.slots)
            for (const Alternative& alternative : slot.alternatives) shortest.insert(form.mnemonic + "." + std::string(alternative.word));
    }
    for (const std::string& name : shortest) {
        const Coloured line = coloured(all, "  " + name + " r0, r1;");
        line.expect_instruction({2, static_cast<uint32_t>(2 + name.size())});
        ++seen;
    }
    CHECK(seen > 300);
}

TEST_CASE("every test of the library has its colours") {
    const std::vector<Rule> all = rules();
    size_t seen = 0;
    for (const documents::File& document : documents::files_below({"litmus"}, {".litmus"})) {
        const SourcePtr source = make_source(document.path, document.text);
        const std::vector<Test> tests = parse_tests(source);
        if (tests.front().dialect != Dialect::native) continue;
        INFO(document.path);
        const Coloured file = coloured(all, document.text);
        std::vector<Span> dotted;
        for (const Thread& thread : tests.front().threads)
            for (const Instruction& instruction : thread.body) {
                file.expect_instruction(instruction.spelled);
                dotted.push_back(instruction.spelled);
                for (const Operand& operand : instruction.operands) file.expect_operand(operand);
            }
        expect_tokens(file, dotted);
        ++seen;
    }
    CHECK(seen > 1000);
}

TEST_CASE("what stands around instructions") {
    const std::vector<Rule> all = rules();
    const auto scope_of = [&](const std::string& line, const std::string& word) { return scopes(all, line)[line.find(word)]; };
    CHECK(scope_of("thread P0 @ cta0.warp1 {", "thread") == "keyword.control.statement.litmus");
    CHECK(scope_of("thread P0 @ cta0.warp1 {", "P0") == "entity.name.thread.litmus");
    CHECK(scope_of("thread P0 @ cta0.warp1 {", "cta0") == "constant.other.place.litmus");
    CHECK(scope_of("thread P0 @ cta0.warp1 {", "warp1") == "constant.other.place.litmus");
    CHECK(scope_of("target sm_100a", "sm_") == "constant.other.target.litmus");
    CHECK(scope_of("test \"may-deadlock\"", "may") == "string.quoted.double.litmus");
    CHECK(scope_of(".shared.cta0 .mbarrier bar = 1;", ".shared") == "storage.modifier.qualifier.litmus");
    CHECK(scope_of(".shared.cta0 .mbarrier bar = 1;", ".mbarrier") == "storage.type.litmus");
    CHECK(scope_of(".global .u32 s alias surface x;", "surface") == "keyword.other.alias.litmus");
    CHECK(scope_of("may-deadlock", "may") == "keyword.control.claim.litmus");
    CHECK(scope_of("~exists (P1:r0 == 0x1f)", "P1") == "entity.name.thread.litmus");
    CHECK(scope_of("~exists (P1:r0 == 0x1f)", "r0") == "variable.other.litmus");
    CHECK(scope_of("~exists (P1:r0 == 0x1f)", "0x") == "constant.numeric.litmus");
    CHECK(scope_of("NEXT:", "NEXT") == "entity.name.label.litmus");
    CHECK(scope_of("  @!%p bra NEXT;", "@!") == "keyword.operator.litmus");
    CHECK(scope_of("  @!%p bra NEXT;", "bra") == "support.function.instruction.litmus");
    CHECK(scope_of("/* two\n lines */ exit;", "lines") == "comment.block.litmus");
    CHECK(scope_of("/* two\n lines */ exit;", "exit") == "support.function.instruction.litmus");
}
