// What is missing in small tests, a test case for each kind that the library does not have in its simplest form, and what the search
// promises: minimal sets, nothing vacuous, partial answers that say so.
#include "analysis/repair/repair.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/repair/family.h"
#include "analysis/repair/missing.h"
#include "analysis/repair/search.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

struct Found : Repairs {
    explicit Found(const Test& t, const RepairOptions& options = {}, const std::string& reading = "default")
        : Repairs(find(t, options, reading)), test(t) {}

    // The kinds of the best repair, and whether some repair has just these kinds.
    std::string best() const { return repairs.empty() ? "none" : kinds(repairs.front()); }
    bool has(const std::string& wanted) const {
        for (const Repair& repair : repairs)
            if (kinds(repair) == wanted) return true;
        return false;
    }
    std::string kinds(const Repair& repair) const {
        std::string text;
        for (const size_t e : repair.edits) text += (text.empty() ? "" : " ") + std::string(row(edits[e].fault).name);
        return text;
    }
    // Whether some repair has this in its text.
    bool offers(const std::string& part) const {
        return std::any_of(repairs.begin(), repairs.end(), [&](const Repair& r) { return r.text.find(part) != std::string::npos; });
    }
    bool writes(const std::string& part) const { return !repairs.empty() && repairs.front().text.find(part) != std::string::npos; }

    Test test;

private:
    static Repairs find(const Test& test, const RepairOptions& options, const std::string& reading) {
        Solver solver;
        return repair(test, family(), resolve_readings(family().by_default(), reading), solver, options);
    }
};

Found found(const std::string& body, const RepairOptions& options = {}, const std::string& reading = "default") {
    return Found(read("test \"t\"\n" + body), options, reading);
}

const std::string unordered_message = R"(
.global .u32 x = 0;
.global .u32 flag = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  st.relaxed.gpu.global.u32 [flag], 1;
}
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [flag];
  ld.weak.global.u32 r1, [x];
}
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)";

const std::string store_then_copy = R"(
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = 9;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u32 r0, [g];
}
exists (P0:r0 == 0)
)";

}  // namespace

TEST_CASE("a message needs a release and an acquire, each as a name or as a fence") {
    const Found f = found(unordered_message);
    CHECK(f.status == Repairs::Status::searched);
    CHECK(f.repairs.size() == 4);
    CHECK(f.best() == "release-missing acquire-missing");
    CHECK(f.has("fence-missing fence-missing"));
    for (const Repair& repair : f.repairs) {
        CHECK(repair.price == 2 * price::at(Scope::gpu));
        CHECK(repair.under_weakest == true);
    }
}

TEST_CASE("a bound on the effort ends a search after the same questions each time") {
    const Found whole = found(unordered_message);
    CHECK(whole.effort > Trials::clauses_of_a_program * (whole.asked + whole.carried));  // the clauses count, too
    const Found once = found(unordered_message, {.most_effort = 1});
    CHECK(once.status == Repairs::Status::partial);
    CHECK(once.asked == 1);
    CHECK(once.repairs.empty());
    const Found half = found(unordered_message, {.most_effort = whole.effort / 2}),
                again = found(unordered_message, {.most_effort = whole.effort / 2});
    CHECK(half.status == Repairs::Status::partial);
    CHECK(half.asked > 1);
    CHECK(half.asked < whole.asked);
    CHECK(half.effort == again.effort);
    CHECK(found(unordered_message, {.most_effort = whole.effort + 1}).repairs.size() == whole.repairs.size());
}

TEST_CASE("one edit is not enough for a message") {
    const Found f = found(unordered_message, {.max_edits = 1});
    CHECK(f.status == Repairs::Status::searched);
    CHECK(f.repairs.empty());
}

