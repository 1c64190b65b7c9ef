// Strong accesses: which updates may be exchanged, which chains of them hand on a release, and which do not overlap completely.
#include <doctest/doctest.h>

#include <map>

#include "sweep/blocks.h"
#include "sweep/orders.h"
#include "sweep/slice.h"

using namespace litmus;
using sweep::testing::Launched;
using sweep::testing::of_blocks;
using sweep::testing::waits_for;

namespace {

// "race on `x` at byte 8; ": the findings, then the conditions.
std::string said_of_blocks(const std::vector<std::string>& blocks, const std::string& cluster = "1") {
    const Launched launched = of_blocks(blocks, cluster);
    const sweep::Swept found = sweep::sweep(launched.module, launched.launch);
    std::string text;
    for (const sweep::Finding& finding : found.findings) text += finding.text + "; ";
    for (const std::string& condition : found.conditions) text += "where " + condition + "; ";
    return text;
}

using kernel::testing::has;

const std::string done = "red.release.gpu.global.add.u32 [%rd1+4], 1;\n";

// Updates of two blocks; a third one branches on what they leave.
std::string after(const std::string& one, const std::string& other) {
    return said_of_blocks({one + ";\n" + done, other + ";\n" + done,
                           waits_for("2") + "ld.global.u32 %r4, [%rd1];\nsetp.eq.u32 %p4, %r4, 3;\n@%p4 st.global.u32 [%rd1+8], 1;\n"});
}

std::string reduces(const std::string& how, const std::string& by) {
    return "red.relaxed.gpu.global." + how + " [%rd1], " + by;
}

const std::string word_is_written = "mov.u32 %r4, 1;\nst.global.u32 [%rd1+8], %r4;\n", word_is_read = "ld.global.u32 %r5, [%rd1+8];\n";

}  // namespace

TEST_CASE("what unordered updates leave decides something, unless they are integer reductions of one kind") {
    CHECK(after(reduces("add.u32", "1"), reduces("add.s32", "2")).empty());
    CHECK(after(reduces("max.s32", "1"), reduces("max.s32", "2")).empty());
    CHECK(after(reduces("or.b32", "1"), reduces("or.b32", "2")).empty());
    const std::vector<std::pair<std::string, std::string>> unlike = {
        {reduces("add.u32", "1"), reduces("max.u32", "2")},
        {reduces("or.b32", "1"), reduces("and.b32", "2")},
        {reduces("min.u32", "1"), reduces("max.u32", "2")},
        {reduces("max.u32", "1"), reduces("max.s32", "2")},  // of 0xffffffff they make something else
        {reduces("inc.u32", "1"), reduces("dec.u32", "2")},
        {reduces("add.u32", "1"), "st.relaxed.gpu.global.u32 [%rd1], %r2"},
        {reduces("add.u32", "1"), "atom.relaxed.gpu.global.exch.b32 %r5, [%rd1], 2"},
        {reduces("add.u32", "1"), "atom.relaxed.gpu.global.cas.b32 %r5, [%rd1], 0, 2"},
        {reduces("add.f32", "0f3f800000"), reduces("add.f32", "0f40000000")}};
    for (const auto& [one, other] : unlike) {
        CAPTURE(one);
        CAPTURE(other);
        CHECK(has(after(one, other), "finds depends on the order, and decides"));
        CHECK(has(after(other, one), "finds depends on the order, and decides"));
    }
}

TEST_CASE("an update behind another one of its thread does not hide it") {
    const std::string one = reduces("max.u32", "2") + ";\n" + reduces("add.u32", "1");
    CHECK(has(after(one, reduces("add.u32", "1")), "finds depends on the order, and decides"));
    CHECK(after(reduces("add.u32", "2") + ";\n" + reduces("add.u32", "1"), reduces("add.u32", "1")).empty());
    // nor does it hide a store
    const std::string stored = "mov.u32 %r6, 2;\nst.relaxed.gpu.global.u32 [%rd1], %r6;\n" + reduces("add.u32", "1");
    CHECK(has(after(stored, reduces("add.u32", "1")), "finds depends on the order, and decides"));
}

