// Rounds of a loop that waits which stand apart in the code: they count as one where what comes behind them is the same.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/blocks.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;
using sweep::testing::Launched;
using sweep::testing::of_blocks;

namespace {

// Block 0 hands over word 2 by the flag in word 1. Block 1 executes this.
std::string after_flag(const std::string& second) {
    const Launched launched = of_blocks({"st.global.u32 [%rd1+8], 1;\nst.release.gpu.global.u32 [%rd1+4], 1;\n", second});
    const sweep::Swept found = sweep::sweep_in_orders(launched.module, launched.launch);
    return sweep::testing::text_of(found);
}

// The first round, what it does alone if it finds the flag, and what it does alone if not; then the loop.
std::string peeled(const std::string& if_found, const std::string& if_not = "", const std::string& sem = "relaxed") {
    const std::string read = "ld." + sem + ".gpu.global.u32 %r3, [%rd1+4];\n";
    return "mov.u32 %r4, 8;\n" + read + "setp.eq.u32 %p3, %r3, 0;\n@%p3 bra LATE;\n" + if_found + "bra DONE;\nLATE:\n" + if_not +
           "LOOP:\n" + read + "setp.eq.u32 %p3, %r3, 0;\n@%p3 bra LOOP;\nDONE:\n";
}

// Block 0 says that block 2 may go on, so that block 2 finds the flag of block 1 set in both orders that a run of two orders has. A third
// order lets it find 0 first.
std::string after_late_flag(const std::string& third) {
    const std::string goes = "GO:\nld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra GO;\n";
    const Launched launched = of_blocks({"st.global.u32 [%rd1+12], 1;\nst.release.gpu.global.u32 [%rd1], 1;\n",
                                         "st.global.u32 [%rd1+8], 1;\nst.release.gpu.global.u32 [%rd1+4], 1;\n", goes + third});
    return sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch));
}

// Block 1 executes this. Blocks 0 and 2 have to tell each other something before block 0 hands over word 2 by the flag, so that block 1
// finds 0 twice at first.
std::string before_flag(const std::string& second) {
    const auto waits = [](const std::string& offset, const std::string& value) {
        const std::string label = "HEARD" + offset + value;
        return label + ":\nld.acquire.gpu.global.u32 %r3, [%rd1+" + offset + "];\nsetp.ne.u32 %p3, %r3, " + value + ";\n@%p3 bra " + label +
               ";\n";
    };
    const auto says = [](const std::string& offset, const std::string& value) {
        return "st.release.gpu.global.u32 [%rd1+" + offset + "], " + value + ";\n";
    };
    const Launched launched =
        of_blocks({waits("0", "1") + says("12", "1") + waits("0", "2") + "st.global.u32 [%rd1+8], 1;\n" + says("4", "1"), second,
                   says("0", "1") + waits("12", "1") + says("0", "2")});
    return sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch));
}

const std::string reads_word = "ld.global.u32 %r5, [%rd1+8];\n", fences = "fence.acq_rel.gpu;\n";
// what the loop waits for, and whether it is not there yet
const std::string reads_flag = "ld.relaxed.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p3, %r3, 0;\n";
const std::string acquires_flag = "ld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p3, %r3, 0;\n";
// a read of the word at %r4, which lies outside where that is 32
const std::string reads_indexed = "cvt.u64.u32 %rd2, %r4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r5, [%rd3];\n";

// A block of two warps; `object` and `other` are initialised with one arrival each, and %p1 is the first thread, %p2 that of warp 1.
std::string said_of_warps(const std::string& first, const std::string& second) {
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0)\n{\n.shared .align 8 .b64 object;\n.shared .align 8 .b64 other;\n.shared .align 16 .b8 "
        "place[16];\n.reg .pred %p<10>;\n"
        ".reg .b32 %r<20>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r8, object;\n"
        "mov.u32 %r9, other;\nsetp.ne.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 32;\n@%p1 bra MET;\n"
        "mbarrier.init.shared::cta.b64 [%r8], 1;\nmbarrier.init.shared::cta.b64 [%r9], 1;\nMET:\nbar.sync 0;\n@%p2 bra SECOND;\n"
        "@%p1 bra END;\n" +
        first + "bra END;\nSECOND:\n" + second + "END:\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = "1";
    texts.block = "64";
    texts.arguments = {"x=u32[8]"};
    const sweep::Swept found =
        sweep::sweep_in_orders(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }));
    return sweep::testing::text_of(found);
}

std::string wait_for(const std::string& object, const std::string& parity = "0", const std::string& sem = "acquire") {
    return "mbarrier.try_wait.parity." + sem + ".cta.shared::cta.b64 %p3, [" + object + "], " + parity + ";\n";
}

}  // namespace

TEST_CASE("the first round of a loop may stand before it") {
    CHECK(after_flag(peeled("", "", "acquire") + reads_word).empty());
    CHECK(after_flag(peeled("") + "fence.acq_rel.gpu;\n" + reads_word).empty());
    // a count that only says how long to sleep
    const std::string counts =
        "LOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.ne.u32 %p3, %r3, 0;\n@%p3 bra DONE;\n"
        "setp.lt.s32 %p4, %r6, 16;\n@%p4 bra ADD;\nshl.b32 %r7, %r6, 4;\nnanosleep.u32 %r7;\nbra LOOP;\nADD:\n"
        "add.s32 %r6, %r6, 1;\nbra LOOP;\nDONE:\n";
    CHECK(after_flag("mov.u32 %r6, 0;\n" + counts + reads_word).empty());
    CHECK(!after_flag("mov.u32 %r6, 0;\n" + counts + "setp.ne.u32 %p4, %r6, 0;\n@%p4 " + reads_word).empty());
    CHECK(after_flag(peeled("", "mov.u32 %r6, 40;\nnanosleep.u32 %r6;\n", "acquire") + reads_word).empty());
}

TEST_CASE("who finds the flag at once does something that others do not") {
    CHECK(has(after_flag(peeled(fences) + reads_word), "race on `x` at byte 8"));
    CHECK(!after_flag(peeled("st.global.u32 [%rd1+12], 1;\n", "", "acquire") + reads_word).empty());
}

TEST_CASE("a register that only one of the two leaves") {
    const std::string indexed = "cvt.u64.u32 %rd2, %r4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r5, [%rd3];\n";
    CHECK(after_flag(peeled("", "", "acquire") + indexed).empty());
    CHECK(!after_flag(peeled("", "mov.u32 %r4, 12;\n", "acquire") + indexed).empty());
    CHECK(!after_flag(peeled("mov.u32 %r4, 12;\n", "", "acquire") + indexed).empty());
    // it decides a branch that both come to
    const std::string decides = "setp.eq.u32 %p4, %r4, 8;\n@%p4 bra SKIP;\nfence.acq_rel.gpu;\nSKIP:\n";
    CHECK(has(after_flag(peeled("mov.u32 %r4, 12;\n") + decides + reads_word), "race on `x` at byte 8"));
}