TEST_CASE("all minimal repairs: store buffering needs fence.sc in both threads and nothing else does") {
    const Found f = found(R"(
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  st.relaxed.gpu.global.u32 [x], 1;
  ld.relaxed.gpu.global.u32 r0, [y];
}
thread P1 @ cta1 {
  st.relaxed.gpu.global.u32 [y], 1;
  ld.relaxed.gpu.global.u32 r0, [x];
}
~exists (P0:r0 == 0 /\ P1:r0 == 0)
)",
                          {.all = true});
    REQUIRE(f.repairs.size() == 1);
    CHECK(f.best() == "fence-missing fence-missing");
    CHECK(f.writes("fence.sc.gpu;"));
}

TEST_CASE("a dependent grid lacks its wait, which no fence of the primary replaces") {
    const Found f = found(R"(
.grid 1 programmatic 0;
.global .u32 x = 0;
thread P0 @ cta0 {
  griddepcontrol.launch_dependents;
  st.weak.global.u32 [x], 1;
}
thread P1 @ grid1.cta0 {
  ld.weak.global.u32 r0, [x];
}
exists (P1:r0 == 0)
)");
    CHECK(f.best() == "grid-wait-missing");
    CHECK(f.writes("  griddepcontrol.wait;\n  ld.weak"));
}

TEST_CASE("a store before a bulk copy needs a proxy fence; the claim of the patch is what then holds") {
    const Found f = found(store_then_copy);
    CHECK(f.best() == "proxy-fence-missing");
    CHECK(f.writes("  fence.proxy.async.shared::cta;\n  cp.async.bulk.global"));
    CHECK(f.writes("~exists (P0:r0 == 0)"));
    const std::vector<Missing> lacks = what_is_missing(f.test, f).best;
    REQUIRE(lacks.size() == 1);
    CHECK(lacks.front().line == 7);
    CHECK(lacks.front().sentence == "P0 before line 7: put `fence.proxy.async.shared::cta`");
}

TEST_CASE("a proxy fence of another state space") {
    std::string text = store_then_copy;
    text.insert(text.find("  cp.async.bulk.global"), "  fence.proxy.async.global;\n");
    CHECK(found(text).has("proxy-fence-wrong-space"));
}

TEST_CASE("nothing waits, the wait is for the sources only, the wait leaves the group pending") {
    std::string text = store_then_copy;
    text.insert(text.find("  cp.async.bulk.global"), "  fence.proxy.async.shared::cta;\n");
    const std::string wait = "  cp.async.bulk.wait_group 0;\n";
    const auto with = [&](const std::string& other) { return std::string(text).replace(text.find(wait), wait.size(), other); };
    CHECK(found(with("")).best() == "wait-missing");
    CHECK(found(with("  cp.async.bulk.wait_group.read 0;\n")).has("read-waits-for-source-only"));
    CHECK(found(with("  cp.async.bulk.wait_group 1;\n")).has("group-left-pending"));
}

TEST_CASE("a weak flag, and a scope that leaves the other thread out") {
    const auto handed = [](const std::string& store) {
        return found(R"(
.global .u32 x = 0;
.global .u32 flag = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  )" + store + R"( [flag], 1;
}
thread P1 @ cta1 {
  ld.acquire.gpu.global.u32 r0, [flag];
  ld.weak.global.u32 r1, [x];
}
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)");
    };
    CHECK(handed("st.weak.global.u32").best() == "weak-where-strong-needed");
    CHECK(handed("st.release.cta.global.u32").best() == "scope-too-narrow");
    CHECK(handed("st.relaxed.gpu.global.u32").best() == "release-missing");
}

TEST_CASE("counts of an mbarrier object: parity, arrivals, bytes") {
    CHECK(found(R"(
.shared.cta0 .mbarrier bar = 2;
thread P0 @ cta0 {
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
}
)")
              .has("wrong-arrival-count"));
    CHECK(found(R"(
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 1;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 1;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
}
undefined
)")
              .best() == "wrong-parity");
    // the thread ends the phase itself, behind its wait: with the other parity it would wait for nothing
    CHECK_FALSE(found(R"(
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
}
deadlock
)")
                    .has("wrong-parity"));
    // nobody ends the phase: with the other parity the test would only wait no more
    CHECK_FALSE(found(R"(
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
}
deadlock
)")
                    .has("wrong-parity"));
    CHECK(found(R"(
.global .u32 g[4] = 1;
.shared.cta0 .u32 s[4] = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 32;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;
  ld.weak.shared::cta.u32 r0, [s];
}
forall (P0:r0 == 1)
)")
              .best() == "wrong-byte-count");
}

