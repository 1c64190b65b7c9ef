// One cluster for all that are alike: a cluster reduces, and one of its blocks draws a ticket.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/exchange.h"
#include "sweep/explore.h"

using namespace litmus;
using kernel::testing::has;

namespace {

struct Clusters {
    kernel::Module module;
    kernel::Launch launch;
};

// Clusters of two blocks, a thread each. x = u32[64], each its own number, is in %rd1 and y = u32[64] in %rd2. The numbers of the block, of
// its cluster, and of the block in the cluster are in %r2, %r3 and %r4. Words of the cluster in x and y are in %rd3 and %rd4, and words of
// the block in %rd5 and %rd6.
Clusters clusters_of(const std::string& text, int clusters) {
    kernel::LaunchTexts texts;
    texts.grid = std::to_string(2 * clusters);
    texts.block = "1";
    texts.cluster = "2";
    texts.arguments = {"x=u32[64]:iota", "y=u32[64]"};
    kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .pred %p<20>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"
        ".shared .align 4 .b8 own[16];\nld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r3, %clusterid.x;\nmov.u32 %r4, %cluster_ctarank;\nmul.wide.u32 %rd7, %r3, 4;\nadd.u64 %rd3, %rd1, %rd7;\n"
        "add.u64 %rd4, %rd2, %rd7;\nmul.wide.u32 %rd8, %r2, 4;\nadd.u64 %rd5, %rd1, %rd8;\nadd.u64 %rd6, %rd2, %rd8;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

sweep::Explored explored(const Clusters& one, bool exchanges = true) {
    return sweep::explore(one.module, one.launch, {}, {.most_runs = 3000, .most_work = 40'000'000, .exchanges = exchanges});
}

const std::string cluster_meets = "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n";
const std::string rank_0_alone = "setp.ne.u32 %p1, %r4, 0;\n@%p1 bra END;\n";
const std::string cluster_draws = "atom.acq_rel.gpu.global.add.u32 %r8, [%rd2+252], 1;\n";

std::string unless_ticket(int ticket, const std::string& label) {
    return "setp.ne.u32 %p2, %r8, " + std::to_string(ticket) + ";\n@%p2 bra " + label + ";\n";
}

}  // namespace

TEST_CASE("clusters that are alike are exchanged") {
    const std::string sums =
        "setp.eq.u32 %p3, %r4, 0;\nmov.u32 %r7, own;\n@%p3 st.shared.u32 [%r7], 0;\n" + cluster_meets +
        "ld.global.u32 %r5, [%rd5];\nmapa.shared::cluster.u32 %r7, %r7, 0;\nred.relaxed.cluster.shared::cluster.add.u32 [%r7], %r5;\n" +
        cluster_meets + rank_0_alone + "ld.shared.u32 %r6, [%r7];\nst.global.u32 [%rd4], %r6;\n" + cluster_draws;
    const std::string last = "ld.global.u32 %r9, [%rd2];\nld.global.u32 %r10, [%rd2+4];\nld.global.u32 %r11, [%rd2+8];\n";
    for (const int clusters : {2, 3, 8}) {
        const sweep::Explored all = explored(clusters_of(sums + unless_ticket(clusters - 1, "END") + last, clusters));
        CHECK(all.all);
        CHECK(all.exchanged);
        CHECK(all.swept.findings.empty());
        CHECK(all.runs == 1);
    }
    const sweep::Explored apart = explored(clusters_of(sums + unless_ticket(2, "END") + last, 3), false);
    CHECK(apart.all);
    CHECK(apart.swept.findings.empty());
    CHECK(apart.runs > 3);
    // who comes first does not wait for the others
    CHECK_FALSE(explored(clusters_of(sums + unless_ticket(0, "END") + last, 3)).swept.findings.empty());
}

TEST_CASE("what only another order of the clusters shows is found") {
    // cluster 1 writes its word early, and the one that draws the last ticket reads it without having acquired
    const std::string reads_early = rank_0_alone + "st.global.u32 [%rd4], 1;\n" + cluster_draws + unless_ticket(2, "EARLY") +
                                    "bra END;\nEARLY:\n" + "ld.global.u32 %r9, [%rd2+4];\n";
    CHECK_FALSE(explored(clusters_of(reads_early, 3)).swept.findings.empty());
    // the number of the cluster decides
    const std::string by_number =
        rank_0_alone + cluster_draws + unless_ticket(0, "END") + "setp.ne.u32 %p4, %r3, 1;\n@%p4 st.global.u32 [%rd2], 1;\n";
    const sweep::Explored decided = explored(clusters_of(by_number, 3));
    CHECK(has(decided.not_exchangeable, "the number of a cluster decides"));
    CHECK(decided.all);
    CHECK(decided.runs > 3);
    // the rank in the cluster names nobody
    const std::string by_rank = cluster_draws + unless_ticket(0, "END") + "setp.ne.u32 %p4, %r4, 1;\n@%p4 st.global.u32 [%rd2], 1;\n";
    CHECK(explored(clusters_of(by_rank, 2)).not_exchangeable.empty());
}

TEST_CASE("clusters are alike if their blocks of one rank are") {
    const std::string stores =
        "setp.eq.u32 %p5, %r4, %r3;\n@%p5 st.global.u32 [%rd6+128], 1;\n";  // rank 0 of cluster 0, and rank 1 of cluster 1
    CHECK_FALSE(explored(clusters_of(stores + cluster_draws + unless_ticket(0, "END"), 2)).exchanged);
    CHECK(explored(clusters_of(cluster_draws + unless_ticket(0, "END"), 2)).exchanged);
}

TEST_CASE("which blocks of a cluster come to an access that names the cluster") {
    // rank 0 of each cluster writes the word of the cluster, and rank 1 writes none
    const std::string each = rank_0_alone + cluster_draws + "st.global.u32 [%rd4], 1;\n";
    const sweep::Explored by_all = explored(clusters_of(each + unless_ticket(0, "END") + "ld.global.u32 %r9, [%rd2+100];\n", 3));
    CHECK(by_all.not_exchangeable.empty());
    CHECK(by_all.exchanged);
    const std::string one = rank_0_alone + cluster_draws + unless_ticket(0, "END") + "st.global.u32 [%rd4], 1;\n";
    CHECK(has(explored(clusters_of(one, 3)).not_exchangeable, "not all clusters come to"));
}