TEST_CASE("what only the rounds in the loop leave") {
    const std::string read = "ld.relaxed.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p3, %r3, 0;\n";
    const auto looped = [&](const std::string& if_late, const std::string& if_found, const std::string& behind) {
        return after_flag("mov.u32 %r4, 8;\nmov.u32 %r6, 0;\n" + read + "@!%p3 bra DONE;\n" + if_late + "LOOP:\n" + read +
                          "@%p3 bra LOOP;\n" + if_found + "DONE:\nfence.acq_rel.gpu;\n" + behind);
    };
    const std::string indexed = "cvt.u64.u32 %rd2, %r4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r5, [%rd3];\n";
    CHECK(looped("", "mov.u32 %r6, 12;\n", indexed).empty());
    CHECK(!looped("", "mov.u32 %r4, 12;\n", indexed).empty());
    // a value that the first round leaves decides how the others leave the loop
    const std::string decides = "setp.eq.u32 %p4, %r6, 1;\n@%p4 bra UNFENCED;\n";
    CHECK(!looped("mov.u32 %r6, 1;\n", decides, "UNFENCED:\n" + reads_word).empty());
}

TEST_CASE("both orders that are run find the flag in the first round") {
    const std::string read = "ld.relaxed.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p3, %r3, 0;\n";
    const auto late = [&](const std::string& left, const std::string& in_loop, const std::string& leaves) {
        return after_late_flag("mov.u32 %r6, 0;\nsetp.eq.u32 %p5, %r1, 0;\n" + read + "@!%p3 bra DONE;\n" + left + "LOOP:\n" + read +
                               in_loop + "@%p3 bra LOOP;\n" + leaves + "DONE:\nfence.acq_rel.gpu;\nUNFENCED:\n" + reads_word);
    };
    CHECK(late("", "", "").empty());
    CHECK(late("mov.u32 %r6, 1;\n", "", "").empty());
    // what the first round leaves decides where the others end, though all ends can be reached from both ways
    CHECK(!late("mov.u32 %r6, 1;\n", "", "setp.eq.u32 %p4, %r6, 1;\n@%p4 bra UNFENCED;\n").empty());
    CHECK(!late("mov.u32 %r6, 1;\n", "",
                "setp.eq.u32 %p4, %r6, 1;\n@%p4 bra TURNED;\n@%p5 bra DONE;\nbra UNFENCED;\nTURNED:\n@%p5 bra UNFENCED;\n")
               .empty());
    // a clock decides in a round that gives 0
    const std::string timed = "mov.u32 %r7, %clock;\nsetp.gt.u32 %p4, %r7, 1000000;\nselp.u32 %r6, 1, 0, %p4;\n";
    const auto by_clock = [&](const std::string& then) {
        return after_late_flag("mov.u32 %r6, 0;\nLOOP:\n" + read + "@!%p3 bra DONE;\n" + timed + "bra LOOP;\nDONE:\n" + then +
                               "fence.acq_rel.gpu;\nUNFENCED:\n" + reads_word);
    };
    CHECK(by_clock("").empty());
    CHECK(!by_clock("setp.eq.u32 %p4, %r6, 1;\n@%p4 bra UNFENCED;\n").empty());
}

TEST_CASE("rounds of a poll read one place") {
    const std::string read = "ld.acquire.gpu.global.u32 %r3, [%rd4];\nsetp.eq.u32 %p3, %r3, 0;\n";
    const std::string places = "add.u64 %rd4, %rd1, 4;\nadd.u64 %rd5, %rd1, 12;\nmov.u64 %rd6, %rd4;\nmov.u32 %r6, 0;\n";
    // the first round stands apart, and the others read another place
    const auto apart = [&](const std::string& moves) {
        return after_late_flag(places + read + "@!%p3 bra DONE;\n" + moves + "LOOP:\n" + read + "@%p3 bra LOOP;\nDONE:\n" + reads_word);
    };
    CHECK(apart("").empty());
    CHECK(!apart("mov.u64 %rd4, %rd5;\n").empty());
    // the third round reads another place
    const auto counted = [&](const std::string& third) {
        return after_late_flag(places + "LOOP:\n" + read + "add.u32 %r6, %r6, 1;\nsetp.ge.u32 %p4, %r6, 3;\nselp.b64 %rd4, " + third +
                               ", %rd6, %p4;\n@%p3 bra LOOP;\n" + reads_word);
    };
    CHECK(!counted("%rd5").empty());
}

// In both orders that are run the flag is there at once. In other orders a round finds 0.
TEST_CASE("a round that finds 0 leaves something") {
    // `finds_0` is executed before the next round, `then` behind the loop; 8 is in %r4
    const auto after = [&](const std::string& finds_0, const std::string& then = reads_indexed) {
        return after_late_flag("mov.u32 %r4, 8;\nmov.u32 %r6, 0;\nLOOP:\n" + acquires_flag + "@!%p3 bra DONE;\n" + finds_0 +
                               "bra LOOP;\nDONE:\n" + then);
    };
    CHECK(after("").empty());
    CHECK(!after("mov.u32 %r4, 32;\n").empty());
    // a guarded write that does not happen
    const std::string guarded = "setp.ne.u32 %p4, %r1, 0;\n@%p4 mov.u32 %r4, 8;\n" + reads_indexed;
    CHECK(after("", guarded).empty());
    CHECK(!after("mov.u32 %r4, 32;\n", guarded).empty());
    // it matters at one label of an indexed branch
    const std::string indexed = "STATES: .branchtargets END, THERE;\nbrx.idx %r3, STATES;\nTHERE:\n" + reads_indexed;
    CHECK(after("", indexed).empty());
    CHECK(!after("mov.u32 %r4, 32;\n", indexed).empty());
    // the third round leaves it: a count is copied against the order of the text, or decides a branch whose ways meet again
    const auto copied = [&](const std::string& of) {
        return after("bra COUNT;\nCOPY:\nsetp.ge.u32 %p4, " + of +
                     ", 3;\nselp.u32 %r4, 32, 8, %p4;\nbra LOOP;\nCOUNT:\n"
                     "add.u32 %r6, %r6, 1;\nmov.u32 %r7, %r6;\nbra COPY;\n");
    };
    CHECK(copied("%r1").empty());
    CHECK(!copied("%r7").empty());
    const auto counted = [&](const std::string& decided, const std::string& behind = "") {
        return after("add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p4, %r6, 3;\n@%p4 bra SOON;\n" + decided + "SOON:\n" + behind);
    };
    CHECK(counted("nanosleep.u32 100;\n", "mov.u32 %r4, 8;\n").empty());
    CHECK(!counted("mov.u32 %r4, 32;\n").empty());
    // one of the two ways comes there whatever else holds, the other one does not
    const std::string leaves = "@%p5 bra THERE;\nbra LOOP;\nTHERE:\nmov.u32 %r4, 32;\n",
                      counts = "add.u32 %r6, %r6, 1;\nsetp.eq.u32 %p5, %r1, 5;\n";
    CHECK(!after(counts + "setp.ge.u32 %p4, %r6, 3;\n@%p4 bra THERE;\n" + leaves).empty());
    CHECK(!after(counts + "setp.lt.u32 %p4, %r6, 3;\n@%p4 bra SOON;\nbra THERE;\nSOON:\n" + leaves).empty());
    // it gives up, and writes before
    const auto gives_up = [&](const std::string& before) {
        return after("add.u32 %r6, %r6, 1;\nsetp.gt.u32 %p4, %r6, 2;\n@!%p4 bra LOOP;\n" + before + "trap;\n", reads_word);
    };
    CHECK(gives_up("").empty());
    CHECK(!gives_up("st.global.u32 [%rd1+8], 2;\n").empty());
    // a value that is not computed ends the loop: nobody writes %r9
    const auto ends = [&](const std::string& unknown) {
        return after_late_flag("setp.eq.u32 %p4, %r1, 5;\nsetp.eq.u32 %p4, %r9, 5;\nLOOP:\n" + reads_flag + "@!%p3 bra DONE;\n" + unknown +
                               "bra LOOP;\nDONE:\n" + fences + "UNFENCED:\n" + reads_word);
    };
    CHECK(ends("").empty());
    CHECK(!ends("@%p4 bra UNFENCED;\n").empty());
}

