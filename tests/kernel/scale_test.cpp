// Counts: exact, or threads are added, or a refusal says why.
#include "kernel/scale.h"

#include <doctest/doctest.h>

#include "hand_made.h"
#include "language/syntax/native/print.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

// Thread 0 of `threads` initialises an object for `count` arrivals; those from `first` on arrive `times` times.
HandMade arrivals(uint32_t threads, uint32_t first, uint32_t count, uint32_t times) {
    return hand_made(1, threads, 1, ".shared .mbarrier bar;", [=](uint32_t, uint32_t t) {
        std::string text;
        if (t == 0) text += "mbarrier.init.shared::cta.b64 [bar], " + n(count) + ";\n";
        text += "bar.sync 0;\n";
        for (uint32_t i = 0; i < times && t >= first; ++i) text += "mbarrier.arrive.shared::cta.b64 _, [bar];\n";
        if (t == 0) text += "await mbarrier.try_wait.parity.shared::cta.b64 [bar], 0;\n";
        return text;
    });
}

uint64_t count_of(const Written& written) {
    for (const Thread& thread : written.test.threads)
        for (const Instruction& instruction : thread.body)
            if (instruction.op == Op::mbarrier_init) return instruction.at(Role::count).value;
    return 0;
}

}  // namespace

TEST_CASE("the count of an mbarrier object") {
    SUBCASE("as many as arrive") {
        const Written written = write_hand_made(arrivals(64, 32, 32, 1));
        CHECK(written.test.threads.size() == 2);
        CHECK(count_of(written) == 1);
    }
    SUBCASE("twice as many: no phase ends") {
        CHECK(count_of(write_hand_made(arrivals(64, 32, 64, 1))) == 2);
    }
    SUBCASE("one too many: no phase ends") {
        CHECK(count_of(write_hand_made(arrivals(64, 32, 33, 1))) == 2);
    }
    SUBCASE("two phases") {
        CHECK(count_of(write_hand_made(arrivals(64, 32, 32, 2))) == 1);
    }
    SUBCASE("both groups arrive") {
        CHECK(count_of(write_hand_made(arrivals(64, 0, 64, 1))) == 2);
        CHECK(count_of(write_hand_made(arrivals(64, 0, 65, 1))) == 3);
    }
    SUBCASE("phases end in the middle of a round: all are taken in") {
        const Written written = write_hand_made(arrivals(36, 32, 3, 1));
        CHECK(written.test.threads.size() == 5);
        CHECK(count_of(written) == 3);
        CHECK(says(written, "all that arrive on bar are needed, as its 3 arrivals to a phase cannot be scaled exactly (k.cu:1)"));
    }
    SUBCASE("too many to be taken in") {
        CHECK(refusal_of(arrivals(64, 32, 31, 1)).find("all that arrive on bar are needed") != std::string::npos);
    }
    SUBCASE("a count of 0 stays one") {
        HandMade made = arrivals(64, 32, 32, 1);
        made.traces.threads[0].body[0].at(Role::count).value = 0;
        const Written written = write_hand_made(made);
        REQUIRE(!written.broken.empty());
        CHECK(written.broken[0].message.find("from 1 to 1048575") != std::string::npos);
    }
}

namespace {

// A thread copies `copied` bytes and expects `expected`; each of 32 others reads an element of four bytes.
HandMade copies(uint32_t copied, uint32_t expected) {
    return hand_made(1, 64, 1, ".global .s32 in[64] = 0;\n.shared .s32 buf[64] = 0;\n.shared .mbarrier bar;", [=](uint32_t, uint32_t t) {
        std::string text;
        if (t == 0) text += "mbarrier.init.shared::cta.b64 [bar], 1;\n";
        text += "bar.sync 0;\n";
        if (t == 0)
            text += "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], " + n(expected) + ";\n" +
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf], [in], " + n(copied) + ", [bar];\n";
        if (t >= 32)
            text += "await mbarrier.try_wait.parity.shared::cta.b64 [bar], 0;\nld.shared::cta.u32 r, [buf+" + n(4 * (t - 32)) + "];\n";
        return text;
    });
}

std::pair<uint64_t, uint64_t> sizes(const Written& written) {
    std::pair<uint64_t, uint64_t> found;
    for (const Instruction& instruction : written.test.threads[0].body) {
        if (instruction.find(Role::tx_count)) found.first = instruction.at(Role::tx_count).value;
        if (instruction.find(Role::size)) found.second = instruction.at(Role::size).value;
    }
    return found;
}

}  // namespace

TEST_CASE("the bytes that are expected") {
    CHECK(sizes(write_hand_made(copies(128, 128))) == std::pair<uint64_t, uint64_t>(16, 16));
    CHECK(sizes(write_hand_made(copies(128, 256))) == std::pair<uint64_t, uint64_t>(32, 16));
    CHECK(sizes(write_hand_made(copies(128, 64))) == std::pair<uint64_t, uint64_t>(8, 16));
    CHECK(sizes(write_hand_made(copies(128, 132))) == std::pair<uint64_t, uint64_t>(20, 16));    // as many too many
    CHECK(sizes(write_hand_made(copies(128, 100))) == std::pair<uint64_t, uint64_t>(100, 128));  // a fraction: all stays
}

