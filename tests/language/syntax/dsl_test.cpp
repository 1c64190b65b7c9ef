// The DSL: each construct of litmus/language.md, as parsed.
#include "language/syntax/native/dsl.h"

#include <doctest/doctest.h>

#include <bit>

#include "base/source.h"
#include "language/syntax/native/print.h"
#include "language/syntax/refusal.h"
#include "ptx/table.h"

using namespace litmus;

namespace {

Test parse(const std::string& text) {
    Test test;
    try {
        test = parse_dsl(make_source("t", text));
        CHECK(parse_dsl(make_source("again", print(test))) == test);
    } catch (const Failure& failure) {
        FAIL_CHECK(std::string(failure.what()));
    }
    return test;
}

size_t errors(const std::string& text) {
    try {
        parse_dsl(make_source("t", text));
    } catch (const Failure& failure) {
        return failure.diagnostics().size();
    }
    return 0;
}

// One thread P0 in cta0 with these lines, after these declarations.
std::string one(const std::string& body, const std::string& declarations = ".global .u32 x = 0;", const std::string& end = "") {
    return "test \"t\"\n" + declarations + "\nthread P0 @ cta0 {\n" + body + "\n}\n" + end;
}

Condition condition(const std::string& text) {
    return parse(one("ld.weak.global.u32 r0, [x]; ld.weak.global.f32 f, [h];", ".global .u32 x; .global .u32 y; .global .f32 h;",
                     "exists (" + text + ")"))
        .claim.condition;
}

}  // namespace

TEST_CASE("the header") {
    const Test test = parse(
        "// first\n/* a\n comment */ test \"mp \\\"x\\\"\"\ndoc \"two\\nlines \\\\ \\x01\"\nref \"a\"\nref \"b\"\n"
        "target sm_90\nrepairs \"other\"\nthread P0 @ cta0 { }\n");
    CHECK(test.name == "mp \"x\"");
    CHECK(test.doc == "two\nlines \\ \x01");
    CHECK(test.refs == std::vector<std::string>{"a", "b"});
    CHECK(test.target == 90);
    CHECK(test.repairs == "other");
    CHECK(test.dialect == Dialect::native);
    CHECK(test.claim.kind == Claim::Kind::none);
}

TEST_CASE("locations") {
    const Test test = parse(
        "test \"t\"\n.global .u32 x = 7;\n.shared.cta1 .s16 s[4] = {1,-2,3,0x4};\n.global .b64 a[3] = 9;\n"
        ".global .u32 y alias x;\n.global .u32 z alias surface y;\n.shared .mbarrier bar = 3;\n.shared.cta0 .mbarrier raw;\n"
        ".shared .u8 p;\n.global .f32 f = 1.5;\n.global .f64 g = -2;\n.global .f16 h = 0x3c00;\n.global .bf16x2 q = 0;\n"
        ".global .f32 k = 0f7fc00000;\nthread P0 @ cta0 { }\n");
    REQUIRE(test.locations.size() == 13);
    CHECK(test.locations[0].init == std::vector<uint64_t>{7});
    CHECK_FALSE(test.locations[0].array);
    CHECK(test.locations[1].cta == 1);
    CHECK(test.locations[1].space == Space::shared);
    CHECK(test.locations[1].init == std::vector<uint64_t>{1, 0xfffe, 3, 4});
    CHECK(test.locations[2].init == std::vector<uint64_t>{9, 9, 9});
    CHECK(test.locations[3].alias_of == "x");
    CHECK(test.locations[3].proxy == Proxy::generic);
    CHECK(test.locations[3].init == std::vector<uint64_t>{7});
    CHECK(test.locations[4].alias_of == "y");
    CHECK(test.locations[4].proxy == Proxy::surface);
    CHECK(test.locations[5].is_mbarrier);
    CHECK(test.locations[5].arrivals == 3);
    CHECK_FALSE(test.locations[5].cta);
    CHECK_FALSE(test.locations[6].arrivals);
    CHECK(test.locations[8].init[0] == 0x3fc00000);
    CHECK(test.locations[9].init[0] == std::bit_cast<uint64_t>(-2.0));
    CHECK(test.locations[10].init[0] == 0x3c00);
    CHECK(test.locations[12].init[0] == 0x7fc00000);
}