TEST_CASE("what a thread finds counts, whatever the thread does there later") {
    const auto found = [](const std::string& later) {
        return said_of_blocks(
            {"ld.relaxed.gpu.global.u32 %r5, [%rd1];\n" + later + "setp.eq.u32 %p4, %r5, 0;\n@%p4 st.global.u32 [%rd1+8], 1;\n",
             reduces("add.u32", "1") + ";\n"});
    };
    CHECK(has(found(""), "finds depends on the order, and decides"));
    CHECK(has(found(reduces("add.u32", "1") + ";\n"), "finds depends on the order, and decides"));
}

TEST_CASE("whether a compare-and-swap writes is a decision") {
    const auto swap = [](const std::string& to) { return "atom.relaxed.gpu.global.cas.b32 %r5, [%rd1], 0, " + to + ";\n"; };
    CHECK(has(said_of_blocks({swap("1"), swap("2")}), "finds depends on the order, and decides"));
    CHECK(said_of_blocks({swap("1")}).empty());
    // what it compares with depends on the order, or is not computed
    const std::string draws = "atom.relaxed.gpu.global.add.u32 %r4, [%rd1], 1;\n";
    CHECK(has(said_of_blocks({draws + "atom.relaxed.gpu.global.cas.b32 %r5, [%rd1+8], %r4, 7;\n", draws}),
              "`atom.relaxed.gpu.global.add.u32` finds depends on the order, and decides"));
    CHECK(
        has(said_of_blocks(
                {".shared .align 4 .b8 place[4];\nld.shared.u32 %r4, [place];\natom.relaxed.gpu.global.cas.b32 %r5, [%rd1+8], %r4, 7;\n"}),
            "a value that is not computed decides whether `atom.relaxed.gpu.global.cas.b32` is executed"));
    // one that fails is a read
    CHECK(said_of_blocks({"atom.relaxed.gpu.global.cas.b32 %r5, [%rd1], 7, 8;\n", "ld.global.u32 %r5, [%rd1];\n"}).empty());
    CHECK(has(said_of_blocks({"atom.relaxed.gpu.global.cas.b32 %r5, [%rd1], 0, 8;\n", "ld.global.u32 %r5, [%rd1];\n"}),
              "race on `x` at byte 0"));
}

TEST_CASE("a loop that waits may miss a value that an unordered write takes away") {
    const std::string two = "mov.u32 %r4, 2;\nst.relaxed.gpu.global.u32 [%rd1+4], %r4;\n";
    CHECK(said_of_blocks({two, waits_for("2")}).empty());
    CHECK(
        has(said_of_blocks({"mov.u32 %r4, 1;\nst.relaxed.gpu.global.u32 [%rd1+4], %r4;\n", two, waits_for("2")}), "depends on the order"));
}

TEST_CASE("what depends on the order goes on through what an update leaves") {
    const std::string draws = "atom.relaxed.gpu.global.add.u32 %r4, [%rd1], 1;\n";
    const auto decided = [&](const std::string& updates) {
        return said_of_blocks(
            {draws + updates + "ld.global.u32 %r5, [%rd1+8];\nsetp.eq.u32 %p4, %r5, 1;\n@%p4 st.global.u32 [%rd1+12], 1;\n", draws});
    };
    for (const std::string& updates : {std::string("red.relaxed.gpu.global.add.u32 [%rd1+8], %r4;\n"),
                                       std::string("st.global.u32 [%rd1+8], %r4;\nred.relaxed.gpu.global.add.u32 [%rd1+8], 1;\n"),
                                       std::string("st.global.u32 [%rd1+8], %r4;\natom.relaxed.gpu.global.cas.b32 %r5, [%rd1+8], 0, 1;\n"),
                                       std::string("atom.relaxed.gpu.global.cas.b32 %r5, [%rd1+8], 0, %r4;\n")}) {
        CAPTURE(updates);
        CHECK(has(decided(updates), "`atom.relaxed.gpu.global.add.u32` finds depends on the order, and decides"));
    }
    CHECK(decided("red.relaxed.gpu.global.add.u32 [%rd1+8], 1;\n").empty());
}