TEST_CASE("barriers with a count") {
    const auto made = [](uint32_t count) {
        return hand_made(1, 128, 1, ".shared .s32 x[128] = 0;", [=](uint32_t, uint32_t t) {
            return "st.shared::cta.u32 [x+" + n(4 * t) + "], 1;\n" + (t < 96 ? "bar.sync 1, " + n(count) + ";\n" : "");
        });
    };
    const Written scaled = write_hand_made(made(96));
    CHECK(scaled.test.threads.size() == 2);
    CHECK(says(scaled, "barrier 1: 32 of 96 threads"));
    const Written closed = write_hand_made(made(64));
    CHECK(closed.test.threads.size() == 4);
    CHECK(says(closed, "barrier 1 counts its warp"));
}

TEST_CASE("a counter that decides needs all who count, and one that does not decide needs nobody") {
    const auto made = [](bool decides) {
        return hand_made(1, 6, 1, ".global .u32 counter = 0;\n.global .u32 out = 0;", [=](uint32_t, uint32_t t) {
            std::string text = "red.release.gpu.global.add.u32 [counter], 1;\n";
            if (t > 0) return text;
            if (decides) return text + "await ld.acquire.gpu.global.u32 r, [counter] == 6;\nst.global.u32 [out], 1;\n";
            return text + "ld.acquire.gpu.global.u32 r, [counter];\nst.global.u32 [out], r;\n";
        });
    };
    const Written all = write_hand_made(made(true));
    CHECK(all.test.threads.size() == 6);
    CHECK(says(all, "t3 is here because it writes what decides how chosen threads go on (k.cu:1)"));
    CHECK(write_hand_made(made(false)).test.threads.size() < 6);
}

TEST_CASE("what is done twice with the same number needs one thread") {
    const HandMade made = hand_made(1, 64, 1, ".global .u32 flag = 0;\n.global .u32 x = 0;", [](uint32_t, uint32_t t) {
        if (t >= 32) return std::string("st.relaxed.gpu.global.u32 [flag], 1;\n");
        return std::string(t == 0 ? "await ld.acquire.gpu.global.u32 r, [flag] == 1;\n" : "");
    });
    CHECK(write_hand_made(made).test.threads.size() <= 3);
}

TEST_CASE("a value that decides is followed through registers, memory and guards") {
    const HandMade made =
        hand_made(1, 8, 1, ".global .u32 counter = 0;\n.shared .u32 last = 0;\n.global .u32 out = 0;", [](uint32_t, uint32_t t) {
            std::string text = "atom.acq_rel.gpu.global.add.u32 r, [counter], 1;\n";
            if (t == 0) text += "st.shared::cta.u32 [last], r;\n";
            text += "bar.sync 0;\n";
            if (t == 1) text += "ld.shared::cta.u32 v, [last];\nsetp.eq.u32 p, v, 7;\n@p st.global.u32 [out], 1;\n";
            return text;
        });
    CHECK(write_hand_made(made).test.threads.size() == 8);
}

TEST_CASE("masks are cut, and a redux.sync needs its lanes") {
    const HandMade sync = hand_made(1, 32, 1, ".shared .u32 s[32] = 0;", [](uint32_t, uint32_t t) {
        return "st.shared::cta.u32 [s+" + n(4 * t) + "], 1;\nbar.warp.sync 4294967295;\nld.shared::cta.u32 r, [s+" + n(4 * (31 - t)) +
               "];\n";
    });
    const Written written = write_hand_made(sync);
    REQUIRE(written.test.threads.size() == 2);
    CHECK(written.test.threads[0].body[1].at(Role::member_mask).value == 0x80000001);
    const HandMade redux = hand_made(1, 4, 1, ".global .u32 x[4] = 0;", [](uint32_t, uint32_t t) {
        return "ld.global.u32 r, [x+" + n(4 * t) + "];\nredux.sync.add.u32 d, r, 15;\nst.global.u32 [x+" + n(4 * t) + "], d;\n";
    });
    CHECK(write_hand_made(redux).test.threads.size() == 4);
}