TEST_CASE("placements and warps") {
    const Test test = parse(
        "test \"t\"\nthread A @ cta0 { }\nthread B @ cta0.warp0 { }\nthread C @ cta0.warp0.lane3 { }\nthread D @ cta0 { }\n"
        "thread E @ gpu1.cluster2.cta5 { }\nthread F @ cta0.lane7 { }\n");
    CHECK(test.threads[0].at == Placement{0, 0, 0, 1, 0, false});  // warp 0 is taken by name
    CHECK(test.threads[1].at == Placement{0, 0, 0, 0, 0, true});
    CHECK(test.threads[2].at == Placement{0, 0, 0, 0, 3, true});
    CHECK(test.threads[3].at.warp == 2);
    CHECK(test.threads[4].at == Placement{1, 2, 5, 0, 0, false});
    CHECK(test.threads[5].at == Placement{0, 0, 0, 3, 7, false});
}

TEST_CASE("instructions: guards, labels, operands") {
    const Test test =
        parse(one("START: AGAIN:\n@!%p ld.global.acquire.gpu.u32 %r0, [x];\n@p bra START;\nsetp.eq.u32 p, r0, 0x10;\n"
                  "st.weak.shared::cta.v2.u32 [s+8], {r0, -1};\nld.weak.u32 r1, [s@cta0-0];\nmov.u64 rd, x;\nst.u32 [rd+4], r1;\n"
                  "ld.shared.u32 r2, s[3];\natom.add.u32 _, [x], 1;\nbar.red.and.pred p, 1, 64, !p;\nEND:",
                  ".global .u32 x; .shared .u32 s[4];"));
    const auto& body = test.threads[0].body;
    REQUIRE(body.size() == 10);
    CHECK(body[0].labels == std::vector<std::string>{"START", "AGAIN"});
    CHECK(body[0].guard->reg == "p");
    CHECK(body[0].guard->negated);
    CHECK(body[0].qualifiers == std::vector<std::string>{"acquire", "gpu", "global", "u32"});
    CHECK(body[0].operands[0].name == "r0");
    CHECK(body[1].operands[0].kind == Operand::Kind::label);
    CHECK(body[2].operands[2].value == 16);
    CHECK(body[3].operands[0].offset == 8);
    CHECK(body[3].operands[1].elements[1].value == ~uint64_t{0});
    CHECK(body[4].operands[1].cta == 0);
    CHECK(body[5].operands[1].kind == Operand::Kind::symbol);
    CHECK(body[6].operands[0].indirect);
    CHECK(body[6].operands[0].offset == 4);
    CHECK(body[7].operands[1].kind == Operand::Kind::address);
    CHECK(body[7].operands[1].offset == 12);
    CHECK(body[8].operands[0].kind == Operand::Kind::sink);
    CHECK(body[9].operands[3].negated);
    CHECK(test.threads[0].end_labels == std::vector<std::string>{"END"});
}

