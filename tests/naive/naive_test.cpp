// The classes of wrong verdicts that only a front end of its own can see: programs on which the whole pipeline once
// differed from model/semantics.md. Each asserts what the naive front end says, and that the pipeline says the same.
#include <doctest/doctest.h>

#include "cat/readings.h"
#include "language/syntax/read.h"
#include "pipeline.h"
#include "random_program.h"
#include "shapes.h"
#include "turn.h"

using namespace litmus;

namespace {

const std::vector<const Model*>& models() {
    static ModelFamily family("ptx", {});
    static const std::vector<const Model*> all = [] {
        std::vector<const Model*> result;
        for (const char* base : {"weakest", "default", "strongest"})
            result.push_back(&family.under(resolve_readings(family.by_default(), base)));
        return result;
    }();
    return all;
}

Test test_of(const std::string& text) {
    return parse_tests(make_source("naive.litmus", text)).at(0);
}

// The naive answer under the default readings; the pipeline's is asserted to be the same under all.
struct Both {
    explicit Both(const std::string& body) {
        Solver solver(Solver::always, faster);
        const naive::Comparison found = naive::compare(solver, test_of("test \"t\"\n" + body), models(), {});
        CHECK(found.difference.value_or("") == "");
        coordinates = found.naive.coordinates;
        answer = found.naive.by_model.at(1);
    }
    // Whether some outcome has this value at the coordinate.
    bool reaches(const std::string& name, uint64_t value) const {
        for (size_t i = 0; i < coordinates.size(); ++i)
            for (const auto& outcome : answer.outcomes)
                if (coordinates[i] == name && outcome[i] == value) return true;
        return false;
    }
    bool undefined(const std::string& what) const { return answer.undefined.count("undefined-" + what) > 0; }

    std::vector<std::string> coordinates;
    naive::Answer answer;
};

}  // namespace

TEST_CASE("a wait on an object that another thread initialises, nothing between them") {
    const Both both(R"(
.shared.cta0 .mbarrier bar;
thread P0 @ cta0 { await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0; }
thread P1 @ cta0 {
  mbarrier.init.shared::cta.b64 [bar], 1;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
}
)");
    CHECK(both.undefined("mbarrier-not-initialised"));
}

TEST_CASE("an object is invalidated under a polling loop") {
    const Both both(R"(
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
L:
  mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 p, [bar], 0;
  @!p bra L;
}
thread P1 @ cta0 {
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  mbarrier.inval.shared::cta.b64 [bar];
}
)");
    CHECK(both.undefined("operation-in-this-state"));
}

TEST_CASE("a weak load inside a polling loop races in the iterations that fail") {
    const Both both(R"(
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
L:
  ld.acquire.gpu.global.u32 r0, [f];
  ld.weak.global.u32 r1, [x];
  setp.ne.u32 p, r0, 1;
  @p bra L;
}
thread P1 @ cta1 {
  st.weak.global.u32 [x], 1;
  st.release.gpu.global.u32 [f], 1;
}
)");
    CHECK(both.answer.races.size() == 1);
    CHECK_FALSE(both.reaches("P0:r1", 0));
}

TEST_CASE("a thread that stays in a loop within a loop does not come to what is behind both") {
    // P0 stores only when it was let through, and then P1 does not.
    const Both both(R"(
.global .u32 x = 0;
.global .u32 f = 1;
.global .u32 g = 0;
.global .u32 h = 0;
thread P0 @ cta0 {
L:
  ld.relaxed.gpu.global.u32 r1, [g];
  setp.eq.u32 q, r1, 0;
  @q bra L;
  ld.relaxed.gpu.global.u32 r0, [f];
  setp.eq.u32 p, r0, 0;
  @p bra L;
  st.weak.global.u32 [x], 1;
}
thread P1 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [h];
  setp.eq.u32 p, r0, 0;
  @p st.weak.global.u32 [x], 2;
  @!p st.relaxed.gpu.global.u32 [g], 1;
}
thread P2 @ cta1 { st.relaxed.gpu.global.u32 [h], 1; }
)");
    CHECK(both.answer.blocked);
    CHECK(both.answer.races.empty());
}

TEST_CASE("what a read decides comes after it, whatever failed before") {
    const Both both(R"(
.global .u32 f = 0;
.global .u32 g = 0;
.global .u32 x = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  st.release.gpu.global.u32 [f], 1;
  st.relaxed.gpu.global.u32 [g], 1;
}
thread P1 @ cta0 {
L:
  ld.relaxed.gpu.global.u32 r4, [g];
  setp.eq.u32 s, r4, 0;
  @s bra L;
  ld.acquire.gpu.global.u32 r0, [f];
  ld.relaxed.gpu.global.u32 r1, [x];
  setp.ne.u32 p, r0, 1;
  @p bra L;
}
)");
    CHECK(both.answer.races.size() == 1);  // in an iteration that sees g and not f
}

