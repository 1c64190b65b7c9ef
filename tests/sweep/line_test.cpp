// Whether the orders of strong accesses that were run stand for all executions: each premise, and what breaks it.
#include "sweep/line.h"

#include <doctest/doctest.h>

#include "sweep/blocks.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;
using sweep::testing::of_blocks;

namespace {

// What `litmus kernel` would go by: findings, conditions, and why other orders may come about.
std::string said(const sweep::testing::Launched& launched) {
    sweep::Options how;
    how.explores = true;
    const sweep::Streamed all = std::move(sweep::sweep_stream({{&launched.module, &launched.launch}}, how).front());
    std::string text;
    for (const sweep::Finding& finding : all.swept.findings) text += finding.text + "; ";
    for (const std::string& condition : all.swept.conditions) text += "where " + condition + "; ";
    for (const std::string& why : all.out_of_line) text += why + "; ";
    return text;
}
std::string said(const std::vector<std::string>& blocks, const std::string& cluster = "1") {
    return said(of_blocks(blocks, cluster));
}

// It decides whether the block writes its own word.
const std::string decides = "setp.eq.u32 %p4, %r3, 1;\n@!%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n";

std::string draws(const std::string& sem, const std::string& scope = "gpu") {
    return "atom." + sem + "." + scope + ".global.add.u32 %r3, [%rd1], 1;\n";
}

}  // namespace

TEST_CASE("each order of tickets and locks was run, and there are no others") {
    CHECK(said({draws("relaxed") + decides, draws("relaxed") + decides}).empty());
    const std::string locked =
        "TAKE:\natom.acquire.gpu.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra TAKE;\n"
        "st.global.u32 [%rd1+8], 1;\nmov.u32 %r4, 0;\nst.release.gpu.global.u32 [%rd1], %r4;\n";
    std::string other = locked;
    for (size_t at = 0; (at = other.find("TAKE", at)) != std::string::npos; at += 5) other.replace(at, 4, "OTHER");
    CHECK(said({locked, other}).empty());
}

TEST_CASE("a read that nothing orders behind a write of another place may be early") {
    const auto raises = [](int own, int others, const std::string& between, const std::string& sem) {
        const std::string at = std::to_string(4 * own), to = std::to_string(4 * others);
        const auto [release, acquire] = sem == "relaxed" ? std::pair("relaxed", "relaxed") : std::pair("release", "acquire");
        return std::string("st.") + release + ".gpu.global.u32 [%rd1+" + at + "], 1;\n" + between + "ld." + acquire +
               ".gpu.global.u32 %r3, [%rd1+" + to + "];\nsetp.ne.u32 %p4, %r3, 0;\n@%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    };
    // both may find 0, though no order of the four has it
    for (const std::string sem : {"relaxed", "release"})
        CHECK(has(said({raises(0, 1, "", sem), raises(1, 0, "", sem)}), "may be early or late"));
    // of one place it may not
    CHECK(said({raises(0, 0, "", "relaxed"), draws("relaxed") + "setp.eq.u32 %p4, %r3, 7;\n@%p4 bra END;\n"}).find("early") ==
          std::string::npos);
}

TEST_CASE("a write of one place that a thread has met is not behind what it finds there") {
    // block 1 sees the flag by a relaxed read, and then draws: the first ticket is before its own in any case
    const std::string first = draws("relaxed") + "st.relaxed.gpu.global.u32 [%rd1+4], 1;\n";
    const std::string sees = "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\nsetp.eq.u32 %p5, %r5, 0;\n@%p5 bra END;\n";
    CHECK(has(said({first, sees + draws("relaxed") + decides}), "may be early or late"));
    CHECK(said({draws("release") + "st.release.gpu.global.u32 [%rd1+4], 1;\n",
                "ld.acquire.gpu.global.u32 %r5, [%rd1+4];\nsetp.eq.u32 %p5, %r5, 0;\n@%p5 bra END;\n" + draws("relaxed") + decides})
              .empty());
}

TEST_CASE("writes may come about in a circle of reads") {
    const auto passes = [](int from, int to, const std::string& load, const std::string& store) {
        return load + ".gpu.global.u32 %r3, [%rd1+" + std::to_string(4 * from) + "];\n" + store + ".gpu.global.u32 [%rd1+" +
               std::to_string(4 * to) + "], 1;\nsetp.eq.u32 %p4, %r3, 0;\n@%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    };
    const std::string circle = "may find a write that would come about by it";
    CHECK(has(said({passes(0, 1, "ld.relaxed", "st.relaxed"), passes(1, 0, "ld.relaxed", "st.relaxed")}), circle));
    CHECK(has(said({passes(0, 1, "ld.relaxed", "st.release"), passes(1, 0, "ld.relaxed", "st.release")}), circle));
    CHECK(has(said({passes(0, 1, "ld.acquire", "st.relaxed"), passes(1, 0, "ld.acquire", "st.relaxed")}), circle));
    CHECK(said({passes(0, 1, "ld.acquire", "st.release"), passes(1, 0, "ld.acquire", "st.release")}).find(circle) == std::string::npos);
    // no circle of places
    CHECK(said({passes(0, 1, "ld.relaxed", "st.relaxed"), passes(1, 2, "ld.relaxed", "st.relaxed")}).find(circle) == std::string::npos);
    // fences do the same, on either side
    const std::string fence = "fence.acq_rel.gpu;\n";
    CHECK(said({passes(0, 1, "ld.relaxed", fence + "st.relaxed"), passes(1, 0, "ld.relaxed", fence + "st.relaxed")}).find(circle) ==
          std::string::npos);
    // the second of two reads of a place counts, too
    const std::string twice = "ld.acquire.gpu.global.u32 %r5, [%rd1];\n" + passes(0, 1, "ld.relaxed", "st.release");
    CHECK(has(said({twice, passes(1, 0, "ld.relaxed", "st.release")}), circle));
    // where the reads of one place alone acquire nothing, coherence forbids it
    CHECK(said({twice, passes(1, 0, "ld.acquire", "st.release")}).find(circle) == std::string::npos);
}

TEST_CASE("lanes of a warp are threads, and an asynchronous access is in no order") {
    const auto of_two_lanes = [](const std::string& access) {
        kernel::LaunchTexts texts;
        texts.grid = "2";
        texts.block = "32";
        texts.arguments = {"x=u32[8]"};
        sweep::testing::Launched launched;
        launched.module = kernel::testing::module_of(
            ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n"
            "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra END;\n" +
            access + "END:\nret;\n}\n");
        launched.launch = kernel::launch_of(launched.module, texts, [](const std::string&) { return std::string(); });
        return launched;
    };
    CHECK(has(said(of_two_lanes(draws("relaxed") + "setp.eq.u32 %p4, %r3, 9;\n@!%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n")),
              "several lanes of a warp"));
    // their sums are in no order that matters
    CHECK(said(of_two_lanes("red.relaxed.gpu.global.add.u32 [%rd1+8], 1;\nsetp.ne.u32 %p4, %r1, 0;\n@%p4 bra END;\n" + draws("relaxed") +
                            "setp.eq.u32 %p4, %r3, 9;\n@!%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n"))
              .empty());
}
