// Tensor memory: who allocates and gives back, which columns and lanes an operation touches, in which CTAs of a pair, and which operations
// are pipelined.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/sweep.h"

using namespace litmus;

namespace {

// Sweeps a cluster of blocks, each with a text of its own.
// `s` at %r9 has the address of tensor memory, and so has %r2. %p1 is the first thread of a block, %p2 the first one of its second warp.
sweep::Swept swept_in_cluster(const std::vector<std::string>& blocks, const sweep::Options& options = {}) {
    std::string text =
        ".global .align 16 .b8 g[16];\n.visible .entry k()\n{\n.shared .align 1024 .b8 s[16384];\n.shared .align 8 .b64 object;\n.reg "
        ".pred %p<10>;\n.reg .b32 %r<20>;\n"
        ".reg .b64 %rd<10>;\n.reg .b16 %h<2>;\nmov.u32 %r1, %tid.x;\nmov.u32 %r8, %ctaid.x;\nmov.u32 %r9, s;\nmov.u32 %r10, "
        "object;\nshr.u32 %r7, %r9, "
        "4;\ncvt.u64.u32 %rd1, %r7;\n"
        "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 32;\nsetp.lt.u32 %p3, %r1, 32;\nsetp.eq.u32 %p4, %r1, %r1;\n";
    for (size_t b = 0; b < blocks.size(); ++b)
        text += "setp.eq.u32 %p9, %r8, " + std::to_string(b) + ";\n@%p9 bra BLOCK" + std::to_string(b) + ";\n";
    for (size_t b = 0; b < blocks.size(); ++b) text += "BLOCK" + std::to_string(b) + ":\n" + blocks[b] + "bra END;\n";
    const kernel::Module module = kernel::testing::module_of(text + "END:\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = texts.cluster = std::to_string(blocks.size());
    texts.block = "64";
    return sweep::sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }), options);
}

// Its findings and conditions.
std::string found_in_cluster(const std::vector<std::string>& blocks) {
    const sweep::Swept found = swept_in_cluster(blocks);
    std::string said;
    for (const sweep::Finding& finding : found.findings) said += finding.text + "; ";
    for (const std::string& condition : found.conditions) said += "where " + condition + "; ";
    return said;
}

using kernel::testing::has;

// By the first warp.
std::string allocates(const std::string& columns, const std::string& group = "1") {
    return "@%p3 tcgen05.alloc.cta_group::" + group + ".sync.aligned.shared::cta.b32 [%r9], " + columns +
           ";\nbar.sync 0;\nld.shared.u32 %r2, [%r9];\n";
}
std::string gives_back(const std::string& columns, const std::string& group = "1") {
    return "@%p3 tcgen05.dealloc.cta_group::" + group + ".sync.aligned.b32 %r2, " + columns + ";\n";
}

const std::string cluster_meets = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

// A product whose D is at `place`. M and N are those of the descriptor.
std::string multiplies(const std::string& place, int m, int n, const std::string& group = "1", const std::string& who = "%p1") {
    return "mov.u32 %r5, " + std::to_string(m / 16 << 24 | n / 8 << 17) + ";\n@" + who + " tcgen05.mma.cta_group::" + group +
           ".kind::f16 [" + place + "], %rd1, %rd1, %r5, %p4;\n";
}
std::string copies(const std::string& group = "1") {
    return "@%p1 tcgen05.cp.cta_group::" + group + ".128x256b [%r2], %rd1;\n";
}

const std::string loads_of_lanes = "@%p3 tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2];\n@%p3 tcgen05.wait::ld.sync.aligned;\n";
const std::string race = "race on tensor memory";

}  // namespace

TEST_CASE("what is allocated, in which order, and what is given back") {
    CHECK(found_in_cluster({allocates("32") + gives_back("32")}).empty());
    CHECK(has(found_in_cluster({allocates("32")}), "is not given back before block 0 ends"));
    CHECK(has(found_in_cluster({allocates("32") + gives_back("64")}), "were not allocated so"));
    CHECK(
        has(found_in_cluster({allocates("32") + gives_back("32") + allocates("64") + gives_back("64")}), "more columns of tensor memory"));
    CHECK(has(found_in_cluster({"@%p3 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" + allocates("32") + gives_back("32")}),
              "after its block has relinquished the permit"));
}

