// Programmatic dependent launches. tests/library/sweep_test.cpp asks the sweep and the model of those of litmus/async/grids that are
// streams; here is what these tests cannot have.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;

namespace {

// Launches kernels of these bodies one behind the other, programmatic, in blocks of 33 threads. %r1 is the thread, %r2 the block, and four
// words lie at %rd1. The answer is what is said of them. " | " stands between the launches.
std::string overlapping_say(const std::vector<std::string>& bodies, const std::string& grid = "1", const sweep::Options& how = {}) {
    std::string text = ".global .u32 count;\n";
    for (size_t n = 0; n < bodies.size(); ++n)
        text += ".visible .entry k" + std::to_string(n) + "(.param .u64 p)\n{\n.shared .align 16 .b8 s[32];\n.reg .pred %p<10>;\n" +
                ".reg .b32 %r<10>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n" +
                bodies[n] + "\nEND:\nret;\n}\n";
    const kernel::Module module = kernel::testing::module_of(text);
    std::vector<kernel::Launch> launches;
    std::vector<sweep::Started> started;
    for (size_t n = 0; n < bodies.size(); ++n) {
        kernel::LaunchTexts texts;
        texts.entry = "k" + std::to_string(n);
        texts.grid = grid;
        texts.block = "33";
        texts.arguments = {"x=u32[4]"};
        launches.push_back(kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }));
        launches.back().programmatic = n > 0;
    }
    for (const kernel::Launch& launch : launches) started.push_back({&module, &launch});
    std::string said;
    for (const sweep::Streamed& one : sweep::sweep_stream(started, how)) {
        for (const sweep::Finding& finding : one.swept.findings) said += finding.text + "; ";
        for (const std::string& condition : one.swept.conditions) said += "where " + condition + "; ";
        said += " | ";
    }
    return said;
}

const std::string first_thread = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n";
const std::string store = first_thread + "st.global.u32 [%rd1], 1;\n";
const std::string wait = "griddepcontrol.wait;\n", trigger = "griddepcontrol.launch_dependents;\n";
const std::string overlap = "race on `x` at byte 0: the launch before may still run";

}  // namespace

TEST_CASE("what a launch did is there behind the wait, through each cache and proxy") {
    const std::string copy =
        "mbarrier.init.shared::cta.b64 [s+16], 1;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [s+16], 16;\n"
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1], 16, [s+16];\n";
    for (const std::string& read : {std::string("ld.global.u32 %r3, [%rd1];\n"), std::string("ld.global.nc.u32 %r3, [%rd1];\n"), copy}) {
        CAPTURE(read);
        CHECK(has(overlapping_say({store, first_thread + read}), overlap));
        CHECK(!has(overlapping_say({store, first_thread + wait + read}), "race"));
        // another thread has waited
        const std::string other = "setp.ne.u32 %p1, %r1, 32;\n@%p1 bra MEET;\n" + wait + "MEET:\n";
        CHECK(!has(overlapping_say({store, other + "bar.sync 0;\n" + first_thread + read}), "race"));
        CHECK(has(overlapping_say({store, other + first_thread + read}), overlap));
    }
}

TEST_CASE("a thread that comes by a guess is one of its own launch") {
    const std::string guesses =
        "setp.eq.u32 %p1, %r1, 32;\n@%p1 bra READ;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nld.shared.u32 %r3, [s];\n"
        "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra END;\nbra END;\nREAD:\nld.global.u32 %r3, [%rd1];\n";
    const std::string said = overlapping_say({store, guesses});
    CHECK(has(said, "a value that is not computed decides"));
    CHECK(has(said, overlap));
    CHECK(!has(said, "if a thread can come there"));
}

