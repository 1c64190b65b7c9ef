// Herd's column format: the corpus, what it means, what is refused and where.
#include "language/syntax/foreign/column.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/source.h"
#include "language/syntax/corpus.h"

using namespace litmus;
namespace fs = std::filesystem;

namespace {

Test read_column(const std::string& text) {
    return parse_column(make_source("t.litmus", text));
}

// "line:column: message" of the failure that parsing gives; empty when it parses.
std::string error(const std::string& text) {
    try {
        read_column(text);
    } catch (const Failure& failure) {
        const Diagnostic& first = failure.diagnostics().at(0);
        const Position at = position(*first.source, first.span.begin);
        return std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + first.message;
    }
    return {};
}

bool round_trips(const Test& test) {
    const Test again = read_column(print_column(test));
    return again == test;
}

// A test of one thread with this instruction.
std::string one_in_column(const std::string& instruction) {
    return "PTX t\n{ x=0; y=0; P0:r1=0; }\n P0@cta 0,gpu 0 ;\n " + instruction + " ;\nexists (x == 1)\n";
}

const Instruction& only(const Test& test) {
    return test.threads.at(0).body.at(0);
}

std::vector<fs::path> corpus_files() {
    std::vector<fs::path> files;
    const fs::path root = corpus_with("tests");
    if (root.empty()) return files;
    for (const auto& entry : fs::recursive_directory_iterator(root / "tests")) {
        if (entry.path().extension() == ".litmus") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace

TEST_CASE("column: every corpus test is read and printed back") {
    const auto files = corpus_files();
    for (const fs::path& file : files) {
        INFO(file.string());
        const Test test = parse_column(read_source(file.string()));
        CHECK(test.claim.kind != Claim::Kind::none);
        CHECK(!test.threads.empty());
        CHECK(round_trips(test));
    }
    if (!files.empty()) CHECK(files.size() == 106);
}

TEST_CASE("column: header, initial state, placement, claim") {
    const Test test = read_column(R"(PTX MP+x
"Message passing
over two lines"
"https://example.org/mp"
"second"
Cycle=Rfe PodRR Fre PodWW
Ref=ISA 8.10.6
(* a (* nested *) comment *)
{
x=0; y = 0x10; [z]=-1;
s @ surface aliases x;
a @ generic aliases y;
P0:r0=7; 1:r9 = 3;
}
 P0@cta 0,gpu 1 | P1@cta 2, gpu 0 ;
 st.weak x, 1   |                 ; // comment
 LC00:          | ld.acquire.gpu r0, y ;
 st.release.sys y, r0 | LC01: beq r0, -1, LC01 ;
 goto LC00      | /* none */ ;
                | LC02: ;
locations [x; P0:r0; 1:r9]
filter (P1:r0 = 1)
~exists (1:r0 == 1 /\ ~(x != 2 \/ [y] < 3) /\ not z >= -1)
)");
    CHECK(test.dialect == Dialect::column);
    CHECK(test.name == "MP+x");
    CHECK(test.doc == "Message passing\nover two lines\nsecond");
    CHECK(test.refs == std::vector<std::string>{"https://example.org/mp", "Cycle=Rfe PodRR Fre PodWW", "ISA 8.10.6"});
    REQUIRE(test.locations.size() == 5);
    CHECK(test.locations[1].init == std::vector<uint64_t>{16});
    CHECK(test.locations[2].init == std::vector<uint64_t>{0xffffffff});
    CHECK(test.locations[3].alias_of == "x");
    CHECK(test.locations[3].proxy == Proxy::surface);
    CHECK(test.locations[4].proxy == Proxy::generic);
    REQUIRE(test.threads.size() == 2);
    CHECK(test.threads[0].at.gpu == 1);
    CHECK(test.threads[0].at.cta == 0);
    CHECK(test.threads[1].at.cta == 2);
    CHECK(test.threads[0].registers.at("r0") == 7);
    CHECK(test.threads[1].registers.at("r9") == 3);
    REQUIRE(test.threads[0].body.size() == 3);
    CHECK(test.threads[0].body[1].labels == std::vector<std::string>{"LC00"});
    CHECK(test.threads[0].body[2].mnemonic == "goto");
    CHECK(test.threads[1].body[1].labels == std::vector<std::string>{"LC01"});
    CHECK(test.threads[1].body[1].mnemonic == "beq");
    CHECK(test.threads[1].body[1].at(Role::source, 1).value == ~uint64_t{0});
    CHECK(test.threads[1].end_labels == std::vector<std::string>{"LC02"});
    CHECK(test.claim.kind == Claim::Kind::not_exists);
    CHECK(test.claim.condition.operands.size() == 3);
    CHECK(test.observed.size() == 3);
    REQUIRE(test.filter);
    CHECK(test.filter->comparison == Operator::eq);
    CHECK(round_trips(test));
}

TEST_CASE("column: threads of one CTA are in warps of their own") {
    const Test test =
        read_column("PTX t\n{}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 | P3@cta 0,gpu 1 ;\n st.weak x, 1 | | | ;\n");
    CHECK(test.threads[0].at.warp == 0);
    CHECK(test.threads[1].at.warp == 1);
    CHECK(test.threads[2].at.warp == 0);
    CHECK(test.threads[3].at.warp == 0);
    CHECK(test.claim.kind == Claim::Kind::none);
    REQUIRE(test.locations.size() == 1);  // x, as in herd
    CHECK(test.locations[0].init == std::vector<uint64_t>{0});
    CHECK(round_trips(test));
}

TEST_CASE("column: byte order mark and carriage returns") {
    const Test test = read_column("\xef\xbb\xbfPTX t\r\n{ x=0; }\r\n P0@cta 0,gpu 0 ;\r\n st.weak x, 1 ;\r\nexists (x == 1)\r\n");
    CHECK(test.name == "t");
    CHECK(round_trips(test));
}

TEST_CASE("column: instructions") {
    struct Case {
        std::string text;
        Op op;
        std::string mnemonic;
        std::vector<std::string> qualifiers;
        std::string printed;
    };
    const std::vector<Case> cases = {
        {"ld r0, 1", Op::mov, "mov", {}, "ld r0, 1"},
        {"ld.weak r0, -1", Op::mov, "mov", {}, "ld r0, -1"},
        {"mov r0, r1", Op::mov, "mov", {}, "mov r0, r1"},
        {"ld r0, x", Op::ld, "ld", {}, "ld r0, x"},
        {"ld.weak r0, [x]", Op::ld, "ld", {"weak"}, "ld.weak r0, x"},
        {"ld.gpu.acquire r0, x", Op::ld, "ld", {"acquire", "gpu"}, "ld.acquire.gpu r0, x"},
        {"ld.volatile r0, x", Op::ld, "ld", {"volatile"}, "ld.volatile r0, x"},
        {"cold.weak r0, x", Op::ldc, "ldc", {"weak"}, "cold.weak r0, x"},
        {"ldc r0, x", Op::ldc, "ldc", {}, "cold r0, x"},
        {"tld.weak r0, x", Op::tld, "tld", {"weak"}, "tld.weak r0, x"},
        {"suld.weak r0, x", Op::suld, "suld", {"weak"}, "suld.weak r0, x"},
        {"sust.weak x, 2", Op::sust, "sust", {"weak"}, "sust.weak x, 2"},
        {"st.release.sys x, r1", Op::st, "st", {"release", "sys"}, "st.release.sys x, r1"},
        {"atom.add.acq_rel.cta r0, x, 1", Op::atom, "atom", {"acq_rel", "cta", "add"}, "atom.acq_rel.cta.add r0, x, 1"},
        {"atom.relaxed.gpu.cas r0, x, 0, 1", Op::atom, "atom", {"relaxed", "gpu", "cas"}, "atom.relaxed.gpu.cas r0, x, 0, 1"},
        {"atom.exch r0, x, r1", Op::atom, "atom", {"exch"}, "atom.exch r0, x, r1"},
        {"red.acq_rel.cta.add x, 1", Op::red, "red", {"acq_rel", "cta", "add"}, "red.acq_rel.cta.add x, 1"},
        {"red.sub.relaxed.sys x, r1", Op::red, "red", {"relaxed", "sys", "sub"}, "red.relaxed.sys.sub x, r1"},
        {"atom.relaxed.gpu.sub r0, x, 1", Op::atom, "atom", {"relaxed", "gpu", "sub"}, "atom.relaxed.gpu.sub r0, x, 1"},
        {"fence.sc.gpu", Op::fence, "fence", {"sc", "gpu"}, "fence.sc.gpu"},
        {"membar.gl", Op::fence, "membar", {"gl"}, "membar.gl"},
        {"fence.proxy.constant", Op::fence_proxy, "fence.proxy", {"constant"}, "fence.proxy.constant"},
        {"bar.cta.sync 1, r1, 3", Op::bar_quorum, "bar.cta.sync", {}, "bar.cta.sync 1, r1, 3"},
        {"bar.cta.sync 1", Op::bar_quorum, "bar.cta.sync", {}, "bar.cta.sync 1"},
        {"bar.cta.arrive 1", Op::bar_quorum_arrive, "bar.cta.arrive", {}, "bar.cta.arrive 1"},
        {"bar.cta.arrive 1, 2, r1", Op::bar_quorum_arrive, "bar.cta.arrive", {}, "bar.cta.arrive 1, 2, r1"},
        {"add r0, r1, 1", Op::binary, "add", {}, "add r0, r1, 1"},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const Test test = read_column(one_in_column(c.text));
        CHECK(only(test).op == c.op);
        CHECK(only(test).mnemonic == c.mnemonic);
        CHECK(only(test).qualifiers == c.qualifiers);
        CHECK(print_column(test).find(" " + c.printed + " ") != std::string::npos);
        CHECK(round_trips(test));
    }
    const Test cas = read_column(one_in_column("atom.relaxed.gpu.cas r0, x, 5, 6"));
    CHECK(only(cas).at(Role::compare).value == 5);  // the ISA's order
    CHECK(only(cas).at(Role::swap).value == 6);
    CHECK(only(cas).at(Role::address).kind == Operand::Kind::address);
    const Test barrier = read_column(one_in_column("bar.cta.sync 1, 2, 3"));
    CHECK(only(barrier).at(Role::barrier).value == 1);
    CHECK(only(barrier).at(Role::barrier, 1).value == 2);
    CHECK(only(barrier).at(Role::threads).value == 3);
}

TEST_CASE("column: errors name the place") {
    CHECK(error("") == "1:1: expected `PTX` and the test's name");
    CHECK(error("PTXX a") == "1:1: expected `PTX` and the test's name");
    CHECK(error("PTX \n{}") == "1:1: expected the test's name after `PTX`");
    CHECK(error("PTX a\n\"open") == "2:1: string is not closed");
    CHECK(error("PTX a\nwhat\n{}") == "2:1: expected a quoted description, a line `Key=value`, or `{`");
    CHECK(error("PTX a\nTarget=90\n{}") == "2:1: malformed target");
    CHECK(error("PTX a\n") == "2:1: expected `{` and the initial state");
    CHECK(error("PTX a\n(* {") == "2:1: comment is not closed");
    CHECK(error("PTX a\n{ x 1; }") == "2:5: expected `=` and the initial value, or `@ surface aliases x`");
    CHECK(error("PTX a\n{ int x=1; }") == "2:3: types are not part of this format");
    CHECK(error("PTX a\n{ x[2]=1; }") == "2:4: arrays are not part of this format");
    CHECK(error("PTX a\n{ x=y; }") == "2:5: addresses as values are not part of this format");
    CHECK(error("PTX a\n{ x=0x100000000; }") == "2:5: number does not fit 32 bits");
    CHECK(error("PTX a\n{ x=99999999999999999999999; }") == "2:5: number does not fit 64 bits");
    CHECK(error("PTX a\n{ x=1a; }") == "2:5: malformed number");
    CHECK(error("PTX a\n{ x=0; x=1; }") == "2:8: location `x` is declared twice");
    CHECK(error("PTX a\n{ y @ generic aliases x; }") == "2:23: no location `x`");
    CHECK(error("PTX a\n{ x=0; y @ async aliases x; }") == "2:12: no proxy `async` in this format");
    CHECK(error("PTX a\n{ not=0; }") == "2:3: `not` cannot be a name");
    CHECK(error("PTX a\n{ x=0 ") == "2:7: expected `;` or `}` after an initial value");
    CHECK(error("PTX a\n{ }") == "2:4: expected the threads");
    CHECK(error("PTX a\n{ }\n Q0@cta 0,gpu 0;") == "3:2: threads are named P0, P1, ...");
    CHECK(error("PTX a\n{ }\n P0;") == "3:4: expected a placement such as `@cta 0,gpu 0`");
    CHECK(error("PTX a\n{ }\n P0@cta 99999,gpu 0;") == "3:9: number is too large");
    CHECK(error("PTX a\n{ }\n P0@cta 0,gpu 0 | P0@cta 0,gpu 0;") == "3:19: thread `P0` stands twice");
    CHECK(error("PTX a\n{ P1:r0=0; }\n P0@cta 0,gpu 0;") == "2:3: no thread `P1`");
    CHECK(error("PTX a\n{ P0:r0=0; P0:r0=1; }\n P0@cta 0,gpu 0;") == "2:15: register `r0` has a second initial value");
    CHECK(error("PTX a\n{ x=0; P0:x=0; }\n P0@cta 0,gpu 0;") == "2:11: `x` is a location, not a register");
    const std::string two = "PTX a\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n";
    CHECK(error(two + " st.weak x, 1 ;") == "4:15: this row has 1 cells, but there are 2 threads");
    CHECK(error(two + " | | ;") == "4:6: this row has more cells than there are threads");
    CHECK(error(two + " st.weak x, 1 st.weak x, 2 | ;") == "4:15: expected `|` or `;`");
    CHECK(error(two + " L: | ; L: | ;") == "4:9: label `L` stands twice in this thread");
    CHECK(error(two + " goto L | L: ;") == "4:7: no label `L` in P0");
    CHECK(error(two + "exists (x == 1") == "4:15: expected `)` or a connective");
    CHECK(error(two + "exists (x == )") == "4:14: expected a register, a location or a number");
    CHECK(error(two + "exists (x 1)") == "4:11: expected a comparison");
    CHECK(error(two + "exists (z == 1)") == "4:9: no location `z`");
    CHECK(error(two + "exists (P2:r0 == 1)") == "4:9: no thread `P2`");
    CHECK(error(two + "exists (2:r0 == 1)") == "4:9: no thread `P2`");
    CHECK(error(two + "exists (P0:x == 1)") == "4:9: `x` is a location, not a register of P0");
    CHECK(error(two + "exists (x == 1) racefree") == "4:17: expected the end of the test");
    CHECK(error(two + "~forall (x == 1)") == "4:2: expected `exists` after `~`");
    CHECK(error(two + "locations [1;]") == "4:12: expected a location or a register");
    CHECK(error(two + " # | ;") == "4:2: unexpected character");
}

TEST_CASE("column: instruction errors") {
    const auto message = [](const std::string& instruction) { return error(one_in_column(instruction)); };
    CHECK(message("ld. r0, x") == "4:6: `.r0` is not a qualifier of `ld` in the column format");
    CHECK(message("mbarrier.init.b64 [x], 1") == "4:2: `mbarrier` is PTX, but the column format does not have it");
    CHECK(message("cp.async.bulk x") == "4:2: `cp` is PTX, but the column format does not have it");
    CHECK(message("setp.eq p, r1, 1") == "4:2: `setp` is PTX, but the column format does not have it");
    CHECK(message("bar.sync 0") == "4:2: the column format has no such barrier");
    CHECK(message("@p bra L") == "4:2: guards are not part of the column format");
    CHECK(message("ld.weak.u32 r0, x") == "4:10: `.u32` is not a qualifier of `ld` in the column format");
    CHECK(message("ld.release.gpu r0, x") == "4:5: `.release` is not a qualifier of `ld` in the column format");
    CHECK(message("ld.acquire.cluster r0, x") == "4:13: `.cluster` is not a qualifier of `ld` in the column format");
    CHECK(message("ld.relaxed r0, x") == "4:2: `ld` needs a scope here");
    CHECK(message("ld.weak.gpu r0, x") == "4:2: a weak or volatile `ld` has no scope");
    CHECK(message("ld.relaxed.acquire.gpu r0, x") == "4:13: second semantics `.acquire`");
    CHECK(message("fence.sc") == "4:2: `fence` needs a scope here");
    CHECK(message("fence.proxy.async") == "4:14: `.async` is not a qualifier of `fence.proxy` in the column format");
    CHECK(message("atom.relaxed.gpu r0, x, 1") == "4:2: `atom` needs one of: add sub and or xor min max inc dec exch cas");
    CHECK(message("atom.relaxed.gpu.popc r0, x, 1") == "4:19: `.popc` is not a qualifier of `atom` in the column format");
    CHECK(message("red.relaxed.gpu.exch x, 1") == "4:18: `.exch` is not a qualifier of `red` in the column format");
    CHECK(message("ld.weak r0") == "4:13: expected `,` and another operand");
    CHECK(message("ld.weak r0, [x+4]") == "4:16: unexpected character");
    CHECK(message("ld.weak r0, [x 4]") == "4:17: expected `]`");
    CHECK(message("ld.weak r0, r0") == "4:14: a register as address is not part of this format");
    CHECK(message("st.weak x, y") == "4:13: `y` is a location, not a register");
    CHECK(message("ld.weak x, y") == "4:10: `x` is a location, not a register");
    CHECK(message("st.weak x, 4294967296") == "4:13: number does not fit 32 bits");
    CHECK(message("ld.relaxed.gpu r0, 1") == "4:21: expected a location");
    CHECK(message("ld. r0, x") == "4:6: `.r0` is not a qualifier of `ld` in the column format");
}

TEST_CASE("column: depth and size are bounded") {
    const std::string head = "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists ";
    CHECK(error(head + std::string(100000, '(') + "x == 1").find("the condition is nested too deeply") != std::string::npos);
    CHECK(error(head + std::string(100000, '~') + "x == 1").find("the condition is nested too deeply") != std::string::npos);
    CHECK(round_trips(read_column(head + std::string(200, '~') + "x == 1")));
    CHECK(error(head + std::string(201, '~') + "x == 1") != "");
    CHECK(error("PTX t\n" + std::string(100000, '(') + "* {").find("expected") != std::string::npos);
    CHECK(error("PTX " + std::string(2 << 20, 'a')) == "1:1: the test is longer than 1 MiB");
    std::string threads = " P0@cta 0,gpu 0";
    for (int i = 1; i < 257; ++i) threads += "|P" + std::to_string(i) + "@cta 0,gpu 0";
    CHECK(error("PTX t\n{}\n" + threads + ";").find("too many threads") != std::string::npos);
    std::string rows;
    for (int i = 0; i < 4097; ++i) rows += " st.weak x, 1 ;\n";
    CHECK(error("PTX t\n{}\n P0@cta 0,gpu 0;\n" + rows).find("too many instructions") != std::string::npos);
}

TEST_CASE("column: the printer refuses what the format cannot say") {
    const Test good = read_column(one_in_column("st.weak x, 1"));
    const auto refused = [](const Test& test) {
        try {
            print_column(test);
        } catch (const Failure& failure) {
            return failure.diagnostics().at(0).message;
        }
        return std::string();
    };
    CHECK(refused(good) == "");
    Test test = good;
    test.threads[0].body[0].qualifiers = {"weak", "s32"};
    CHECK(refused(test) == "the column format cannot express `.s32`");
    test = good;
    test.threads[0].body[0].guard = Guard{"p", false};
    CHECK(refused(test) == "the column format cannot express a guard");
    test = good;
    test.locations[0].space = Space::shared;
    CHECK(refused(test) == "the column format cannot express location `x`");
    test = good;
    test.threads[0].at.cluster = 1;
    CHECK(refused(test) == "the column format cannot express clusters");
    test = good;
    test.claims_deadlock = true;
    CHECK(refused(test) == "the column format cannot express claims other than exists, ~exists and forall");
    test = good;
    test.name = "a\nb";
    CHECK(refused(test) == "the column format cannot express the test's name");
}
