// Conversion between the formats: the corpus there and back, each construct, each refusal.
#include "language/syntax/foreign/convert.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/source.h"
#include "language/syntax/foreign/braces.h"
#include "language/syntax/foreign/column.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"
#include "turn.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

Test column(const std::string& text) {
    return parse_column(make_source("t.litmus", text));
}
Test braces(const std::string& text) {
    return parse_braces(make_source("t.test", text)).at(0);
}
Test native(const std::string& text) {
    return parse_dsl(make_source("n.litmus", "test \"n\"\n" + text));
}

// Columns with these threads' rows.
Test rows(const std::string& initial, const std::string& table, const std::string& claim = "exists (x == 1)") {
    return column("PTX t\n{ x=0; y=0; " + initial + " }\n" + table + "\n" + claim + "\n");
}

// Every instruction has its row and every operand its role; in the foreign formats, whose names PTX may lack, the role alone.
bool is_bound(const Test& test) {
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body) {
            const bool roles = std::none_of(i.operands.begin(), i.operands.end(), [](const Operand& o) { return o.role == Role::none; });
            if (!roles || (i.row.form != nullptr) != (test.dialect == Dialect::native)) return false;
        }
    return true;
}

template <typename Convert>
std::string conversion_refusal(const Convert& convert) {
    try {
        convert();
    } catch (const Failure& failure) {
        return failure.diagnostics().at(0).message;
    }
    return {};
}

std::string native_refusal(const Test& test) {
    return conversion_refusal([&] { to_native(test); });
}

// The body of a thread in the native format, an instruction a line.
std::string body(const Test& test, size_t thread) {
    std::string text;
    for (const Instruction& instruction : test.threads.at(thread).body) {
        for (const std::string& label : instruction.labels) text += label + ": ";
        text += print(instruction) + "\n";
    }
    for (const std::string& label : test.threads[thread].end_labels) text += label + ":\n";
    return text;
}

// The native test is one that the DSL's own parser reads back.
bool is_native(const Test& test) {
    return parse_dsl(make_source("n.litmus", print(test))) == test;
}

std::vector<Test> corpus_tests() {
    std::vector<Test> tests;
    const char* named = std::getenv("LITMUS_CORPUS");
    const fs::path root = named != nullptr ? fs::path(named) : fs::path(LITMUS_SOURCE_DIR) / "../shared/corpus";
    if (!fs::is_directory(root)) {
        std::cout << "skipped: no corpus (" << root.string() << ")\n";
        const char* required = std::getenv("LITMUS_REQUIRE");
        CHECK_MESSAGE((required == nullptr || std::string(required).find("corpus") == std::string::npos), "the corpus is required");
        return tests;
    }
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() == ".litmus") tests.push_back(parse_column(read_source(entry.path().string())));
        if (entry.path().extension() == ".test") {
            for (Test& test : parse_braces(read_source(entry.path().string()))) tests.push_back(std::move(test));
        }
    }
    return tests;
}

}  // namespace

TEST_CASE("convert: the corpus to native, and back to both formats") {
    std::vector<std::string> refused;
    size_t in_column = 0;
    size_t in_braces = 0;
    const std::vector<Test> tests = corpus_tests();
    if (tests.empty()) return;
    const Turn turn = turn_in_brief();
    for (size_t t = 0; t < tests.size(); ++t) {
        if (!turn.has(t)) continue;
        const Test& test = tests[t];
        INFO(test.name);
        Test there;
        try {
            there = to_native(test);
        } catch (const Failure&) {
            refused.push_back(test.name);
            continue;
        }
        CHECK(is_native(there));
        CHECK(is_bound(there));
        const Test columns = to_column(there);
        CHECK(is_bound(columns));
        ++in_column;
        CHECK(parse_column(make_source("c.litmus", print_column(columns))) == columns);
        CHECK(to_native(columns) == there);
        if (conversion_refusal([&] { to_braces(there); }).empty()) {
            ++in_braces;
            const Test braced = to_braces(there);
            CHECK(is_bound(braced));
            CHECK(parse_braces(make_source("b.test", print_braces(braced))).at(0) == braced);
            CHECK(to_braces(to_native(braced)) == braced);
        }
    }
    if (!turn.whole()) return;
    std::sort(refused.begin(), refused.end());
    // red.acq_rel is no PTX; twice a barrier whose number is loaded; a quorum of two with three users
    CHECK(refused ==
          std::vector<std::string>{"Atom-plus-register", "SB+named-bar-dyn-reg-const", "SB+named-bar-dyn-reg-const", "test3-pass"});
    CHECK(in_column == 133);
    CHECK(in_braces == 105);
}