TEST_CASE("an expectation and the arrival before it become one step") {
    const Found f = found(R"(
.shared.cta1 .u32 x = 0;
.shared.cta1 .mbarrier bar = 1;
thread P0 @ cta0 {
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [x], 1, [bar];
}
thread P1 @ cta1 {
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
  mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 4;
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;
  ld.weak.shared::cta.u32 r0, [x];
}
exists (P1:r0 == 0)
)");
    CHECK(f.repairs.front().price == price::at(Scope::cta));
    CHECK(f.offers("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 4;"));
}

TEST_CASE("who leaves early arrives first, or drops out") {
    const Found f = found(R"(
.global .u32 n = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  ld.relaxed.gpu.global.u32 r0, [n];
  setp.eq.u32 p, r0, 0;
  @p bra OUT;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
OUT:
}
thread P1 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
}
thread P2 @ cta1 {
  st.relaxed.gpu.global.u32 [n], 1;
}
exists (P0:r0 == 1)
may-deadlock
)");
    CHECK(f.best() == "arrival-missing");
    CHECK(f.offers("@p mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];"));
    CHECK(f.offers("@p mbarrier.arrive_drop.release.cta.shared::cta.b64 _, [bar];"));
}

TEST_CASE("a loop that does more than wait asks at once") {
    const Found f = found(R"(
.global .u32 g[4] = 1;
.shared.cta0 .u32 s[4] = 0;
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;
  cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];
AGAIN:
  mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [bar], 0;
  ld.weak.shared::cta.u32 r0, [s];
  @!p bra AGAIN;
}
undefined
)");
    CHECK(f.best() == "wait-not-checked");
    CHECK(f.writes("  @!p bra AGAIN;\n  ld.weak"));
}

TEST_CASE("the phase bit is flipped, an object ends before it begins again, an empty group is committed") {
    CHECK(found(R"(
.shared.cta0 .mbarrier bar = 1;
thread P0 @ cta0 {
  mov.u32 r1, 0;
  mov.b32 r2, 0;
LOOP:
  mbarrier.arrive.shared::cta.b64 _, [bar];
  await mbarrier.try_wait.parity.shared::cta.b64 [bar], r2;
  add.u32 r1, r1, 1;
  setp.lt.u32 p, r1, 2;
  @p bra LOOP;
}
deadlock
)")
              .writes("  xor.b32 r2, r2, 1;\n"));
    CHECK(found(R"(
.shared.cta0 .mbarrier bar;
thread P0 @ cta0 {
  mbarrier.init.shared::cta.b64 [bar], 1;
  mbarrier.init.shared::cta.b64 [bar], 1;
}
undefined
)")
              .best() == "inval-missing");
    CHECK(found(R"(
.global .u32 g[4] = 1;
.shared.cta0 .u32 s[4] = 0;
thread P0 @ cta0 {
  cp.async.ca.shared::cta.global [s], [g], 16;
  cp.async.commit_group;
  cp.async.wait_group 1;
  ld.weak.shared::cta.u32 r1, [s];
}
exists (P0:r1 == 0)
undefined
)")
              .offers("  cp.async.commit_group;\n  cp.async.wait_group 1;\n"));
}

