// The static rules (language/static_rules.h): each once with the operand as it is written, which the reader refuses, and once
// with the same operand through `mov`, which the builder refuses with the same words at the same place.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "event/program.h"
#include "language/syntax/native/dsl.h"

using namespace litmus;

namespace {

// cta0 and cta1 are a cluster, cta2 is alone.
const std::string declarations = R"(
.global .u32 x = 0;
.global .u32 surf alias surface x;
.global .u32 g[16];
.global .u64 w[8];
.global .u32 wn[5];
.shared .u32 s[16];
.shared.cta0 .u32 own[16];
.shared.cta0 .u64 more[8];
.shared.cta1 .u32 peer[32];
.shared.cta1 .u64 wide[8];
.shared.cta2 .u32 far[16];
.shared .mbarrier bar;
.shared.cta1 .mbarrier theirs;
.shared.cta2 .mbarrier out;
.shared.cta0 .mbarrier mine;
)";

std::string program(const std::string& body) {
    return "test \"t\"\n" + declarations + "thread P0 @ cta0 {\n" + body + "\n}\nthread P1 @ cta1 { }\nthread P2 @ cluster1.cta2 { }\n";
}

// What is said first, and where; nothing when the test is accepted.
struct Refused {
    bool read = false;  // by the reader of the text
    std::string message;
    uint32_t begin = 0;
};

Refused refusal(const std::string& text) {
    Refused said;
    try {
        const Test test = parse_dsl(make_source("t.litmus", text));
        said.read = true;
        build_program(test, {});
    } catch (const Failure& failure) {
        const Diagnostic& first = failure.diagnostics().at(0);
        return {!said.read, first.message, first.span.begin};
    }
    return {};
}

struct Rule {
    std::string instruction;  // with $ in the place of the operand
    std::string literal;      // an address without its brackets, or a number
    std::string message;      // its beginning
};

std::string filled(const std::string& instruction, const std::string& operand) {
    std::string text = instruction;
    return text.replace(text.find('$'), 1, operand);
}

const std::string copy_in = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes ";
const std::string copy_on = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes ";
const std::string multicast = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster ";
const std::string reduce_in = "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 ";
const std::string copy_out = "cp.async.bulk.global.shared::cta.bulk_group ";
const std::string red_async = "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 ";
const std::string st_async = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes";