TEST_CASE("convert: types, state spaces and CTA numbers become explicit") {
    const Test test = to_native(rows("P0:r5=7;", R"(
 P0@cta 0,gpu 0 | P1@cta 0,gpu 1 | P2@cta 1,gpu 1 | P3@cta 0,gpu 1 ;
 ld.acquire.gpu r0, x | atom.relaxed.gpu.cas r0, x, 0, 1 | and r1, r1, 3 | red.release.cta.add x, 1 ;
 st.volatile y, r5 | atom.exch r1, x, 2 | mul r2, r1, r1 | membar.gl ;
 ld r1, 4 | fence.sc.sys | fence.proxy.alias | ;)"));
    CHECK(is_native(test));
    CHECK(body(test, 0) == "mov.u32 r5, 7\nld.acquire.gpu.global.u32 r0, [x]\nst.volatile.global.u32 [y], r5\nmov.u32 r1, 4\n");
    CHECK(body(test, 1) == "atom.relaxed.gpu.global.cas.b32 r0, [x], 0, 1\natom.global.exch.b32 r1, [x], 2\nfence.sc.sys\n");
    CHECK(body(test, 2) == "mov.u32 r1, 0\nand.b32 r1, r1, 3\nmul.lo.u32 r2, r1, r1\nfence.proxy.alias\n");
    CHECK(body(test, 3) == "red.release.cta.global.add.u32 [x], 1\nmembar.gl\n");
    CHECK(test.threads[0].at.cta == 0);
    CHECK(test.threads[1].at.cta == 2);  // 0 and 1 are taken
    CHECK(test.threads[2].at.cta == 1);
    CHECK(test.threads[3].at.cta == 2);
    CHECK(test.threads[1].at.gpu == 1);
}

TEST_CASE("convert: initial registers are set where a path reads them") {
    const Test test = to_native(rows("P0:r0=0; P0:r1=5; P0:r2=6; P0:r9=1;", R"(
 P0@cta 0,gpu 0 ;
 ld.weak r0, x ;
 beq r0, 1, L ;
 ld.weak r1, x ;
 L: ;
 st.weak y, r1 ;)",
                                     "exists (P0:r0 == 1 /\\ P0:r2 == 6 /\\ P0:r3 == 0)"));
    CHECK(is_native(test));
    CHECK(body(test, 0) ==
          "mov.u32 r1, 5\nmov.u32 r2, 6\nmov.u32 r3, 0\nld.weak.global.u32 r0, [x]\nsetp.eq.u32 p0, r0, 1\n@p0 bra L\n"
          "ld.weak.global.u32 r1, [x]\nL: st.weak.global.u32 [y], r1\n");
}

TEST_CASE("convert: branches get fresh predicates and come back") {
    const Test test = rows("p0=0;", R"(
 P0@cta 0,gpu 0 ;
 LC00: ;
 ld.weak r0, p0 ;
 bne r0, 1, LC00 ;
 beq r0, r0, LC01 ;
 goto LC00 ;
 LC01: ;)");
    const Test there = to_native(test);
    CHECK(is_native(there));
    CHECK(is_bound(there));
    CHECK(
        body(there, 0) ==
        "LC00: ld.weak.global.u32 r0, [p0]\nsetp.ne.u32 p1, r0, 1\n@p1 bra LC00\nsetp.eq.u32 p2, r0, r0\n@p2 bra LC01\nbra LC00\nLC01:\n");
    CHECK(to_column(there) == test);
    CHECK(is_bound(to_column(there)));
    const Test negated = native(
        ".global .u32 x = 0;\nthread P0 @ cta0 { ld.u32 r0, [x]; setp.eq.u32 p, r0, 1; @!p bra L; st.u32 [x], 2; L: }\nexists (x == 2)\n");
    CHECK(to_column(negated).threads[0].body[1].mnemonic == "bne");
    const Test reused = native(
        ".global .u32 x = 0;\nthread P0 @ cta0 { ld.u32 r0, [x]; setp.eq.u32 p, r0, 1; @p bra L; @p st.u32 [x], 2; L: }\nexists (x == "
        "2)\n");
    CHECK(conversion_refusal([&] { to_column(reused); }) == "the column format cannot express `setp`");
}