// Block 0 writes a place in which block 1 waits as long as it finds one value. Block 1 comes later in this run, and finds the last value.
// In another one it finds a value that ends its loop otherwise.
TEST_CASE("a loop that waits may find each value that its place has had, whatever has written it") {
    const auto waited = [](const std::string& writes, const std::string& finds, const std::string& goes_round) {
        return said_of_blocks({"mov.u32 %r4, 2;\nmov.u64 %rd4, 1;\n" + writes, finds + ", [%rd1+16];\n" + goes_round + "@%p4 bra SEEN;\n"});
    };
    const auto stores = [](const std::string& how, const std::string& value) { return "st." + how + " [%rd1+16], " + value + ";\n"; };
    const auto as_long_as = [](const std::string& value) { return "setp.eq.u32 %p4, %r5, " + value + ";\n"; };
    const std::string depends = "finds depends on the order, and decides", word = "SEEN:\nld.relaxed.gpu.global.u32 %r5",
                      one = stores("relaxed.gpu.global.u32", "1"), two = stores("relaxed.gpu.global.u32", "2");
    CHECK(waited(one, word, as_long_as("0")).empty());
    CHECK(has(waited(two + one, word, as_long_as("2")), depends));
    // several words at once: 0, 2, 1
    CHECK(has(waited(stores("relaxed.gpu.global.v2.u32", "{%r4, %r4}") + one, word, as_long_as("2")), depends));
    // a register has more than the byte that is stored: 0, 2, 3
    const std::string byte = "SEEN:\nld.relaxed.gpu.global.u8 %r5",
                      stores_two = "mov.u32 %r4, 0x102;\n" + stores("relaxed.gpu.global.u8", "%r4");
    CHECK(waited(stores_two, byte, as_long_as("0")).empty());
    CHECK(has(waited(stores_two + stores("relaxed.gpu.global.u8", "3"), byte, "and.b32 %r6, %r5, 0xfffffffe;\nsetp.ne.u32 %p4, %r6, 2;\n"),
              depends));
    // Block 1 knows of what comes before the flag: of the word, of a part of it, or of a word of which it is a part.
    const std::string tells = "st.release.gpu.global.u32 [%rd1+4], 1;\n" + two, told = waits_for("1");
    CHECK(waited(one + tells, told + word, as_long_as("1")).empty());
    CHECK(has(waited(one + "st.relaxed.gpu.global.u16 [%rd1+18], 1;\n" + tells, told + word, as_long_as("1")), depends));
    CHECK(has(waited(one + stores("relaxed.gpu.global.u64", "%rd4") + tells, told + word, as_long_as("1")), depends));
    // a weak write of the word, or of its end
    CHECK(waited(one + stores("global.u32", "5") + tells, told + word, as_long_as("5")).empty());
    CHECK(has(waited(one + stores("global.u32", "5") + tells, told + word, as_long_as("1")), depends));
    const std::string wide = stores("relaxed.gpu.global.u64", "%rd4");
    CHECK(has(waited(wide + "st.global.u32 [%rd1+20], 1;\nst.release.gpu.global.u32 [%rd1+4], 1;\nmov.u64 %rd4, 2;\n" + wide,
                     told + "SEEN:\nld.relaxed.gpu.global.u64 %rd5", "setp.eq.u64 %p4, %rd5, 1;\n"),
              depends));
}

