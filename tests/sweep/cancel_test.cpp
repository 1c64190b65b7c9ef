// Requests for clusters that have not started. The names are those of tests of the library (litmus/async/helpers) of which the kernels are
// the like: what the model says of those the sweep says of these.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/read.h"
#include "sweep/left.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;

namespace {

struct Unlaunched {
    std::string grid = "4", block = "1", cluster = "1";
    uint32_t unlaunched = 2;
};

const std::string request = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 ";
const std::string request_of_all =
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 ";

// Expects the bytes of an answer, and asks for it; waits for it. The phases of `bar` and of `after` have one arrival.
std::string asks(const std::string& to, const std::string& object, const std::string& how = request) {
    return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + object + "], 16;\n" + how + "[" + to + "], [" + object + "];\n";
}
std::string waits(const std::string& object, const std::string& parity, const std::string& label) {
    return label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [" + object + "], " + parity + ";\n@!%p1 bra " + label + ";\n";
}
const std::string loads = "ld.shared.v2.u64 {%rd2, %rd3}, [answer];\nmov.b128 %q, {%rd2, %rd3};\n";
const std::string is_canceled = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %q;\n";
const std::string first_block = "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r4, %q;\n";
const std::string fenced = "fence.proxy.async.shared::cta;\n";

// The objects of the kernel are initialised, and known to be in the cluster. %r1 is the thread, %r2 the rank, %r3 the block.
sweep::Swept run_requests(const std::string& body, const Unlaunched& shape = {}, const sweep::Options& how = {}) {
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0)\n{\n.shared .align 16 .b8 answer[16];\n.shared .align 16 .b8 next[16];\n"
        ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 after;\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n"
        ".reg .b128 %q;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %cluster_ctarank;\nmov.u32 %r3, %ctaid.x;\n"
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra BEGUN;\nmbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.init.shared::cta.b64 [after], 1;\n"
        "fence.mbarrier_init.release.cluster;\nBEGUN:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n" +
        body + "\nEND:\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = shape.grid;
    texts.block = shape.block;
    texts.cluster = shape.cluster;
    texts.arguments = {"x=u32[8]"};
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    launch.unlaunched = shape.unlaunched;
    return how.leaves ? sweep::sweep(module, launch, how) : sweep::sweep_in_orders(module, launch, how);
}

std::string request_says(const std::string& body, const Unlaunched& shape = {}) {
    const sweep::Swept found = run_requests(body, shape);
    std::string text;
    for (const sweep::Finding& finding : found.findings) text += finding.text + (finding.schedule.is_contrary() ? " (backwards); " : "; ");
    for (const std::string& condition : found.conditions) text += "where " + condition + "; ";
    return text;
}

const std::string again = "a thread of its block has observed that a request failed (ISA 9.7.13.17)";
const std::string depends = "gives depends on the order, and decides";

}  // namespace

TEST_CASE("an answer that is waited for is there, and another one comes through the async proxy") {
    CHECK(request_says(asks("answer", "bar") + waits("bar", "0", "W") + loads + is_canceled) == "");                 // query-cancel-wait
    CHECK(has(request_says(asks("answer", "bar") + loads + is_canceled), "race on `answer`"));                       // query-cancel-no-wait
    CHECK(has(request_says(loads + is_canceled + asks("answer", "bar") + waits("bar", "0", "W")), "is no answer"));  // query-cancel-early
    // query-cancel-mixed
    CHECK(has(request_says("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 32;\n" + request + "[answer], [bar];\n" + request +
                           "[answer], [bar];\n" + waits("bar", "0", "W") + loads),
              "race on `answer`"));
    CHECK(has(request_says("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n" + waits("bar", "0", "W")), "for ever"));
    const std::string two = asks("answer", "bar") + waits("bar", "0", "W") + "ld.shared.u64 %rd4, [answer];\n" + fenced +
                            asks("answer", "bar") + waits("bar", "1", "V") +
                            "ld.shared.u64 %rd5, [answer+8];\nmov.b128 %q, {%rd4, %rd5};\n";
    CHECK(!has(request_says(two), "is no answer"));
    CHECK(has(request_says(two + is_canceled), "is no answer of one"));
}