TEST_CASE("a polling loop reads the destination of a copy in flight") {
    const Both both(R"(
.global .u64 g[2] = 7;
.shared.cta0 .u64 s[2] = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
L:
  mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [bar], 0;
  ld.weak.shared::cta.u64 r0, [s];
  @!p bra L;
}
)");
    CHECK(both.undefined("read-of-copy-destination"));
}

TEST_CASE("a token of a later phase than the state that the wait reads") {
    const Both both(R"(
.shared.cta0 .mbarrier bar = 1;
.global .b64 t = 0;
thread P0 @ cta0 {
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  mbarrier.arrive.release.cta.shared::cta.b64 k, [bar];
  st.relaxed.gpu.global.b64 [t], k;
}
thread P1 @ cta0 {
  await ld.relaxed.gpu.global.b64 k, [t] != 0;
  mbarrier.test_wait.acquire.cta.shared::cta.b64 p, [bar], k;
}
)");
    CHECK(both.undefined("operation-in-this-state"));
}

TEST_CASE("an earlier life of an object vouches for nothing in a later one") {
    const Both both(R"(
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  mbarrier.inval.shared::cta.b64 [bar];
  mbarrier.init.shared::cta.b64 [bar], 1;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
}
)");
    CHECK(both.undefined("arrival-before-wait"));
    CHECK_FALSE(both.undefined("mbarrier-not-initialised"));
}

TEST_CASE("a proxy fence before a restricted synchronization counts") {
    const Both both(R"(
.global .u64 g[2] = 0;
.shared.cta0 .u64 s[2] = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  st.weak.shared::cta.u64 [s], 1;
  fence.proxy.async.shared::cta;
  fence.release.sync_restrict::shared::cta.cluster;
  mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [bar];
}
thread P1 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u64 r0, [g];
}
)");
    CHECK(both.reaches("P1:r0", 1));
    CHECK_FALSE(both.reaches("P1:r0", 0));
}

TEST_CASE("an alias fence and what the proxies ask for order an alias and a bulk copy") {
    const Both both(R"(
.global .u64 g[2] = 0;
.global .u64 h[2] alias g;
.shared.cta0 .u64 s[2] = 5;
thread P0 @ cta0 {
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  fence.proxy.alias;
  ld.weak.global.u64 r0, [h];
}
)");
    CHECK_FALSE(both.reaches("P0:r0", 0));
    CHECK(both.answer.races.empty());
}

TEST_CASE("a plain access to a CTA that may have exited") {
    const Both both(R"(
.shared.cta1 .u32 s = 0;
thread P0 @ cta0 { ld.weak.shared::cluster.u32 r0, [s]; }
thread P1 @ cta1 { fence.acq_rel.gpu; }
)");
    CHECK(both.undefined("access-after-exit"));
}

TEST_CASE("an asynchronous arrival in a second phase that nobody confirmed") {
    const Both both(R"(
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];
  cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];
}
)");
    CHECK(both.undefined("arrival-before-wait"));
}

TEST_CASE("addresses and sizes in registers, and a stage that a loop counter picks") {
    const Both both(R"(
.global .u64 g[4] = 3;
.shared.cta0 .u64 s[4] = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mov.u64 m, bar;
  mov.u64 to, s;
  mov.u32 n, 16;
  mov.u32 i, 0;
L:
  add.u64 to, to, 8;
  add.u32 i, i, 1;
  setp.lt.u32 q, i, 2;
  @q bra L;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], n;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [to], [g], n, [m];
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [m], 0;
  ld.weak.shared::cta.u64 r0, [s+16];
}
)");
    CHECK(both.reaches("P0:r0", 3));
    CHECK_FALSE(both.reaches("P0:r0", 0));
}

TEST_CASE("a loop through bar.red ends in the iteration in which all agree") {
    const Both both(R"(
.global .u32 x = 0;
thread P0 @ cta0 {
L0:
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.eq.u32 p, r0, 1;
  bar.red.popc.u32 d, 0, p;
  st.relaxed.gpu.global.u32 [x], 1;
  setp.ne.u32 q, d, 64;
  @q bra L0;
}
thread P1 @ cta0 {
L1:
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.eq.u32 p, r0, 1;
  bar.red.popc.u32 d, 0, p;
  setp.ne.u32 q, d, 64;
  @q bra L1;
}
)");
    CHECK(both.answer.terminates);
    CHECK(both.reaches("P1:r0", 1));
}

