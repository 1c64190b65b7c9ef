// Fences and waits of tensor maps, multimem addresses, tensor memory and wgmma: that repair offers them where the library's bugs lack them,
// and that weaken tries to take them out.
#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/repair/family.h"
#include "analysis/repair/missing.h"
#include "analysis/weaken/weaken.h"
#include "language/syntax/read.h"

using namespace litmus;

namespace {

std::string text_of(const std::string& name) {
    return read_source(std::string(LITMUS_SOURCE_DIR) + "/litmus/async/" + name + ".litmus")->text;
}

// A test of the library with other words in it: the claim of its good outcome, for example.
std::string with(std::string text, const std::string& old, const std::string& other) {
    const size_t at = text.find(old);
    REQUIRE(at != std::string::npos);
    return text.replace(at, old.size(), other);
}

struct Repaired {
    Repairs repairs;
    std::vector<std::string> missing;  // of the best repair, by their sentences

    // Whether the n-th repair has this in its text.
    bool writes(const std::string& part, size_t nth = 0) const {
        return nth < repairs.repairs.size() && repairs.repairs[nth].text.find(part) != std::string::npos;
    }
    bool robust() const { return !repairs.repairs.empty() && repairs.repairs.front().under_weakest == true; }
};

Repaired repaired(const std::string& text, const std::string& reading = "default") {
    Solver solver;
    const Test test = read(text);
    Repaired found{repair(test, family(), resolve_readings(family().by_default(), reading), solver, {}), {}};
    for (const Missing& part : what_is_missing(test, found.repairs).best) found.missing.push_back(part.sentence);
    return found;
}

Weakening what_weakens(const std::string& text) {
    Solver solver;
    return weaken(read(text), family(), resolve_readings(family().by_default(), "default"), solver, {});
}

// The part of the first instruction that is spelled so.
const Part& part(const Test& test, const Weakening& found, const std::string& spelled) {
    for (const Part& part : found.parts)
        if (written(test, part.place).rfind(spelled, 0) == 0) return part;
    FAIL("there is no such part");
    return found.parts.front();
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a map that nobody acquires, or releases: the half that is missing") {
    const Repaired acquire = repaired(text_of("tensormap/map-grouped-gemm-not-acquired"));
    CHECK(acquire.missing == Lines{"P1 before line 21: put `fence.proxy.tensormap::generic.acquire.cluster [tm], 128`"});
    CHECK(acquire.robust());
    CHECK(repaired(text_of("tensormap/map-replace-release-only")).missing ==
          Lines{"P0 before line 15: put `fence.proxy.tensormap::generic.acquire.cluster [tm], 128`"});
    const Repaired release = repaired(text_of("tensormap/map-replace-acquire-only"));
    CHECK(release.missing == Lines{"P0 before line 14: put `fence.proxy.tensormap::generic.release.cluster`"});
    CHECK(release.robust());
}

TEST_CASE("a map that is replaced and used at once: both halves") {
    const Repaired f = repaired(text_of("tensormap/map-replace-unfenced"));
    CHECK(f.writes("  fence.proxy.tensormap::generic.release.cluster;\n  fence.proxy.tensormap::generic.acquire.cluster [tm], 128;\n"));
    CHECK(f.robust());
}

TEST_CASE("the half is for the map by which the thread copies, wherever its address is") {
    // the fence that is there names another map, which nobody copies by: it is not the same one at a wrong place
    const Repaired other = repaired(text_of("tensormap/map-replace-other-map-acquired"));
    REQUIRE_FALSE(other.repairs.repairs.empty());
    CHECK(other.repairs.edits[other.repairs.repairs.front().edits.front()].fault == Fault::proxy_fence_missing);
    for (const Edit& edit : other.repairs.edits)
        CHECK(edit.what.find("put `fence.proxy.tensormap::generic.acquire.cta [tn]") == std::string::npos);
    // a map that is a constant needs none
    for (const Edit& edit : repaired(text_of("tensor/tensor-load-no-wait")).repairs.edits)
        CHECK(edit.what.find("tensormap::generic") == std::string::npos);
}

TEST_CASE("a wider scope of a tensor map's fence is one") {
    const Repaired f = repaired(text_of("tensormap/map-two-ctas-acquire-cta"));
    CHECK(f.missing == Lines{"P1 line 20: make it `fence.proxy.tensormap::generic.acquire.cluster`"});
    CHECK(f.repairs.edits[f.repairs.repairs.front().edits.front()].fault == Fault::scope_too_narrow);
}

TEST_CASE("a multimem address and that of one of its locations") {
    const Repaired f = repaired(text_of("multimem/mm-red-then-ld"));
    CHECK(f.missing == Lines{"P0 before line 11: put `fence.proxy.alias`"});
    CHECK(f.robust());
}

TEST_CASE("operations on tensor memory of two threads: the fence before the barrier and the one behind it") {
    const Repaired f = repaired(text_of("tcgen05/tc-other-thread-no-fence"));
    CHECK(f.missing ==
          Lines{"P0 before line 13: put `tcgen05.fence::before_thread_sync`", "P1 before line 17: put `tcgen05.fence::after_thread_sync`"});
    CHECK(f.repairs.repairs.size() == 1);
    CHECK(f.robust());
}

TEST_CASE("behind a wait for the multiplication: the fence comes before what holds by default only") {
    const std::string fence = "P0 before line 14: put `tcgen05.fence::after_thread_sync`";
    const std::string relaxed = text_of("tcgen05/tc-read-relaxed-no-fence");
    CHECK(repaired(relaxed).missing == Lines{fence});
    const Repaired claimed = repaired(with(relaxed, "exists (P0:r0 == 0)", "~exists (P0:r0 != 32)\nracefree"));
    CHECK(claimed.missing == Lines{fence});
    CHECK(claimed.robust());
    const std::string acquire = text_of("tcgen05/tc-read-acquire-no-fence");
    CHECK(repaired(acquire).repairs.status == Repairs::Status::nothing_to_repair);
    CHECK(repaired(acquire, "weakest").missing == Lines{fence});
}

TEST_CASE("a wait that is missing comes with its fence: of one price, what holds in every reading is first") {
    const Repaired f = repaired(text_of("tcgen05/tc-read-before-wait"));
    REQUIRE(f.repairs.repairs.size() == 2);
    CHECK(f.writes("[done], 0;\n  tcgen05.fence::after_thread_sync;\n"));
    CHECK(f.robust());
    CHECK_FALSE(f.writes("tcgen05.fence::after_thread_sync", 1));
    CHECK(f.repairs.repairs[1].under_weakest == false);
    // where the wait alone holds in every reading, it comes alone
    const Repaired alone = repaired(text_of("tcgen05/tc-after-copy-no-wait"));
    CHECK(alone.repairs.repairs.size() == 1);
    CHECK_FALSE(alone.writes("[full], 0;\n  tcgen05.fence"));
}

TEST_CASE("a fence of tcgen05 stands behind the branch that repeats the wait") {
    const Repaired f = repaired(with(
        with(text_of("tcgen05/tc-read-relaxed-no-fence"), "  await mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 [done], 0;",
             "AGAIN:\n  mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [done], 0;\n  @!p bra AGAIN;"),
        "exists (P0:r0 == 0)", "~exists (P0:r0 == 0)"));
    CHECK(f.writes("  @!p bra AGAIN;\n  tcgen05.fence::after_thread_sync;\n  tcgen05.ld"));
}

TEST_CASE("waits for tensor memory, and a commit that stands before what it shall track") {
    CHECK(repaired(text_of("tcgen05/tc-load-then-multiply")).missing == Lines{"P0 before line 12: put `tcgen05.wait::ld.sync.aligned`"});
    CHECK(repaired(text_of("tcgen05/tc-store-then-load")).missing == Lines{"P0 before line 10: put `tcgen05.wait::st.sync.aligned`"});
    const Repaired moved = repaired(text_of("tcgen05/tc-commit-before-mma"));
    REQUIRE_FALSE(moved.repairs.repairs.empty());
    CHECK(moved.repairs.edits[moved.repairs.repairs.front().edits.front()].fault == Fault::arrival_misplaced);
}

TEST_CASE("an arrival behind a multiplication does not wait for it: a commit does") {
    CHECK(repaired(text_of("tcgen05/tc-slot-given-back-early")).missing ==
          Lines{"consumer line 14: make it `tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [empty]`"});
}

TEST_CASE("a wait whose group nobody committed lacks the commit alone") {
    const Repaired f = repaired(R"(test "t"
.shared.cta0 .u32 s[4] = 1;
.global .u32 g[4] = 0;
thread P0 @ cta0 {
  cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;
  cp.async.bulk.wait_group 0;
  ld.weak.global.u32 r0, [g];
}
~exists (P0:r0 != 1)
)");
    CHECK(f.missing == Lines{"P0 before line 6: put `cp.async.bulk.commit_group`"});
    CHECK(f.robust());
}

TEST_CASE("wgmma: the fence at the start of a thread, and what weaken says without it") {
    CHECK(repaired(text_of("wgmma/wgmma-first-without-fence")).missing == Lines{"P0 before line 9: put `wgmma.fence.sync.aligned`"});
    CHECK(repaired(text_of("wgmma/wgmma-no-register-fence")).missing == Lines{"P0 before line 14: put `wgmma.fence.sync.aligned`"});
    const Test test = read(text_of("wgmma/wgmma-refill-after-wait"));
    const Weakening found = what_weakens(test.source->text);
    CHECK(part(test, found, "wgmma.fence").fate == Part::Fate::needed);
    CHECK(part(test, found, "wgmma.wait_group").without == "a race on b[0]");
}

TEST_CASE("weaken takes out the fences of tcgen05") {
    const Test fenced = read(text_of("tcgen05/tc-other-thread-fenced"));
    const Weakening found = what_weakens(fenced.source->text);
    for (const char* fence : {"tcgen05.fence::before_thread_sync", "tcgen05.fence::after_thread_sync"}) {
        CHECK(part(fenced, found, fence).fate == Part::Fate::needed);
        CHECK(part(fenced, found, fence).without == "a race on d");
    }
    CHECK(found.not_tried.empty());
    // one that is there twice
    const Test twice = read(with(fenced.source->text, "  tcgen05.fence::before_thread_sync;\n",
                                 "  tcgen05.fence::before_thread_sync;\n  tcgen05.fence::before_thread_sync;\n"));
    CHECK(part(twice, what_weakens(twice.source->text), "tcgen05.fence::before_thread_sync").fate == Part::Fate::needless);
}

TEST_CASE("weaken keeps a wait for tensor memory where something is written again behind it, and no other") {
    const Test stored = read(text_of("tcgen05/tc-store-wait-load"));
    const Weakening found = what_weakens(stored.source->text);
    CHECK(part(stored, found, "tcgen05.wait::st").without == "a race on d");
    CHECK(part(stored, found, "tcgen05.wait::ld").fate == Part::Fate::needless);  // ISA 9.7.16.6.4.5: the result may be used at once
    const Test rewritten = read(text_of("tcgen05/tc-register-written-after-wait"));
    CHECK(part(rewritten, what_weakens(rewritten.source->text), "tcgen05.wait::ld").fate == Part::Fate::needed);
}

TEST_CASE("weaken takes out the fences of tensor maps and of aliases, or narrows their scopes") {
    const Test map = read(text_of("tensormap/map-replace-fenced"));
    const Weakening found = what_weakens(map.source->text);
    for (const char* half : {"fence.proxy.tensormap::generic.release", "fence.proxy.tensormap::generic.acquire"}) {
        const Part& fence = part(map, found, half);
        CHECK(fence.ways.front().what == "leave it out");
        REQUIRE(fence.way);
        CHECK(fence.ways[*fence.way].what == "make it `" + std::string(half) + ".cluster`");
    }
    const Test alias = read(text_of("multimem/mm-red-then-ld-fenced"));
    CHECK(part(alias, what_weakens(alias.source->text), "fence.proxy.alias").fate == Part::Fate::needed);
}

TEST_CASE("weaken takes out a barrier with a count, with the arrivals at it, and says what it does not try") {
    const std::string text = R"(test "t"
.shared.cta0 .u32 s = 0;
thread P0 @ cta0.warp0 {
  bar.arrive 2, 64;
  st.weak.shared::cta.u32 [s], 1;
  bar.sync 1, 64;
}
thread P1 @ cta0.warp1 {
  bar.sync 2, 64;
  bar.sync 1, 64;
  ld.weak.shared::cta.u32 r0, [s];
}
~exists (P1:r0 == 0)
)";
    const Test test = read(text);
    const Weakening found = what_weakens(text);
    CHECK(part(test, found, "bar.sync 1, 64").fate == Part::Fate::needed);
    CHECK(part(test, found, "bar.arrive 2, 64").fate == Part::Fate::needless);
    CHECK(found.not_tried.empty());
    const Weakening once_more = what_weakens(with(text, "  ld.weak", "  setp.eq.u32 q, 1, 2;\n  @q bar.sync 3, 32;\n  ld.weak"));
    REQUIRE(once_more.not_tried.size() == 1);
    CHECK(once_more.not_tried.front() == ProgramPoint{1, 3});
}