const std::vector<Rule> address_rules = {
    // accesses
    {"st.weak.u64 [$], 1;", "bar", "`bar` is an mbarrier object; only mbarrier instructions use it"},
    {"ld.weak.u32 r0, [$];", "surf", "`surf` is a surface address"},
    {"suld.weak.u32 r0, [$];", "x", "`x` is no surface address"},
    {"st.weak.global.u32 [$], 1;", "s", "`s` lies in shared memory, and the instruction says `.global`"},
    {"ld.weak.global.u32 r0, [$];", "s", "`s` lies in shared memory, and the instruction says `.global`"},
    {"st.weak.shared::cta.u32 [$], 1;", "x", "`x` lies in global memory, and the instruction says `.shared::cta`"},
    {"atom.relaxed.gpu.shared::cluster.add.u32 r0, [$], 1;", "x", "`x` lies in global memory, and the instruction says `.shared::cluster`"},
    {"ld.mmio.relaxed.sys.u32 r0, [$];", "s", "`s` lies in shared memory, and this form reaches global memory only"},
    {"ld.weak.shared::cta.u32 r0, [$];", "peer", "`peer` lies in the shared memory of cta1, and `.shared::cta` reaches that of cta0 only"},
    {"ld.weak.shared.u32 r0, [$];", "s@cta1", "`s` lies in the shared memory of cta1, and `.shared` reaches that of cta0 only"},
    {"ld.weak.u32 r0, [$];", "far", "`far` lies in the shared memory of cta2, which is not in the cluster"},
    {"red.relaxed.gpu.add.u32 [$], 1;", "far", "`far` lies in the shared memory of cta2, which is not in the cluster"},
    {"ld.weak.u16 r0, [$];", "x", "a `.u16` access to `x`, whose elements are `.u32`: partial overlaps"},
    {"ld.weak.u64 r0, [$];", "x", "a `.u64` access to `x`, whose elements are `.u32`: partial overlaps"},
    {"st.weak.u64 [$], 1;", "g", "a `.u64` access to `g`, whose elements are `.u32`: partial overlaps"},
    {"ld.weak.u16 r0, [$];", "g", "a `.u16` access to `g`, whose elements are `.u32`: partial overlaps"},
    {"ld.weak.v2.u64 {r0, r1}, [$];", "g", "a `.u64` access to `g`, whose elements are `.u32`: partial overlaps"},
    {"atom.relaxed.gpu.add.u64 r0, [$], 1;", "g", "a `.u64` access to `g`, whose elements are `.u32`: partial overlaps"},
    {"ld.weak.u32 r0, [$];", "g+2", "offset 2 is not at an element of `g`"},
    {"ld.weak.u32 r0, [$];", "g+64", "the access ends outside `g`, which has 64 bytes"},
    {"ld.weak.u32 r0, [$];", "g-4", "the access ends outside `g`, which has 64 bytes"},
    {"st.weak.v2.u32 [$], {1, 2};", "g+4", "an access of 8 bytes is aligned to its size"},
    {"ld.weak.u64 r0, [$];", "g+4", "an access of 8 bytes is aligned to its size"},
    {"st.weak.v4.u32 [$], {1, 2, 3, 4};", "g+56", "the access ends outside `g`"},
    {"st.weak.v2.u32 [$], {1, 2};", "x", "the access ends outside `x`"},

    // mbarrier objects
    {"mbarrier.init.shared::cta.b64 [$], 1;", "s", "`s` is no mbarrier object"},
    {"mbarrier.arrive.b64 _, [$];", "x", "`x` is no mbarrier object"},
    {"mbarrier.arrive.shared::cta.b64 _, [$];", "bar+4", "there is no mbarrier object at byte 4 of `bar`"},
    {"mbarrier.arrive.shared::cta.b64 _, [$];", "bar+8", "there is no mbarrier object at byte 8 of `bar`"},
    {"await mbarrier.try_wait.parity.b64 [$], 0;", "theirs",
     "`theirs` lies in the shared memory of cta1: only the threads of that CTA wait"},
    {"mbarrier.test_wait.parity.b64 p, [$], 0;", "bar@cta1", "`bar` lies in the shared memory of cta1: only the threads of that CTA wait"},
    {"mbarrier.init.b64 [$], 1;", "theirs", "`theirs` lies in the shared memory of cta1: `mbarrier.init` is for the threads of that CTA"},
    {"mbarrier.inval.b64 [$];", "theirs", "`theirs` lies in the shared memory of cta1: `mbarrier.inval` is for the threads of that CTA"},
    {"cp.async.mbarrier.arrive.noinc.b64 [$];", "theirs",
     "`theirs` lies in the shared memory of cta1: `cp.async.mbarrier.arrive` is for the threads of that CTA"},
    {"mbarrier.arrive.noComplete.b64 r0, [$], 1;", "theirs",
     "`theirs` lies in the shared memory of cta1: `mbarrier.arrive.noComplete` is for the threads of that CTA"},
    {"mbarrier.arrive.shared::cta.b64 _, [$];", "theirs", "`theirs` lies in the shared memory of cta1, and `.shared::cta` reaches"},
    {"mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [$], 4;", "out", "`out` lies in the shared memory of cta2, which is not in"},

    // red.async, st.async
    {red_async + "[peer], 1, [$];", "bar", "`peer` lies in cta1 and `bar` in cta0: both must lie in one CTA"},
    {red_async + "[$], 1, [bar];", "own", "`own` lies in the executing CTA, cta0: `red.async` reduces in another one"},
    {red_async + "[$], 1, [theirs];", "x", "`x` lies in global memory, and this form reaches shared memory only"},
    {red_async + "[$], 1, [theirs];", "far", "`far` lies in the shared memory of cta2, which is not in the cluster"},
    {red_async + "[peer], 1, [$];", "peer", "`peer` is no mbarrier object"},
    {"red.async.release.gpu.global.add.u32 [$], 1;", "peer", "`peer` lies in shared memory, and this form reaches global memory only"},
    {st_async + ".u32 [$], 1, [theirs];", "s", "`s` lies in cta0 and `theirs` in cta1: both must lie in one CTA"},
    {st_async + ".v2.u32 [$], {1, 2}, [theirs];", "peer+4", "an access of 8 bytes is aligned to its size"},

    // copies
    {copy_in + "[$], [g], 16, [bar];", "bar", "`bar` is an mbarrier object; only mbarrier instructions use it"},
    {copy_in + "[s], [$], 16, [bar];", "surf", "`surf` is a surface address, which `cp.async.bulk` does not access"},
    {copy_in + "[$], [g], 16, [bar];", "wn", "`wn` lies in global memory, and the destination is said to be in `.shared::cta`"},
    {copy_in + "[s], [$], 16, [bar];", "own", "`own` lies in shared memory, and the source is said to be in `.global`"},
    {copy_in + "[$], [g], 16, [bar];", "peer", "`peer` lies in cta1, and the destination in `.shared::cta` is memory of the executing CTA"},
    {copy_on + "[peer], [$], 16, [theirs];", "s@cta1", "`s` lies in cta1, and the source in `.shared::cta` is memory of the executing CTA"},
    {copy_on + "[$], [s], 16, [theirs];", "far", "`far` lies in the shared memory of cta2, which is not in the cluster"},
    {copy_on + "[$], [s], 16, [bar];", "own", "`own` lies in the executing CTA: a copy from `.shared::cta` to `.shared::cluster`"},
    {copy_in + "[$], [g], 16, [bar];", "s+8", "byte 8 of `s` is not aligned to 16 bytes"},
    {copy_out + "[$], [s], 16;", "g+4", "byte 4 of `g` is not aligned to 16 bytes"},
    {copy_out + "[$], [s], 32;", "g+48", "32 bytes from byte 48 end outside `g`, which has 64"},
    {copy_out + "[$], [s], 32;", "g-16", "32 bytes from byte -16 end outside `g`, which has 64"},
    {copy_out + "[$], [s], 32;", "w", "`w` has elements of 64 bits and `s` of 32: partial overlaps"},
    {reduce_in + "[$], [s], 16, [theirs];", "wide", "a `.u32` reduction of `wide`, whose elements are `.u64`: partial overlaps"},
    {copy_in + "[s], [g], 16, [$];", "own", "`own` is no mbarrier object"},
    {"cp.async.ca.shared::cta.global [$], [g], 8;", "s+4", "byte 4 of `s` is not aligned to 8 bytes"},
    {"cp.async.ca.shared::cta.global [s], [$], 16;", "wn+16", "16 bytes from byte 16 end outside `wn`, which has 20"},
    {"mov.u64 b, w;\ncp.async.ca.shared::cta.global [$], [b], 4;", "more", "4 bytes are no whole elements of `more`"},
    {"cp.async.ca.shared::cta.global [s], [$], 8;", "w", "`s` has elements of 32 bits and `w` of 64: partial overlaps"},
    {"cp.async.ca.shared::cta.global [$], [g], 8;", "peer", "`peer` lies in cta1, and the destination in `.shared::cta` is memory"},
};