TEST_CASE("the columns and the lanes that an operation touches") {
    const auto loaded = [](const std::string& packed) {
        return found_in_cluster({allocates("32") + "add.u32 %r2, %r2, 30;\n@%p3 tcgen05.ld.sync.aligned.32x32b.x2" + packed +
                                 ".b32 {%r3, %r4}, [%r2];\n@%p3 tcgen05.wait::ld.sync.aligned;\nsub.u32 %r2, %r2, 30;\n" +
                                 gives_back("32")});
    };
    CHECK(loaded("").empty());
    CHECK(has(loaded(".pack::16b"), "columns of tensor memory that are not allocated"));
    // M of 64 has half of the lanes
    const auto halves = [](const std::string& second) {
        return found_in_cluster(
            {allocates("64") + "add.u32 %r6, %r2, " + second + ";\n" + multiplies("%r2", 64, 64) + multiplies("%r6", 64, 32)});
    };
    CHECK(!has(halves("0x100000"), race));
    CHECK(has(halves("0"), race));
    // of a pair, M of 128 has half of the columns in each
    const auto columns = [](const std::string& second) {
        return found_in_cluster({allocates("64", "2") + "add.u32 %r6, %r2, " + second + ";\n" + cluster_meets +
                                     multiplies("%r2", 128, 64, "2") + multiplies("%r6", 128, 32, "2"),
                                 allocates("64", "2") + cluster_meets});
    };
    CHECK(!has(columns("32"), race));
    CHECK(has(columns("31"), race));
}

TEST_CASE("operations are pipelined in the order of their execution") {
    const auto both = [](const std::string& first, const std::string& second) {
        return found_in_cluster({allocates("64") + first + second});
    };
    const std::string product = multiplies("%r2", 128, 64);
    CHECK(!has(both(product, product), race));
    CHECK(has(both(product, multiplies("%r2", 128, 32)), race));
    CHECK(!has(both(copies(), product), race));
    CHECK(has(both(product, copies()), race));
    // of two threads, if one fence publishes it and another one takes it up
    const std::string behind = multiplies("%r2", 128, 64, "1", "%p2");
    const std::string before_sync = "tcgen05.fence::before_thread_sync;\n", after_sync = "tcgen05.fence::after_thread_sync;\n";
    CHECK(!has(both(product + before_sync + "bar.sync 0;\n" + after_sync, behind), race));
    CHECK(has(both(product + "bar.sync 0;\n" + after_sync, behind), race));
    CHECK(has(both(product + before_sync + "bar.sync 0;\n", behind), race));
    // a commit publishes it, too, to who waits without an order
    const std::string initialises = "@%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\nbar.sync 0;\n";
    const std::string commits = "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r10];\n";
    const std::string waits = "WAIT:\nmbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p5, [%r10], 0;\n@!%p5 bra WAIT;\n";
    CHECK(!has(both(initialises + product + commits + waits + after_sync, behind), race));
    CHECK(has(both(initialises + product + commits + waits, behind), race));
    // but not what its thread does behind it
    CHECK(has(both(initialises + commits + product + waits + after_sync, behind), race));
}

// The second warp loads. The first one gives back what was loaded.
TEST_CASE("a commit publishes the loads that its thread has waited for") {
    const auto said = [](const std::string& before, const std::string& behind) {
        return found_in_cluster({"@%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\n" + allocates("32") +
                                 "@%p3 bra FREES;\nadd.u32 %r2, %r2, 0x200000;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2];\n" +
                                 before +
                                 "@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r10];\nbra END;\nFREES:\n"
                                 "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p5, [%r10], 0;\n@!%p5 bra FREES;\n" +
                                 behind + gives_back("32")});
    };
    const std::string waits = "tcgen05.wait::ld.sync.aligned;\n", after_sync = "tcgen05.fence::after_thread_sync;\n";
    CHECK(said(waits, after_sync) == "");
    CHECK(has(said("", after_sync), race));
    CHECK(has(said(waits, ""), race));
}