TEST_CASE("a time-out that the run would come to at once") {
    const auto after = [&](const std::string& decided) {
        return after_late_flag("LOOP:\n" + acquires_flag + "@!%p3 bra DONE;\nmov.u32 %r7, %clock;\nsetp.ge.u32 %p4, %r7, 0;\n" + decided +
                               "bra LOOP;\nDONE:\n" + reads_word);
    };
    CHECK(after("@%p4 trap;\n").empty());
    CHECK(!after("@%p4 bra END;\n").empty());
}

// The address of the flag is %rd4. Word 5 is 0.
TEST_CASE("a round loads its pointer again") {
    const std::string of_param = "ld.param.u64 %rd4, [k_param_0];\n", adds = "cvt.u64.u32 %rd5, %r7;\nadd.u64 %rd4, %rd1, %rd5;\n";
    const auto of_word = [&](const std::string& load) { return load + " %r7, [%rd1+20];\n" + adds; };
    const std::string weak = of_word("ld.global.u32"), reads = "ld.acquire.gpu.global.u32 %r3, [%rd4+4];\nsetp.eq.u32 %p3, %r3, 0;\n";
    const auto loop = [&](const std::string& before, const std::string& behind = "") {
        return "mov.u32 %r4, 8;\nmov.u64 %rd4, %rd1;\nmov.u64 %rd6, %rd1;\nLOOP:\n" + before + reads + "@!%p3 bra DONE;\n" + behind +
               "bra LOOP;\nDONE:\n" + reads_indexed;
    };
    for (const std::string& load : {of_param, weak, of_word("ld.global.nc.u32"), of_word("ld.weak.global.u32")}) {
        CAPTURE(load);
        CHECK(after_late_flag(loop(load)).empty());
        CHECK(!after_late_flag(loop(load, "mov.u32 %r4, 32;\n")).empty());
    }
    CHECK(after_late_flag(".local .align 4 .b32 mine;\nst.local.u32 [mine], 0;\n" + loop("ld.local.u32 %r7, [mine];\n" + adds)).empty());
    // another thread writes there
    const auto beside = [&](const std::string& other, const std::string& load) {
        const Launched launched = of_blocks({"st.global.u32 [%rd1+8], 1;\nst.release.gpu.global.u32 [%rd1+4], 1;\n", loop(load), other});
        return sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch));
    };
    CHECK(beside("", weak).empty());
    CHECK(has(beside("st.global.u32 [%rd1+20], 0;\n", weak), "race on `x` at byte 20"));
    CHECK(has(beside("st.relaxed.gpu.global.u32 [%rd1+20], 0;\n", weak), "race on `x` at byte 20"));
    CHECK(!beside("st.relaxed.gpu.global.u32 [%rd1+20], 0;\n", of_word("ld.relaxed.gpu.global.u32")).empty());
    // only a round that finds 0 loads it: in both orders that are run nobody does
    CHECK(after_late_flag(loop("", of_param)).empty());
    CHECK(!after_late_flag(loop("", weak)).empty());
    CHECK(!after_late_flag(loop(weak, "ld.global.u32 %r7, [%rd1+24];\n")).empty());
    // past the coherent caches, or at a place that a clock chooses
    CHECK(!after_late_flag(loop(weak, of_word("ld.global.nc.u32"))).empty());
    const std::string chooses = "mov.u64 %rd7, %clock64;\nsetp.gt.u64 %p4, %rd7, 200000000000;\nadd.u64 %rd5, %rd1, 4;\n";
    CHECK(!after_late_flag(loop(weak, chooses + "selp.b64 %rd6, %rd5, %rd1, %p4;\nld.global.u32 %r7, [%rd6+20];\n")).empty());
    // each round loads another word
    CHECK(!after_late_flag(loop("ld.global.u32 %r7, [%rd6+20];\nadd.u64 %rd6, %rd6, 4;\n" + adds)).empty());
    // a store of its own, which the next round finds
    CHECK(!after_late_flag(loop(weak + "st.global.u32 [%rd1+20], 0;\n")).empty());
}

TEST_CASE("a thread that has published what it did may race with what it loads again") {
    // the second time the loop begins with its read
    const auto after = [&](const std::string& between) {
        return after_late_flag("mov.u32 %r6, 0;\nLOOP:\nld.global.u32 %r7, [%rd1+20];\nREAD:\n" + reads_flag +
                               "@%p3 bra LOOP;\nadd.u32 %r6, %r6, 1;\nsetp.gt.u32 %p4, %r6, 1;\n@%p4 bra DONE;\n" + between +
                               "bra READ;\nDONE:\n" + fences + reads_word);
    };
    CHECK(!after("st.release.gpu.global.u32 [%rd1+24], 1;\n").empty());
    CHECK(after("").empty());
}