// Threads of all blocks count in a word that belongs to the grid, and wait until its highest bit changes.
TEST_CASE("what the barrier of the grid counts decides nothing") {
    const auto meets = [](const std::string& place) {
        const std::string meet = "mov.u32 %r4, %envreg1;\nmov.u32 %r5, %envreg2;\nmov.b64 %rd2, {%r5, %r4};\n" + place +
                                 "fence.acq_rel.gpu;\natom.relaxed.gpu.global.add.u32 %r7, [%rd2+4], %r6;\n",
                          waits =
                              ":\nld.acquire.gpu.global.u32 %r8, [%rd2+4];\nxor.b32 %r8, %r8, %r7;\nsetp.ge.s32 %p3, %r8, 0;\n@%p3 bra ";
        return said_of_blocks(
            {"mov.u32 %r6, 0x7fffffff;\nst.global.u32 [%rd1+16], 1;\n" + meet + "FIRST" + waits + "FIRST;\nld.global.u32 %r3, [%rd1+20];\n",
             "mov.u32 %r6, 1;\nst.global.u32 [%rd1+20], 1;\n" + meet + "OTHER" + waits + "OTHER;\nld.global.u32 %r3, [%rd1+16];\n"});
    };
    CHECK(meets("") == "");
    CHECK(has(meets("mov.u64 %rd2, %rd1;\n"), "finds depends on the order, and decides"));
}

TEST_CASE("each link of a chain of atomic operations, and its two ends, are morally strong") {
    const auto chain = [](const std::string& atom, const std::string& load, const std::string& fence = {}) {
        return said_of_blocks({word_is_written + "mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd1+4], %r6;\n", waits_for("1") + atom,
                               waits_for("2", load) + fence + word_is_read},
                              "3");
    };
    const auto add = [](const std::string& scope) { return "atom.relaxed." + scope + ".global.add.u32 %r5, [%rd1+4], 1;\n"; };
    CHECK(chain(add("gpu"), "ld.acquire.gpu").empty());
    CHECK(chain(add("cluster"), "ld.acquire.cluster").empty());
    CHECK(has(chain(add("cta"), "ld.acquire.gpu"), "race on `x` at byte 8"));
    CHECK(has(chain(add("gpu"), "ld.acquire.cta"), "race on `x` at byte 8"));
    CHECK(chain(add("gpu"), "ld.relaxed.gpu", "fence.acq_rel.cluster;\n").empty());
    CHECK(has(chain(add("gpu"), "ld.relaxed.gpu", "fence.acq_rel.cta;\n"), "race on `x` at byte 8"));
    CHECK(has(chain(add("gpu"), "ld.relaxed.cta", "fence.acq_rel.gpu;\n"), "race on `x` at byte 8"));
    // who updates stands in one cluster with who waits, and who releases in another one
    const auto near = [&](const std::string& load, const std::string& fence = {}, const std::string& scope = "gpu") {
        return said_of_blocks({word_is_written + "mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd1+4], %r6;\n", "",
                               waits_for("1") + add(scope), waits_for("2", load) + fence + word_is_read},
                              "2");
    };
    CHECK(near("ld.relaxed.gpu", "fence.acq_rel.gpu;\n").empty());
    CHECK(has(near("ld.relaxed.gpu", "fence.acq_rel.cluster;\n"), "race on `x` at byte 8"));
    CHECK(has(near("ld.acquire.cluster"), "race on `x` at byte 8"));
    CHECK(near("ld.acquire.gpu").empty());
    CHECK(has(near("ld.acquire.gpu", "", "cluster"), "race on `x` at byte 8"));
    // who releases and who updates stand in one cluster, and who waits in another one
    const auto far = [&](const std::string& scope) {
        return said_of_blocks({word_is_written + "mov.u32 %r6, 1;\nst.release." + scope + ".global.u32 [%rd1+4], %r6;\n",
                               waits_for("1") + add("gpu"), waits_for("2") + word_is_read, ""},
                              "2");
    };
    CHECK(far("gpu").empty());
    CHECK(has(far("cluster"), "race on `x` at byte 8"));
}