TEST_CASE("each thread expects what it copies itself") {
    const HandMade made =
        hand_made(1, 32, 1, ".global .s32 in[128] = 0;\n.shared .s32 buf[128] = 0;\n.shared .mbarrier bar;", [](uint32_t, uint32_t t) {
            std::string text;
            if (t == 0) text += "mbarrier.init.shared::cta.b64 [bar], 32;\n";
            return text + "bar.sync 0;\nmbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 16;\n" +
                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [buf+" + n(16 * t) + "], [in+" + n(16 * t) +
                   "], 16, [bar];\nawait mbarrier.try_wait.parity.shared::cta.b64 [bar], 0;\nld.shared::cta.u32 r, [buf+" +
                   n(16 * (31 - t)) + "];\n";
        });
    const Written written = write_hand_made(made);
    CHECK(count_of(written) == written.test.threads.size());
    for (const Thread& thread : written.test.threads)
        for (const Instruction& instruction : thread.body)
            if (const Operand* bytes = instruction.find(Role::tx_count)) CHECK(bytes->value == 16);
}

TEST_CASE("a multicast completes in each CTA of its mask") {
    const HandMade made =
        hand_made(2, 32, 2, ".global .s32 in[64] = 0;\n.shared .s32 buf[64] = 0;\n.shared .mbarrier bar;", [](uint32_t b, uint32_t t) {
            std::string text;
            if (t == 0)
                text += "mbarrier.init.shared::cta.b64 [bar], 1;\nmbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], 256;\n";
            text += "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
            if (t == 0)
                text += "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [buf+" + n(128 * b) +
                        "], [in+" + n(128 * b) + "], 128, [bar], 3;\n";
            return text + "await mbarrier.try_wait.parity.shared::cta.b64 [bar], 0;\nld.shared::cta.u32 r, [buf+" + n(8 * t) + "];\n";
        });
    ChoiceOptions options;
    options.threads = {{0, 0}, {0, 20}, {1, 0}, {1, 20}};
    const Written written = write_hand_made(made, options);
    CHECK(written.broken.empty());
    CHECK(says(written, "bar: 32 of 256 bytes are expected"));  // of both halves the unit that thread 0 or thread 20 looks at
}

TEST_CASE("several threads of each role") {
    ChoiceOptions options;
    options.per_role = 2;
    const Written written = write_hand_made(arrivals(64, 32, 32, 1), options);
    CHECK(written.test.threads.size() == 3);
    CHECK(count_of(written) == 2);
}

TEST_CASE("where a count is read, nothing is scaled") {
    const HandMade made = hand_made(1, 8, 1, ".shared .mbarrier bar;\n.global .u32 out = 0;", [](uint32_t, uint32_t t) {
        std::string text;
        if (t == 0) text += "mbarrier.init.shared::cta.b64 [bar], 8;\n";
        text += "bar.sync 0;\nmbarrier.arrive.noComplete.release.cta.shared::cta.b64 s, [bar], 1;\n";
        if (t == 0) text += "mbarrier.pending_count.b64 c, s;\nst.global.u32 [out], c;\n";
        return text;
    });
    CHECK(count_of(write_hand_made(made)) == 8);
    CHECK(write_hand_made(made).test.threads.size() == 8);
}

TEST_CASE("who waits at an exchange for a lane that waits at something else has that lane beside it") {
    const std::string exchange = "shfl.sync.idx.b32 exchanged, 0, 0, 31, 0xffffffff;\n";
    const auto body = [&](uint32_t t, const std::string& of_others) {
        return (t % 32 < 4 ? exchange : of_others) + "bar.sync 0;\nst.global.u32 [a+" + n(4 * t) + "], 1;\n";
    };
    const std::string memory = ".global .s32 a[64] = 0;";
    // t0 stands for its group; of the other group a lane of its warp is needed, wherever that group is seen first
    const Written apart = write_hand_made(hand_made(1, 64, 1, memory, [&](uint32_t, uint32_t t) { return body(t, ""); }));
    REQUIRE(apart.test.threads.size() == 2);
    CHECK(print(apart.test.threads[0].body[0]) == "shfl.sync.idx.b32 exchanged, 0, 0, 31, 17");
    ChoiceOptions options;
    options.threads = {{0, 0}, {0, 40}};
    const Written by_hand = write_hand_made(hand_made(1, 64, 1, memory, [&](uint32_t, uint32_t t) { return body(t, ""); }), options);
    REQUIRE(by_hand.test.threads.size() == 3);
    CHECK(says(by_hand, "t4 is here because its lane is waited for"));
    // where all lanes come, one that is alone waits for nobody
    const Written together = write_hand_made(hand_made(1, 64, 1, memory, [&](uint32_t, uint32_t t) { return body(t, exchange); }));
    REQUIRE(together.test.threads.size() == 1);
    CHECK(together.test.threads[0].body.size() == 2);
}

TEST_CASE("lanes that wait alike do not wait for each other at matrices") {
    const auto exchanges = [](bool alike, bool of_matrices) {
        HandMade made = hand_made(1, 32, 1, ".shared .u32 s[32] = 0;", [=](uint32_t, uint32_t t) {
            const std::string word = "[s+" + n(4 * t) + "]";
            return "st.shared.u32 " + word + ", 1;\nshfl.sync.bfly.b32 r, 0, 0, 31, 0xffffffff;\n" +
                   (alike || t > 0 ? "" : "bar.warp.sync 1;\n") + "bar.sync 0;\nld.shared.u32 q, [s+" + n(4 * (t ^ 1)) + "];\n";
        });
        for (Trace& trace : made.traces.threads)
            if (of_matrices) trace.aligned.push_back(1);
        ChoiceOptions options;
        options.per_role = 2;
        size_t count = 0;
        for (const Thread& thread : write_hand_made(made, options).test.threads)
            for (const Instruction& instruction : thread.body) count += instruction.op == Op::shfl_sync ? 1 : 0;
        return count;
    };
    CHECK(exchanges(true, true) == 0);
    CHECK(exchanges(false, true) > 0);
    CHECK(exchanges(true, false) > 0);
}