TEST_CASE("orders across launches that overlap are not run") {
    // the last block writes; if that is block 1, it has no fence, and the next launch reads too early
    const std::string last = first_thread +
                             "atom.acq_rel.gpu.global.add.u32 %r3, [%rd1+4], 1;\nsetp.ne.u32 %p2, %r3, 2;\n@%p2 bra TRIGGER;\n"
                             "st.global.u32 [%rd1], 1;\nsetp.eq.u32 %p2, %r2, 1;\n@%p2 bra TRIGGER;\nfence.acq_rel.gpu;\nTRIGGER:\n" +
                             trigger;
    const std::string reads = first_thread + "setp.ne.u32 %p2, %r2, 0;\n@%p2 bra END;\nld.global.u32 %r3, [%rd1];\n";
    sweep::Options how;
    how.explores = true;
    const std::string said = overlapping_say({last, reads}, "3", how);
    CHECK(!has(said, "race"));
    CHECK(has(said, "depends on the order, and decides"));
}

TEST_CASE("a variable of the module, and a write after a read") {
    CHECK(has(overlapping_say({first_thread + "st.global.u32 [count], 1;\n", first_thread + "ld.global.u32 %r3, [count];\n"}),
              "race on `count` at byte 0: the launch before may still run"));
    CHECK(has(overlapping_say({first_thread + "ld.global.u32 %r3, [%rd1];\n", store}), overlap));
    CHECK(!has(overlapping_say({first_thread + "ld.global.u32 %r3, [%rd1];\n", wait + store}), "race"));
}

TEST_CASE("a fence before the trigger releases to the next launch what its thread knew, and the first thread of a block counts") {
    const std::string fence = "fence.acq_rel.gpu;\n", read = first_thread + "ld.global.u32 %r3, [%rd1];\n";
    const std::string stores = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\nst.global.u32 [%rd1], 1;\nMEET:\n";
    CHECK(!has(overlapping_say({stores + "bar.sync 0;\n" + fence + trigger, read}), "race"));
    CHECK(has(overlapping_say({stores + fence + trigger, read}), overlap));
    CHECK(has(overlapping_say({stores + "bar.sync 0;\n" + trigger, read}), overlap));
    CHECK(has(overlapping_say({stores + "bar.sync 0;\nfence.acq_rel.cta;\n" + trigger, read}), overlap));
    CHECK(has(overlapping_say({stores + "bar.sync 0;\n" + trigger + fence + trigger, read}), overlap));
}

TEST_CASE("a launch that does not wait vouches for nothing of the one before it") {
    const std::string read = first_thread + "ld.global.u32 %r3, [%rd1];\n";
    CHECK(overlapping_say({store, wait, wait + read}) == " |  |  | ");
    CHECK(has(overlapping_say({store, trigger, wait + read}), overlap));
}

TEST_CASE("a flag between launches, and blocks with one number in two of them") {
    const std::string raise = first_thread + "st.global.u32 [%rd1], 1;\nst.release.gpu.global.u32 [%rd1+4], 1;\n";
    const auto poll = [](const std::string& scope) {
        return first_thread + "AGAIN:\nld.acquire." + scope + ".global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra AGAIN;\n" +
               "ld.global.u32 %r4, [%rd1];\n";
    };
    CHECK(!has(overlapping_say({raise, poll("gpu")}), "race"));
    CHECK(has(overlapping_say({raise, poll("cta")}), "race"));
    // a fence for the block with this number of the earlier launch is none for that of the later one
    const std::string narrow = first_thread + "st.global.u32 [%rd1], 1;\nfence.acq_rel.cta;\nst.relaxed.gpu.global.u32 [%rd1+4], 1;\n";
    CHECK(has(overlapping_say({narrow, "fence.acq_rel.cta;\n" + poll("gpu")}), overlap));
    // nobody guarantees that the next launch begins before this one is over
    const std::string waits = overlapping_say({trigger + poll("gpu"), raise});
    CHECK(has(waits, "for ever"));
    CHECK(waits.find(" | ") + 3 == waits.size());
    // what the earlier launch found there may be what the later one has left
    CHECK(has(overlapping_say(
                  {first_thread + "ld.relaxed.gpu.global.u32 %r3, [%rd1];\n", first_thread + "st.relaxed.gpu.global.u32 [%rd1], 1;\n"}),
              "which comes first is open"));
}