TEST_CASE("a lane that has exited arrives with its warp at a barrier with a count") {
    const auto text = [](const std::string& lane) {
        return R"(
.global .u32 x = 0;
thread P0 @ cta0.warp0 { barrier.sync 1, 64; st.relaxed.gpu.global.u32 [x], 1; }
thread P1 @ cta0.warp0.lane1 { )" +
               lane + R"( }
thread P2 @ cta0.warp1 { barrier.sync 1, 64; }
)";
    };
    const Both exited(text("exit;"));
    CHECK(exited.answer.terminates);
    CHECK_FALSE(exited.answer.blocked);
    // it exits after what P0 does behind the barrier
    const Both waits(text("await ld.relaxed.gpu.global.u32 r0, [x] == 1;"));
    CHECK_FALSE(waits.answer.terminates);
    CHECK(waits.answer.blocked);
}

TEST_CASE("lanes of two warps do not make up an arrival") {
    const Both both(R"(
.global .u32 x = 0;
thread P0 @ cta0.warp0 { barrier.sync 1, 32; st.relaxed.gpu.global.u32 [x], 1; }
thread P1 @ cta0.warp0.lane1 { await ld.relaxed.gpu.global.u32 r0, [x] == 1; }
thread P2 @ cta0.warp1 { exit; }
thread P3 @ cta0.warp1.lane1 { barrier.sync 1, 32; }
)");
    CHECK_FALSE(both.answer.terminates);
}

TEST_CASE("what does not change with a value does not depend on it") {
    const auto text = [](const std::string& then) {
        return R"(
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [x];
  setp.eq.u32 p, r0, 1;
  )" + then + R"(
}
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [y];
  st.relaxed.gpu.global.u32 [x], r0;
}
)";
    };
    const auto both_ways = [](const std::string& one, const std::string& other) {
        return "@p bra L; st.relaxed.gpu.global.u32 [y], " + one + "; bra M; L: st.relaxed.gpu.global.u32 [y], " + other + "; M:";
    };
    CHECK(Both(text("selp.u32 v, r0, 1, p; st.relaxed.gpu.global.u32 [y], v;")).reaches("P0:r0", 1));
    CHECK_FALSE(Both(text("selp.u32 v, r0, 2, p; st.relaxed.gpu.global.u32 [y], v;")).reaches("P0:r0", 1));
    CHECK(Both(text(both_ways("1", "1"))).reaches("P0:r0", 1));
    CHECK(Both(text(both_ways("1", "r0"))).reaches("P0:r0", 1));
    CHECK_FALSE(Both(text(both_ways("2", "1"))).reaches("P0:r0", 1));
}

TEST_CASE("what arithmetic takes from one element of a vector has waited for all") {
    const Both both(R"(
.global .u64 g[2] = 7;
.global .u32 x = 0;
.shared.cta0 .u64 s[2] = 0;
.shared.cta0 .mbarrier empty = 1;
.shared.cta0 .mbarrier full = 1;
thread P0 @ cta0 {
  ld.weak.shared::cta.v2.u64 {r0, r1}, [s];
  cvt.u32.u64 r2, r1;
  st.weak.global.u32 [x], r2;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [empty];
}
thread P1 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [empty], 0;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [full];
}
)");
    CHECK_FALSE(both.reaches("P0:r0", 7));
    CHECK_FALSE(both.reaches("P0:r1", 7));
}

// A cell came into being between the copy's events and its completion, which aio-multicast then missed by one.
TEST_CASE("a multicast completes on an object that nothing named before") {
    Both(R"(
.shared .u32 s[4] = 0;
.shared .mbarrier bar = 1;
.global .u32 g[4] = 40;
thread P0 @ cta0 {
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, [bar], 3;
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  barrier.cluster.arrive;
  barrier.cluster.wait;
}
thread P1 @ cta1 {
  barrier.cluster.arrive;
  barrier.cluster.wait;
  ld.weak.shared::cta.u32 r0, [s];
}
)");
}

TEST_CASE("random programs of every shape") {
    Solver solver(Solver::always, faster);
    size_t compared = 0;
    const Turn turn;
    const std::vector<std::string>& shapes = naive::shapes();
    for (uint64_t i = 0; i < 10 * shapes.size(); ++i) {
        if (!turn.has(i / shapes.size())) continue;  // three or four of each
        const std::string& shape = shapes[i % shapes.size()];
        const std::string text = naive::random_shape(shape, program_seed(20, i));
        CAPTURE(text);
        try {
            const naive::Comparison found = naive::compare(solver, test_of(text), models(), {});
            ++compared;
            CHECK_MESSAGE(!found.difference, text << found.difference.value_or(""));
        } catch (const naive::Unsupported&) {  // takes too long
        }
    }
    CHECK(compared > turn.share(7 * shapes.size()));
}