TEST_CASE("what writes nothing, or no strong value, is no link of a chain") {
    const auto passed = [](const std::string& releases, const std::string& reads) {
        return said_of_blocks({word_is_written + releases, reads + word_is_read});
    };
    const std::string found = "ld.acquire.gpu.global.u32 %r3, [%rd1+4];\n";
    CHECK(passed("atom.release.gpu.global.cas.b32 %r5, [%rd1+4], 0, 8;\n", waits_for("8")).empty());
    CHECK(has(passed("atom.release.gpu.global.cas.b32 %r5, [%rd1+4], 7, 8;\n", found), "race on `x` at byte 8"));
    const std::string released = "mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd1+4], %r6;\n";
    CHECK(has(passed(released + "mov.u32 %r6, 2;\nst.global.u32 [%rd1+4], %r6;\n", waits_for("2")), "race on `x` at byte 8"));
    CHECK(has(passed(released + "mov.u32 %r6, 2;\nst.global.v2.u32 [%rd1], {%r6, %r6};\n", waits_for("2")), "race on `x` at byte 8"));
    // who waits finds no other value for it, either
    const std::string fails =
        "SEEN:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.ne.u32 %p3, %r3, 1;\n@%p3 bra SEEN;\n"
        "atom.relaxed.gpu.global.cas.b32 %r5, [%rd1+4], 7, 8;\n";
    CHECK(said_of_blocks({word_is_written + released, fails, waits_for("1") + word_is_read}).empty());
}

TEST_CASE("a write after a release of its thread, to the same place, goes on to release") {
    const auto passed = [](const std::string& released, const std::string& between, const std::string& other = "") {
        return said_of_blocks({word_is_written + released + between, waits_for("2") + word_is_read, other});
    };
    const std::string first = "mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd1+4], %r6;\nmov.u32 %r6, 2;\n",
                      second = "st.relaxed.gpu.global.u32 [%rd1+4], %r6;\n", raced = "race on `x` at byte 8";
    CHECK(passed(first, second).empty());
    CHECK(passed("atom.acq_rel.gpu.global.exch.b32 %r6, [%rd1+4], 1;\nmov.u32 %r6, 2;\n", second).empty());
    CHECK(passed(first, "st.relaxed.gpu.global.u32 [%rd1+4], 3;\n" + second).empty());
    // what comes behind the release is not published
    CHECK(
        has(passed("mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd1+4], %r6;\n" + word_is_written + "mov.u32 %r6, 2;\n", second), raced));
    // another place, a release that is none, another size, another thread
    CHECK(has(passed("mov.u32 %r6, 2;\nst.release.gpu.global.u32 [%rd1+12], %r6;\n", second), raced));
    CHECK(has(passed("mov.u32 %r6, 1;\nst.relaxed.gpu.global.u32 [%rd1+4], %r6;\nmov.u32 %r6, 2;\n", second), raced));
    CHECK(has(passed("mov.u64 %rd2, 1;\nst.release.gpu.global.u64 [%rd1+0], %rd2;\nmov.u32 %r6, 2;\n", second), raced));
    CHECK(has(said_of_blocks({word_is_written + first, waits_for("2") + word_is_read, waits_for("1") + "mov.u32 %r6, 2;\n" + second}),
              raced));
    // the scope of each of the two
    CHECK(has(passed("mov.u32 %r6, 1;\nst.release.cta.global.u32 [%rd1+4], %r6;\nmov.u32 %r6, 2;\n", second), raced));
    CHECK(has(passed(first, "st.relaxed.cta.global.u32 [%rd1+4], %r6;\n"), raced));
}