TEST_CASE("immediates are bits of the type in use") {
    const Test test = parse(
        one("mov.f32 r0, 1.5;\nmov.f64 r1, 0d3ff8000000000000;\nmov.b32 r2, 0f3f800000;\nmov.s64 r3, -1;\nmov.u64 r4, 0xffffffffffffffff;\n"
            "mov.u16 r5, 0b101;\nmov.u16 r6, 017;\nmov.u32 r7, 5U;\nmov.f32 r8, 0x40000000;\nmov.f32 r9, 1e3;\ncvt.u8.s16 r10, "
            "-300;\nshl.b64 r11, r4, 70;"));
    const auto value = [&](size_t i) { return test.threads[0].body[i].operands[1].value; };
    CHECK(value(0) == 0x3fc00000);
    CHECK(test.threads[0].body[0].operands[1].is_float);
    CHECK(value(1) == 0x3ff8000000000000);
    CHECK(value(2) == 0x3f800000);
    CHECK(test.threads[0].body[2].operands[1].is_float);
    CHECK(value(3) == ~uint64_t{0});
    CHECK(value(4) == ~uint64_t{0});
    CHECK(value(5) == 5);
    CHECK(value(6) == 15);
    CHECK(value(7) == 5);
    CHECK(value(8) == 0x40000000);
    CHECK(value(9) == 0x447a0000);
    CHECK(value(10) == uint64_t{0} - 300);
    CHECK(refusal(one("mov.u16 r0, 65536;")) == "the value does not fit `.u16`");
    CHECK(refusal(one("mov.f32 r0, 1e60;")) == "the value does not fit `.f32`");
    CHECK(refusal(one("mov.f64 r0, 0f3f800000;")) == "a 32-bit float cannot be a `.f64`");
    CHECK(refusal(one("mov.u64 r0, 18446744073709551616;")) == "`18446744073709551616` is no number of at most 64 bits");
    CHECK(refusal(one("mov.u64 r0, 089;")) == "`089` is no number of at most 64 bits");
}

TEST_CASE("await") {
    const Test test =
        parse(one("await ld.acquire.gpu.global.u32 r0, [x] == 1;\nawait ld.relaxed.gpu.global.s32 r1, [x] >= -5;\n"
                  "mov.u32 r2, 1;\nawait ld.acquire.gpu.global.u32 r0, [x] != r2;"));
    const auto& body = test.threads[0].body;
    CHECK(body[0].await);
    CHECK(body[0].expect->comparison == Operator::eq);
    CHECK(body[0].expect->value.value == 1);
    CHECK(body[1].expect->comparison == Operator::ge);
    CHECK(body[3].expect->value.name == "r2");
    CHECK(refusal(one("await ld.acquire.gpu.global.v2.u32 {r0, r1}, [s] == 1;", ".global .u32 s[2];")) == "a vector cannot be awaited");
}

TEST_CASE("claims") {
    const Test test = parse(one("ld.weak.global.u32 r0, [x];", ".global .u32 x;",
                                "filter (x == 1)\nforall (P0:r0 == 0)\nracefree\nundefined\ndeadlock\nmay-deadlock\n"));
    CHECK(test.filter);
    CHECK(test.claim.kind == Claim::Kind::forall);
    CHECK(test.claims_racefree);
    CHECK(test.claims_undefined);
    CHECK(test.claims_deadlock);
    CHECK(test.claims_may_deadlock);
    CHECK(parse(one("", ".global .u32 x;", "terminates\n")).claims_terminates);
    CHECK(refusal(one("", ".global .u32 x;", "terminates\nmay-deadlock\n")) == "`may-deadlock` and `terminates` contradict each other");
    CHECK(refusal(one("", ".global .u32 x;", "terminates\nterminates\n")) == "duplicate `terminates`");
    CHECK(parse(one("", ".global .u32 x;", "~exists (x == 1)")).claim.kind == Claim::Kind::not_exists);
    CHECK(parse(one("", ".global .u32 x;", "exists (true)")).claim.kind == Claim::Kind::exists);
}

TEST_CASE("conditions: precedence and both families of connectives") {
    const Condition c = condition("~x == 1 /\\ y == 2 \\/ P0:r0 = 3");
    REQUIRE(c.kind == Condition::Kind::disjunction);
    REQUIRE(c.operands.size() == 2);
    CHECK(c.operands[0].kind == Condition::Kind::conjunction);
    CHECK(c.operands[0].operands[0].kind == Condition::Kind::negation);
    CHECK(c.operands[1].comparison == Operator::eq);
    CHECK(condition("!x == 1 && y == 2 || P0:%r0 = 3").operands.size() == 2);
    CHECK(condition("(x == 1 /\\ y == 1) /\\ x == 2").operands.size() == 2);
    CHECK(condition("x == 1 /\\ y == 1 /\\ x == 2").operands.size() == 3);
    CHECK(condition("x == 1 /\\ (y == 1 \\/ false)").operands[1].operands[1].value == false);
    CHECK(condition("P0:r0 <= x").right.kind == Term::Kind::location);
    CHECK(condition("1 == 2").left.value == 1);
    CHECK(condition("[x] > 3").comparison == Operator::gt);
}

