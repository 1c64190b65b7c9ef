// Accesses to the shared memory of another CTA: which are known to come after its start.
#include "kernel/started.h"

#include <doctest/doctest.h>

#include "hand_made.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

const std::string flag_and_part = ".global .u32 flag = 0;\n.shared .s32 part[64] = 0;\n.shared .mbarrier bar;";
const std::string meet = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

// Of two CTAs of two threads; `other`: the other CTA.
Findings found(const std::function<std::string(uint32_t block, uint32_t thread, const std::string& other)>& body) {
    const HandMade made = hand_made(2, 2, 2, flag_and_part, [&](uint32_t b, uint32_t t) { return body(b, t, "@cta" + n(1 - b)); });
    return accesses_before_start(made.module, made.traces, Memory(made.traces));
}

Findings found_before(const std::string& before, const std::string& after = meet) {
    return found([&](uint32_t, uint32_t t, const std::string& other) {
        return before + "st.shared::cluster.u32 [part" + other + "+" + n(4 * t) + "], 1;\n" + after;
    });
}

}  // namespace

TEST_CASE("an access to the shared memory of a CTA before anything tells that it has started") {
    CHECK(found_before(meet).broken.empty());
    CHECK(found_before(meet).presumed.empty());
    REQUIRE(found_before("").broken.size() == 1);
    CHECK(found_before("").broken[0].message.find("may not have started") != std::string::npos);
    CHECK(found_before("bar.sync 0;\n").broken.size() == 1);
    CHECK(found_before("barrier.cluster.arrive;\n", "barrier.cluster.wait;\n").broken.size() == 1);
    // copies, arrivals and reductions are accesses, too
    const auto remote = [](const std::string& text) {
        return found([&](uint32_t b, uint32_t t, const std::string&) { return b == 0 && t == 0 ? text : std::string(); }).broken.size();
    };
    CHECK(remote("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar@cta1];\n") == 1);
    CHECK(remote("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [part@cta1], 1, [bar@cta1];\n") == 1);
    CHECK(remote("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [part@cta1], [part+128], 16, [bar@cta1];\n") == 1);
    CHECK(remote("ld.shared::cluster.u32 r, [part@cta1];\n") == 1);
    CHECK(remote("st.shared.u32 [part], 1;\n") == 0);
}

TEST_CASE("what may tell that a CTA has started is presumed to") {
    const auto kernel = [](const std::string& of_first) {
        return found([&](uint32_t b, uint32_t t, const std::string& other) {
            if (b == 1) return t == 0 ? std::string("st.release.cluster.global.u32 [flag], 1;\n") : std::string();
            return (t == 0 ? of_first : std::string()) + "bar.sync 0;\nst.shared::cluster.u32 [part" + other + "+" + n(4 * t) + "], 1;\n";
        });
    };
    CHECK(kernel("").broken.size() == 1);
    const Findings told = kernel("await ld.acquire.cluster.global.u32 v, [flag] == 1;\n");
    CHECK(told.broken.empty());
    REQUIRE(told.presumed.size() == 2);
    CHECK(told.presumed[0].find("whether the CTA whose shared memory `st.shared::cluster.u32` accesses has started") != std::string::npos);
}