TEST_CASE("what is sent without a completion is awaited, or not sent asynchronously") {
    const Found f = found(R"(
.global .u32 x = 0;
.global .u32 f = 0;
thread P0 @ cta0 {
  st.async.release.gpu.global.u32 [x], 1;
  st.async.release.gpu.global.u32 [f], 1;
}
thread P1 @ cta1 {
  await ld.acquire.gpu.global.u32 r0, [f] == 1;
  ld.relaxed.gpu.global.u32 r1, [x];
}
exists (P1:r1 == 0)
)");
    CHECK(f.has("asynchronous-where-order-needed"));
    CHECK(f.offers("  st.relaxed.gpu.global.u32 [x], 1;\n"));
    CHECK(f.offers("  await ld.relaxed.gpu.global.u32 seen, [x] == 1;\n"));
}

TEST_CASE("a store over a value that is known becomes an addition, which passes on what was released") {
    const Found f = found(R"(
.global .u32 part = 0;
.global .u32 sem = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [part], 1;
  red.release.gpu.global.add.u32 [sem], 1;
}
thread P1 @ cta1 {
  await ld.relaxed.gpu.global.u32 r0, [sem] == 1;
  st.release.gpu.global.u32 [sem], 2;
}
thread P2 @ cta2 {
  await ld.acquire.gpu.global.u32 r0, [sem] == 2;
  ld.weak.global.u32 r1, [part];
}
exists (P2:r1 == 0)
)");
    CHECK(f.best() == "store-ends-release");
    CHECK(f.writes("red.relaxed.gpu.global.add.u32 [sem], 1;"));
}

TEST_CASE("a completion publishes its operation alone: its data is read with an acquire") {
    const Found f = found(R"(
.global .u32 y = 0;
.shared.cta1 .u32 x = 0;
.shared.cta1 .mbarrier bar = 1;
thread P0 @ cta0 {
  st.weak.global.u32 [y], 1;
  fence.acq_rel.cluster;
  red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [x], 1, [bar];
}
thread P1 @ cta1 {
  mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 4;
  await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;
  ld.weak.global.u32 r0, [y];
}
exists (P1:r0 == 0)
)");
    CHECK(f.best() == "completion-does-not-carry");
    CHECK(f.writes("  ld.acquire.cluster.shared::cta.u32 seen, [x];\n"));
}

TEST_CASE("no phase is made to wait for arrivals that never come") {
    const Found f = found(R"(
.shared.cta0 .mbarrier bar = 2;
thread P0 @ cta0 {
  mbarrier.arrive.noComplete.shared::cta.b64 r1, [bar], 1;
}
thread P1 @ cta0 {
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
}
undefined
)");
    REQUIRE_FALSE(f.repairs.empty());
    CHECK_FALSE(f.has("wrong-arrival-count"));
}

TEST_CASE("what is missing: ties stand beside each other, each for its part of the best repair") {
    const Found f = found(unordered_message);
    const WhatIsMissing lacks = what_is_missing(f.test, f);
    REQUIRE(lacks.best.size() == 2);
    CHECK(lacks.otherwise.empty());
    CHECK(lacks.best[0].fault == Fault::release_missing);
    REQUIRE(lacks.best[0].instead.size() == 1);
    CHECK(lacks.best[0].instead[0].fault == Fault::fence_missing);
    CHECK(lacks.best[0].instead[0].where == "P0");
    CHECK(lacks.best[1].fault == Fault::acquire_missing);
    REQUIRE(lacks.best[1].instead.size() == 1);
    CHECK(lacks.best[1].instead[0].where == "P1");
}

TEST_CASE("where nothing cheapest holds under the weakest readings, the cheapest that does is there, too") {
    const Found f = found(R"(
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = 9;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
  bar.sync 0;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
}
thread P1 @ cta0 {
  st.weak.shared::cta.u32 [s+4], 1;
  bar.sync 0;
}
exists (g[0] == 0 \/ g[1] == 0)
)");
    REQUIRE_FALSE(f.repairs.empty());
    CHECK(f.repairs.front().under_weakest == false);
    REQUIRE_FALSE(f.robust.empty());
    CHECK(f.robust.front().price == 2 * price::place);
    CHECK(f.robust.front().under_weakest == true);
    const WhatIsMissing lacks = what_is_missing(f.test, f);
    REQUIRE_FALSE(lacks.otherwise.empty());
    CHECK(lacks.otherwise.front().dearer);
    CHECK(lacks.otherwise.front().parts.size() == 2);
}