const std::vector<Rule> number_rules = {
    {"bar.sync $;", "16", "the number of a barrier is at most 15"},
    {"bar.arrive $, 64;", "16", "the number of a barrier is at most 15"},
    {"bar.sync 0, $;", "0", "a thread count is a positive multiple of 32"},
    {"bar.sync 0, $;", "33", "a thread count is a positive multiple of 32"},
    {"bar.arrive 0, $;", "1056", "a CTA has at most 1024 threads"},
    {"setp.eq.u32 p, 0, 0;\nbar.red.popc.u32 r0, $, p;", "16", "the number of a barrier is at most 15"},
    {"setp.eq.u32 p, 0, 0;\nbar.red.popc.u32 r0, 0, $, p;", "40", "a thread count is a positive multiple of 32"},
    {"bar.warp.sync $;", "2", "the mask leaves out lane 0, which executes this"},
    {"redux.sync.add.u32 r0, 1, $;", "2", "the mask leaves out lane 0, which executes this"},

    {"mbarrier.init.shared::cta.b64 [bar], $;", "0", "the number of expected arrivals is from 1 to 1048575"},
    {"mbarrier.init.shared::cta.b64 [bar], $;", "1048576", "the number of expected arrivals is from 1 to 1048575"},
    {"mbarrier.arrive.shared::cta.b64 _, [bar], $;", "0", "the number of arrivals is from 1 to 1048575"},
    {"mbarrier.arrive_drop.shared::cta.b64 _, [bar], $;", "1048576", "the number of arrivals is from 1 to 1048575"},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], $;", "1048576", "a tx-count is at most 1048575"},
    {"mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], $;", "1048576", "a tx-count is at most 1048575"},
    {"await mbarrier.try_wait.parity.shared::cta.b64 [bar], $;", "2", "the parity of a phase is 0 or 1"},
    {"mbarrier.test_wait.shared::cta.b64 p, [bar], $;", "0", "a state is what `mbarrier.arrive` returned, not a number"},
    {"mbarrier.pending_count.b64 r0, $;", "7", "a state is what `mbarrier.arrive.noComplete` returned, not a number"},

    {copy_in + "[s], [g], $, [bar];", "0", "a bulk operation of no bytes is not modelled"},
    {copy_in + "[s], [g], $, [bar];", "8", "the size of a bulk operation is a multiple of 16"},
    {reduce_in + "[peer], [s], $, [theirs];", "20", "the size of a bulk operation is a multiple of 16"},
    {multicast + "[s], [g], 16, [bar], $;", "0", "a multicast mask is not 0"},
    {multicast + "[s], [g], 16, [bar], $;", "4", "bit 2 of the multicast mask names no CTA: the cluster has 2"},
    {multicast + "[more], [w], 16, [bar], $;", "3",
     "the multicast goes to byte 144 of the shared memory of cta1 too, where `peer` has other elements"},
    {multicast + "[wide], [w], 16, [theirs], $;", "1",
     "the multicast goes to byte 208 of the shared memory of cta0 too, where there is no array like `wide`"},
    {multicast + "[s], [g], 16, [theirs], $;", "1",
     "the multicast goes to byte 272 of the shared memory of cta0 too, where there is no mbarrier object like `theirs`"},
    {multicast + "[s], [g], 16, [mine], $;", "2",
     "the multicast goes to byte 208 of the shared memory of cta1 too, where there is no mbarrier object like `mine`"},
    {"cp.async.ca.shared::cta.global [s], [g], 8, $;", "12", "the size of the source is at most that of the copy, 8"},
    {"cp.async.ca.shared::cta.global [s], [g], 8, $;", "2", "2 bytes are no whole elements of `g`"},
};

