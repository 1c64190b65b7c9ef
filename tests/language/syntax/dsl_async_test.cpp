// Asynchronous operations, mbarrier objects and redux.sync, as parsed and as printed; kernels as they are pasted.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>

#include "base/source.h"
#include "language/syntax/foreign/convert.h"
#include "language/syntax/native/dsl.h"
#include "language/syntax/native/print.h"
#include "language/syntax/refusal.h"
#include "ptx/table.h"

using namespace litmus;

namespace {

// Two CTAs with data and an mbarrier object each; `body` is that of thread P0 in cta0.
std::string two_ctas(const std::string& body, const std::string& head = "") {
    return "test \"t\"\n" + head +
           ".global .u32 g[8] = 0;\n.global .f32 f = 0;\n.shared.cta0 .u32 s[8] = 0;\n.shared.cta1 .u32 t[8] = 0;\n"
           ".shared.cta0 .mbarrier bar[2] = 1;\n.shared.cta1 .mbarrier far = 1;\n.shared .u32 each[4] = 0;\n.shared .mbarrier own;\n"
           "thread P0 @ cta0 {\n" +
           body + "\n}\nthread P1 @ cta1 { }\n";
}

// The one instruction of P0 as it is printed, after it was read back.
std::string printed(const std::string& instruction, const std::string& head = "") {
    const std::string text = two_ctas(instruction, head);
    if (const std::string said = refusal(text); said != "accepted") return said;
    const Test test = parse_dsl(make_source("t", text));
    CHECK(parse_dsl(make_source("again", print(test))) == test);
    return print(test.threads[0].body.back());
}

const std::string tx = "mbarrier::complete_tx::bytes";

}  // namespace