TEST_CASE("an operation acquires what a strong read before it observed of the same place") {
    const std::string raises = "st.release.gpu.global.u32 [%rd1+4], 1;\n", raced = "race on `x` at byte 8",
                      hides = "st.relaxed.gpu.global.u32 [%rd1+4], 5;\n";
    const auto passed = [&](const std::string& acquires, const std::string& load = "ld.relaxed.gpu") {
        return said_of_blocks({word_is_written + raises, waits_for("1", load) + hides + acquires + word_is_read});
    };
    CHECK(passed("ld.acquire.gpu.global.u32 %r4, [%rd1+4];\n").empty());
    CHECK(passed("atom.acquire.gpu.global.add.u32 %r4, [%rd1+4], 1;\n").empty());
    // it does not acquire, or not so far; another place, another size
    CHECK(has(passed("ld.relaxed.gpu.global.u32 %r4, [%rd1+4];\n"), raced));
    CHECK(has(passed("ld.acquire.cta.global.u32 %r4, [%rd1+4];\n"), raced));
    CHECK(has(passed("ld.acquire.gpu.global.u32 %r4, [%rd1+12];\n"), raced));
    CHECK(has(passed("ld.acquire.gpu.global.u64 %rd2, [%rd1+0];\n"), raced));
    CHECK(has(passed("ld.acquire.gpu.global.u16 %r4, [%rd1+4];\n"), raced));
    CHECK(has(passed("ld.acquire.gpu.global.u32 %r4, [%rd1+4];\n", "ld.relaxed.cta"), raced));
    // which write it observed may depend on the order
    CHECK(has(said_of_blocks({word_is_written + raises, "ld.relaxed.gpu.global.u32 %r3, [%rd1+4];\n" + hides +
                                                            "ld.acquire.gpu.global.u32 %r4, [%rd1+4];\n" + word_is_read}),
              "where "));
}

TEST_CASE("a fence releases as far as its scope, whatever the scope of the flag") {
    const auto raised = [](const std::string& scope) {
        return said_of_blocks(
            {word_is_written + "fence.acq_rel." + scope + ";\nmov.u32 %r6, 1;\nst.relaxed.gpu.global.u32 [%rd1+4], %r6;\n",
             waits_for("1") + word_is_read},
            "2");
    };
    CHECK(raised("gpu").empty());
    CHECK(raised("cluster").empty());
    CHECK(has(raised("cta"), "race on `x` at byte 8"));
}

TEST_CASE("a write that is ordered behind another one does not hide it from a narrow read") {
    // The last write is of the cluster of the block that waits. The one before is not.
    const auto read = [](const std::string& load) {
        return said_of_blocks({"mov.u32 %r6, 1;\nst.release.gpu.global.u32 [%rd1+4], %r6;\n", "",
                               waits_for("1") + "mov.u32 %r6, 2;\nst.release.gpu.global.u32 [%rd1+4], %r6;\n", waits_for("2", load)},
                              "2");
    };
    CHECK(read("ld.acquire.gpu").empty());
    CHECK(has(read("ld.acquire.cluster"), "race on `x` at byte 4"));
}

TEST_CASE("strong accesses overlap completely where their elements have one size") {
    const auto race = [](const std::string& one, const std::string& other) { return said_of_blocks({one + ";\n", other + ";\n"}); };
    const std::string packed = reduces("add.noftz.f16x2", "%r1");
    CHECK(race(packed, packed).empty());
    CHECK(race(packed, "red.relaxed.gpu.global.add.noftz.bf16x2 [%rd1], %r1").empty());
    CHECK(race(reduces("add.v2.f32", "{%r1, %r1}"), "red.relaxed.gpu.global.add.f32 [%rd1+4], 0f3f800000").empty());
    for (const std::string& other : {reduces("add.u32", "1"), std::string("ld.relaxed.gpu.global.u32 %r5, [%rd1]")}) {
        CAPTURE(other);
        CHECK(has(race(packed, other), "race on `x` at byte 0"));
        // the two have one size in the evidence, which would say nothing of this race
        const Launched launched = of_blocks({packed + ";\n", other + ";\n"});
        const sweep::Swept found = sweep::sweep(launched.module, launched.launch);
        REQUIRE(found.findings.size() == 1);
        CHECK(sweep::slice_of(launched.module, launched.launch, {}, found.findings[0]).why == "strong accesses of two sizes to one place");
    }
    CHECK(has(race("red.relaxed.gpu.global.add.u64 [%rd1], %rd2", reduces("add.u32", "1")), "race on `x` at byte 0"));
}