// The operand refused: by name or number, and through a register by these instructions.
void check_rule(const Rule& rule, const std::string& mov, const std::string& reg) {
    const std::string literal = program(filled(rule.instruction, rule.literal));
    const Refused written = refusal(literal);
    CHECK_MESSAGE(written.read, rule.instruction, " with ", rule.literal);
    CHECK_MESSAGE(written.message.substr(0, rule.message.size()) == rule.message, rule.instruction, " with ", rule.literal, ": ",
                  written.message);
    const std::string moved = program(mov + "\n" + filled(rule.instruction, reg));
    const Refused built = refusal(moved);
    CHECK_MESSAGE(!built.read, rule.instruction, " with ", rule.literal);
    CHECK_MESSAGE(built.message == written.message, rule.instruction, " with ", rule.literal, ": ", built.message);
    // at the same operand of the same instruction, which stands further down by what comes before it
    CHECK_MESSAGE(built.begin == written.begin + mov.size() + 1, rule.instruction, " with ", rule.literal);
}

}  // namespace

TEST_CASE("a rule of an address holds for a name and for a register") {
    for (const Rule& rule : address_rules) {
        check_rule(rule, "mov.u64 a, " + rule.literal + ";", "a");
        // half by arithmetic: a base in a register and an offset in the instruction
        const size_t sign = rule.literal.find_first_of("+-");
        if (sign == std::string::npos) continue;
        const std::string base = "mov.u64 a, " + rule.literal.substr(0, sign) + ";\nadd.u64 a, a, 8;\nsub.u64 a, a, 8;";
        check_rule(rule, base, "a" + rule.literal.substr(sign));
    }
}

TEST_CASE("a rule of a number holds for a literal and for a register") {
    for (const Rule& rule : number_rules) {
        check_rule(rule, "mov.b64 n, " + rule.literal + ";", "n");
        check_rule(rule, "mov.b32 m, 20;\nadd.u32 n, m, " + rule.literal + ";\nsub.u32 n, n, m;", "n");
    }
}

TEST_CASE("a coordinate in a register is held against the rules, too") {
    const auto error = [](const std::string& row) -> std::string {
        const Test test = parse_dsl(make_source("t.litmus",
                                                "test \"t\"\n.global .u32 g[16] = 0;\n.shared.cta0 .u32 s[8] = 0;\n"
                                                ".tensormap tm = g, dim 4, 4, box 4, 2;\nthread P0 @ cta0 {\n  mov.u32 row, " +
                                                    row +
                                                    ";\n  cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [tm, {0, row}], [s];\n"
                                                    "}\nexists (g[0] == 1)\n"));
        try {
            build_program(test, {});
        } catch (const Failure& failure) {
            return failure.diagnostics().at(0).message;
        }
        return "accepted";
    };
    CHECK(error("-1") == "a copy to global memory has no negative coordinate (ISA 9.7.9.27.1.1)");
    CHECK(error("3") == "accepted");
}