TEST_CASE("a wait loads again what it needs") {
    const std::string hands_on = "st.global.u32 [%rd1+4], 1;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\n";
    const auto after = [&](const std::string& load) {
        return said_of_warps(hands_on, "mov.u32 %r4, 4;\nLOOP:\n" + load + wait_for("%r8") + "@!%p3 bra LOOP;\n" + reads_indexed);
    };
    CHECK(after("ld.param.u64 %rd1, [k_param_0];\n").empty());
    CHECK(after("ld.global.u32 %r5, [%rd1];\n").empty());
    CHECK(!after("ld.relaxed.gpu.global.u32 %r5, [%rd1];\n").empty());
    // a read of shared memory may be performed late
    CHECK(!after("ld.shared.u32 %r5, [place];\n").empty());
    // both rounds lead to a load that a later round may repeat: what matters there is to be alike
    const auto apart = [&](const std::string& if_false) {
        return said_of_warps(hands_on, "mov.u32 %r4, 4;\n" + wait_for("%r8") + "@%p3 bra THERE;\n" + if_false + "LOOP:\n" +
                                           wait_for("%r8") + "@!%p3 bra LOOP;\nTHERE:\n" + reads_indexed +
                                           "setp.eq.u32 %p4, %r5, 77;\n@%p4 bra LOOP;\n");
    };
    CHECK(apart("").empty());
    CHECK(!apart("mov.u32 %r4, 8;\n").empty());
}

// How long to sleep in a round is decided by a count of the rounds, and by a clock.
TEST_CASE("a clock that says how long to sleep decides nothing") {
    // `asks` is executed before each round but the first; %p5: it is late
    const auto after = [&](const std::string& asks, const std::string& then = reads_word) {
        return before_flag("mov.u32 %r4, 8;\nmov.u32 %r6, 0;\nmov.u64 %rd6, %globaltimer;\nLOOP:\n" + acquires_flag +
                           "@!%p3 bra DONE;\nmov.u64 %rd7, %globaltimer;\nsub.s64 %rd8, %rd7, %rd6;\nsetp.gt.s64 %p5, %rd8, 4000000;\n" +
                           asks + "bra LOOP;\nDONE:\n" + then);
    };
    const std::string decides = "`%globaltimer` gives may be another on a GPU, and decides";
    // as libcu++ waits for an atomic object, a latch and a semaphore
    const std::string counts = "setp.lt.s32 %p4, %r6, 1;\n@%p4 bra ADD;\n@!%p5 bra SHORT;\nnanosleep.u32 1000000;\nbra LOOP;\n",
                      shorter =
                          "SHORT:\nsetp.lt.s64 %p5, %rd8, 40000;\n@%p5 bra LOOP;\nshr.s64 %rd8, %rd8, 2;\n"
                          "cvt.u32.u64 %r7, %rd8;\nnanosleep.u32 %r7;\nbra LOOP;\nADD:\nadd.s32 %r6, %r6, 1;\n";
    CHECK(after(counts + shorter).empty());
    CHECK(after("@%p5 nanosleep.u32 100;\n").empty());
    CHECK(after("@!%p5 bra LOOP;\nnanosleep.u32 100;\n").empty());
    // who sleeps long does so by a count of its own
    CHECK(after("@!%p5 bra SOON;\nadd.u32 %r6, %r6, 1;\nSOON:\nsetp.lt.u32 %p4, %r6, 3;\n@%p4 bra LOOP;\nnanosleep.u32 100;\n").empty());
    // it decides a value, an effect, or whether the loop ends
    CHECK(has(after("@!%p5 bra SOON;\nmov.u32 %r4, 12;\nSOON:\n", reads_indexed), decides));
    CHECK(has(after("@%p5 mov.u32 %r4, 12;\n", reads_indexed), decides));
    CHECK(has(after("@%p5 bra LATE;\nbra LOOP;\nLATE:\nmov.u32 %r4, 12;\n", reads_indexed), decides));
    CHECK(has(after("@!%p5 bra SOON;\nadd.u32 %r6, %r6, 1;\nSOON:\nsetp.gt.u32 %p4, %r6, 99;\n@%p4 bra END;\n"), decides));
    CHECK(has(after("@!%p5 bra SOON;\nfence.acq_rel.gpu;\nSOON:\n"), decides));
    CHECK(has(after("@%p5 fence.acq_rel.gpu;\n"), decides));
    CHECK(has(after("@%p5 bra END;\n"), decides));
    CHECK(has(after("@%p5 bra FAR;\nbra LOOP;\nFAR:\nadd.u32 %r6, %r6, 1;\nbra DONE;\n"), decides));
    // a count ends the loop
    CHECK(!after("add.u32 %r6, %r6, 1;\nsetp.gt.u32 %p4, %r6, 99;\n@%p4 bra END;\n").empty());
    // a way that goes in a circle may not end, unless it lets time pass
    const auto circle = [&](const std::string& ends) {
        return after("@!%p5 bra LOOP;\nCIRCLE:\nmov.u64 %rd7, %globaltimer;\nsub.s64 %rd8, %rd7, %rd6;\nsetp." + ends +
                     ".s64 %p5, %rd8, 8000000;\n@%p5 bra CIRCLE;\n");
    };
    CHECK(has(circle("gt"), decides));
    CHECK(circle("lt").empty());
}

TEST_CASE("ways that go forward and back meet, or do not") {
    const std::string begins = "mov.u32 %r4, 16;\nmov.u64 %rd6, %clock64;\nsetp.gt.u64 %p5, %rd6, 200000000000;\nbra START;\n";
    const auto after = [&](const std::string& text) { return after_flag(begins + text + "MEET:\n" + reads_indexed); };
    const std::string decides = "of `%clock64` gives may be another on a GPU, and decides";
    // both jump back to one place, and to two
    CHECK(after("BACK:\nbra MEET;\nSTART:\n@%p5 bra BACK;\nadd.u32 %r6, %r6, 1;\nbra BACK;\n").empty());
    CHECK(
        has(after("ONE:\nld.global.u32 %r7, [%rd1+16];\nTWO:\nld.global.u32 %r7, [%rd1+20];\nbra MEET;\nSTART:\n@%p5 bra ONE;\nbra TWO;\n"),
            decides));
    CHECK(has(after("ONE:\nld.global.u32 %r7, [%rd1+16];\nbra MEET;\nSTART:\n@%p5 bra ONE;\n"), decides));
    // a branch on the way leads elsewhere
    CHECK(after("START:\nsetp.eq.u32 %p6, %r1, 1;\n@%p5 bra MEET;\n@%p6 bra MEET;\nmov.u32 %r6, 1;\n").empty());
    CHECK(has(after("START:\nsetp.eq.u32 %p6, %r1, 1;\n@%p5 bra MEET;\n@%p6 bra END;\nmov.u32 %r6, 1;\n"), decides));
    // what a guarded statement on the way may write
    CHECK(has(after("START:\nsetp.eq.u32 %p6, %r1, 0;\n@%p5 bra MEET;\n@%p6 mov.u32 %r4, 20;\n"), decides));
}

