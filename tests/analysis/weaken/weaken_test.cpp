// What can go: alone, together, and what comes up without what is needed.
#include "analysis/weaken/weaken.h"

#include <doctest/doctest.h>

#include "language/syntax/read.h"

using namespace litmus;

namespace {

ModelFamily& family() {
    static ModelFamily models("ptx", {});
    return models;
}

Weakening weakened(const std::string& body, const WeakenOptions& options = {}) {
    Solver solver;
    const Test test = parse_tests(make_source("t.litmus", "test \"t\"\n" + body)).front();
    return weaken(test, family(), resolve_readings(family().by_default(), "default"), solver, options);
}

const Part& at(const Weakening& found, int thread, int instruction) {
    for (const Part& part : found.parts)
        if (part.place == ProgramPoint{thread, instruction} && part.ways.front().places.empty()) return part;
    FAIL("there is no such part");
    return found.parts.front();
}

std::string passing(const std::string& between_stores, const std::string& store, const std::string& between_loads) {
    return R"(
.global .u32 x = 0;
.global .u32 flag = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  )" + between_stores +
           store + R"( [flag], 1;
}
thread P1 @ cta1 {
  ld.relaxed.gpu.global.u32 r0, [flag];
  )" + between_loads +
           R"(ld.weak.global.u32 r1, [x];
}
~exists (P1:r0 == 1 /\ P1:r1 == 0)
)";
}

}  // namespace

TEST_CASE("what is needed, and the outcome that comes up otherwise") {
    const Weakening found = weakened(passing("fence.acq_rel.gpu;\n  ", "st.relaxed.gpu.global.u32", "fence.acq_rel.gpu;\n  "));
    CHECK_FALSE(found.partial);
    CHECK(at(found, 0, 1).fate == Part::Fate::needed);
    CHECK(at(found, 0, 1).without == "the outcome P1:r0=1; P1:r1=0;");
    CHECK(at(found, 1, 1).fate == Part::Fate::needed);
    CHECK(at(found, 0, 2).fate == Part::Fate::needed);  // a weak flag
    CHECK(found.together.empty());
}

TEST_CASE("a fence.sc where less will do") {
    const Weakening found = weakened(passing("fence.sc.gpu;\n  ", "st.relaxed.gpu.global.u32", "fence.acq_rel.gpu;\n  "));
    const Part& fence = at(found, 0, 1);
    CHECK(fence.fate == Part::Fate::weaker_will_do);
    CHECK(fence.ways[*fence.way].what == "make it `fence.acq_rel.gpu`");
    REQUIRE(found.texts.size() == 1);
    CHECK(found.texts.front().find("fence.acq_rel.gpu;\n  st.relaxed") != std::string::npos);
}

TEST_CASE("of two that do the same either can go, not both") {
    const Weakening found = weakened(passing("fence.acq_rel.gpu;\n  ", "st.release.gpu.global.u32", "fence.acq_rel.gpu;\n  "));
    CHECK(at(found, 0, 1).fate == Part::Fate::needless);
    CHECK(at(found, 0, 2).fate == Part::Fate::weaker_will_do);
    REQUIRE(found.together.size() == 2);
    for (const std::string& text : found.texts)
        CHECK((text.find("st.release") != std::string::npos) != (text.find("fence.acq_rel.gpu;\n  st.") != std::string::npos));
}

TEST_CASE("a barrier goes in all threads or in none") {
    const Weakening found = weakened(R"(
.shared.cta0 .u32 s = 0;
thread P0 @ cta0 {
  bar.sync 0;
  st.weak.shared::cta.u32 [s], 1;
  bar.sync 1;
}
thread P1 @ cta0 {
  bar.sync 0;
  bar.sync 1;
  ld.weak.shared::cta.u32 r0, [s];
}
~exists (P1:r0 == 0)
)");
    REQUIRE(found.parts.size() == 2);
    CHECK(found.parts[0].fate == Part::Fate::needless);
    CHECK(found.parts[1].fate == Part::Fate::needed);
}

TEST_CASE("what relies on a reading says so") {
    // The writer's fence alone does under all readings; the issuer's alone by default. Without the writer's, the verdict rests on
    // fence-cta.
    const Weakening found = weakened(R"(
.shared.cta0 .u32 s[4] = 0;
.global .u32 g[4] = 9;
thread P0 @ cta0 {
  st.weak.shared::cta.u32 [s], 1;
  fence.proxy.async.shared::cta;
  bar.sync 0;
}
thread P1 @ cta0 {
  bar.sync 0;
  fence.proxy.async.shared::cta;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u32 r0, [g];
}
~exists (P1:r0 == 0)
)");
    CHECK(at(found, 0, 1).fate == Part::Fate::needless);
    CHECK(at(found, 0, 1).relies_on == std::vector<std::string>{"fence-cta"});
    CHECK(at(found, 1, 1).fate == Part::Fate::needless);
    CHECK(at(found, 1, 1).relies_on.empty());
}

