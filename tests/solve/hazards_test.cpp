// Undefined behaviour and blocked threads; and models specialised to a program.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "language/syntax/native/dsl.h"
#include "solve/solve.h"
#include "solve/specialise.h"

using namespace litmus;

namespace {

Hazards hazards(const std::string& body) {
    static Solver solver;
    const Test test = parse_dsl(make_source("t.litmus", "test \"t\"\n" + body));
    BuildOptions build;
    build.blocked = true;
    Program program = build_program(test, build);
    return solver.hazards(program, load_model("ptx", {}, Reading::Base::default_));
}

std::set<std::string> flags(const Hazards& found) {
    std::set<std::string> names;
    for (const Hazard& hazard : found.found)
        if (hazard.kind == Hazard::Kind::undefined) names.insert(hazard.flag);
    return names;
}

}  // namespace

TEST_CASE("a wait that nothing ends, and one that something does") {
    const auto text = [](const std::string& arrive) {
        return ".shared.cta0 .mbarrier bar = 1;\nthread P0 @ cta0 { await mbarrier.try_wait.parity.shared::cta.b64 [bar], 0; }\n"
               "thread P1 @ cta0 { " +
               arrive + " }\n";
    };
    const Hazards stuck = hazards(text("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 4;"));
    CHECK(stuck.blocked == Truth::yes);
    REQUIRE(stuck.found.size() == 1);
    CHECK(stuck.found[0].stuck == std::vector<size_t>{0});
    CHECK(hazards(text("mbarrier.arrive.shared::cta.b64 _, [bar];")).blocked == Truth::no);
}

TEST_CASE("threads that wait for each other in two orders") {
    const std::string text = R"(.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 { await ld.acquire.gpu.global.u32 r0, [y] == 1; st.release.gpu.global.u32 [x], 1; }
thread P1 @ cta1 { await ld.acquire.gpu.global.u32 r0, [x] == 1; st.release.gpu.global.u32 [y], 1; }
)";
    CHECK(hazards(text).blocked == Truth::yes);
}

TEST_CASE("a barrier that one thread of the CTA never reaches") {
    const std::string text = R"(.global .u32 x = 0;
thread P0 @ cta0 { bar.sync 0; }
thread P1 @ cta0 { await ld.acquire.gpu.global.u32 r0, [x] == 1; bar.sync 0; }
)";
    const Hazards found = hazards(text);
    CHECK(found.blocked == Truth::yes);
    REQUIRE(found.found.size() == 1);
    CHECK(found.found[0].stuck.size() == 2);
}

TEST_CASE("an object that is not initialised when its operation comes") {
    const auto text = [](const std::string& order) {
        return ".shared.cta0 .mbarrier bar;\nthread P0 @ cta0 { mbarrier.init.shared::cta.b64 [bar], 1; " + order +
               " }\nthread P1 @ cta0 { " + order + " mbarrier.arrive.shared::cta.b64 _, [bar]; }\n";
    };
    CHECK(flags(hazards(text(""))).count("undefined-mbarrier-not-initialised") == 1);
    CHECK(hazards(text("bar.sync 0;")).undefined == Truth::no);
}

TEST_CASE("a bulk source written before the reads are done") {
    const auto text = [](const std::string& wait) {
        return R"(.shared.cta0 .u32 s[4] = 1;
.global .u32 g[4] = 0;
thread P0 @ cta0 {
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  )" + wait + "\n  st.weak.shared::cta.u32 [s], 2;\n  cp.async.bulk.wait_group 0;\n}\n";
    };
    CHECK(flags(hazards(text(""))) == std::set<std::string>{"undefined-write-of-copy-source"});
    CHECK(hazards(text("cp.async.bulk.wait_group.read 0;")).undefined == Truth::no);
}

TEST_CASE("multiplications on one accumulator are pipelined where their shapes are one, K included") {
    const auto races = [](const std::string& first, const std::string& second) {
        const auto mma = [](const std::string& form) {
            const bool sparse = form.find(".sp") != std::string::npos, scaled = form.find("kind::mx") != std::string::npos;
            const size_t at = form.find(' ');
            return "tcgen05.mma" + form.substr(0, at) + (scaled ? ".block_scale" : "") + " [d], [a], [a], " + (sparse ? "[meta], " : "") +
                   form.substr(at + 1) + (scaled ? ", [sa], [sa]" : "") + ", 1;\n";
        };
        const Hazards found =
            hazards(".tmem.cta0 d;\n.tmem.cta0 meta;\n.tmem.cta0 sa;\n.shared.cta0 .u32 a[32] = 0;\nthread P0 @ cta0 {\n" + mma(first) +
                    mma(second) + "}\n");
        return std::any_of(found.found.begin(), found.found.end(), [](const Hazard& h) { return h.kind == Hazard::Kind::race; });
    };
    const std::string f16 = ".cta_group::1.kind::f16 0x08100000", sparse = ".sp.cta_group::1.kind::f16 0x08100004";
    CHECK_FALSE(races(f16, f16));
    CHECK_FALSE(races(sparse, sparse));
    CHECK(races(f16, sparse));
    CHECK(races(f16, ".cta_group::1.kind::tf32 0x08100000"));
    CHECK(races(f16, ".cta_group::1.kind::f16 0x08200000"));  // another N
    CHECK(races(f16, ".cta_group::1.kind::f16 0x08100010"));  // an accumulator of .f32
    CHECK(races(f16, ".ws.cta_group::1.kind::f16 0x08100000"));
    const std::string mxf4 = ".cta_group::1.kind::mxf4 0x08100000";
    CHECK_FALSE(races(mxf4, ".cta_group::1.kind::mxf4 0x08100020"));  // other factors
    CHECK(races(mxf4, ".cta_group::1.kind::mxf4 0x88100000"));        // K of 96
}