TEST_CASE("convert: quorum barriers with one generation become bar.sync with a count") {
    const std::string two = " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n";
    const auto barrier = [&](const Test& test, size_t thread) {
        CHECK(is_bound(test));
        CHECK(is_bound(to_native(test)));
        return body(to_native(test), thread);
    };
    CHECK(barrier(rows("", two + " bar.cta.sync 1 | bar.cta.sync 1 ;"), 0) == "bar.sync 1, 64\n");
    CHECK(barrier(rows("", two + " bar.cta.sync 1 | st.weak x, 1 ;"), 0) == "bar.sync 1, 32\n");
    CHECK(barrier(rows("", two + " bar.cta.sync 1, 2, 3 | bar.cta.sync 1, 2, 3 ;"), 0) == "bar.sync 2, 96\n");
    CHECK(barrier(rows("", two + " bar.cta.sync 1 | bar.cta.arrive 1 ;"), 1) == "bar.arrive 1, 64\n");
    CHECK(barrier(rows("", two + " bar.cta.arrive 1, 2, 3 | bar.cta.sync 1, 2, 3 ;"), 0) == "bar.arrive 2, 96\n");
    CHECK(barrier(rows("P0:r2=3;", two + " bar.cta.sync 1, r2 | bar.cta.sync 1, 4 ;"), 0) == "bar.sync 3, 32\n");
    CHECK(barrier(rows("", two + " bar.cta.sync 40 | bar.cta.sync 50 ;"), 1) == "bar.sync 1, 32\n");
    // two CTAs, each with its own barrier
    CHECK(barrier(rows("", " P0@cta 0,gpu 0 | P1@cta 0,gpu 1 ;\n bar.cta.sync 1 | bar.cta.sync 1 ;"), 0) == "bar.sync 1, 32\n");
    CHECK(native_refusal(rows("", two + " bar.cta.sync 1, 1, 1 | bar.cta.sync 1, 1, 1 ;")) ==
          "the native format cannot express a quorum below the number of threads that use the barrier");
    CHECK(native_refusal(rows("", two + " bar.cta.sync 1 | bar.cta.sync 1 ;\n bar.cta.sync 1 | bar.cta.sync 1 ;")) ==
          "the native format cannot express a quorum barrier that a thread may use never or again");
    CHECK(native_refusal(rows("", two + " L: bar.cta.sync 1 | ;\n goto L | ;")) ==
          "the native format cannot express a quorum barrier that a thread may use never or again");
    CHECK(native_refusal(rows("", two + " beq r0, 1, L | ;\n bar.cta.sync 1 | ;\n L: | ;")) ==
          "the native format cannot express a quorum barrier that a thread may use never or again");
    CHECK(native_refusal(rows("", two + " ld.weak r0, x | ;\n bar.cta.sync 1, r0 | ;")) ==
          "the native format cannot express a barrier whose number or quorum depends on the execution (`r0`)");
    CHECK(native_refusal(rows("", two + " bar.cta.sync 1, 1, 2 | bar.cta.sync 1, 1, 3 ;")) ==
          "the native format cannot express one barrier with different quorums");
    CHECK(native_refusal(rows("", two + " bar.cta.sync 1 | bar.cta.sync 1, 1 ;")) ==
          "the native format cannot express barrier 1 with and without a second number");
}

TEST_CASE("convert: an atomic subtraction adds the negative") {
    const auto converted = [](const std::string& instruction) {
        return body(to_native(rows("P0:r1=3;", " P0@cta 0,gpu 0 ;\n " + instruction + " ;")), 0);
    };
    CHECK(converted("red.relaxed.sys.sub x, 5") == "red.relaxed.sys.global.add.u32 [x], 4294967291\n");
    CHECK(converted("atom.acquire.gpu.sub r0, x, r1") == "mov.u32 r1, 3\nsub.u32 n0, 0, r1\natom.acquire.gpu.global.add.u32 r0, [x], n0\n");
    // the register for the negative is a new one
    CHECK(converted("add n0, r1, 1 ;\n red.relaxed.sys.sub x, r1") ==
          "mov.u32 r1, 3\nadd.u32 n0, r1, 1\nsub.u32 n1, 0, r1\nred.relaxed.sys.global.add.u32 [x], n1\n");
}