TEST_CASE("a trap is a time-out in the loop that waits, of a count or a clock") {
    const std::string late = "setp.eq.u32 %p5, %r4, 1;\n", marks = "mov.u32 %r4, 1;\nbra LOOP;\n";
    const auto counts = [](const std::string& dies) {
        return after_flag("mov.u32 %r4, 0;\nLOOP:\n" + acquires_flag +
                          "@!%p3 bra DONE;\nadd.u32 %r4, %r4, 1;\nsetp.gt.u32 %p5, %r4, 999;\n" + dies +
                          "bra LOOP;\nDIES:\ntrap;\nDONE:\n" + reads_word);
    };
    CHECK(counts("@%p5 trap;\n").empty());
    CHECK(counts("@%p5 bra DIES;\n").empty());
    // behind the loop it says what the rounds must not have left
    const auto behind = [&](const std::string& dies) {
        return after_flag("mov.u32 %r4, 0;\nLOOP:\n" + acquires_flag + "@!%p3 bra DONE;\n" + marks + "DONE:\n" + late + dies);
    };
    CHECK(!behind("@%p5 trap;\n").empty());
    CHECK(!behind("@!%p5 bra END;\ntrap;\n").empty());
    // likewise, though it stands among the statements of the loop
    CHECK(!after_flag("mov.u32 %r4, 0;\nLOOP:\n" + acquires_flag + "@%p3 bra ROUND;\n" + late + "@%p5 trap;\nbra END;\nROUND:\n" + marks)
               .empty());
    // and a loop around it
    CHECK(!after_flag("mov.u32 %r4, 0;\nmov.u32 %r6, 0;\nAGAIN:\nLOOP:\n" + acquires_flag + "@!%p3 bra DONE;\n" + marks + "DONE:\n" + late +
                      "@%p5 trap;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p5, %r6, 2;\n@%p5 bra AGAIN;\n")
               .empty());
    // the sum of what it has found: 5 twice
    const std::string finds =
        "mov.u32 %r4, 0;\nLOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nadd.u32 %r4, %r4, %r3;\nsetp.eq.u32 %p5, %r4, 10;\n@%p5 trap;\n"
        "setp.ne.u32 %p3, %r3, 1;\n@%p3 bra LOOP;\n";
    const Launched launched = of_blocks({"st.release.gpu.global.u32 [%rd1+4], 5;\nst.release.gpu.global.u32 [%rd1+4], 1;\n", finds});
    CHECK(!sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch)).empty());
}

TEST_CASE("a mask that nothing depends on is read while a lane waits") {
    CHECK(after_flag("LOOP:\n" + acquires_flag + "activemask.b32 %r6;\n@%p3 bra LOOP;\n" + reads_word).empty());
}

TEST_CASE("a trial changes nothing") {
    // the condition code says whether the flag was there at once
    const std::string carries = "LOOP:\n" + reads_flag +
                                "@!%p3 bra DONE;\nadd.cc.u32 %r4, 0, 0;\nbra LOOP;\nDONE:\naddc.u32 %r6, 0, 0;\n"
                                "setp.eq.u32 %p4, %r6, 1;\n@%p4 bra UNFENCED;\n" +
                                fences + "UNFENCED:\n" + reads_word;
    CHECK(has(after_flag("add.cc.u32 %r4, 0xffffffff, 1;\n" + carries), "race on `x` at byte 8"));
    // the result lies over the address
    const std::string chases =
        "LOOP:\nadd.u64 %rd4, %rd1, 8;\nld.acquire.gpu.global.u64 %rd4, [%rd4];\nsetp.eq.u64 %p3, %rd4, 0;\n"
        "@%p3 bra LOOP;\nld.global.u32 %r5, [%rd1];\n";
    const Launched launched = of_blocks({"st.global.u32 [%rd1], 1;\nst.release.gpu.global.u64 [%rd1+8], 1;\n", chases});
    CHECK(sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch)).empty());
}

TEST_CASE("a loop waits for a value that depends on what else was read") {
    const Launched launched =
        of_blocks({"ld.relaxed.gpu.global.u32 %r4, [%rd1+12];\nadd.u32 %r4, %r4, 1;\nst.relaxed.gpu.global.u32 [%rd1+4], %r4;\n"
                   "st.global.u32 [%rd1+8], 1;\nst.release.gpu.global.u32 [%rd1+4], 2;\n",
                   sweep::testing::waits_for("2") + reads_word});
    CHECK(sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch)).empty());
}

TEST_CASE("the results of the two are in different registers") {
    const auto after = [&](const std::string& result, const std::string& then) {
        return after_late_flag("mov.u32 %r4, 8;\n" + acquires_flag + "@!%p3 bra DONE;\nLOOP:\nld.acquire.gpu.global.u32 " + result +
                               ", [%rd1+4];\nsetp.eq.u32 %p3, " + result + ", 0;\n@%p3 bra LOOP;\nDONE:\n" + then);
    };
    CHECK(after("%r4", reads_word).empty());
    CHECK(!after("%r4", reads_indexed).empty());                             // 1 if the loop has found it
    CHECK(!after("%r7", "shl.b32 %r4, %r3, 3;\n" + reads_indexed).empty());  // 0 if the loop has found it
}

TEST_CASE("the two find the same") {
    // what they find is used behind both, and tested by both
    CHECK(after_flag(peeled("", "", "acquire") + "st.global.u32 [%rd1+16], %r3;\n" + reads_word).empty());
    const std::string read = "ld.acquire.gpu.global.u32 %r3, [%rd1+4];\n";
    CHECK(after_flag(read + "bra TEST;\nLOOP:\n" + read + "TEST:\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra LOOP;\n" + reads_word).empty());
}

TEST_CASE("what the first round leaves moves the loop to another place") {
    const std::string read = "ld.acquire.gpu.global.u32 %r3, [%rd4];\nsetp.eq.u32 %p3, %r3, 0;\n@!%p3 bra DONE;\n";
    const auto after = [&](const std::string& finds_0, const std::string& both = "") {
        return after_late_flag("add.u64 %rd4, %rd1, 4;\nadd.u64 %rd5, %rd1, 12;\nmov.u64 %rd6, %rd4;\nmov.u64 %rd7, %rd4;\n" + read +
                               finds_0 + "bra NEXT;\nLOOP:\n" + read + "NEXT:\nmov.u64 %rd4, %rd6;\n" + both + "LAST:\nbra LOOP;\nDONE:\n" +
                               reads_word);
    };
    CHECK(after("").empty());
    CHECK(!after("mov.u64 %rd7, %rd5;\n", "mov.u64 %rd6, %rd7;\n").empty());
}