TEST_CASE("a strong write does not hide one of another size or proxy, which it comes behind") {
    const auto raced = [](const std::string& writes, const std::string& reads) { return said_of_blocks({writes, reads + ";\n"}); };
    const std::string word = "ld.relaxed.gpu.global.u32 %r5, [%rd1+16]", one = "st.relaxed.gpu.global.u32 [%rd1+16], 1;\n",
                      race = "race on `x` at byte 16";
    CHECK(raced("st.relaxed.gpu.global.v2.u32 [%rd1+16], {%r1, %r1};\n" + one, word).empty());
    CHECK(has(raced("st.relaxed.gpu.global.u64 [%rd1+16], %rd1;\n" + one, word), race));
    CHECK(has(raced("st.relaxed.gpu.global.u16 [%rd1+16], 1;\n" + one, word), race));
    CHECK(has(raced(one + "st.relaxed.gpu.global.u16 [%rd1+16], 1;\n", "ld.relaxed.gpu.global.u16 %r5, [%rd1+16]"), race));
    // of several threads
    CHECK(has(said_of_blocks({"st.relaxed.gpu.global.u64 [%rd1+16], %rd1;\nst.release.gpu.global.u32 [%rd1+4], 1;\n", waits_for("1") + one,
                              word + ";\n"}),
              race));
    CHECK(has(raced(".shared .align 16 .b8 place[16];\nmov.u32 %r6, place;\nst.shared.v4.u32 [place], {%r1, %r1, %r1, %r1};\n"
                    "fence.proxy.async;\ncp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1+16], [%r6], 16;\n"
                    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n" +
                        one,
                    word),
              race));
}

// ISA 8.6, 8.9.2: a fence leads from what is complete in one of the two to the other.
TEST_CASE("copies of global memory by two blocks go through two async proxies") {
    const auto passed = [](const std::string& fence) {
        return said_of_blocks(
            {".shared .align 16 .b8 place[16];\n.shared .align 8 .b64 object;\nmov.u32 %r6, place;\nmov.u32 %r7, object;\n"
             "st.shared.u32 [place], 1;\nfence.proxy.async;\n"
             "cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r6], 16;\ncp.async.bulk.commit_group;\n"
             "cp.async.bulk.wait_group 0;\nst.release.gpu.global.u32 [%rd1+4], 1;\n",
             "mov.u32 %r6, place;\nmov.u32 %r7, object;\nmbarrier.init.shared::cta.b64 [%r7], 1;\n"
             "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r7], 16;\n" +
                 waits_for("1") + fence +
                 "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r6], [%rd1+16], 16, [%r7];\nDONE:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r7], 0;\n@!%p4 bra DONE;\n"});
    };
    CHECK(passed("fence.proxy.async;\n") == "");
    CHECK(has(passed(""), "race on `x` at byte 16"));
}

namespace {

// The test that is made of what leads to the race at byte 24, or why there is none. Block 0 writes there before `one`, block 1 reads there
// behind `other`.
std::string evidence_of(const std::string& one, const std::string& other) {
    const Launched launched =
        of_blocks({"mov.u32 %r6, 1;\nst.global.u32 [%rd1+24], %r6;\n" + one, other + "ld.global.u32 %r6, [%rd1+24];\n"});
    const sweep::Swept found = sweep::sweep(launched.module, launched.launch);
    for (const sweep::Finding& finding : found.findings)
        if (has(finding.text, "race on `x` at byte 24")) {
            const sweep::Slice made = sweep::slice_of(launched.module, launched.launch, {}, finding);
            return made.why + made.text;
        }
    return "no race";
}

}  // namespace