TEST_CASE("a wait that is needed: undefined behaviour comes up") {
    const Weakening found = weakened(R"(
.shared.cta0 .u32 s[4] = 1;
.global .u32 g[4] = 0;
thread P0 @ cta0 {
  fence.proxy.async.shared::cta;
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u32 r0, [g];
}
forall (P0:r0 == 1)
)");
    CHECK(at(found, 0, 0).fate == Part::Fate::needless);
    CHECK(at(found, 0, 3).fate == Part::Fate::needed);
}

TEST_CASE("a race of two accesses that did not race is new, though others race") {
    const Weakening found = weakened(R"(
.global .u32 x = 0;
.global .u32 y = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [y], 1;
  st.relaxed.gpu.global.u32 [x], 1;
}
thread P1 @ cta1 {
  st.weak.global.u32 [y], 1;
  st.relaxed.gpu.global.u32 [x], 1;
}
exists (x == 1)
)");
    CHECK(at(found, 0, 1).fate == Part::Fate::needed);
    CHECK(at(found, 0, 1).without == "a race on x");
}

TEST_CASE("a scope is not left out where the default is wider, and what a test claims stays so") {
    const Weakening found = weakened(R"(
.global .u32 x = 0;
thread P0 @ cta0 {
  red.relaxed.cta.global.add.u32 [x], 1;
}
thread P1 @ cta1 {
  red.relaxed.gpu.global.add.u32 [x], 1;
}
exists (x == 1)
)");
    CHECK(found.parts.empty());  // no word makes either weaker
}

TEST_CASE("a wait before the exit: without it an operation may still be in flight, which the model flags") {
    const Weakening found = weakened(R"(
.shared.cta0 .u32 tile[4] = 7;
.global .u32 out[4] = 0;
thread P0 @ cta0 {
  cp.async.bulk.global.shared::cta.bulk_group [out], [tile], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
}
exists (out[0] == 7)
)");
    CHECK(at(found, 0, 2).fate == Part::Fate::weaker_will_do);
    CHECK(at(found, 0, 2).ways[*at(found, 0, 2).way].what == "make it `cp.async.bulk.wait_group.read`");
    const Weakening read_only = weakened(R"(
.shared.cta0 .u32 tile[4] = 7;
.global .u32 out[4] = 0;
thread P0 @ cta0 {
  cp.async.bulk.global.shared::cta.bulk_group [out], [tile], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 0;
}
exists (out[0] == 7)
)");
    CHECK(at(read_only, 0, 2).fate == Part::Fate::needed);
    CHECK(at(read_only, 0, 2).without == "the flag in-flight-at-exit");
}

TEST_CASE("the verdict of the test as it is, and a hazard that comes up beside one that is there") {
    const Weakening found = weakened(R"(
.shared.cta0 .mbarrier bar = 1;
.global .u32 x = 0;
thread P0 @ cta0 {
  st.weak.global.u32 [x], 1;
  mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];
}
thread P1 @ cta0 {
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;
  ld.weak.global.u32 r0, [x];
  await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 1;
}
)");
    CHECK(found.verdict == Verdict::deadlock);
    CHECK(at(found, 1, 0).fate == Part::Fate::needed);
    CHECK(at(found, 1, 0).without == "a race on x");
}

TEST_CASE("a qualifier is put where the ISA has it") {
    const Weakening found = weakened(R"(
.shared.cta0 .mbarrier bar = 1;
.global .u32 x = 0;
thread P0 @ cta0 {
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 0;
}
)");
    const Part& part = at(found, 0, 0);
    REQUIRE(part.way);
    CHECK(part.ways[*part.way].what == "make it `mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64`");
}

TEST_CASE("the barrier that a rule of the ISA asks for stays, whatever the test shows without it") {
    const std::string thread = R"( {
  barrier.cluster.arrive;
  barrier.cluster.wait;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  tcgen05.dealloc.cta_group::2.sync.aligned.b32 d, 32;
}
)";
    const Weakening found = weakened("\n.tmem d;\nthread P0 @ cta0" + thread + "thread P1 @ cta1" + thread + "terminates\n");
    for (const int instruction : {0, 2}) {
        const auto part = std::find_if(found.parts.begin(), found.parts.end(), [&](const Part& one) {
            return one.place == ProgramPoint{0, instruction} && !one.ways.front().places.empty();
        });
        REQUIRE(part != found.parts.end());
        CHECK(part->fate == (instruction == 0 ? Part::Fate::needless : Part::Fate::needed));
        CHECK((part->without.find("ISA 9.7.16.5") != std::string::npos) == (instruction == 2));
    }
}
