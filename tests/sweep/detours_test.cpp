// Detours: ways of a thread that nothing else can tell apart are no orders, and what is wrong on one of them is found.
#include "sweep/detours.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sweep/blocks.h"
#include "sweep/explore.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;
using sweep::testing::of_blocks;

namespace {

struct Answer {
    size_t orders = 0;  // that the search ran
    bool detours = false;
    std::string said;  // findings, conditions, and why others may come about
};

Answer asked(const sweep::testing::Launched& launched) {
    sweep::Options how;
    how.explores = true;
    const sweep::Streamed all = std::move(sweep::sweep_stream({{&launched.module, &launched.launch}}, how).front());
    Answer answer{all.orders - 2, all.swept.took_detours, sweep::testing::text_of(all.swept)};
    for (const std::string& why : all.out_of_line) answer.said += why + "; ";
    return answer;
}

Answer asked(const std::vector<std::string>& blocks) {
    return asked(of_blocks(blocks));
}

std::string word(int number) {
    return "[%rd1+" + std::to_string(4 * number) + "]";
}

// A block stores to word 4, and word 0 becomes 1. Then it stores to word 5, and word 0 becomes 2.
std::string publishes(const std::string& first = "release", const std::string& second = "release") {
    return "st.global.u32 " + word(4) + ", 5;\nst." + first + ".gpu.global.u32 " + word(0) + ", 1;\nst.global.u32 " + word(5) +
           ", 5;\nst." + second + ".gpu.global.u32 " + word(0) + ", 2;\n";
}

// A block waits until word 0 is not 0. It reads word 4 if that is 1, and word 5 if it is 2. %r6 has what it has read.
std::string looks(const std::string& load = "ld.acquire.gpu.global.u32 %r3, [%rd1];\n",
                  const std::string& one = "ld.global.u32 %r6, [%rd1+16];\n", const std::string& two = "ld.global.u32 %r6, [%rd1+20];\n") {
    return "LOOK:\n" + load + "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra LOOK;\nsetp.eq.u32 %p5, %r3, 2;\n@%p5 bra TWO;\n" + one +
           "bra FOUND;\nTWO:\n" + two + "FOUND:\n";
}

const std::string leaves = "st.global.u32 [%rd1+24], %r6;\n";  // what it has read

// A scan in one pass by blocks of one thread each, which are numbered by the register %r2. Its states are words, its sums follow them.
sweep::testing::Launched scan(int blocks, const std::string& begins, const std::string& load = "ld.acquire.gpu.global.u32 %r3, [%rd3]") {
    kernel::LaunchTexts texts;
    texts.grid = std::to_string(blocks);
    texts.block = "1";
    texts.arguments = {"x=u32[128]", "ticket=u32[1]"};
    const std::string text =
        ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n"
        "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\n" +
        begins +
        "mul.wide.u32 %rd4, %r2, 4;\nadd.u64 %rd4, %rd1, %rd4;\nst.global.u32 [%rd4+128], 3;\nst.release.gpu.global.u32 [%rd4], 1;\n"
        "mov.u32 %r4, 0;\nmov.u64 %rd3, %rd4;\nNEXT:\nsetp.eq.u64 %p1, %rd3, %rd1;\n@%p1 bra FOUND;\nsub.u64 %rd3, %rd3, 4;\nLOOK:\n" +
        load +
        ";\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra LOOK;\nsetp.eq.u32 %p3, %r3, 2;\n@%p3 bra PREFIX;\nld.global.u32 %r5, [%rd3+128];\n"
        "add.u32 %r4, %r4, %r5;\nbra NEXT;\nPREFIX:\nld.global.u32 %r5, [%rd3+256];\nadd.u32 %r4, %r4, %r5;\nFOUND:\n"
        "add.u32 %r4, %r4, 3;\nst.global.u32 [%rd4+256], %r4;\nst.release.gpu.global.u32 [%rd4], 2;\nret;\n}\n";
    kernel::Module module = kernel::testing::module_of(text);
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

}  // namespace

TEST_CASE("a scan in one pass has one order, in whichever order its blocks are numbered") {
    const std::string up = "mov.u32 %r2, %ctaid.x;\n",
                      down = "mov.u32 %r2, %ctaid.x;\nmov.u32 %r1, %nctaid.x;\nsub.u32 %r1, %r1, 1;\nsub.u32 %r2, %r1, %r2;\n",
                      drawn = "atom.relaxed.gpu.global.add.u32 %r2, [%rd2], 1;\n";
    for (const std::string& begins : {up, down, drawn})
        for (const int blocks : {3, 16}) {
            CAPTURE(begins);
            const Answer answer = asked(scan(blocks, begins));
            CHECK(answer.orders == 1);
            CHECK(answer.detours);
            CHECK(answer.said == "");
        }
    CHECK(has(asked(scan(3, up, "ld.relaxed.gpu.global.u32 %r3, [%rd3]")).said, "race on `x` at byte 132"));
    CHECK(asked(scan(3, up, "ld.relaxed.gpu.global.u32 %r3, [%rd3];\nfence.acq_rel.gpu")).said == "");
}

TEST_CASE("each way of a detour is looked at") {
    const Answer right = asked({publishes(), looks() + leaves});
    CHECK(right.orders == 1);
    CHECK(right.detours);
    CHECK(right.said == "");
    // a race on the way of either value
    CHECK(has(asked({publishes("relaxed"), looks() + leaves}).said, "race on `x` at byte 16"));
    CHECK(has(asked({publishes("release", "relaxed"), looks() + leaves}).said, "race on `x` at byte 20"));
    CHECK(has(
        asked({publishes(), looks("ld.relaxed.gpu.global.u32 %r3, [%rd1];\n", "fence.acq_rel.gpu;\nld.global.u32 %r6, [%rd1+16];\n")}).said,
        "race on `x` at byte 20"));
    // what is acquired by a fence of a narrower scope is not acquired
    CHECK(has(asked({publishes(), looks("ld.relaxed.gpu.global.u32 %r3, [%rd1];\nfence.acq_rel.cta;\n")}).said, "race on `x`"));
    // a later write races with a read that only another way has
    CHECK(has(asked({publishes() + "st.global.u32 [%rd1+16], 7;\n", looks() + leaves}).said, "race on `x` at byte 16"));
    // and is ordered behind it
    const std::string then = looks() + leaves + "st.release.gpu.global.u32 [%rd1+4], 1;\n";
    const std::string follows = "WAIT:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p4, %r3, 0;\n@%p4 bra WAIT;\n";
    CHECK(asked({publishes() + follows + "st.global.u32 [%rd1+16], 7;\n", then}).said == "");
    // an address that is wrong on one way
    CHECK(has(asked({publishes(), looks("ld.acquire.gpu.global.u32 %r3, [%rd1];\n", "ld.global.u32 %r6, [%rd1+18];\n")}).said, "aligned"));
}

TEST_CASE("behind a detour its thread knows what it knew before") {
    // word 5 is read by whoever has found 2, and by others, too
    CHECK(has(asked({publishes(), looks() + "ld.global.u32 %r7, [%rd1+20];\n"}).said, "race on `x` at byte 20"));
    // word 4 is known on each way: more orders show it
    const Answer known = asked({publishes(), looks() + "st.global.u32 [%rd1+24], 1;\nld.global.u32 %r7, [%rd1+16];\n"});
    CHECK(known.said == "");
    CHECK(known.orders > 1);
    CHECK_FALSE(known.detours);
}

TEST_CASE("what differs between the ways of a detour decides nothing") {
    const std::string one = "mov.u32 %r6, 1;\n", two = "mov.u32 %r6, 2;\n", load = "ld.acquire.gpu.global.u32 %r3, [%rd1];\n";
    const std::string decides = "bar.warp.sync 1;\nsetp.eq.u32 %p6, %r6, 1;\n@%p6 st.global.u32 [%rd1+20], 1;\n";
    CHECK(has(asked({publishes(), looks(load, one, two) + decides}).said, "race on `x` at byte 20"));
    const Answer right =
        asked({publishes(), looks(load, one, two) + "bar.warp.sync 1;\nsetp.eq.u32 %p6, %r6, 1;\n@%p6 st.global.u32 [%rd1+28], 1;\n"});
    CHECK(right.said == "");
    CHECK(right.orders > 1);
    // it may be stored
    CHECK(asked({publishes(), looks(load, one, two) + leaves}).orders == 1);
    CHECK(has(asked({publishes(), looks(load, one, two) + leaves +
                                      "ld.global.u32 %r7, [%rd1+24];\nsetp.eq.u32 %p6, %r7, 1;\n"
                                      "@%p6 st.global.u32 [%rd1+20], 1;\n"})
                  .said,
              "race on `x` at byte 20"));
}

TEST_CASE("ways that end at different statements are orders") {
    const Answer stores = asked({publishes(), looks("ld.acquire.gpu.global.u32 %r3, [%rd1];\n", "st.global.u32 [%rd1+28], 1;\n")});
    CHECK(stores.said == "");
    CHECK(stores.orders > 1);
    CHECK(has(asked({publishes(), looks("ld.acquire.gpu.global.u32 %r3, [%rd1];\n", "st.global.u32 [%rd1+20], 1;\n")}).said,
              "race on `x` at byte 20"));
}

TEST_CASE("what a detour looks at has to be known before it") {
    // block 0 raises its word again when block 1 has looked
    const std::string follows = "WAIT:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p4, %r3, 0;\n@%p4 bra WAIT;\n";
    const std::string then = looks() + leaves + "st.release.gpu.global.u32 [%rd1+4], 1;\n";
    CHECK(asked({publishes() + follows + "st.release.gpu.global.u32 [%rd1], 3;\n", then}).said == "");
    // nobody raises it before block 1 has looked
    CHECK(has(asked({follows + publishes(), then}).said, "goes round for ever"));
    // of two blocks that raise it the order is open
    const Answer two = asked({publishes(), "st.release.gpu.global.u32 [%rd1], 2;\n", looks() + leaves});
    CHECK(has(two.said, "race on `x` at byte 20"));
    // a write that is no single access
    CHECK(has(asked({publishes(), looks() + leaves, "mov.b32 %r7, 0;\nred.relaxed.gpu.global.add.v2.f32 [%rd1], {%r7, %r7};\n"}).said,
              "several accesses"));
}
