// The grammar of editors and of the page (src/view/page/litmus.tmLanguage.json), held against the instruction table and against every test
// of the library: what the reader of tests takes for an instruction, a number, a string, a register or a comment has that scope.
#include "view/page/grammar.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "documents/repository.h"
#include "language/syntax/native/dsl_lexer.h"
#include "language/syntax/read.h"
#include "ptx/table.h"

using namespace litmus;
using grammar::Rule;
using grammar::rules;
using grammar::scopes;

namespace {

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
        // a special register or the number of a replica (`%ctaid.x`, `%i+1`) is an immediate to the reader, and looks like a register
        const bool named = text.substr(span.begin, span.end - span.begin).find('%') != std::string::npos;
        if (operand.kind == Operand::Kind::immediate && !named) expect(span, "constant.numeric");
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
        const bool numbers_a_replica = token.span.begin > 0 && file.text[token.span.begin - 1] == '.';  // W.2
        if (token.kind == dsl::Token::Kind::number && !in_name && !numbers_a_replica) file.expect(token.span, "constant.numeric");
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
                if (document.text.find("asm") != std::string::npos && !instruction.wording.own)
                    continue;  // in the quotes of an asm statement
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