TEST_CASE("barriers that have too many places are left out, and the answer is partial") {
    std::string body;
    for (const char* thread : {"P0", "P1", "P2", "P3"}) {
        body += "thread " + std::string(thread) + " @ cta0 {\n";
        for (int i = 0; i < 4; ++i) body += "  ld.weak.shared::cta.u32 r" + std::to_string(i) + ", [s];\n";
        body += thread == std::string("P0") ? "  st.weak.shared::cta.u32 [s], 1;\n}\n" : "}\n";
    }
    const Found f = found(".shared.cta0 .u32 s = 0;\n" + body + "~exists (P1:r0 == 0)\n", {.max_edits = 1});
    CHECK(f.repairs.empty());
    CHECK(f.status == Repairs::Status::partial);
}

TEST_CASE("a barrier that is missing in two threads is one edit") {
    const Found f = found(R"(
.shared.cta0 .u32 s = 0;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
}
thread P1 @ cta0 {
  ld.weak.shared::cta.u32 r0, [s];
}
~exists (P1:r0 == 0)
)");
    CHECK(f.best() == "barrier-missing");
    CHECK(f.repairs.front().price == 2 * price::at(Scope::cta));
}

TEST_CASE("a race counts where it is claimed or asked for") {
    const std::string race = R"(
.global .u32 x = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
}
thread P1 @ cta1 {
  st.weak.global.u32 [x], 2;
}
)";
    CHECK(found(race).status == Repairs::Status::nothing_to_repair);
    CHECK(found(race, {.strict = true}).best() == "weak-where-strong-needed weak-where-strong-needed");
    CHECK(found(race + "racefree\n").best() == "weak-where-strong-needed weak-where-strong-needed");
}

TEST_CASE("what holds needs no repair, and an exists that fails has none") {
    CHECK(found(".global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nforall (x == 1)\n").status ==
          Repairs::Status::nothing_to_repair);
    CHECK(found(".global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (x == 0)\n").status ==
          Repairs::Status::nothing_to_repair);
}

TEST_CASE("no repair makes the test say nothing") {
    // Whatever is ordered here, x is 1 in the end: only an execution that never ends would do.
    const Found f = found(
        ".shared.cta0 .mbarrier bar = 1;\n.shared.cta0 .u32 x = 0;\nthread P0 @ cta0 { st.weak.shared::cta.u32 [x], 1; }\n~exists (x == "
        "1)\n");
    CHECK(f.status == Repairs::Status::searched);
    CHECK(f.repairs.empty());
}

TEST_CASE("a repair that rests on a reading comes behind one that does not, and says so") {
    const Found f = found(R"(
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = 9;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
  bar.sync 0;
}
thread P1 @ cta0 {
  bar.sync 0;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u32 r0, [g];
}
~exists (P1:r0 == 0)
)");
    REQUIRE(f.repairs.size() > 1);
    CHECK(f.repairs.front().under_weakest == true);
    CHECK(f.edits[f.repairs.front().edits.front()].place.thread == 0);
    CHECK(f.repairs.back().under_weakest == false);
}

TEST_CASE("of one price, what leaves no operation in flight at the exit comes first") {
    const Found f = found(R"(
.shared.cta0 .u32 a[4] = 1;
.shared.cta0 .u32 b[4] = 2;
.global .u32 g[4] = 0;
thread P0 @ cta0 {
  cp.async.bulk.global.shared::cta.bulk_group [g], [a], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.global.shared::cta.bulk_group [g], [b], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
}
~exists (g[0] == 1)
)");
    CHECK(f.best() == "wait-missing");
    CHECK(f.has("wait-misplaced"));  // the last wait, moved up
    CHECK(f.repairs.back().raises_flag);
    CHECK_FALSE(f.repairs.front().raises_flag);
}