TEST_CASE("the two go different ways") {
    const auto after = [&](const std::string& first, const std::string& second) {
        return reads_flag + "@!%p3 bra " + first + ";\nLOOP:\n" + reads_flag + "@%p3 bra LOOP;\nbra " + second + ";\nFENCED:\n" + fences +
               "UNFENCED:\n" + reads_word;
    };
    CHECK(before_flag(after("FENCED", "FENCED")).empty());
    CHECK(!before_flag(after("UNFENCED", "FENCED")).empty());
    CHECK(!after_late_flag(after("FENCED", "UNFENCED")).empty());
    // the loop ends with 0, too
    CHECK(!after_late_flag(reads_flag + "@!%p3 bra DONE;\nLOOP:\n" + reads_flag + "setp.eq.u32 %p3, %r3, 2;\n@%p3 bra LOOP;\nDONE:\n" +
                           fences + reads_word)
               .empty());
    // what decides where the first goes is written behind it
    const auto decided = [&](const std::string& first, const std::string& second) {
        return before_flag("mov.u32 %r6, 0;\n" + reads_flag +
                           "@%p3 bra LATE;\nsetp.eq.u32 %p4, %r6, 0;\n@%p4 bra UNFENCED;\nbra FENCED;\nLATE:\n" + first + "LOOP:\n" +
                           reads_flag + "@!%p3 bra FENCED;\n" + second + "bra LOOP;\nFENCED:\n" + fences + "UNFENCED:\n" + reads_word);
    };
    CHECK(!decided("mov.u32 %r6, 1;\n", "").empty());
    CHECK(!decided("", "mov.u32 %r6, 1;\n").empty());
}

TEST_CASE("a read that is no loop is no round of one") {
    // the first two end behind a fence, and the loop does not
    CHECK(!after_late_flag(reads_flag + "@!%p3 bra DONE;\n" + reads_flag + "@!%p3 bra DONE;\nLOOP:\n" + reads_flag +
                           "@%p3 bra LOOP;\nbra UNFENCED;\nDONE:\n" + fences + "UNFENCED:\n" + reads_word)
               .empty());
}

TEST_CASE("two loops one after the other, and two loops with one first round") {
    const auto waits = [](const std::string& name, const std::string& offset) {
        return name + ":\nld.acquire.gpu.global.u32 %r3, [%rd1+" + offset + "];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra " + name + ";\n";
    };
    const auto both = [](const std::string& text) {
        const Launched launched = of_blocks(
            {"st.global.u32 [%rd1+8], 1;\nst.release.gpu.global.u32 [%rd1+4], 1;\n", "st.release.gpu.global.u32 [%rd1+12], 1;\n", text});
        return sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch));
    };
    CHECK(both(waits("ONE", "4") + waits("TWO", "12") + reads_word).empty());
    CHECK(both("bra ONE;\n" + waits("TWO", "12") + "bra DONE;\n" + waits("ONE", "4") + "bra TWO;\nDONE:\n" + reads_word).empty());
    CHECK(after_late_flag(acquires_flag + "@!%p3 bra DONE;\nsetp.ne.u32 %p4, %r1, 0;\n@%p4 bra TWO;\n" + waits("ONE", "4") + "bra DONE;\n" +
                          waits("TWO", "4") + "DONE:\n" + reads_word)
              .empty());
}

TEST_CASE("two reads of a place that nobody writes are no rounds of a loop") {
    const std::string read = "ld.relaxed.gpu.global.u32 %r3, [%rd1+4];\n";
    const Launched launched = of_blocks({read + read + "st.global.u32 [%rd1+8], %r3;\n", ""});
    CHECK(sweep::testing::text_of(sweep::sweep_in_orders(launched.module, launched.launch)).empty());
}

TEST_CASE("the two end with different values") {
    const std::string read = "ld.acquire.gpu.global.u32 %r3, [%rd1+4];\n";
    const auto ends = [&](const std::string& value) {
        return read + "setp.eq.u32 %p3, %r3, 1;\n@%p3 bra DONE;\nLOOP:\n" + read + "setp.ne.u32 %p3, %r3, " + value +
               ";\n@%p3 bra LOOP;\nDONE:\n" + reads_word;
    };
    CHECK(after_flag(ends("1")).empty());
    CHECK(!after_flag(ends("2")).empty());
}

TEST_CASE("a wait that gives false leads to another wait") {
    const std::string hands_on =
        "mbarrier.arrive.shared::cta.b64 _, [%r9];\nst.global.u32 [%rd1], 1;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\n";
    const auto after = [&](const std::string& second, const std::string& between = "") {
        return said_of_warps(hands_on, wait_for("%r8") + "@%p3 bra DONE;\n" + between + "LOOP:\n" + second +
                                           "@!%p3 bra LOOP;\nDONE:\nld.global.u32 %r2, [%rd1];\n");
    };
    CHECK(after(wait_for("%r8")).empty());
    CHECK(!after(wait_for("%r9")).empty());
    CHECK(!after(wait_for("%r8", "1")).empty());
    CHECK(!after(wait_for("%r8", "0", "relaxed")).empty());
    CHECK(!after(wait_for("%r8"), "mov.u32 %r8, %r9;\n").empty());
}

TEST_CASE("what only one of two rounds of a wait does") {
    const std::string hands_on = "st.global.u32 [%rd1+4], 1;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\n";
    const auto after = [&](const std::string& if_found, const std::string& if_not, const std::string& in_loop, const std::string& then) {
        const std::string wait = wait_for("%r8");
        return said_of_warps(hands_on, "mov.u32 %r4, 4;\nmov.u32 %r5, 0;\n" + wait + "@!%p3 bra LATE;\n" + if_found + "bra DONE;\nLATE:\n" +
                                           if_not + "LOOP:\n" + in_loop + wait + "@!%p3 bra LOOP;\nDONE:\n" + then);
    };
    const std::string reads = "cvt.u64.u32 %rd2, %r4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\n";
    CHECK(after("", "", "", reads).empty());
    CHECK(!after("fence.acq_rel.cta;\n", "", "", reads).empty());
    CHECK(!after("", "mov.u32 %r4, 8;\n", "", reads).empty());
    CHECK(!after("mov.u32 %r4, 8;\n", "", "", reads).empty());
    // a register that decides a branch behind both
    const std::string branches = "setp.eq.u32 %p4, %r4, 8;\n@%p4 bra END;\n" + reads;
    CHECK(!after("", "mov.u32 %r4, 8;\n", "", branches).empty());
    // a count that says how long to sleep, and one that ends the loop
    const std::string counts = "add.u32 %r5, %r5, 1;\nsetp.gt.u32 %p5, %r5, 16;\n";
    CHECK(after("", "", counts + "@!%p5 bra SHORT;\nnanosleep.u32 100;\nSHORT:\n", reads).empty());
    CHECK(!after("", "", counts + "@%p5 bra DONE;\n", reads).empty());
}

