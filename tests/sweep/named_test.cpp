// Tests of threads that the user names: what such a test would get wrong, it is not made of (sweep/slice.h).
#include <doctest/doctest.h>

#include "sweep/blocks.h"
#include "sweep/slice.h"

using namespace litmus;

namespace {

using kernel::testing::has;
using sweep::testing::Launched;
using sweep::testing::of_blocks;
using sweep::testing::waits_for;

std::string stores(const std::string& how, const std::string& value, const std::string& at = "4") {
    return "mov.u32 %r4, " + value + ";\nst." + how + "global.u32 [%rd1+" + at + "], %r4;\n";
}

const std::string raise = stores("release.gpu.", "1");
const std::string tell = "red.release.gpu.global.add.u32 [%rd1+8], 1;\n";
const std::string is_told = "TOLD:\nld.acquire.gpu.global.u32 %r5, [%rd1+8];\nsetp.eq.u32 %p4, %r5, 0;\n@%p4 bra TOLD;\n";

// The test of the first threads of these blocks, or why there is none.
std::string named_blocks(const std::vector<std::string>& blocks, const std::vector<uint32_t>& named) {
    const Launched launched = of_blocks(blocks);
    std::vector<std::pair<uint32_t, uint32_t>> threads;
    for (const uint32_t block : named) threads.emplace_back(block, 0);
    const sweep::Slice made = sweep::slice_of(launched.module, launched.launch, {}, threads);
    return made.why + made.text;
}

// The same of the first threads of warps of one block. An mbarrier object expects so many arrivals.
std::string named_warps(const std::string& count, const std::vector<std::string>& warps, const std::vector<uint32_t>& named) {
    std::string text =
        ".shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra READY;\nmbarrier.init.shared::cta.b64 "
        "[bar], " +
        count + ";\nREADY:\nbar.sync 0;\n";
    for (size_t w = 0; w < warps.size(); ++w)
        text += "setp.eq.u32 %p2, %r1, " + std::to_string(32 * w) + ";\n@%p2 bra WARP" + std::to_string(w) + ";\n";
    text += "bra END;\n";
    for (size_t w = 0; w < warps.size(); ++w) text += "WARP" + std::to_string(w) + ":\n" + warps[w] + "bra END;\n";
    kernel::LaunchTexts texts;
    texts.grid = "1";
    texts.block = std::to_string(32 * warps.size());
    texts.arguments = {"x=u32[8]", "0"};
    const kernel::Module module = kernel::testing::kernel_of(text + "END:\nret;");
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    std::vector<std::pair<uint32_t, uint32_t>> threads;
    for (const uint32_t warp : named) threads.emplace_back(0, 32 * warp);
    const sweep::Slice made = sweep::slice_of(module, launch, {}, threads);
    return made.why + made.text;
}

const std::string arrives = "mbarrier.arrive.shared::cta.b64 _, [bar];\n";
// A wait of its own label.
std::string waits(const std::string& parity, const std::string& label = "PHASE") {
    return label + parity + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], " + parity + ";\n@!%p3 bra " + label + parity + ";\n";
}

}  // namespace

TEST_CASE("named threads: what one waits for is written strongly, by these threads alone, and stays") {
    const std::string one = named_blocks({raise, waits_for("1")}, {0, 1});
    CHECK(has(one, "st.release.gpu.global.u32 [x_4], 1;"));
    CHECK(has(one, "await ld.acquire.gpu.global.u32 r0, [x_4] == 1;"));
    CHECK(named_blocks({is_told + raise, stores("", "7") + tell + waits_for("1")}, {0, 1}) == "what one waits for is written weakly, too");
    // two count, and who waits for both is told nothing by one of them
    const std::string counts = "red.release.gpu.global.add.u32 [%rd1+4], 1;\n";
    CHECK(has(named_blocks({counts, counts, waits_for("2")}, {0, 1, 2}), "red.release.gpu.global.add.u32 [x_4], 1;"));
    CHECK(named_blocks({counts, counts, waits_for("2")}, {0, 2}) == "what one waits for is written by other threads, too");
    // who overwrites it knows by something that the test may lack
    const std::string again = stores("relaxed.gpu.", "2");
    CHECK(named_blocks({raise + is_told + again, waits_for("1") + tell}, {0, 1}) == "what one waits for is overwritten later");
    // one that waits overwrites it itself, and what was there before is no matter
    CHECK(has(named_blocks({raise, waits_for("1") + again}, {0, 1}), "st.relaxed.gpu.global.u32 [x_4], 2;"));
    CHECK(has(named_blocks({is_told + raise, again + tell + waits_for("1")}, {0, 1}), "st.relaxed.gpu.global.u32 [x_4], 2;"));
    // a flag that nobody waits for may be written by anybody
    const std::string looks = "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\n";
    CHECK(has(named_blocks({counts, counts, looks}, {0, 2}), "ld.relaxed.gpu.global.u32 r1, [x_4];"));
}

