// What is missing in small tests, a test case for each kind that the library does not have in its simplest form, and what the search
// promises: minimal sets, nothing vacuous, partial answers that say so.
#include "repair/repair.h"

#include <doctest/doctest.h>

#include "repair/missing.h"
#include "syntax/read.h"

using namespace litmus;

namespace {

ModelFamily& family() {
    static ModelFamily models("ptx", {});
    return models;
}

Test read(const std::string& text) {
    return parse_tests(make_source("t.litmus", text)).front();
}

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

const std::string message = R"(
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
    const Found f = found(message);
    CHECK(f.status == Repairs::Status::searched);
    CHECK(f.repairs.size() == 4);
    CHECK(f.best() == "release-missing acquire-missing");
    CHECK(f.has("fence-missing fence-missing"));
    for (const Repair& repair : f.repairs) {
        CHECK(repair.price == 2 * price::at(Scope::gpu));
        CHECK(repair.under_weakest == true);
    }
}

TEST_CASE("one edit is not enough for a message") {
    const Found f = found(message, {.max_edits = 1});
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

TEST_CASE("a store before a bulk copy needs a proxy fence; the claim of the patch is what then holds") {
    const Found f = found(store_then_copy);
    CHECK(f.best() == "proxy-fence-missing");
    CHECK(f.writes("  fence.proxy.async.shared::cta;\n  cp.async.bulk.global"));
    CHECK(f.writes("~exists (P0:r0 == 0)"));
    const std::vector<Missing> lacks = missing(f.test, f);
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
    const Test test = read("test \"t\"\n" + message);
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