TEST_CASE("a round of a wait that gives false leaves a value") {
    const std::string hands_on = "st.global.u32 [%rd1+4], 1;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\nst.global.u32 [%rd1+8], 1;\n";
    const auto after = [&](const std::string& before, const std::string& if_false) {
        return said_of_warps(hands_on, "mov.u32 %r4, 4;\n" + before + "LOOP:\n" + wait_for("%r8") + "@%p3 bra DONE;\n" + if_false +
                                           "bra LOOP;\nDONE:\ncvt.u64.u32 %rd2, %r4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, "
                                           "[%rd3];\n");
    };
    CHECK(after("", "").empty());
    CHECK(after("", "mov.u32 %r4, 4;\n").empty());
    CHECK(!after("", "mov.u32 %r4, 8;\n").empty());
    // how long to sleep is computed, in one loop and in two of it
    const std::string counts =
        "setp.lt.s32 %p4, %r6, 16;\n@%p4 bra ADD;\nshl.b32 %r7, %r6, 4;\nnanosleep.u32 %r7;\nbra LOOP;\nADD:\n"
        "add.s32 %r6, %r6, 1;\n";
    CHECK(after("mov.u32 %r6, 0;\n", counts).empty());
    CHECK(after(wait_for("%r8") + "@%p3 bra DONE;\nmov.u32 %r6, 0;\n", counts).empty());
    CHECK(!after("mov.u32 %r6, 0;\n", counts + "and.b32 %r9, %r6, 1;\nshl.b32 %r4, %r9, 2;\n").empty());
}

TEST_CASE("what a round leaves matters behind the round after the next") {
    const std::string hands_on = "st.global.u32 [%rd1+4], 1;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\n";
    // two waits take turns; a count is handed from the one to the other
    const auto after = [&](const std::string& of) {
        return said_of_warps(hands_on, "mov.u32 %r4, 4;\nmov.u32 %r6, 0;\nLOOP:\n" + wait_for("%r8") + "@%p3 bra DONE;\nmov.u32 %r7, " +
                                           of + ";\n" + wait_for("%r8") +
                                           "@%p3 bra DONE;\nadd.u32 %r6, %r6, 1;\nsetp.ge.u32 %p4, %r7, 2;\nselp.u32 %r4, 32, 4, %p4;\n"
                                           "bra LOOP;\nDONE:\n" +
                                           reads_indexed);
    };
    CHECK(after("0").empty());
    CHECK(!after("%r6").empty());
}

TEST_CASE("rounds of a wait that give true go on at different places") {
    const std::string hands_on = "st.global.u32 [%rd1+4], 1;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\n";
    // the first goes by %p6, the others by %p7
    const auto after = [&](const std::string& seventh) {
        return said_of_warps(hands_on, "setp.eq.u32 %p6, %r1, 32;\nsetp.eq.u32 %p7, %r1, " + seventh + ";\n" +
                                           wait_for("%r8", "0", "relaxed") + "@!%p3 bra LOOP;\n@%p6 bra FENCED;\nbra READ;\nLOOP:\n" +
                                           wait_for("%r8", "0", "relaxed") +
                                           "@!%p3 bra LOOP;\n@%p7 bra FENCED;\nbra READ;\nFENCED:\nfence.acq_rel.cta;\nREAD:\n"
                                           "ld.global.u32 %r2, [%rd1+4];\n");
    };
    CHECK(after("32").empty());
    CHECK(!after("33").empty());
}

TEST_CASE("what a wait gave is used behind a loop of the same wait") {
    const std::string uses = "LOOP:\n" + wait_for("%r8") + "@!%p3 bra LOOP;\n@%p4 ld.global.u32 %r2, [%rd1+4];\n";
    const std::string hands_on = "mbarrier.arrive.shared::cta.b64 _, [%r8];\nst.global.u32 [%rd1+4], 1;\n";
    CHECK(!said_of_warps(hands_on, "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p4, [%r8], 0;\n" + uses).empty());
}

TEST_CASE("what follows an operation that a phase waits for is not before the end of the phase") {
    const std::string completes = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 16;\n";
    const std::string waits_for =
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 16;\nLOOP:\n" + wait_for("%r8") + "@!%p3 bra LOOP;\n";
    CHECK(said_of_warps(completes, waits_for).empty());
    CHECK(
        has(said_of_warps(completes + "mbarrier.arrive.shared::cta.b64 _, [%r9];\n", waits_for + "mbarrier.inval.shared::cta.b64 [%r9];\n"),
            "inval"));
    // an arrival behind a copy
    const std::string expects = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 16;\nLOOP:\n" + wait_for("%r8") + "@!%p3 bra LOOP;\n";
    const std::string frees = "mbarrier.inval.shared::cta.b64 [%r9];\n", then = "mbarrier.arrive.shared::cta.b64 _, [%r9];\n";
    const std::string copies = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [place], [%rd1], 16, [%r8];\n";
    CHECK(has(said_of_warps(copies + then, expects + frees), "inval"));
    CHECK(!has(said_of_warps(then + copies, expects + frees), "inval"));
    const std::string stores = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [place], {%r1, %r1, %r1, %r1}, [%r8];\n";
    CHECK(has(said_of_warps(stores + then, expects + frees), "inval"));
    CHECK(!has(said_of_warps(then + stores, expects + frees), "inval"));
    const std::string of_cp_async = "cp.async.ca.shared.global [place], [%rd1], 16;\ncp.async.mbarrier.arrive.noinc.shared.b64 [%r8];\n";
    const std::string waits = "LOOP:\n" + wait_for("%r8") + "@!%p3 bra LOOP;\n";
    CHECK(has(said_of_warps(of_cp_async + then, waits + frees), "inval"));
    CHECK(!has(said_of_warps(then + of_cp_async, waits + frees), "inval"));
    // for which phase that counts
    const std::string twice = completes + "LATER:\n" + wait_for("%r8") + "@!%p3 bra LATER;\n";
    CHECK(said_of_warps(twice + completes, waits_for + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 16;\n").find("phase of") ==
          std::string::npos);
    CHECK(has(said_of_warps(completes + completes, waits_for + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r8], 16;\n"), "phase"));
}

TEST_CASE("each lane names its barrier") {
    const std::string two = "and.b32 %r2, %r1, 1;\nadd.u32 %r2, %r2, 1;\n";
    const auto met = [&](const std::string& barrier) {
        const kernel::Module module =
            kernel::testing::kernel_of("ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n" + two +
                                       "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 33;\n@%p1 st.global.u32 [%rd1], 1;\n" + barrier +
                                       "@%p2 ld.global.u32 %r3, [%rd1];\nret;");
        kernel::LaunchTexts texts;
        texts.grid = "1";
        texts.block = "64";
        texts.arguments = {"x=u32[8]", "1"};
        std::string text;
        for (const sweep::Finding& finding :
             sweep::sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); })).findings)
            text += finding.text + "; ";
        return text;
    };
    CHECK(met("barrier.sync 1;\n").empty());
    CHECK_FALSE(met("barrier.sync %r2;\n").empty());  // odd and even threads
    CHECK(has(kernel::testing::refusal([&] { (void)met("bar.sync %r2;\n"); }), "different barriers"));
}