TEST_CASE("any request may fail: the block of a cluster is asked where there is one, and another request made") {
    const std::string once = asks("answer", "bar") + waits("bar", "0", "W");
    const std::string ctaid = request_says(once + loads + first_block);  // query-cancel-ctaid
    CHECK(has(ctaid, depends));
    CHECK(has(request_says(once + loads + is_canceled + "@!%p2 bra END;\n" + first_block), depends));  // query-cancel-ctaid-if-cancelled
    const std::string more = asks("next", "after") + waits("after", "0", "V");
    CHECK(has(request_says(once + fenced + more, {.grid = "3"}), again + " (backwards)"));  // try-cancel-again
    // try-cancel-again-if-cancelled
    const std::string careful = request_says(once + loads + is_canceled + "@!%p2 bra END;\n" + more);
    CHECK(!has(careful, again));
    CHECK(has(careful, depends));
    CHECK(request_says(asks("answer", "bar") + asks("next", "after") + waits("bar", "0", "W") + waits("after", "0", "V")) ==
          "");  // -pipelined
}

TEST_CASE("a block is told that a request has failed") {
    const std::string first = "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra MEET;\n" + asks("answer", "bar") + waits("bar", "0", "W") + "MEET:\n";
    const std::string more = asks("next", "after") + waits("after", "0", "V");
    const Unlaunched two{.block = "33"};
    const std::string other = "setp.ne.u32 %p3, %r1, 32;\n@%p3 bra END;\n" + more;
    // try-cancel-again-by-peer, and the same with nothing between the two threads
    CHECK(has(request_says(first + "bar.sync 0;\n" + other, two), again));
    CHECK(!has(request_says(first + other, two), again));
    // try-cancel-multicast-again, try-cancel-multicast-unseen, try-cancel-other-cta
    const Unlaunched pair{.grid = "4", .block = "1", .cluster = "2", .unlaunched = 1};
    const auto cluster = [&](const std::string& how, const std::string& wait) {
        return (how == request_of_all ? "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n" : std::string()) +
               "barrier.cluster.arrive;\nbarrier.cluster.wait;\nsetp.ne.u32 %p3, %r2, 0;\n@%p3 bra OTHER;\n" +
               (how == request_of_all ? how + "[answer], [bar];\n" : asks("answer", "bar")) + waits("bar", "0", "W") +
               "barrier.cluster.arrive;\nbarrier.cluster.wait;\nbra END;\nOTHER:\n" + wait +
               "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" + more;
    };
    CHECK(has(request_says(cluster(request_of_all, waits("bar", "0", "X")), pair), again));
    CHECK(!has(request_says(cluster(request_of_all, ""), pair), again));
    CHECK(!has(request_says(cluster(request, ""), pair), again));
}

TEST_CASE("a cluster that nobody cancels starts, and is not ordered with the others") {
    const std::string to_one_place = "st.global.u32 [%rd1], %r3;\n";
    CHECK(has(request_says(to_one_place, {.grid = "2", .block = "1", .unlaunched = 1}), "race on `x`"));
    // each block writes a word of its own, and that of a cluster that it gets
    const std::string own = "mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 7;\n";
    sweep::Options how;
    how.leaves = true;
    const auto written = [&](const std::string& body, uint32_t unlaunched) {
        const sweep::Swept found = run_requests(body, {.grid = "3", .block = "1", .unlaunched = unlaunched}, how);
        CHECK(found.findings.empty());
        REQUIRE(found.ended);
        std::string text;
        for (size_t block = 0; block < 3; ++block) text += std::to_string(found.left->arrays[0].bytes[4 * block]);
        return text;
    };
    CHECK(written(own, 2) == "777");
    const std::string takes = asks("answer", "bar") + waits("bar", "0", "W") + loads + is_canceled + "@!%p2 bra END;\n" + first_block +
                              "mul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 8;\n";
    CHECK(written(own + takes, 2) == "787");  // the last one starts, and its own request fails
}

TEST_CASE("where all clusters have started no request gets one, and that is said") {
    const std::string text = request_says(asks("answer", "bar") + waits("bar", "0", "W") + loads + is_canceled, {.unlaunched = 0});
    CHECK(has(text, "where all clusters have started, so that no request gets one (--unlaunched)"));
}

TEST_CASE("an answer's place and object are asked for as the ISA says") {
    CHECK(has(request_says("mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n" + request + "[answer+8], [bar];\n"),
              "not aligned to 16"));
}