TEST_CASE("named threads: who is left out between a flag and a flag would order what the test has") {
    const std::string data = stores("", "1", "0"), relays = waits_for("1") + tell;
    const std::string reads = is_told + "ld.global.u32 %r6, [%rd1];\n";
    CHECK(named_blocks({data + raise, relays, reads}, {0, 2}) == "what one waits for is written by other threads, too");
    const std::string all = named_blocks({data + raise, relays, reads}, {0, 1, 2});
    CHECK_MESSAGE(has(all, "ld.weak.global.u32 r3, [x];"), all);
}

TEST_CASE("named threads: a strong read decides between what a thread did in several runs") {
    // who comes second writes
    const std::string draws =
        "atom.relaxed.gpu.global.add.u32 %r5, [%rd1+4], 1;\nsetp.eq.u32 %p4, %r5, 1;\n@%p4 st.global.u32 [%rd1], 1;\n";
    const std::string both = named_blocks({draws, draws}, {0, 1});
    for (const char* part : {"setp.eq.u32 p1, r0, 0;", "@p1 bra L1;", "setp.eq.u32 p2, r0, 1;", "@p2 bra L2;", "  trap;", "L2:", "exit;"})
        CHECK_MESSAGE(has(both, part), both);
    CHECK(named_blocks({draws, draws, draws}, {0, 1}) == "what one reads is written by other threads, too");
    // what a read finds is no matter where the thread goes on alike
    const std::string counts = "atom.relaxed.gpu.global.add.u32 %r5, [%rd1+8], 1;\n";
    const std::string more = named_blocks({draws + counts, draws + counts}, {0, 1});
    CHECK_MESSAGE(has(more, "L1:\n  atom.relaxed.gpu.global.add.u32 r3, [x_8], 1;\n  exit;\n"), more);
}

TEST_CASE("named threads: a compare-and-swap that fails writes no flag") {
    const auto swaps = [](const std::string& from) {
        const std::string sees = "SEEN:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.ne.u32 %p3, %r3, 1;\n@%p3 bra SEEN;\n";
        return named_blocks({raise, waits_for("1"), sees + "atom.relaxed.gpu.global.cas.b32 %r5, [%rd1+4], " + from + ", 1;\n"}, {0, 1});
    };
    CHECK(has(swaps("7"), "st.release.gpu.global.u32 [x_4], 1;"));
}

TEST_CASE("named threads: a phase for which one waits has an arrival of theirs") {
    const std::string none = "one waits for an mbarrier object at which none of them arrives";
    const std::string once = named_warps("1", {arrives, waits("0"), ""}, {0, 1});
    CHECK(has(once, "mbarrier.init.shared::cta.b64 [bar], 1;"));
    CHECK(named_warps("1", {arrives, waits("0"), ""}, {1, 2}) == none);
    // the next phase is ended by others, and none of these waits for it
    CHECK(named_warps("1", {arrives, waits("0"), waits("0", "OTHER") + arrives}, {0, 1}) == once);
    CHECK(named_warps("1", {arrives, waits("0") + waits("1"), waits("0", "OTHER") + arrives}, {0, 1}) == none);
}