TEST_CASE("who arrives at a barrier knows of the turn before") {
    const auto arrives = [](const std::string& between, const std::string& other) {
        const std::string arrive = "barrier.arrive 1, 64;\n", meet = "barrier.sync 1, 64;\n";
        return said_of_warps(meet + other + meet, arrive + between + arrive);
    };
    CHECK(has(arrives("", ""), "at which turn of barrier 1 it arrives depends on the schedule"));
    CHECK(arrives("barrier.sync 2, 64;\n", "barrier.sync 2, 64;\n").empty());
}

// Two lanes wait for one phase. Then each arrives at an object of its own by one instruction. Another warp waits for one of these two, and
// ends the next phase.
TEST_CASE("lanes that arrive by one instruction do so at one time") {
    const auto said = [](const std::string& before, const std::string& behind) {
        const kernel::Module module = kernel::testing::kernel_of(
            ".shared .align 8 .b8 objects[24];\nmov.u32 %r1, %tid.x;\nmov.u32 %r8, objects;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\n"
            "mbarrier.init.shared::cta.b64 [%r8], 1;\nmbarrier.init.shared::cta.b64 [%r8+8], 1;\n"
            "mbarrier.init.shared::cta.b64 [%r8+16], 1;\nMET:\nbar.sync 0;\nsetp.eq.u32 %p2, %r1, 32;\n@%p2 bra OTHER;\n"
            "setp.gt.u32 %p2, %r1, 1;\n@%p2 bra END;\nWAIT:\n" +
            wait_for("%r8") + "@!%p3 bra WAIT;\nshl.b32 %r2, %r1, 3;\nadd.u32 %r2, %r2, %r8;\n" + before +
            "mbarrier.arrive.shared::cta.b64 _, [%r2+8];\n" + behind +
            "bra END;\nOTHER:\nmbarrier.arrive.shared::cta.b64 _, [%r8];\nmov.u32 %r3, %r8;\nadd.u32 %r3, %r3, 8;\nTOLD:\n" +
            wait_for("%r3") + "@!%p3 bra TOLD;\nmbarrier.arrive.shared::cta.b64 _, [%r8];\nEND:\nret;");
        kernel::LaunchTexts texts;
        texts.grid = "1";
        texts.block = "33";
        texts.arguments = {"x=u32[8]", "0"};
        return sweep::testing::text_of(
            sweep::sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); })));
    };
    CHECK(said("", "") == "");
    const std::string second = "setp.eq.u32 %p4, %r1, 1;\n@%p4 bra SECOND;\n", joins = "bra END;\nSECOND:\n";
    CHECK(has(said(second, joins + "mbarrier.arrive.shared::cta.b64 _, [%r2+8];\n"), "may be over, and the next one, too"));
}

TEST_CASE("bar.red meets no other kind, whichever comes first, and all name one number of threads") {
    const auto met = [](const std::string& first, const std::string& second) { return said_of_warps(first, second); };
    const std::string reduces = "barrier.red.or.pred %p4, 1, 64, %p1;\n", arrives = "barrier.arrive 1, 64;\n";
    CHECK(has(met(arrives, reduces), "meet at one barrier"));
    CHECK(has(met(reduces, arrives), "meet at one barrier"));
    CHECK(has(met("barrier.arrive 1, 64;\n", "barrier.sync 1, 96;\n"), "different numbers of threads"));
}

TEST_CASE("a barrier of the cluster tells that an object is initialised, a relaxed one behind a fence for that") {
    const auto used = [](const std::string& fence, const std::string& sem) {
        const std::string meet = "barrier.cluster.arrive" + sem + ";\nbarrier.cluster.wait;\n",
                          ends = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
        const Launched launched =
            of_blocks({".shared .align 8 .b64 object;\nmov.u32 %r4, object;\n" + meet +
                           "mapa.shared::cluster.u32 %r5, %r4, 1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n" + ends,
                       "mov.u32 %r4, object;\nmbarrier.init.shared::cta.b64 [%r4], 1;\n" + fence + meet +
                           "LOOP:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r4], 0;\n@!%p3 bra LOOP;\n" + ends},
                      "2");
        return sweep::testing::text_of(sweep::sweep(launched.module, launched.launch));
    };
    CHECK(used("", "") == "");
    CHECK(used("fence.mbarrier_init.release.cluster;\n", ".relaxed") == "");
    CHECK(has(used("", ".relaxed"), "is not known to be initialised"));
}

TEST_CASE("bytes are expected before an arrival of the phase, not before they come") {
    const std::string expects = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r8], 16;\n";
    const std::string completes = "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r8], 16;\n";
    const std::string arrives = "mbarrier.arrive.shared::cta.b64 _, [%r8];\n";
    CHECK(said_of_warps(expects + completes + arrives, "").empty());
    CHECK(has(said_of_warps(expects + completes, arrives), "phase"));
    CHECK(has(said_of_warps(arrives, expects + completes), "phase"));
}

TEST_CASE("the state of an object is for waits alone") {
    const std::string arrives = "mbarrier.arrive.shared::cta.b64 %rd2, [%r8];\n";
    const std::string waits = "LOOP:\nmbarrier.try_wait.acquire.cta.shared::cta.b64 %p3, [%r8], %rd2;\n@!%p3 bra LOOP;\n";
    CHECK(said_of_warps(arrives + waits, "").empty());
    CHECK(said_of_warps(arrives + "st.global.u64 [%rd1], %rd2;\n" + waits, "").empty());
    CHECK(has(said_of_warps(arrives + "setp.eq.u64 %p4, %rd2, 0;\n@%p4 bra END;\n", ""), "is opaque, and decides"));
    // which of two states it is may be decided by something else
    CHECK(has(said_of_warps(
                  "atom.relaxed.cta.global.add.u32 %r4, [%rd1], 1;\n" + arrives +
                      "mbarrier.arrive.shared::cta.b64 %rd3, [%r9];\nsetp.eq.u32 %p4, %r4, 0;\nselp.u64 %rd2, %rd2, %rd3, %p4;\n" + waits,
                  "atom.relaxed.cta.global.add.u32 %r4, [%rd1], 1;\n"),
              "depends on the order, and decides"));
}