TEST_CASE("constants of conditions are read in the type they are compared with") {
    CHECK(condition("x == -1").right.value == ~uint64_t{0});
    const Term decimal = condition("h == 1.5").right;
    CHECK(decimal.is_float);
    CHECK_FALSE(decimal.raw);
    CHECK(decimal.value == std::bit_cast<uint64_t>(1.5));
    const Term whole = condition("h == 2").right;
    CHECK(whole.is_float);
    CHECK(whole.value == std::bit_cast<uint64_t>(2.0));
    const Term bits = condition("P0:f == 0f7fc00000").right;
    CHECK(bits.raw);
    CHECK(bits.value == 0x7fc00000);
    const Term hex = condition("h == 0x7fc00000").right;
    CHECK(hex.raw);
    CHECK_FALSE(hex.is_float);
    CHECK(condition("x == 0f3f800000").right.value == 0x3f800000);
}

TEST_CASE("locations in conditions") {
    const auto term = [](const std::string& text) {
        return parse(one("ld.weak.shared::cta.u32 r0, [s];", ".shared .u32 s[4]; .global .u32 g[4];", "exists (" + text + " == 1)"))
            .claim.condition.left;
    };
    CHECK(term("g[2]").element == 2);
    CHECK(term("[g+8]").element == 2);
    CHECK(term("[g[3]]").element == 3);
    CHECK(term("s@cta0[3]").cta == 0);
    CHECK(term("[s@cta0+4]").element == 1);
    CHECK(term("[g]").element == 0);
}

TEST_CASE("instances that are named exist, in addresses, as values and in conditions") {
    const std::string declarations = ".shared .u32 s[4]; .shared.cta0 .u32 own; .global .u32 g;";
    const auto value = [&](const std::string& name) { return refusal(one("mov.u64 r0, " + name + ";", declarations)); };
    const auto address = [&](const std::string& name) { return refusal(one("ld.weak.u32 r0, [" + name + "];", declarations)); };
    const auto term = [&](const std::string& name) { return refusal(one("", declarations, "exists (" + name + " == 1)")); };
    for (const auto& said : {value("s@cta7"), address("s@cta7"), term("s@cta7")}) CHECK(said == "the test has no cta7");
    for (const auto& said : {value("own@cta7"), address("own@cta7"), term("own@cta7")}) CHECK(said == "`own` lies in cta0 only");
    for (const auto& said : {value("g@cta0"), address("g@cta0"), term("g@cta0")})
        CHECK(said == "`g` lies in global memory: it has no instances");
    for (const auto& said : {value("s@cta0"), address("own@cta0"), term("s@cta0")}) CHECK(said == "accepted");
}

TEST_CASE("an address is a number of 64 bits, or of 32 in shared memory") {
    const auto said = [](const std::string& type, const std::string& name) {
        return refusal(one("mov." + type + " r0, " + name + ";", ".global .u32 x; .shared .u32 s;"));
    };
    CHECK(said("u64", "x") == "accepted");
    CHECK(said("b32", "s") == "accepted");
    CHECK(said("u32", "x") == "the address of `x` does not fit `.u32`");
    CHECK(said("f64", "x") == "the address of `x` does not fit `.f64`");
    CHECK(said("f32", "s") == "the address of `s` does not fit `.f32`");
}

TEST_CASE("a register that is never written is missed once") {
    CHECK(errors(one("st.weak.global.u32 [x], r0;\nst.weak.global.u32 [x], r0;\nst.weak.global.u32 [x], r1;")) == 2);
}