TEST_CASE("qualifiers are printed in the order of the ISA") {
    CHECK(printed("red.async.cluster.add.relaxed." + tx + ".shared::cluster.u32 [t], 1, [far];") ==
          "red.async.relaxed.cluster.shared::cluster." + tx + ".add.u32 [t], 1, [far]");
    CHECK(printed("st.async." + tx + ".shared::cluster.u32.v2.weak [t+8], {1, 2}, [far];") ==
          "st.async.weak.shared::cluster." + tx + ".v2.u32 [t+8], {1, 2}, [far]");
    CHECK(printed("mbarrier.arrive.expect_tx.shared::cta.release.cluster.b64 _, [bar[1]], 16;") ==
          "mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [bar+8], 16");
    CHECK(printed("cp.reduce.async.bulk.global.shared::cta.bulk_group.u32.add [g], [s], 16;") ==
          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 16");
    CHECK(printed("mov.u32 a, 1; redux.sync.s32.min d, a, 0xffffffff;") == "redux.sync.min.s32 d, a, 4294967295");
}

TEST_CASE("operands: offsets, instances, registers, vectors, floats") {
    CHECK(printed("cp.async.bulk.shared::cluster.shared::cta." + tx + " [each@cta1], [s[4]], 16, [own@cta1];") ==
          "cp.async.bulk.shared::cluster.shared::cta." + tx + " [each@cta1], [s+16], 16, [own@cta1]");
    CHECK(printed("mov.u32 r, s; mov.u32 n, 16; mov.u32 m, bar; cp.async.bulk.shared::cta.global." + tx + " [r+16], [g], n, [m];") ==
          "cp.async.bulk.shared::cta.global." + tx + " [r+16], [g], n, [m]");
    CHECK(printed("cp.async.bulk.shared::cluster.global." + tx + ".multicast::cluster [each], [g], 16, [own], 3;") ==
          "cp.async.bulk.shared::cluster.global." + tx + ".multicast::cluster [each], [g], 16, [own], 3");
    CHECK(printed("red.global.add.f32 [f], 1.5;") == "red.global.add.f32 [f], 0f3fc00000");
    CHECK(printed("red.global.add.f32 [f], 0f00000001;") == "red.global.add.f32 [f], 0f00000001");
}

TEST_CASE("cache hints and policies are left out, and the operand before the policy stays") {
    CHECK(printed("cp.async.ca.shared.global.L2::cache_hint [s], [g], 8, policy;") == "cp.async.ca.shared.global [s], [g], 8");
    CHECK(printed("cp.async.ca.shared.global.L2::cache_hint [s], [g], 8, 4, policy;") == "cp.async.ca.shared.global [s], [g], 8, 4");
    CHECK(printed("cp.async.bulk.shared::cluster.global." + tx + ".multicast::cluster.L2::cache_hint [each], [g], 16, [own], 3, policy;") ==
          "cp.async.bulk.shared::cluster.global." + tx + ".multicast::cluster [each], [g], 16, [own], 3");
}

TEST_CASE("waits: with a predicate, or awaited without one") {
    CHECK(printed("mbarrier.try_wait.parity.shared::cta.b64 p, [bar], 0, 1000;") ==
          "mbarrier.try_wait.parity.shared::cta.b64 p, [bar], 0, 1000");
    CHECK(printed("await mbarrier.try_wait.parity.shared::cta.b64 [bar], 1, 1000;") ==
          "await mbarrier.try_wait.parity.shared::cta.b64 [bar], 1, 1000");
    CHECK(printed("mbarrier.arrive.shared::cta.b64 r, [bar]; await mbarrier.test_wait.shared::cta.b64 [bar], r;") ==
          "await mbarrier.test_wait.shared::cta.b64 [bar], r");
    const Test test = parse_dsl(make_source("t", two_ctas("await mbarrier.try_wait.parity.b64 [bar], 0;")));
    CHECK(test.threads[0].body[0].await);
    CHECK(test.threads[0].body[0].operands.size() == 2);
    CHECK_FALSE(written_type(test.threads[0].body[0]));
}

TEST_CASE("a register written by an arrival holds a state, one written by a wait a predicate") {
    CHECK(refusal(two_ctas("mbarrier.arrive.shared::cta.b64 r, [bar]; @r exit;")) ==
          "register `r` is used both as a predicate and as a value");
    CHECK(refusal(two_ctas("mbarrier.test_wait.parity.shared::cta.b64 r, [bar], 0; mov.u32 q, r;")) ==
          "register `r` is used both as a predicate and as a value");
    CHECK(refusal(two_ctas("mbarrier.test_wait.parity.shared::cta.b64 p, [bar], 0; @p exit;")) == "accepted");
}

TEST_CASE("the order of the state spaces is the direction of a copy") {
    CHECK(refusal(two_ctas("cp.async.bulk.global.shared::cta." + tx + " [s], [g], 16, [bar];")).find("no form") == 0);
    CHECK(refusal(two_ctas("cp.async.bulk." + tx + ".shared::cta.global [s], [g], 16, [bar];")) == "accepted");
}

TEST_CASE("targets: those of one architecture have what it has alone") {
    const std::string redux = "mov.f32 a, 1.0; redux.sync.min.f32 d, a, 1;";
    CHECK(refusal(two_ctas(redux)) == "accepted");
    CHECK(refusal(two_ctas(redux, "target sm_100a\n")) == "accepted");
    CHECK(refusal(two_ctas(redux, "target sm_103a\n")) == "accepted");
    CHECK(refusal(two_ctas(redux, "target sm_100\n")) == "`redux.sync.min.f32` needs sm_100a, and the target is sm_100");
    CHECK(refusal(two_ctas(redux, "target sm_120a\n")) == "`redux.sync.min.f32` needs sm_100a, and the target is sm_120a");
    CHECK(refusal(two_ctas(redux, "target sm_90a\n")) == "`redux.sync.min.f32` needs sm_100a, and the target is sm_90a");
    CHECK(refusal(two_ctas("", "target sm_80a\n")) == "unknown target `sm_80a`");
    CHECK(refusal(two_ctas("", "target sm_a\n")) == "unknown target `sm_a`");
    const Test test = parse_dsl(make_source("t", two_ctas("", "target sm_100a\n")));
    CHECK(print(test).find("\ntarget sm_100a\n") != std::string::npos);
    Test other = test;
    other.target_specific = false;
    CHECK_FALSE(test == other);
    const std::string plain = "test \"t\"\ntarget sm_100a\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\n";
    CHECK_THROWS_AS(to_column(parse_dsl(make_source("t", plain))), Failure);
}

TEST_CASE("legal places: what the rules leave alone") {
    for (const std::string& body : {
             "cp.reduce.async.bulk.shared::cluster.shared::cta." + tx + ".add.u32 [s], [s+16], 16, [bar];",  // into the own CTA
             "st.async.weak.shared::cluster." + tx + ".u32 [s], 1, [bar];",                                  // the own CTA of two
             std::string("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];"),
             std::string("mbarrier.arrive.release.cluster.b64 _, [far];"),
             std::string("mbarrier.init.shared::cta.b64 [own], 1048575;"),
             std::string("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [far], 1048575;"),
             std::string("mbarrier.complete_tx.b64 [bar], 0;"),
             std::string("cp.async.ca.shared.global [s+28], [g+4], 4, 0;"),
             std::string("cp.async.bulk.wait_group.read 7;"),
             std::string("cp.async.bulk.shared::cta.global." + tx + " [s], [g], 32, [bar];"),
         })
        CHECK_MESSAGE(refusal(two_ctas(body)) == "accepted", body);
}

TEST_CASE("the foreign formats refuse what they cannot say, by name") {
    for (const auto& [body, named] : std::map<std::string, std::string>{
             {"cp.async.bulk.commit_group;", "`cp.async.bulk.commit_group`"},
             {"cp.async.wait_all;", "`cp.async.wait_all`"},
             {"fence.proxy.async;", "`.async`"},
             {"redux.sync.add.u32 r1, 1, 1;", "`redux.sync`"},
             {"red.async.release.gpu.global.add.u32 [x], 1;", "`red.async`"},
             {"fence.mbarrier_init.release.cluster;", "scope .cluster"},
         }) {
        const std::string text = "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 { " + body + " }\nexists (true)\n";
        for (const auto convert : {to_column, to_braces}) {
            std::string said = "accepted";
            try {
                convert(parse_dsl(make_source("t", text)));
            } catch (const Failure& failure) {
                said = failure.diagnostics().at(0).message;
            }
            CHECK_MESSAGE(said.find(named) != std::string::npos, text, said);
        }
    }
}

TEST_CASE("kernels as they are pasted: the seeds of the fuzzer parse and survive printing") {
    size_t kernels = 0;
    for (const auto& entry : std::filesystem::directory_iterator(LITMUS_SOURCE_DIR "/tests/fuzz/corpus/dsl")) {
        if (entry.path().filename().string().rfind("kernel-", 0) != 0) continue;
        ++kernels;
        try {
            const Test test = parse_dsl(read_source(entry.path().string()));
            CHECK_MESSAGE(parse_dsl(make_source("printed", print(test))) == test, print(test));
        } catch (const Failure& failure) {
            FAIL_CHECK(std::string(failure.what()));
        }
    }
    CHECK(kernels >= 12);
}

TEST_CASE("a wait takes the state of its own object, whichever wait it is") {
    for (const std::string wait : {"mbarrier.test_wait.b64 p, ", "mbarrier.try_wait.b64 p, "}) {
        const auto said = [&](const std::string& arrival, const std::string& object) {
            return refusal(two_ctas(arrival + "\n" + wait + "[" + object + "], r0;"));
        };
        const std::string another = " (ISA 9.7.13.15.16)";
        CHECK(said("mbarrier.arrive.b64 r0, [bar];", "bar") == "accepted");
        CHECK(said("mbarrier.arrive.b64 r0, [bar];", "own") == "`r0` is the state of another object than `own`" + another);
        CHECK(said("mbarrier.arrive.b64 r0, [bar+8];", "bar") == "`r0` is the state of another object than `bar`" + another);
        CHECK(said("mov.u64 a, own;\nmbarrier.arrive.b64 r0, [a];", "own") == "accepted");  // what `a` holds the text does not say
    }
}

TEST_CASE("grids") {
    const std::string text =
        "test \"t\"\n\n.grid 1 after 0;\n.grid 2 apart;\n.grid 3 after 0, 2;\n.grid 3 programmatic 1;\n.shared.grid1.cta0 .u32 s = 0;\n"
        ".shared .u32 t = 0;\n\nthread P0 @ cta0 {\n  griddepcontrol.launch_dependents;\n}\nthread P1 @ gpu1.grid1.cluster2.cta3 {\n  "
        "mov.u32 "
        "r0, %ctaid.x;\n  mov.u32 r1, %nctaid.x;\n  mov.u32 r2, %nclusterid.x;\n}\nthread P2 @ grid2.cta0 {\n}\nthread P3 @ "
        "grid3.cta0.warp1 "
        "{\n  griddepcontrol.wait;\n  ld.weak.shared::cta.u32 r0, [t@grid3.cta0];\n}\n\nexists (t@grid3.cta0 == 1)\n";
    const Test test = parse_dsl(make_source("t", text));
    CHECK(print(test) == text);
    REQUIRE(test.grids.size() == 3);
    CHECK(test.grids[2] == Grid{3, false, {0, 2}, {1}});
    CHECK(test.threads[1].at.cta == in_grid(1, 3));
    CHECK(test.threads[1].at.cluster == in_grid(1, 2));
    CHECK(test.locations[0].cta == in_grid(1, 0));
    const std::vector<Instruction>& body = test.threads[1].body;
    CHECK(body[0].operands[1].value == 3);
    CHECK(body[1].operands[1].value == 4);
    CHECK(body[2].operands[1].value == 3);
    CHECK_FALSE(same_cta(test.threads[0].at, test.threads[2].at));
    CHECK_FALSE(same_cluster(test.threads[0].at, test.threads[2].at));
    for (Test (*const convert)(const Test&) : {to_column, to_braces}) CHECK_THROWS_AS(convert(test), Failure);
}

TEST_CASE("clusters that have not started") {
    const std::string text = "test \"t\"\n\n.unlaunched 2;\n.global .u32 x = 0;\n\nthread P0 @ cta0 {\n}\n\n";
    const Test test = parse_dsl(make_source("t", text));
    CHECK(test.unlaunched == 2);
    CHECK(print(test) == text);
    CHECK_FALSE(parse_dsl(make_source("t", two_ctas(""))).unlaunched);
    CHECK(parse_dsl(make_source("t", "test \"t\"\n.unlaunched 0;\nthread P0 @ cta0 { }\n")).unlaunched == 0);
    Test other = test;
    other.unlaunched = 3;
    CHECK(other != test);
    for (Test (*const convert)(const Test&) : {to_column, to_braces}) {
        std::string said = "converted";
        try {
            convert(test);
        } catch (const Failure& failure) {
            said = failure.diagnostics().at(0).message;
        }
        CHECK_MESSAGE(said.find("clusters that have not started") != std::string::npos, said);
    }
}