namespace {

// Two blocks that add to a counter and wait for each other, as one kernel writes it, in three rounds where asked.
std::string kernel_of_two_blocks(const std::string& lines_of_second = "1") {
    const auto block = [](const std::string& name, const std::string& cta, const std::string& file, const std::string& mine,
                          const std::string& other) {
        return "thread " + name + " @ " + cta + " {\n  .loc " + file + " 3\n  st.weak.global.u32 [" + mine + "], 1;\n  .loc " + file +
               " 4\n  red.relaxed.gpu.global.add.u32 [bar], 1;\n  .loc " + file +
               " 5\n  await ld.acquire.gpu.global.u32 r0, [bar] >= 2;\n  .loc " + file + " 6\n  ld.weak.global.u32 r1, [" + other +
               "];\n}\n";
    };
    return "target sm_90a\n.file 1 \"k.cu\"\n.file 2 \"l.cu\"\n.global .u32 a = 0;\n.global .u32 b = 0;\n.global .u32 bar = 0;\n" +
           block("P0", "cta0", "1", "a", "b") + block("P1", "cta1", lines_of_second, "b", "a");
}

}  // namespace

TEST_CASE("what a line of CUDA lacks is one edit, in all threads that execute it") {
    RepairOptions one{.strict = true};
    one.max_edits = 1;
    const Found together = found(kernel_of_two_blocks(), one);
    REQUIRE(!together.repairs.empty());
    CHECK(together.best() == "release-missing");
    CHECK(together.repairs.front().price == 130);
    CHECK(parts_of(together.test, together, together.repairs.front()).front().sentence ==
          "P0 line 12 and P1 line 22 (k.cu:4): make it `red.release.gpu.global.add.u32`");
    // lines of two sources are two edits
    CHECK(found(kernel_of_two_blocks("2"), one).repairs.empty());
    RepairOptions two{.strict = true};
    CHECK(found(kernel_of_two_blocks("2"), two).best() == "release-missing release-missing");
}

TEST_CASE("of edits that are joined, those of one instruction exclude each other, and what adds no more is known") {
    const Found together = found(kernel_of_two_blocks(), {.max_edits = 1, .strict = true});
    const auto edit = [&](const std::string& what, size_t nth = 0) {
        for (size_t e = 0; e < together.edits.size(); ++e)
            if (together.edits[e].what == what && nth-- == 0) return e;
        return together.edits.size();
    };
    const size_t weaker = edit("put `fence.release.gpu`"), stronger = edit("put `fence.acq_rel.gpu`");
    REQUIRE(weaker < together.edits.size());
    REQUIRE(stronger < together.edits.size());
    CHECK(together.edits[weaker].places == together.edits[stronger].places);
    CHECK(together.edits[weaker].places.size() == 2);
    const std::vector<size_t>& less = together.edits[stronger].includes;
    CHECK(std::count(less.begin(), less.end(), weaker) == 1);
    const size_t one = edit("make it `ld.acquire.gpu.global.u32`"), other = edit("make it `ld.relaxed.gpu.global.u32`");
    REQUIRE(one < together.edits.size());
    REQUIRE(other < together.edits.size());
    CHECK(together.edits[one].places.size() == 2);
    CHECK(together.edits[one].respells == together.edits[other].respells);
}

TEST_CASE("a weak access of a kernel costs more to make strong than one of a test") {
    const auto price_of_strong = [](const std::string& line) {
        const Found f = found("target sm_90a\n.file 1 \"k.cu\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n" + line +
                                  "  st.weak.global.u32 [x], 1;\n}\nthread P1 @ cta1 {\n" + line + "  ld.weak.global.u32 r0, [x];\n}\n",
                              {.strict = true});
        for (const Edit& edit : f.edits)
            if (edit.what == "make it `ld.relaxed.gpu.global.u32`") return edit.price;
        return 0;
    };
    CHECK(price_of_strong("") == 130);
    CHECK(price_of_strong("  .loc 1 3\n") == 280);
}