TEST_CASE("cache hints are accepted and left out") {
    const Test test = parse(
        one("ld.global.L2::cache_hint.u32 r0, [x], pol;\nst.global.wt.u32 [x], r0;\nld.global.L1::no_allocate.L2::128B.u32 r0, [x];"));
    CHECK(print(test.threads[0].body[0]) == "ld.global.u32 r0, [x]");
    CHECK(print(test.threads[0].body[1]) == "st.global.u32 [x], r0");
    CHECK(refusal(one("ld.global.u32 r0, [x], pol;")) == "a cache policy needs the qualifier `.L2::cache_hint` (ISA 9.7.9.8)");
}

TEST_CASE("a load may be wider than the elements, a store may not") {  // what else writes them: tests/event/static_rules_test.cpp
    const std::string declarations = ".global .u32 s[2];";
    CHECK(refusal(one("st.weak.global.v2.u32 [s], {1, 2};\nld.weak.global.u64 r0, [s];", declarations)) == "accepted");
    CHECK(refusal(one("st.weak.global.v2.u32 [s], {1, 2};\nst.weak.global.u64 [s], 3;", declarations)).find("partial overlap") !=
          std::string::npos);
}

TEST_CASE("recovery: independent errors are all reported, up to 20") {
    CHECK(errors(one("lod.u32 r0, [x];\nst.weak.global.u32 [x], ;\nld.weak.global r1, [x];")) == 3);
    CHECK(errors(one("st.weak.global.v2.u32 [x], {1, 2, 3};\nlod.u32 r0, [x];")) == 2);
    CHECK(errors("test \"t\"\n.globl .u32 x;\n.global .u33 y;\nthread P0 @ cta0 {\n ld.weak.u32 r0, [x];\n lod r0;\n}\nexists (P0:r0 == 1 "
                 "/\\ x == y)\n") == 3);
    std::string many;
    for (int i = 0; i < 100; ++i) many += "lod r0;\n";
    CHECK(errors(one(many)) == 21);  // and a note of how many more there are
}

TEST_CASE("sizes are bounded") {
    std::string threads = "test \"t\"\n";
    for (int i = 0; i < 257; ++i) threads += "thread P" + std::to_string(i) + " @ cta0 { }\n";
    CHECK(refusal(threads) == "more than 256 threads");
    std::string body;
    for (int i = 0; i < 4097; ++i) body += "fence.sc.gpu;\n";
    CHECK(refusal(one(body)) == "more than 4096 instructions");
    CHECK(refusal(std::string(2 << 20, ' ')) == "the file is larger than 1 MiB");
    CHECK(refusal(one("", "", "exists (" + std::string(100000, '(') + "true")) == "the condition is nested more than 100 deep");
    CHECK(refusal("test \"t\"\n" + std::string(900000, '\n') + "x") != "accepted");
}

TEST_CASE("print writes the ISA's order and reads back") {
    const Test test = parse(one("@p bra END;\nsetp.ne.s32 p, r0, -1;\nld.global.u32.gpu.acquire r0, [x];\nfence.gpu.sc;\nEND:",
                                ".global .u32 x = 1;\n.global .u32 a[2] = {1, 2};", "~exists (P0:r0 == 1 && !(x == 2 || a[1] != 3))"));
    CHECK(print(test) ==
          "test \"t\"\n\n.global .u32 x = 1;\n.global .u32 a[2] = {1, 2};\n\nthread P0 @ cta0 {\n  @p bra END;\n  setp.ne.s32 p, r0, -1;\n"
          "  ld.acquire.gpu.global.u32 r0, [x];\n  fence.sc.gpu;\nEND:\n}\n\n~exists (P0:r0 == 1 /\\ ~(x == 2 \\/ a[1] != 3))\n");
}

TEST_CASE("line ends and byte order marks do not matter") {
    CHECK(refusal("\xef\xbb\xbftest \"t\"\r\n.global .u32 x = 0;\r\nthread P0 @ cta0 {\r\n  ld.weak.global.u32 r0, [x];\r\n}\r\nexists "
                  "(P0:r0 == 1)\r\n") == "accepted");
}