TEST_CASE("a rule that a register breaks says what the register holds") {
    const auto hint = [](const std::string& body) {
        try {
            const Test test = parse_dsl(make_source("t.litmus", program(body)));
            build_program(test, {});
        } catch (const Failure& failure) {
            return failure.diagnostics().at(0).hint;
        }
        return std::string("accepted");
    };
    CHECK(hint("mov.u32 n, 0; mbarrier.init.shared::cta.b64 [bar], n;") == "`n` holds 0 here");
    CHECK(hint("mov.u64 a, g+8; st.weak.shared::cta.u32 [a-4], 1;") == "write `.global`; `a` holds the address g+8 here");
    // of several registers the one that breaks it; of a number, which stands there, nothing
    CHECK(hint("mov.u64 a, bar; mov.u32 n, 0; mbarrier.init.shared::cta.b64 [a], n;") == "`n` holds 0 here");
    CHECK(hint("mov.u64 a, more; " + multicast + "[a], [w], 16, [bar], 3;") ==
          "declare it without a CTA, `.shared .u64 more[8];`, for one instance in each");
}

TEST_CASE("an operand that breaks several rules is refused once") {
    const auto refused = [](const std::string& body) {
        try {
            parse_dsl(make_source("t.litmus", program(body)));
        } catch (const Failure& failure) {
            return failure.diagnostics().size();
        }
        return size_t{0};
    };
    CHECK(refused("mbarrier.arrive.shared::cta.b64 r0, [theirs];") == 1);
    CHECK(refused("mbarrier.arrive.noComplete.b64 r0, [theirs], 1;") == 1);
    CHECK(refused("cp.async.ca.shared::cta.global [s], [own+4], 8;") == 1);
    CHECK(refused(multicast + "[s-16], [g], 16, [bar], 3;") == 1);
    CHECK(refused("mov.u64 a, s;\n" + multicast + "[a], [g], 16, [bar], 3;") == 0);  // where it goes the text does not say
}

TEST_CASE("what the rules allow is allowed in a register") {
    const auto accepted = [](const std::string& body) { return refusal(program(body)).message; };
    CHECK(accepted("mov.u64 a, s; st.weak.shared::cta.u32 [a+8], 1; st.weak.shared::cta.v2.u32 [a+16], {1, 2};") == "");
    CHECK(accepted("mov.u64 a, peer; ld.weak.shared::cluster.u32 r0, [a]; ld.weak.shared::cluster.u32 r1, [a+4];") == "");
    CHECK(accepted("mov.u64 a, bar; mov.u32 n, 3; mbarrier.init.shared::cta.b64 [a], n; mbarrier.arrive.shared::cta.b64 _, [a], n;") == "");
    CHECK(accepted("mov.u64 a, s; mov.u64 b, g; mov.u64 c, bar; mov.u32 n, 32; " + copy_in + "[a], [b], n, [c];") == "");
    CHECK(accepted("mov.u32 k, 3; bar.arrive k, 64;") == "");
    CHECK(accepted("setp.eq.u32 p, 0, 0; bar.red.popc.u32 r0, 0, p;") == "");
    CHECK(accepted("mov.u64 a, bar; mbarrier.arrive.shared::cta.b64 r0, [a]; mbarrier.test_wait.b64 p, [bar], r0;") == "");
    CHECK(refusal("test \"t\"\n.shared .mbarrier bar = 1;\nthread P0 @ cta1 { mov.u64 a, bar; mbarrier.arrive.shared::cta.b64 r0, [a]; }\n")
              .message == "");
}