TEST_CASE("a barrier that a loop of a kernel lacks is one edit, in all threads and all rounds") {
    const auto thread = [](const std::string& name, const std::string& mine, const std::string& other) {
        std::string text = "thread " + name + " {\n";
        for (const std::string round : {"0", "1"})
            text += "  .loc 1 3\n  st.weak.shared.u32 [" + mine + round + "], 1;\n  .loc 1 4\n  ld.weak.shared.u32 r" + round + ", [" +
                    other + round + "];\n";
        return text + "}\n";
    };
    std::string text = "target sm_90a\n.file 1 \"k.cu\"\n";
    for (const std::string name : {"a0", "a1", "b0", "b1"}) text += ".shared .u32 " + name + " = 0;\n";
    const Found together =
        found(text + thread("P0 @ cta0.warp0", "a", "b") + thread("P1 @ cta0.warp1", "b", "a"), {.max_edits = 1, .strict = true});
    REQUIRE(!together.repairs.empty());
    CHECK(together.best() == "barrier-missing");
    CHECK(together.repairs.front().price == 110);  // of one `__syncthreads()`
    CHECK(together.edits[together.repairs.front().edits.front()].places.size() == 4);
}

TEST_CASE("a barrier at a line of a kernel stands where each thread passes that line, whatever it executes before and behind") {
    const Found together = found(R"(target sm_90a
.file 1 "k.cu"
.shared .u32 x = 0;
.shared .u32 y = 0;
thread P0 @ cta0.warp0 {
  .loc 1 3
  st.weak.shared.u32 [x], 1;
  .loc 1 8
  st.weak.shared.u32 [y], 1;
}
thread P1 @ cta0.warp1 {
  .loc 1 12
  ld.weak.shared.u32 r0, [x];
}
)",
                                 {.max_edits = 1, .strict = true});
    REQUIRE(!together.repairs.empty());
    CHECK(together.best() == "barrier-missing");
    CHECK(together.repairs.front().price == 110);
    CHECK(together.writes("bar.sync 0"));
}

TEST_CASE("in columns the patch is a row") {
    const Found f = Found(read(R"(PTX mp
{ x=0; flag=0; }
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.relaxed.gpu x, 1    | ld.acquire.gpu r0, flag ;
 st.relaxed.gpu flag, 1 | ld.relaxed.gpu r1, x    ;
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)"));
    CHECK(f.best() == "release-missing");
    CHECK(f.writes(" st.release.gpu flag, 1 | ld.relaxed.gpu r1, x    ;"));
    CHECK(f.has("fence-missing"));
}

TEST_CASE("without time the answer is partial or none, never wrong") {
    Solver solver;
    const Test test = read("test \"t\"\n" + unordered_message);
    const auto on = resolve_readings(family().by_default(), "default");
    try {
        const Repairs r = repair(test, family(), on, solver, {.budget = Budget(0.001)});
        CHECK((r.status == Repairs::Status::partial || !r.repairs.empty()));
    } catch (const OverBudget&) {
    }
}

TEST_CASE("every kind of what may be missing has a row of its own") {
    std::vector<std::string> names;
    for (const FaultRow& fault : faults()) {
        CHECK(&row(fault.fault) == &fault);
        for (const std::string& other : names) CHECK(other != fault.name);
        names.emplace_back(fault.name);
    }
}

TEST_CASE("an access that becomes strong loses the cache operator that it then cannot have") {
    const auto handed = [](const std::string& load) {
        return found(R"(
.global .u32 x = 0;
.global .u32 flag = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  st.release.gpu.global.u32 [flag], 1;
}
thread P1 @ cta1 {
  )" + load + R"( r0, [flag];
  ld.weak.global.u32 r1, [x];
}
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)");
    };
    CHECK(handed("ld.global.cg.u32").best() == "weak-where-strong-needed");
    CHECK(handed("ld.global.cv.u32").best() == "weak-where-strong-needed");
}