TEST_CASE("the flags of the evidence have the sizes that they have in the kernel") {
    const auto flag = [](const std::string& written, const std::string& read) {
        return evidence_of("st.relaxed.gpu.global." + written + ";\n",
                           "WAIT:\nld.relaxed.gpu.global." + read + ";\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra WAIT;\n");
    };
    const std::string words = flag("u32 [%rd1+8], 1", "u32 %r5, [%rd1+8]");
    CHECK(has(words, ".global .u32 x_8 = 0;"));
    CHECK(has(words, "st.relaxed.gpu.global.u32 [x_8], 1;"));
    const std::string halves = flag("u16 [%rd1+8], 1", "u16 %r5, [%rd1+8]");
    CHECK(has(halves, ".global .u16 x_8 = 0;"));
    CHECK(has(halves, "st.relaxed.gpu.global.u16 [x_8], 1;"));
    const std::string pairs = flag("u64 [%rd1+8], 1", "u64 %rd5, [%rd1+8];\ncvt.u32.u64 %r5, %rd5");
    CHECK(has(pairs, ".global .u64 x_8 = 0;"));
    CHECK(has(pairs, "st.relaxed.gpu.global.u64 [x_8], 1;"));
    CHECK(flag("u64 [%rd1+8], 1", "u32 %r5, [%rd1+8]") == "a flag is accessed in parts");
    CHECK(flag("v2.u32 [%rd1+8], {%r6, %r6}", "v2.u32 {%r5, %r4}, [%rd1+8]") == "a flag is accessed in parts");
}

TEST_CASE("a weak access of another size is in the evidence, and so is a compare-and-swap that fails") {
    for (const auto& [one, other] :
         std::map<std::string, std::string>{{"st.global.u16 [%rd1], 1", "ld.relaxed.gpu.global.u32 %r5, [%rd1]"},
                                            {"st.relaxed.gpu.global.u16 [%rd1], 1", "ld.global.u32 %r5, [%rd1]"}}) {
        CAPTURE(one);
        const Launched launched = of_blocks({one + ";\n", other + ";\n"});
        const sweep::Swept found = sweep::sweep(launched.module, launched.launch);
        REQUIRE(found.findings.size() == 1);
        CHECK(sweep::slice_of(launched.module, launched.launch, {}, found.findings[0]).why.empty());
    }
    const std::string failing =
        evidence_of("st.relaxed.gpu.global.u32 [%rd1+8], 1;\n", waits_for("0") + "atom.relaxed.gpu.global.cas.b32 _, [%rd1+8], 7, 8;\n");
    CHECK(has(failing, "atom.relaxed.gpu.global.cas.b32"));
}

TEST_CASE("a fence that releases acquires nothing, and one that acquires releases nothing") {
    const auto handed = [](const std::string& before, const std::string& behind) {
        return said_of_blocks({"st.global.u32 [%rd1+8], 1;\n" + before + "st.relaxed.gpu.global.u32 [%rd1+4], 1;\n",
                               waits_for("1", "ld.relaxed.gpu") + behind + "ld.global.u32 %r4, [%rd1+8];\n"});
    };
    CHECK(handed("fence.release.gpu;\n", "fence.acquire.gpu;\n").empty());
    CHECK(has(handed("fence.release.gpu;\n", "fence.release.gpu;\n"), "race"));
    CHECK(has(handed("fence.acquire.gpu;\n", "fence.acquire.gpu;\n"), "race"));
}

TEST_CASE("a write that a thread has observed does not publish an earlier one of the same place") {
    const std::string first = "st.relaxed.gpu.global.u32 [%rd1+4], 3;\n", last = "st.relaxed.gpu.global.u32 [%rd1+4], 1;\n";
    const std::string reads = waits_for("1", "ld.relaxed.gpu") + "ld.global.u32 %r4, [%rd1+4];\n";
    CHECK(said_of_blocks({last, reads}).empty());
    CHECK(has(said_of_blocks({first + last, reads}), "race on `x` at byte 4"));
    CHECK(said_of_blocks({first + "st.release.gpu.global.u32 [%rd1+4], 1;\n", waits_for("1") + "ld.global.u32 %r4, [%rd1+4];\n"}).empty());
}