// 9.7.16.12.1: without a state space the address is generic.
TEST_CASE("a commit at an address that is not generic is said, and arrives all the same") {
    const auto with = [](const std::string& name, const std::string& address) {
        const std::string commits = "@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one" + name + ".b64 [" + address + "];\n";
        return found_in_cluster(
            {"cvt.u64.u32 %rd1, %r10;\ncvta.shared.u64 %rd2, %rd1;\n@%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\n"
             "bar.sync 0;\n" +
             commits + "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p5, [%r10], 0;\n@!%p5 bra WAIT;\n"});
    };
    const std::string due = "a generic address is due (ISA 9.7.16.12.1)";
    CHECK(with(".shared::cluster", "%r10").empty());
    CHECK(with("", "%rd2").empty());
    CHECK(has(with("", "%r10"), due));
    CHECK(has(with("", "%rd1"), due));
    CHECK(!has(with("", "%r10"), "for ever"));
}

TEST_CASE("an operation of a pair touches both CTAs") {
    const auto beside = [](const std::string& first, const std::string& peer) {
        return found_in_cluster({allocates("64", "2") + cluster_meets + first, allocates("64", "2") + cluster_meets + peer});
    };
    const std::string of_peer = race + " of block 1", source_of_peer = "race on `s` of block 1";
    for (const std::string& first : {copies("2"), multiplies("%r2", 256, 64, "2")}) {
        CAPTURE(first);
        CHECK(has(beside(first, loads_of_lanes), of_peer));
        CHECK(has(beside(first, "st.shared.u32 [%r9], %r1;\n"), source_of_peer));
    }
    CHECK(!has(beside(copies("1"), loads_of_lanes), of_peer));
    CHECK(!has(beside(copies("1"), "@%p1 st.shared.u32 [%r9], %r1;\n"), source_of_peer));
}

TEST_CASE("what a pair gives back together, neither CTA accesses any more") {
    const auto given_back = [](const std::string& first, const std::string& second, const std::string& between) {
        const std::string begins = allocates("64", "2") + cluster_meets, ends = between + gives_back("64", "2");
        return found_in_cluster({begins + first + ends, begins + second + ends});
    };
    CHECK(given_back("", "", "").empty());
    CHECK(given_back(loads_of_lanes, loads_of_lanes, cluster_meets).empty());
    CHECK(has(given_back(loads_of_lanes, "", ""), race + " of block 0"));
    CHECK(has(given_back("", loads_of_lanes, ""), race + " of block 1"));
}

// The wait of the other block has a scope that is too narrow for what the commit sends. With a wider one nothing is wrong.
TEST_CASE("a commit to another block completes its products there, where the scope of the wait is wide enough") {
    const std::string begins =
        allocates("64", "2") + "add.u64 %rd1, %rd1, 64;\n@%p1 mbarrier.init.shared::cta.b64 [%r10], 1;\n" + cluster_meets;
    const std::string commits =
        "mov.u16 %h1, 3;\n"
        "@%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r10], %h1;\n";
    const auto blocks = [&](const std::string& scope) {
        const std::string waits =
            "WAIT:\nmbarrier.try_wait.parity.acquire." + scope + ".shared::cta.b64 %p5, [%r10], 0;\n@!%p5 bra WAIT;\n";
        const std::string ends = "tcgen05.fence::after_thread_sync;\n" + cluster_meets + gives_back("64", "2");
        const std::string own_waits = "OWN:\nmbarrier.try_wait.parity.shared::cta.b64 %p5, [%r10], 0;\n@!%p5 bra OWN;\n";
        return std::vector<std::string>{begins + multiplies("%r2", 256, 64, "2") + commits + own_waits + ends,
                                        begins + waits + "@%p1 st.shared.u32 [%r9+1024], %r1;\n" + ends};
    };
    CHECK(found_in_cluster(blocks("cluster")).empty());
    CHECK(has(found_in_cluster(blocks("cta")), "race on `s` of block 1"));
    sweep::Options comparing;
    comparing.compares_scopes = true;
    CHECK(swept_in_cluster(blocks("cta"), comparing).of_scopes_alone);
}