TEST_CASE("convert: bar.sync to a quorum") {
    const auto to = [](const std::string& p0, const std::string& p1) {
        const Test test =
            native(".global .u32 x = 0;\nthread P0 @ cta0 { " + p0 + " }\nthread P1 @ cta0 { " + p1 + " }\nexists (x == 1)\n");
        const Test there = to_column(test);
        CHECK(is_bound(there));
        return print_column(there);
    };
    const auto refused = [&](const std::string& p0, const std::string& p1) { return conversion_refusal([&] { to(p0, p1); }); };
    CHECK(to("bar.sync 0;", "bar.sync 0;").find("bar.cta.sync 0 | bar.cta.sync 0 ;") != std::string::npos);
    CHECK(to("bar.sync 0, 64;", "bar.sync 0, 64;").find("bar.cta.sync 0 | bar.cta.sync 0 ;") != std::string::npos);
    CHECK(to("bar.sync 3, 96;", "bar.sync 3, 96;").find("bar.cta.sync 3, 3, 3 | bar.cta.sync 3, 3, 3 ;") != std::string::npos);
    CHECK(refused("bar.sync 0;", "st.u32 [x], 1;") ==
          "the column format cannot express a barrier of the whole CTA that some of its threads do not use");
    for (const std::string other : {"bar.sync 0; bar.sync 0;", "setp.eq.u32 p, 0, 0; bar.red.popc.u32 r0, 0, p;",
                                    "mov.u32 k, 0; bar.sync k;", "ld.u32 r0, [x]; setp.eq.u32 p, r0, 0; @p bra L; bar.sync 0; L:"})
        CHECK(refused("bar.sync 0;", other) ==
              "the column format cannot express a barrier unless each thread uses it once, without bar.red and with a constant number");
    CHECK(to("bar.sync 0, 64;", "bar.arrive 0, 64;").find("bar.cta.sync 0 | bar.cta.arrive 0 ;") != std::string::npos);
    CHECK(to("bar.sync 3, 96;", "bar.arrive 3, 96;").find("bar.cta.sync 3, 3, 3 | bar.cta.arrive 3, 3, 3 ;") != std::string::npos);
    CHECK(refused("bar.sync 0, 32;", "bar.sync 0, 32;") == "the column format cannot express this count of a barrier");
}

TEST_CASE("convert: expectations become a filter and back") {
    const Test test = braces(
        ".global x; .global f;\nd0.b0.t0 { ld.acquire.cta r0, [f] == 1; ld r1, [x] == 2; }\nd1.b0.t0 { ld r2, [x]; }\nassert (r2 == 0) as "
        "out;\n");
    const Test there = to_native(test);
    CHECK(is_native(there));
    CHECK(is_bound(there));
    CHECK(there.threads[0].name == "P0");
    CHECK(there.threads[1].at.cta == 1);
    CHECK(there.doc == "claim out");
    REQUIRE(there.filter);
    CHECK(print(*there.filter, there) == "P0:r0 == 1 /\\ P0:r1 == 2");
    CHECK(body(there, 0) == "ld.acquire.cta.global.u32 r0, [f]\nld.global.u32 r1, [x]\n");
    const Test back = to_braces(there);
    CHECK(back.claim.name == "out");
    CHECK(back.doc == "");
    REQUIRE(back.threads[0].body[0].expect);
    CHECK(back.threads[0].body[1].expect->value.value == 2);
    CHECK(!back.filter);
    const Test columns = to_column(test);
    REQUIRE(columns.filter);
    CHECK(to_native(columns) == there);
    CHECK(native_refusal(braces(".global x;\nd0.b0.t0 { ld r0, [x]; }\ncheck (r0 == 0) as out;\n")) ==
          "the native format cannot express `check`, which expects nothing");
    CHECK(native_refusal(rows("", " P0@cta 0,gpu 0 ;\n st.weak x, 1 ;", "locations [x;] exists (x == 1)")) ==
          "the native format cannot express `locations`");
    CHECK(native_refusal(rows("", " P0@cta 0,gpu 0 ;\n red.acq_rel.gpu.add x, 1 ;")) ==
          "the native format cannot express `red.acq_rel.gpu.add`");
    CHECK(native_refusal(rows("", " P0@cta 0,gpu 0 ;\n suld.acquire.gpu r0, x ;")) ==
          "the native format cannot express `suld.acquire.gpu`");
}

TEST_CASE("convert: registers of the braces format name one value") {
    const Test test = native(
        ".global .u32 x = 0;\nthread P0 @ cta0 { ld.u32 r0, [x]; st.u32 [x], r0; ld.u32 r0, [x]; }\nthread P1 @ cta1 { ld.u32 a, [x]; }\n"
        "~exists (P0:r0 == 1 /\\ P1:a == 0)\n");
    const std::string text = print_braces(to_braces(test));
    CHECK(text.find("ld r0, [x];\n  st [x], r0;\n  ld r1, [x];") != std::string::npos);
    CHECK(text.find("d0.b1.t0 {\n  ld r2, [x];") != std::string::npos);
    CHECK(text.find("assert (not (r1 == 1 && r2 == 0)) as claim;") != std::string::npos);
}

