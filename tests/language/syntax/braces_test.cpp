// The braces format: the corpus, its tables, what is refused and where.
#include "language/syntax/foreign/braces.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/source.h"
#include "language/syntax/corpus.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

std::vector<Test> read_braces(const std::string& text) {
    return parse_braces(make_source("dir/t.test", text));
}

std::string braces_error(const std::string& text) {
    try {
        read_braces(text);
    } catch (const Failure& failure) {
        const Diagnostic& first = failure.diagnostics().at(0);
        const Position at = position(*first.source, first.span.begin);
        return std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + first.message;
    }
    return {};
}

bool braces_round_trip(const Test& test) {
    const std::vector<Test> again = read_braces(print_braces(test));
    return again.size() == 1 && again[0] == test;
}

// A test of one thread with this instruction.
std::string one_in_braces(const std::string& instruction) {
    return ".global x;\nd0.b0.t0 {\n" + instruction + "\n}\n";
}

}  // namespace

TEST_CASE("braces: every corpus test is read and printed back") {
    const fs::path root = corpus_with("mixedproxy");
    if (root.empty()) return;
    std::map<std::string, size_t> counts;
    for (const auto& entry : fs::directory_iterator(root / "mixedproxy")) {
        const std::vector<Test> tests = parse_braces(read_source(entry.path().string()));
        counts[entry.path().filename().string()] = tests.size();
        for (const Test& test : tests) {
            INFO(test.name);
            CHECK(test.claim.kind != Claim::Kind::none);
            CHECK(braces_round_trip(test));
        }
    }
    CHECK(counts == std::map<std::string, size_t>{
                        {"CoMP_volatile.test", 1}, {"CoWR.test", 10}, {"ISA2.test", 1}, {"MP_cta.test", 18}, {"SB_rmw.test", 1}});
}

TEST_CASE("braces: a test") {
    const std::vector<Test> tests = read_braces(R"(// name: some test
// doc: first
// doc: second
// ref: here
// target: sm_90
// repairs: other
.global x;
.global y physically aliases x;
.surfref s virtually aliases x; .texref t virtually aliases y; .conref c virtually aliases x;

d1.b2.t3 { st [x], 1; st.volatile [y], 2; fence.gpu.sc; fence.alias; } // comment
d1.b2.t4 {
  ld.acquire.cta r0, [x] == 2;
  atom.add.acq_rel.gpu r1, [x], 1;
  st.weak [x], r1;
  suld r2, [s]; tld.weak r3, [t]; ldc r4, [c];
  red.add.relaxed.gpu [x], 1;
}
assert (r1 == 1 || not r2 != 3 && d1.b2.t4:r3 == 0) as out;
)");
    REQUIRE(tests.size() == 1);
    const Test& test = tests[0];
    CHECK(test.dialect == Dialect::braces);
    CHECK(test.name == "some test");
    CHECK(test.doc == "first\nsecond");
    CHECK(test.refs == std::vector<std::string>{"here"});
    CHECK(test.target == 90);
    CHECK(test.repairs == "other");
    REQUIRE(test.locations.size() == 5);
    CHECK(test.locations[1].alias_of == "x");
    CHECK(test.locations[1].proxy == Proxy::generic);
    CHECK(test.locations[2].proxy == Proxy::surface);
    CHECK(test.locations[3].alias_of == "y");
    CHECK(test.locations[4].proxy == Proxy::constant);
    REQUIRE(test.threads.size() == 2);
    CHECK(test.threads[0].name == "d1.b2.t3");
    CHECK(test.threads[0].at.gpu == 1);
    CHECK(test.threads[0].at.cta == 2);
    CHECK(test.threads[1].at.warp == 1);
    CHECK(test.threads[0].body[2].qualifiers == std::vector<std::string>{"sc", "gpu"});
    CHECK(test.threads[0].body[3].mnemonic == "fence.proxy");
    const Instruction& load = test.threads[1].body[0];
    REQUIRE(load.expect);
    CHECK(load.expect->value.value == 2);
    CHECK(!load.await);
    CHECK(test.threads[1].body[1].qualifiers == std::vector<std::string>{"acq_rel", "gpu", "add"});
    CHECK(test.claim.kind == Claim::Kind::forall);
    CHECK(test.claim.name == "out");
    REQUIRE(test.claim.condition.kind == Condition::Kind::disjunction);
    CHECK(test.claim.condition.operands[0].left.thread == 1);
    CHECK(print_braces(test).find("atom.add.acq_rel.gpu r1, [x], 1;") != std::string::npos);
    CHECK(braces_round_trip(test));
}

