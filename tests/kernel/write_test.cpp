// Whole tests from hand-made traces: who is chosen, what is scaled, how memory is cut, what the text says.
#include "kernel/write.h"

#include <doctest/doctest.h>

#include "hand_made.h"

using namespace litmus;
using namespace litmus::kernel;

TEST_CASE("a grid barrier: the threads that read what another block wrote are chosen") {
    const HandMade made =
        hand_made(2, 64, 1, ".global .s32 a[128] = 0;\n.global .s32 b[128] = 0;\n.global .u32 bar = 0;", [](uint32_t b, uint32_t t) {
            const uint32_t i = 64 * b + t;
            std::string text = "st.global.u32 [a+" + n(4 * i) + "], " + n(i) + ";\nbar.sync 0;\n";
            if (t == 0) text += "red.release.gpu.global.add.u32 [bar], 1;\nawait ld.acquire.gpu.global.u32 v, [bar] >= 2;\n";
            return text + "bar.sync 0;\nld.global.u32 r, [a+" + n(4 * (127 - i)) + "];\nst.global.u32 [b+" + n(4 * i) + "], r;\n";
        });
    const Written written = write_hand_made(made);
    REQUIRE(written.test.threads.size() == 6);
    CHECK(written.test.threads[1].name == "b0t62");
    CHECK(says(written, "a[62, 65] is touched by b0t62, b1t1"));
    CHECK(says(written, "a[0, 127] is touched by b0t0, b1t63"));
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

TEST_CASE("a cluster: arrivals and bytes of all threads, on an object of the other CTA") {
    const std::string memory = ".global .s32 out[64] = 0;\n.shared .s32 bins[32] = 0;\n.shared .mbarrier bar;";
    const HandMade made = hand_made(2, 64, 2, memory, [](uint32_t b, uint32_t t) {
        std::string text;
        if (t < 32) text += "st.shared::cta.u32 [bins+" + n(4 * t) + "], 0;\n";
        if (t == 0)
            text +=
                "mbarrier.init.shared::cta.b64 [bar], 65;\nfence.mbarrier_init.release.cluster;\n"
                "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 256;\n";
        text += "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
        const std::string peer = "@cta" + n(1 - b);
        text += "red.relaxed.cta.shared::cta.add.u32 [bins+" + n(4 * (t % 32)) + "], 1;\n";
        text += "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [bins" + peer + "+" + n(4 * (t % 32)) +
                "], 1, [bar" + peer + "];\nmbarrier.arrive.shared::cta.b64 _, [bar];\n" +
                "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;\n";
        if (t < 32) text += "ld.shared::cta.u32 r, [bins+" + n(4 * t) + "];\nst.global.u32 [out+" + n(128 * b + 4 * t) + "], r;\n";
        return text;
    });
    const Written written = write_hand_made(made);
    CHECK(written.broken.empty());
    // two threads of the three groups in each CTA, one of which makes two arrivals, and as many bytes as the other CTA sends
    const size_t in_one_cta = written.test.threads.size() / 2;
    CHECK(says(written, "bar: " + n(in_one_cta + 1) + " of 65 arrivals to a phase"));
    CHECK(says(written, "bar: " + n(4 * in_one_cta) + " of 256 bytes are expected"));
}

TEST_CASE("what breaks a static rule is told with its line") {
    HandMade made = hand_made(2, 32, 2, ".shared .s32 x = 0;\n.shared .mbarrier bar;", [](uint32_t b, uint32_t) {
        return "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [x@cta" + n(1 - b) + "], 1, [bar@cta" +
               n(1 - b) + "];\n";
    });
    for (Trace& trace : made.traces.threads)
        for (Operand& operand : trace.body[0].operands) operand.cta = -1;
    const Written written = write_hand_made(made);
    REQUIRE(!written.broken.empty());
    CHECK(written.broken[0].message.find("lies in the executing CTA") != std::string::npos);
    CHECK(written.broken[0].origin.line == 1);
    CHECK(says(written, "undefined: k.cu:1: `x` lies in the executing CTA"));
}

TEST_CASE("threads by hand, and the text reads back as the test") {
    const HandMade made = hand_made(1, 64, 1, ".global .u32 x[64] = 0;", [](uint32_t, uint32_t t) {
        return "st.global.u32 [x+" + n(4 * t) + "], " + n(t) + ";\nbar.sync 0;\nld.global.u32 r, [x+" + n(4 * (63 - t)) + "];";
    });
    ChoiceOptions options;
    options.threads = {{0, 5}, {0, 58}};
    options.cuda[1] = {"x[i] = i;", "__syncthreads();", "int r = x[63 - i];"};
    const Written written = write_hand_made(made, options);
    REQUIRE(written.test.threads.size() == 2);
    CHECK(written.test.threads[0].name == "t5");
    CHECK(written.test.threads[0].at.lane == 5);
    CHECK(written.test.locations[0].count == 2);
    CHECK(written.text.find("  .loc 1 2      // __syncthreads();\n") != std::string::npos);
    CHECK(parse_tests(make_source("again", written.text)).front() == written.test);

    options.threads = {{0, 64}};
    CHECK(refusal_of(made, options) == "the launch has no thread 64 in block 0");
}

TEST_CASE("a trap is claimed not to be reached") {
    HandMade made = hand_made(1, 1, 1, ".global .u32 x = 0;", [](uint32_t, uint32_t) {
        return std::string("ld.global.u32 r, [x];\nsetp.eq.u32 p, r, 0;\n@p bra GO;\nSTOP:\nexit;\nGO:\nst.global.u32 [x], 1;\n");
    });
    made.traces.threads[0].traps = {3};
    const Written written = write_hand_made(made);
    CHECK(written.text.find("STOP:\n  .loc 1 5\n  st.relaxed.sys.global.u32 [trapped], 1;\n  exit;\n") != std::string::npos);
    CHECK(written.text.find("~exists (trapped != 0)") != std::string::npos);
}

TEST_CASE("what the kernel writes is not read through the cache that is not coherent") {
    HandMade made = hand_made(1, 64, 1, ".global .u32 x[2] = 0;", [](uint32_t, uint32_t t) {
        return std::string(t == 0 ? "st.global.u32 [x], 1;\n" : t == 32 ? "ld.global.u32 r, [x];\n" : "ld.global.u32 r, [x+4];\n");
    });
    made.traces.threads[33].non_coherent = {0};  // another element
    CHECK_NOTHROW(write_hand_made(made));
    made.traces.threads[32].non_coherent = {0};
    CHECK_THROWS_WITH_AS(write_hand_made(made),
                         doctest::Contains("t32 (k.cu:1) reads `x` through the cache that is not coherent, and t0 (k.cu:1) writes it"),
                         Failure);
}

TEST_CASE("what is not judged is said") {
    // threads of three groups meet in pairs that need more threads than a small test has
    const HandMade made = hand_made(1, 96, 1, ".shared .u32 s[96] = 0;", [](uint32_t, uint32_t t) {
        std::string text;
        for (uint32_t i = 0; i < t % 12; ++i) text += "membar.cta;\n";
        text += "st.shared::cta.u32 [s+" + n(4 * t) + "], 1;\nbar.sync 0;\n";
        return text + "ld.shared::cta.u32 r, [s+" + n(4 * ((t + 5) % 96)) + "];\n";
    });
    const Written written = write_hand_made(made);
    CHECK(written.test.threads.size() <= 16);
    CHECK(says(written, "not judged: t"));
    CHECK(says(written, "threads of one role are taken to move together"));
}

TEST_CASE("that nobody judges what volatile and relaxed loads read is said where there are such loads") {
    const auto said_of = [](const std::string& load) {
        const HandMade made = hand_made(1, 1, 1, ".global .u32 x = 0;", [&](uint32_t, uint32_t) { return load + "\n"; });
        return says(write_hand_made(made), "volatile and relaxed loads do not race: whether what they read is stale is not judged");
    };
    CHECK(said_of("ld.relaxed.gpu.global.u32 r, [x];"));
    CHECK(said_of("ld.volatile.global.u32 r, [x];"));
    CHECK_FALSE(said_of("ld.weak.global.u32 r, [x];"));
    CHECK_FALSE(said_of("ld.acquire.gpu.global.u32 r, [x];"));
    CHECK_FALSE(said_of("await ld.relaxed.gpu.global.u32 r, [x] == 0;"));  // a wait reads until it has what it wants
    CHECK_FALSE(said_of("st.relaxed.gpu.global.u32 [x], 1;"));
}