TEST_CASE("tcgen05.mma for a pair: each CTA has its own rows of A, and the even one the first column of B") {
    const Both both(R"(
.shared .u32 a[1] = 0;
.shared .u32 b[1] = 0;
.tmem d;
.shared .mbarrier done = 1;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [b], 3;
  barrier.cluster.arrive;
  barrier.cluster.wait;
}
thread P1 @ cta1 {
  st.weak.shared::cta.u32 [a], 5;
  st.weak.shared::cta.u32 [b], 7;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  fence.proxy.async;
  tcgen05.mma.cta_group::2.kind::i8 [d], [a], [b], 0x08080000, 0;
  tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [done];
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [done], 0;
  tcgen05.fence::after_thread_sync;
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [d];
}
)");
    CHECK(both.reaches("P1:r0", 15));
    CHECK_FALSE(both.reaches("P1:r0", 35));
}

// A refill between a multiplication that fills the collector buffer and one that says `second` of it.
static std::string refilled(const std::string& second) {
    const std::string multiply = "  tcgen05.mma.cta_group::1.kind::i8", operands = " [d], [a], [b], 0x04020000, 0;\n";
    const std::string commit = "  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\n";
    const std::string wait = "  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [done], ";
    return ".shared.cta0 .u32 a[1] = 2;\n.shared.cta0 .u32 b[1] = 1;\n.tmem.cta0 d;\n.shared.cta0 .mbarrier done = 1;\nthread P0 @ cta0 "
           "{\n" +
           multiply + ".collector::a::fill" + operands + commit + wait + "0;\n  fence.proxy.async;\n  st.weak.shared::cta.u32 [a], 5;\n" +
           "  fence.proxy.async;\n" + multiply + second + operands + commit + wait + "1;\n  tcgen05.fence::after_thread_sync;\n" +
           "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {r0}, [d];\n}\n";
}

TEST_CASE("the collector buffer may hold the matrix of before") {
    const Both reused(refilled(".collector::a::use"));
    CHECK(reused.reaches("P0:r0", 2));
    CHECK(reused.reaches("P0:r0", 5));
    CHECK_FALSE(Both(refilled("")).reaches("P0:r0", 2));
}

TEST_CASE("that a grid begins is no condition of what it does: only what it waited for decides") {
    // P1 triggers in any case, and so what P2 stores does not depend on what P0 has read.
    const Both both(R"(
.grid 1 programmatic 0;
.global .u32 y = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [y];
  setp.eq.u32 p, r0, 0;
  @p griddepcontrol.launch_dependents;
  st.relaxed.gpu.global.u32 [f], 1;
}
thread P1 @ cta0 {
  await ld.relaxed.gpu.global.u32 r1, [f] == 1;
  griddepcontrol.launch_dependents;
}
thread P2 @ grid1.cta0 { st.relaxed.gpu.global.u32 [y], 2; }
)");
    CHECK(both.reaches("P0:r0", 2));
}

TEST_CASE("a grid that begins at the end of a CTA which did not trigger comes of what decided that") {
    const Both both(R"(
.grid 1 programmatic 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [y];
  setp.eq.u32 p, r0, 0;
  @p griddepcontrol.launch_dependents;
}
thread P1 @ grid1.cta0 { st.relaxed.gpu.global.u32 [y], 2; }
)");
    CHECK_FALSE(both.reaches("P0:r0", 2));
}

TEST_CASE("a time-out that counts only once the flag is seen never comes") {
    const Both both(R"(
.global .u32 f = 0;
thread P0 @ cta0 {
  mov.u64 t0, %clock64;
L:
  ld.relaxed.gpu.global.u32 r0, [f];
  setp.eq.u32 p, r0, 1;
  @p bra DONE;
  mov.u64 t1, %clock64;
  sub.u64 t1, t1, t0;
  setp.gt.and.u64 q, t1, 1000, p;
  @q trap;
  @!p bra L;
DONE:
}
)");
    CHECK(both.answer.blocked);
}

TEST_CASE("a primary stays that polls for its dependent, and that never begins") {
    const Both both(R"(
.grid 1 programmatic 0;
.global .u32 f = 0;
.global .u32 x = 0;
thread P0 @ cta0 { await ld.acquire.gpu.global.u32 r0, [f] == 1; }
thread P1 @ grid1.cta0 {
  st.weak.global.u32 [x], 1;
  st.release.gpu.global.u32 [f], 1;
}
thread P2 @ cluster1.cta1 { ld.weak.global.u32 r0, [x]; }
)");
    CHECK(both.answer.blocked);
    CHECK_FALSE(both.answer.terminates);
    CHECK(both.answer.races.empty());
}