TEST_CASE("what mov gives of a shared location is no generic address") {
    const auto said = [](const std::string& body) { return refusal(program(body)).message; };
    const std::string window =
        "`a` holds an address in the window of shared memory; without a state space it is read as generic (ISA 6.4.1.1, 9.7.9.3)";
    CHECK(said("mov.u64 a, s; ld.weak.u32 r0, [a];") == window);
    CHECK(said("mov.u64 a, s; atom.add.u32 r0, [a+4], 1;") == window);
    CHECK(said("mov.u64 a, bar; mbarrier.arrive.b64 r0, [a];") == window);
    CHECK(said("mov.u64 a, theirs; mbarrier.arrive.b64 r0, [a];") == window);  // before that it returns no state
    CHECK(said("mbarrier.arrive.b64 r0, [theirs];") == "an arrival at an object of cta1 returns no state to cta0 (ISA 9.7.13.15.13)");
    CHECK(said("mbarrier.arrive_drop.b64 r0, [theirs];") == "an arrival at an object of cta1 returns no state to cta0 (ISA 9.7.13.15.14)");
    CHECK(said("mov.u64 a, g; ld.weak.u32 r0, [a]; ld.weak.u32 r1, [s];") == "");  // a window of global memory there is not
}

TEST_CASE("an instruction that is never executed breaks no rule, one that may be does") {
    const std::string access = "mov.u64 a, s;\n@p st.weak.global.u32 [a], 1;";
    CHECK(refusal(program("setp.eq.u32 p, 0, 1;\n" + access)).message == "");
    CHECK(refusal(program("ld.weak.u32 r0, [x];\nsetp.eq.u32 p, r0, 1;\n" + access)).message ==
          "`s` lies in shared memory, and the instruction says `.global`");
}

TEST_CASE("a wide load reads what vectors write, by name, by an address in a register, by an alias") {
    const std::string head = "test \"t\"\n.global .u32 s[4];\n.global .u32 a[4] alias s;\nthread P1 @ cta1 {\n";
    const auto said = [&](const std::string& store, const std::string& load) {
        return refusal(head + store + "\n}\nthread P0 @ cta0 {\n" + load + "\n}\n").message;
    };
    const std::vector<std::string> loads = {"ld.weak.global.u64 r0, [s+8];", "mov.u64 r1, s;\nld.weak.global.u64 r0, [r1+8];",
                                            "ld.weak.global.u64 r0, [a+8];", "mov.u64 r1, a+8;\nld.weak.u64 r0, [r1];"};
    const std::vector<std::string> vectors = {
        "st.weak.global.v2.u32 [s+8], {1, 2};", "mov.u64 r1, s;\nst.weak.global.v4.u32 [r1], {1, 2, 3, 4};",
        "st.weak.global.v2.u32 [a+8], {1, 2};", "st.weak.global.u32 [s], 1;"};  // what the load does not read
    const std::vector<std::string> scalars = {"st.weak.global.u32 [s+8], 1;", "mov.u64 r1, s;\nst.weak.global.u32 [r1+12], 1;",
                                              "mov.u64 r1, a;\nadd.u64 r1, r1, 12;\natom.relaxed.gpu.add.u32 r0, [r1], 1;",
                                              "ld.weak.u32 r0, [s];\nsetp.eq.u32 p, r0, 1;\n@p st.weak.global.u32 [a+8], 1;"};
    for (const std::string& load : loads) {
        for (const std::string& store : vectors) CHECK_MESSAGE(said(store, load) == "", store, " and ", load);
        for (const std::string& store : scalars)
            CHECK_MESSAGE(said(store, load).find("partial overlaps are outside the memory model") != std::string::npos, store, " and ",
                          load);
    }
}

TEST_CASE("a wide load reads what packed operations write") {
    const auto said = [](const std::string& write) {
        return refusal("test \"t\"\n.global .f16 h[4];\nthread P0 @ cta0 { ld.weak.global.b32 r0, [h]; }\nthread P1 @ cta1 { " + write +
                       " }\n")
            .message;
    };
    CHECK(said("mov.b32 r0, 0; red.relaxed.gpu.global.add.noftz.f16x2 [h], r0;") == "");
    CHECK(said("st.weak.global.b16 [h], 0;").find("partial overlaps are outside the memory model") != std::string::npos);
}

TEST_CASE("a loop's counter is known: the iteration that leaves the array is refused") {
    const auto loop = [](const std::string& limit) {
        return program(
            "mov.u64 a, g;\nmov.u32 i, 0;\nL: st.weak.global.u32 [a+56], i;\nadd.u64 a, a, 4;\nadd.u32 i, i, 1;\nsetp.lt.u32 p, i, " +
            limit + ";\n@p bra L;");
    };
    CHECK(refusal(loop("2")).message == "");
    CHECK(refusal(loop("3")).message == "the access ends outside `g`, which has 64 bytes");
}