TEST_CASE("braces: a row of the table is a test, and so is a command") {
    const std::vector<Test> rows = read_braces(
        ".global x;\nd0.b0.t0 {\n $0 ld r0, [x];\n}\n$1(r0 $2 1) as r;\n$$\n\nst [x], 1; | assert | ==\n | permit | != // none\n | check | "
        "==\n");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].name == "t.test#1");
    CHECK(rows[2].name == "t.test#3");
    CHECK(rows[0].threads[0].body.size() == 2);
    CHECK(rows[1].threads[0].body.size() == 1);
    CHECK(rows[0].claim.kind == Claim::Kind::forall);
    CHECK(rows[1].claim.kind == Claim::Kind::exists);
    CHECK(rows[1].claim.condition.comparison == Operator::ne);
    CHECK(!rows[1].report_only);
    CHECK(rows[2].report_only);
    for (const Test& test : rows) CHECK(braces_round_trip(test));
    const Position at = position(*rows[0].source, rows[0].threads[0].body[0].span.begin);
    CHECK(at.line == 8);  // the span of a cell's token is where the cell stands

    const std::vector<Test> commands = read_braces(one_in_braces("ld r0, [x];") + "permit (r0 == 0) as a; assert (r0 == 0) as b;");
    REQUIRE(commands.size() == 2);
    CHECK(commands[0].name == "t.test:a");
    CHECK(commands[1].name == "t.test:b");
    const std::vector<Test> none = read_braces(one_in_braces("ld r0, [x];"));
    REQUIRE(none.size() == 1);
    CHECK(none[0].name == "t.test");
    CHECK(none[0].claim.kind == Claim::Kind::none);
    CHECK(braces_round_trip(none[0]));
}

TEST_CASE("braces: byte order mark and carriage returns") {
    const std::vector<Test> tests = read_braces("\xef\xbb\xbf// name: t\r\n.global x;\r\nd0.b0.t0 {\r\n st [x], $0;\r\n}\r\n$$\r\n1\r\n");
    REQUIRE(tests.size() == 1);
    CHECK(tests[0].name == "t#1");
    CHECK(braces_round_trip(tests[0]));
}