TEST_CASE("convert: what a target cannot express is named") {
    struct Case {
        std::string text;
        std::string column;
        std::string braces;
    };
    const std::string x = ".global .u32 x = 0;\n";
    const std::string claim = "\nexists (x == 1)\n";
    const std::vector<Case> cases = {
        {".shared.cta0 .u32 x = 0;\nthread P0 @ cta0 { st.u32 [x], 1; }" + claim, "shared memory (`x`)", "shared memory (`x`)"},
        {".global .u32 x[2] = {0, 0};\nthread P0 @ cta0 { st.u32 [x], 1; }\nexists (x[0] == 1)\n", "arrays (`x`)", "arrays (`x`)"},
        {".global .s32 x = 0;\nthread P0 @ cta0 { st.s32 [x], 1; }" + claim, "type .s32 (`x`)", "type .s32 (`x`)"},
        {".global .u64 x = 0;\nthread P0 @ cta0 { st.u64 [x], 1; }" + claim, "type .u64 (`x`)", "type .u64 (`x`)"},
        {x + "thread P0 @ cluster1.cta0 { st.u32 [x], 1; }" + claim, "clusters (P0)", "clusters (P0)"},
        {x + "thread P0 @ cta0.warp0 { st.u32 [x], 1; }" + claim, "warps and lanes (P0)", "warps and lanes (P0)"},
        {x + "thread P0 @ cta0 { st.relaxed.cluster.u32 [x], 1; }" + claim, "scope .cluster", "scope .cluster"},
        {x + "thread P0 @ cta0 { st.mmio.relaxed.sys.u32 [x], 1; }" + claim, "`.mmio`", "`.mmio`"},
        {x + "thread P0 @ cta0 { await ld.u32 r0, [x] == 1; }" + claim, "`await`", "`await`"},
        {x + "thread P0 @ cta0 { add.s32 r0, 1, 2; }" + claim, "type .s32", "type .s32"},
        {x + "thread P0 @ cta0 { barrier.cluster.arrive; barrier.cluster.wait; }" + claim, "`barrier.cluster.arrive`",
         "`barrier.cluster.arrive`"},
        {x + "thread P0 @ cta0 { setp.eq.u32 p, 1, 1; @p st.u32 [x], 1; }" + claim, "`setp`", "`setp`"},
        {x + "thread P0 @ cta0 { st.u32 [x], 1; }" + claim + "racefree\n", "the claim `racefree`", "the claim `racefree`"},
        {x + "thread P0 @ cta0 { st.u32 [x], 1; }" + claim, "", "final memory in a condition (`x`)"},
        {x + "thread P0 @ cta0 { mov.u32 r0, 1; }\nexists (P0:r0 == 1)\n", "", "`mov`"},
        {x + "thread P0 @ cta0 { atom.exch.b32 r0, [x], 1; }\nexists (P0:r0 == 1)\n", "", "`.exch`"},
        {x + "thread P0 @ cta0 { L: ld.u32 r0, [x]; bra L; }\nexists (P0:r0 == 1)\n", "", "`bra`"},
        {x + "thread P0 @ cta0 { ld.u32 r0, [x]; }\nexists (P0:r0 < 1)\n", "", "`<`"},
        {x + "thread P0 @ cta0 { ld.u32 r0, [x]; }\nfilter (P0:r0 != 1)\nexists (P0:r0 == 0)\n", "", "this `filter`"},
        {".global .u32 x = 1;\nthread P0 @ cta0 { ld.u32 r0, [x]; }\nexists (P0:r0 == 0)\n", "", "an initial value other than 0"},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const Test test = native(c.text);
        CHECK(conversion_refusal([&] { to_column(test); }) == (c.column.empty() ? "" : "the column format cannot express " + c.column));
        CHECK(conversion_refusal([&] { to_braces(test); }) == (c.braces.empty() ? "" : "the braces format cannot express " + c.braces));
    }
}

TEST_CASE("convert: a test of the dialect asked for is given back") {
    const Test test = rows("", " P0@cta 0,gpu 0 ;\n red.acq_rel.gpu.add x, 1 ;");
    CHECK(to_column(test) == test);
    const Test there = native(".global .u32 x = 0;\nthread P0 @ cta0 { st.u32 [x], 1; }\nexists (x == 1)\n");
    CHECK(to_native(there) == there);
}
