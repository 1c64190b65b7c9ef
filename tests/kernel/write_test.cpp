// Whole tests from hand-made traces: who is chosen, what is scaled, how memory is cut, what the text says.
#include "kernel/write.h"

#include <doctest/doctest.h>


#include "hand_made.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

std::string n(uint64_t number) {
    return std::to_string(number);
}

bool says(const Written& written, const std::string& text) {
    for (const std::string& line : written.lines_about_choice)
        if (line.find(text) != std::string::npos) return true;
    return false;
}

}  // namespace

TEST_CASE("a grid barrier: the threads that read what another block wrote are chosen") {
    const HandMade made =
        hand_made(2, 64, 1, ".global .s32 a[128] = 0;\n.global .s32 b[128] = 0;\n.global .u32 bar = 0;", [](uint32_t b, uint32_t t) {
            const uint32_t i = 64 * b + t;
            std::string text = "st.global.u32 [a+" + n(4 * i) + "], " + n(i) + ";\nbar.sync 0;\n";
            if (t == 0) text += "red.release.gpu.global.add.u32 [bar], 1;\nawait ld.acquire.gpu.global.u32 v, [bar] >= 2;\n";
            return text + "bar.sync 0;\nld.global.u32 r, [a+" + n(4 * (127 - i)) + "];\nst.global.u32 [b+" + n(4 * i) + "], r;\n";
        });
    const Written written = write_hand_made(made);
    REQUIRE(written.test.threads.size() == 4);
    CHECK(written.test.threads[1].name == "b0t62");
    CHECK(written.test.threads[3].name == "b1t1");
    CHECK(says(written, "a[62, 65] is touched by b0t62, b1t1"));
    CHECK(says(written, "not judged: b0t0 and b1t63"));
}

TEST_CASE("a pipeline: arrivals, bytes and copies are scaled together") {
    const std::string memory =
        ".global .s32 in[96] = 1;\n.global .s32 out[32] = 0;\n.shared .s32 buf[64] = 0;\n.shared .mbarrier full_0;\n"
        ".shared .mbarrier full_1;\n.shared .mbarrier empty_0;\n.shared .mbarrier empty_1;";
    const HandMade made = hand_made(1, 64, 1, memory, [](uint32_t, uint32_t t) {
        std::string text;
        if (t == 0)
            for (const char* s : {"0", "1"})
                text += std::string("mbarrier.init.shared::cta.b64 [full_") + s + "], 1;\nmbarrier.init.shared::cta.b64 [empty_" + s +
                        "], 32;\n";
        if (t == 0) text += "fence.mbarrier_init.release.cluster;\n";
        text += "bar.sync 0;\n";
        for (uint32_t k = 0; k < 3 && t == 0; ++k) {
            const std::string s = n(k % 2);
            text += "await mbarrier.try_wait.parity.shared::cta.b64 [empty_" + s + "], " + n((k / 2) ^ 1) + ";\n";
            text += "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full_" + s + "], 128;\n";
            text += "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf+" + n(128 * (k % 2)) + "], [in+" + n(128 * k) +
                    "], 128, [full_" + s + "];\n";
        }
        for (uint32_t k = 0; k < 3 && t >= 32; ++k) {
            const std::string s = n(k % 2);
            text += "await mbarrier.try_wait.parity.shared::cta.b64 [full_" + s + "], " + n(k / 2) + ";\n";
            text += "ld.shared::cta.u32 r" + n(k) + ", [buf+" + n(128 * (k % 2) + 4 * (t - 32)) + "];\n";
            text += "mbarrier.arrive.shared::cta.b64 _, [empty_" + s + "];\n";
        }
        if (t >= 32) text += "add.u32 r0, r0, r1;\nadd.u32 r0, r0, r2;\nst.global.u32 [out+" + n(4 * (t - 32)) + "], r0;\n";
        return text;
    });
    const Written written = write_hand_made(made);
    REQUIRE(written.test.threads.size() == 2);
    CHECK(says(written, "empty_0: 1 of 32 arrivals to a phase"));
    CHECK(says(written, "full_1: 16 of 128 bytes are expected"));
}