TEST_CASE("braces: errors name the place") {
    CHECK(braces_error("") == "1:1: expected a thread such as `d0.b0.t0 { ... }`");
    CHECK(braces_error(".local x;") == "1:2: unknown kind of location `local`");
    CHECK(braces_error(".shared x;") == "1:2: shared memory without a CTA has no meaning here");
    CHECK(braces_error(".global x") == "1:10: expected `physically aliases`, or `;`");
    CHECK(braces_error(".global x; .global x;") == "1:20: location `x` is declared twice");
    CHECK(braces_error(".texref t virtually aliases x;") == "1:29: no location `x`");
    CHECK(braces_error(".global x; .texref t physically aliases x;") == "1:22: expected `virtually aliases` and a location");
    CHECK(braces_error("// target: 90\n") == "1:1: malformed target");
    CHECK(braces_error("d0.b0 { }") == "1:7: expected `.t` and the thread's number");
    CHECK(braces_error("d0.c0.t0 { }") == "1:4: expected `b` and a number");
    CHECK(braces_error("d00.b0.t0 { }") == "1:1: expected `d` and a number");
    CHECK(braces_error("d0.b0.t0 { } d0.b0.t0 { }") == "1:14: thread `d0.b0.t0` stands twice");
    CHECK(braces_error(one_in_braces("ld r0, [z];")) == "3:8: no location `z`");
    CHECK(braces_error(one_in_braces("ld r0, x;")) == "3:8: expected an address");
    CHECK(braces_error(one_in_braces("ld r0, [x]")) == "4:1: expected `;` after an instruction");
    CHECK(braces_error(one_in_braces("ld r0, [x]; ld r0, [x];")) == "3:16: register `r0` is written twice");
    CHECK(braces_error(one_in_braces("st [x], r0;")) == "3:9: register `r0` has no value here");
    CHECK(braces_error(one_in_braces("st [x], x;")) == "3:9: `x` is a location, not a register");
    CHECK(braces_error(one_in_braces("st [x], 1 == 1;")) == "3:11: expected `;` after an instruction");
    CHECK(braces_error(one_in_braces("bar.cta.sync 0;")) == "3:1: `bar.cta.sync` is PTX, but the braces format does not have it");
    CHECK(braces_error(one_in_braces("mov r0, 1;")) == "3:1: `mov` is PTX, but the braces format does not have it");
    CHECK(braces_error(one_in_braces("red.async [x], 1;")) == "3:5: `.async` is not a qualifier of `red` in the braces format");
    CHECK(braces_error(one_in_braces("foo r0, 1;")) == "3:1: `foo` is not an instruction of the braces format");
    CHECK(braces_error(one_in_braces("ld $0, [x];")) == "3:4: expected a register");
    const std::string load = one_in_braces("ld r0, [x];");
    CHECK(braces_error(load + "permit r0 == 1;") == "5:8: expected `(` and a condition");
    CHECK(braces_error(load + "permit (r1 == 1);") == "5:9: no thread writes a register `r1`");
    CHECK(braces_error(load + "permit (x == 1);") == "5:9: no thread writes a register `x`");
    CHECK(braces_error(load + "permit (r0 == 1) as;") == "5:20: expected a name");
    CHECK(braces_error(load + "permit (r0 == 1)") == "5:17: expected `as` and a name, or `;`");
    CHECK(braces_error(load + "exists (r0 == 1);") == "5:1: expected assert, permit or check");
    CHECK(braces_error(load + "$$\n") == "5:1: the table has no rows");
    CHECK(braces_error(load + "$0\n$$\n a | b\n") == "7:2: this row has 2 cells, but the template uses 1");
    CHECK(braces_error(load + "$1\n$$\n a\n") == "7:2: this row has no cell for `$1`");
    CHECK(braces_error(load + "$0\n$$\n $0\n") == "7:2: `$n` stands in the template, not in the table");
    CHECK(braces_error(load + "$0\n$$\npermit (r0 == 1);\npermit (r9 == 1);") == "8:9: no thread writes a register `r9`");
}

TEST_CASE("braces: depth and size are bounded") {
    const std::string load = one_in_braces("ld r0, [x];");
    CHECK(braces_error(load + "permit " + std::string(100000, '(')).find("the condition is nested too deeply") != std::string::npos);
    CHECK(braces_error(std::string(2 << 20, ' ')) == "1:1: the test is longer than 1 MiB");
    std::string table = load + "permit (r0 == $0" + std::string(2, ' ') + ");\n$$\n";
    for (int i = 0; i < 5000; ++i) table += "1\n";
    CHECK(braces_error(table).find("too many rows") != std::string::npos);
    std::string wide = ".global x;\nd0.b0.t0 {";
    for (int i = 0; i < 400; ++i) wide += "$0 ";
    wide += "}\n$$\n";
    for (int i = 0; i < 1000; ++i) wide += "st [x], 1;\n";
    CHECK(braces_error(wide).find("the table is too large") != std::string::npos);
    std::string commands = load;
    for (int i = 0; i < 40000; ++i) commands += "permit(1==1);";
    CHECK(braces_error(commands).find("too many commands") != std::string::npos);
}