// A product of block 0 reads a copy in block 1, of which a second warp there tells it. The first warp of block 1 waits for the product,
// copies over what that has read, and reads. So does an epilogue in the place of its operands.
TEST_CASE("who waited for a product knows the copy that it has read, also where another copy has taken its place") {
    const std::string full = "%r9+8", told = "%r9+16", refilled = "%r9+24";
    std::string begins = allocates("64", "2") + "add.u64 %rd1, %rd1, 64;\nmapa.shared::cluster.u32 %r11, %r9, 0;\n";
    for (const std::string& object : {std::string("%r10"), full, told, refilled})
        begins += "@%p1 mbarrier.init.shared::cta.b64 [" + object + "], 1;\n";
    begins += cluster_meets;
    const auto waits = [](const std::string& name, const std::string& object) {
        return name + ":\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p5, [" + object + "], 0;\n@!%p5 bra " + name + ";\n";
    };
    const auto copies_to = [](const std::string& who, const std::string& object) {
        return "@" + who + " mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + object + "], 16;\n@" + who +
               " cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9+1024], [g], 16, [" + object + "];\n";
    };
    const std::string ends = "tcgen05.fence::after_thread_sync;\n" + cluster_meets + gives_back("64", "2");
    const std::string tells = copies_to("%p2", full) + "@!%p2 bra TOLD;\n" + waits("FULL", full) +
                              "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11+16];\nTOLD:\n";
    const std::string commits =
        "mov.u16 %h1, 3;\n"
        "@%p1 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r10], %h1;\n";
    const auto said = [&](const std::string& in_leader, const std::string& in_peer) {
        return found_in_cluster({begins + in_leader + multiplies("%r2", 256, 64, "2") + commits + waits("DONE0", "%r10") + ends,
                                 begins + tells + "@!%p3 bra DONE;\n" + in_peer + "DONE:\n" + ends});
    };
    const std::string waits_for_copy = waits("TOLD0", told), waits_for_product = waits("DONE1", "%r10"),
                      copies_over = copies_to("%p1", refilled), waits_for_second = waits("NEW", refilled),
                      reads = "ld.shared.u32 %r3, [%r9+1024];\n", raced = "race on `s` of block 1";
    CHECK(said(waits_for_copy, waits_for_product + copies_over + waits_for_second + reads) == "");
    CHECK(has(said("", waits_for_product + copies_over + waits_for_second + reads), raced));
    CHECK(has(said(waits_for_copy, copies_over + waits_for_second + reads), raced));
    CHECK(has(said(waits_for_copy, waits_for_product + copies_over + reads), raced));
}

// The second warp loads and exits. The first one gives back what was loaded behind a barrier that the exit lets go on.
TEST_CASE("tensor memory is given back behind the exit of a warp that has loaded, where fences order that") {
    const auto said = [](const std::string& before_exit, const std::string& barrier) {
        return found_in_cluster({allocates("32") +
                                 "@%p3 bra FREES;\nadd.u32 %r2, %r2, 0x200000;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%r2];\n" +
                                 before_exit + "ret;\nFREES:\n" + barrier + gives_back("32")});
    };
    const std::string waits = "tcgen05.wait::ld.sync.aligned;\n", publishes = "tcgen05.fence::before_thread_sync;\n",
                      takes_up = "tcgen05.fence::after_thread_sync;\n";
    for (const std::string& barrier : {cluster_meets, std::string("bar.sync 0;\n")}) {
        CAPTURE(barrier);
        CHECK(said(waits + publishes, barrier + takes_up).empty());
        CHECK(has(said(waits, barrier + takes_up), race));
        CHECK(has(said(publishes, barrier + takes_up), race));
        CHECK(has(said(waits + publishes, takes_up), race));
        CHECK(has(said(waits + publishes, takes_up + barrier), race));
    }
}