TEST_CASE("what the two CTAs of a pair give back together does not race, and races with what either still does") {
    const auto races = [](const std::string& peer) {
        const Hazards found = hazards(
            ".tmem d;\nthread P0 @ cta0 { tcgen05.dealloc.cta_group::2.sync.aligned.b32 d, 32; }\n"
            "thread P1 @ cta1.warp0 { tcgen05.dealloc.cta_group::2.sync.aligned.b32 d, 32; }\n" +
            peer);
        return std::any_of(found.found.begin(), found.found.end(), [](const Hazard& h) { return h.kind == Hazard::Kind::race; });
    };
    CHECK_FALSE(races(""));
    CHECK(races("thread Q1 @ cta1.warp4 { tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [d]; tcgen05.wait::ld.sync.aligned; }\n"));
}

TEST_CASE("all threads that have to execute an instruction execute the same") {
    const auto undefined = [](const std::string& first, const std::string& second, const std::string& place = "cta0.warp0.lane1") {
        return hazards(".shared.cta0 .u32 tile[8] = 0;\n.shared.cta0 .u32 m = 0;\nthread P0 @ cta0.warp0 { mov.b32 a, 0; " + first +
                       " }\nthread P1 @ " + place + " { mov.b32 a, 0; ld.weak.shared::cta.u32 r9, [m]; setp.eq.u32 p, r9, 0; " + second +
                       " }\n")
                   .undefined == Truth::yes;
    };
    const std::string one = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {a0}, [tile];",
                      two = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {a0, a1}, [tile];";
    CHECK_FALSE(undefined(one, one));
    CHECK(undefined(one, ""));
    CHECK(undefined(one, two));
    CHECK(undefined(one + one, one));
    CHECK(undefined("stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {a};", one));
    CHECK(undefined("stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {a};", "exit;"));
    CHECK(undefined(one, "@p exit; " + one));
    CHECK_FALSE(undefined(one, one + " @p exit;"));
    CHECK_FALSE(undefined(one, "", "cta0.warp1"));  // of another warp
    const std::string turned = "movmatrix.sync.aligned.m8n8.trans.b16 a1, a;";
    CHECK_FALSE(undefined(turned, turned));
    CHECK(undefined(turned, "exit;"));
    const std::string less = "setmaxnreg.dec.sync.aligned.u32 40;";
    CHECK(undefined(less, "", "cta0.warp1"));
    CHECK(undefined(less, "setmaxnreg.dec.sync.aligned.u32 48;", "cta0.warp1"));
    CHECK_FALSE(undefined(less, less, "cta0.warp1"));
    CHECK_FALSE(undefined(less, "", "cta0.warp4"));        // of another warpgroup
    CHECK_FALSE(undefined(less, "", "cta0.warp0.lane1"));  // a lane stands for its warp
    CHECK(undefined("wgmma.fence.sync.aligned;", "", "cta0.warp1"));
}

TEST_CASE("a specialised model has the same constraints and, for a plain program, far fewer nodes") {
    const Test test =
        parse_dsl(make_source("t.litmus", "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\n"));
    const Program program = build_program(test, {});
    const Model whole = load_model("ptx", {}, Reading::Base::strongest);
    const Model small = specialised(program, whole);
    REQUIRE(small.constraints.size() == whole.constraints.size());
    for (size_t i = 0; i < whole.constraints.size(); ++i) CHECK(small.constraints[i].name == whole.constraints[i].name);
    CHECK(2 * small.nodes.size() < whole.nodes.size());
    CHECK_FALSE(small.mentions("iss"));
    CHECK(small.mentions("rf"));
}

TEST_CASE("a bulk operation that is in flight when its CTA exits is reported, and is not undefined") {
    const auto text = [](const std::string& end, const std::string& more) {
        return ".global .u64 g[2] = 0;\n.shared.cta0 .u64 s[2] = 5;\n.shared.cta1 .u64 t[2] = 0;\n.shared.cta1 .mbarrier bar = 1;\nthread "
               "P0 @ cta0 {\n" +
               end + "}\n" + more;
    };
    const std::string store = "cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16; cp.async.bulk.commit_group;\n";
    const Hazards flying = hazards(text(store, ""));
    CHECK(raises(flying, "in-flight-at-exit"));
    CHECK(flying.undefined == Truth::no);
    CHECK_FALSE(raises(hazards(text(store + "cp.async.bulk.wait_group.read 0;\n", "")), "in-flight-at-exit"));
    // the source of a copy to a peer, too: the peer's wait and a cluster barrier after it keep the CTA
    const std::string send = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [t], [s], 16, [bar];\n";
    const std::string meet = "barrier.cluster.arrive; barrier.cluster.wait;\n";
    const auto peer = [](const std::string& end) {
        return "thread P1 @ cta1 { mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 16;\n"
               "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;\n" +
               end + "}\n";
    };
    CHECK(raises(hazards(text(send, peer(""))), "in-flight-at-exit"));
    CHECK_FALSE(raises(hazards(text(send + meet, peer(meet))), "in-flight-at-exit"));
}