TEST_CASE("named threads: a phase that lacks arrivals in the run lacks one in the test") {
    const std::string first = named_warps("2", {arrives, waits("0")}, {0, 1});
    CHECK(has(first, "mbarrier.init.shared::cta.b64 [bar], 2;"));
    CHECK(has(first, "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];"));
    // the count is that of the phase before, to which more arrivals come
    const std::string second =
        named_warps("3", {arrives + arrives + arrives + waits("0", "OTHER") + arrives, waits("0") + waits("1")}, {0, 1});
    CHECK(has(second, "mbarrier.init.shared::cta.b64 [bar], 3;"));
}

namespace {

// The first warpgroup multiplies matrices that begin at bytes 0 and 2048 of `tile`. It executes `in_flight` before it waits. Thread 128
// does something else meanwhile.
Launched of_product(const std::string& meanwhile, const std::string& in_flight = "") {
    const uint64_t strides = uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
    const std::string text =
        ".shared .align 128 .b8 tile[4096];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p2, %r1, 128;\nsetp.ge.u32 %p3, %r1, 128;\n@%p3 bra "
        "OTHER;\n"
        "wgmma.fence.sync.aligned;\nmov.u32 %r2, tile;\ncvt.u64.u32 %rd1, %r2;\nshr.u64 %rd1, %rd1, 4;\nor.b64 %rd1, %rd1, " +
        std::to_string(strides) +
        ";\nadd.u64 %rd2, %rd1, 128;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r3, %r4, %r5, %r6}, %rd1, %rd2, 0, 1, 1, 0, 0;\n"
        "wgmma.commit_group.sync.aligned;\n" +
        in_flight + "wgmma.wait_group.sync.aligned 0;\nret;\nOTHER:\n" + meanwhile + "ret;";
    kernel::LaunchTexts texts;
    texts.grid = "1";
    texts.block = "256";
    texts.arguments = {"x=u32[8]", "0"};
    kernel::Module module = kernel::testing::kernel_of(text);
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

}  // namespace

TEST_CASE("what a product reads is in the test of a finding, and in that of named threads") {
    for (const auto& [place, name] : {std::pair<std::string, std::string>{"tile", "tile"}, {"tile+2048", "tile_2048"}}) {
        CAPTURE(place);
        const Launched launched = of_product("@%p2 st.shared.u32 [" + place + "], %r1;\n");
        const sweep::Swept swept = sweep::sweep(launched.module, launched.launch);
        REQUIRE(swept.findings.size() == 1);
        const std::string read = "cp.async.bulk.global.shared::cta.bulk_group [other0], [" + name + "], 16;";
        CHECK(has(sweep::slice_of(launched.module, launched.launch, {}, swept.findings.front()).text, read));
        // whichever thread of the warpgroup is named
        for (const uint32_t thread : {0U, 33U, 127U})
            CHECK(has(sweep::slice_of(launched.module, launched.launch, {}, {{0, thread}, {0, 128}}).text, read));
        CHECK(sweep::slice_of(launched.module, launched.launch, {}, {{0, 0}, {0, 33}}).why ==
              "two of its threads issue the products of one warpgroup");
    }
    const Launched apart = of_product("@%p2 st.shared.u32 [tile+4092], %r1;\n");
    CHECK(sweep::sweep(apart.module, apart.launch).findings.empty());
    CHECK_FALSE(sweep::slice_of(apart.module, apart.launch, {}, {{0, 0}, {0, 128}}).shares);
}

TEST_CASE("a clock decides whether a register of a product is touched in flight") {
    const auto conditions = [](const std::string& touches) {
        const Launched one =
            of_product("", "mov.u64 %rd3, %clock64;\nsetp.gt.u64 %p4, %rd3, 200000000000;\n@!%p4 bra ON;\n" + touches + "ON:\n");
        return sweep::sweep(one.module, one.launch).conditions.size();
    };
    CHECK(conditions("mov.b32 %r7, %r8;\n") == 0);
    CHECK(conditions("mov.b32 %r7, %r3;\n") == 1);
    CHECK(conditions("mov.b32 %r3, %r7;\n") == 1);
}
