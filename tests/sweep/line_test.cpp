// Whether the orders of strong accesses that were run stand for all executions: each premise, and what breaks it.
#include "sweep/line.h"

#include <doctest/doctest.h>

#include "sweep/blocks.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;
using sweep::testing::of_blocks;

namespace {

// `litmus kernel` would go by this: findings, conditions, and why other orders may come about.
std::string said(const sweep::testing::Launched& launched) {
    sweep::Options how;
    how.explores = true;
    const sweep::Streamed all = std::move(sweep::sweep_stream({{&launched.module, &launched.launch}}, how).front());
    std::string text = sweep::testing::text_of(all.swept);
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

TEST_CASE("sums of floating-point numbers are in no order that is run, and their rounding decides something") {
    const std::string adds = "mov.b32 %r5, 0x3f800000;\nred.relaxed.gpu.global.add.f32 [%rd1+8], %r5;\n" + draws("acq_rel") +
                             "setp.ne.u32 %p4, %r3, 1;\n@%p4 bra END;\nld.global.u32 %r6, [%rd1+8];\n";
    const std::string by_sum = "setp.eq.u32 %p5, %r6, 0;\n@%p5 bra END;\n";
    CHECK(said({adds, adds}).empty());
    CHECK(has(said({adds + by_sum, adds + by_sum}), "depends on the order, and decides"));
}

TEST_CASE("a read that nothing orders behind a write of another place may be early") {
    const auto raises = [](int own, int others, const std::string& between, const std::string& sem) {
        const std::string at = std::to_string(4 * own), to = std::to_string(4 * others);
        const auto [release, acquire] = sem == "relaxed" ? std::pair("relaxed", "relaxed") : std::pair("release", "acquire");
        return std::string("st.") + release + ".gpu.global.u32 [%rd1+" + at + "], 1;\n" + between + "ld." + acquire +
               ".gpu.global.u32 %r3, [%rd1+" + to + "];\nsetp.ne.u32 %p4, %r3, 0;\n@%p4 bra END;\nst.global.u32 [%rd1+" +
               std::to_string(4 * own + 16) + "], 1;\n";
    };
    // both may find 0, though no order of the four has it
    for (const std::string sem : {"relaxed", "release"})
        CHECK(has(said({raises(0, 1, "", sem), raises(1, 0, "", sem)}), "may be early or late"));
    // two fence.sc have an order, and others have none
    const std::string fence = "fence.sc.gpu;\n";
    CHECK(said({raises(0, 1, fence, "relaxed"), raises(1, 0, fence, "relaxed")}).empty());
    CHECK(has(said({raises(0, 1, fence, "relaxed"), raises(1, 0, "", "relaxed")}), "may be early or late"));
    CHECK(has(said({raises(0, 1, fence, "relaxed"), raises(1, 0, "fence.acq_rel.gpu;\n", "relaxed")}), "may be early or late"));
    CHECK(said({raises(0, 1, fence, "relaxed"), raises(1, 2, fence, "relaxed"), raises(2, 0, fence, "relaxed")}).empty());
    CHECK(has(said({raises(0, 1, fence, "relaxed"), raises(1, 2, fence, "relaxed"), raises(2, 0, "", "relaxed")}), "may be early or late"));
    // block 2 has no fence: its reads may see the two flags in contrary orders
    const std::string looks =
        "ld.relaxed.gpu.global.u32 %r3, [%rd1+4];\nld.relaxed.gpu.global.u32 %r4, [%rd1];\nadd.u32 %r3, %r3, %r4;\n" + decides;
    CHECK(has(said({raises(0, 1, fence, "relaxed"), raises(1, 0, fence, "relaxed"), looks}), "may be early or late"));
    // of one place it may not
    CHECK(said({raises(0, 0, "", "relaxed"), draws("relaxed") + "setp.eq.u32 %p4, %r3, 7;\n@%p4 bra END;\n"}).find("early") ==
          std::string::npos);
}

TEST_CASE("each order of fences is run") {
    // block 0 sees the flag, and its fence may come first: then nothing orders the two writes
    const std::string fence = "fence.sc.gpu;\n", writes = "st.relaxed.gpu.global.u32 [%rd1+8], 2;\n",
                      raises = "st.relaxed.gpu.global.u32 [%rd1], 1;\n";
    const std::string sees = "ld.relaxed.gpu.global.u32 %r3, [%rd1];\n" + fence + "st.relaxed.gpu.global.u32 [%rd1+8], 1;\n" + decides;
    CHECK(has(said({sees, writes + raises + fence}), "may be early or late"));
    CHECK(said({sees, writes + fence + raises}).empty());
}

TEST_CASE("a write of one place that a thread has met is not behind what it finds there") {
    // block 1 sees the flag by a relaxed read, and draws
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
    // the order of two fences closes one, which goes through a thread that has none
    const auto between = [](const std::string& before, int own, int others, const std::string& behind) {
        return before + "st.relaxed.gpu.global.u32 [%rd1+" + std::to_string(own) +
               "], 1;\nfence.sc.gpu;\nld.relaxed.gpu.global.u32 %r3, [%rd1+" + std::to_string(others) + "];\n" + behind +
               "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra END;\nst.global.u32 [%rd1+" + std::to_string(own + 16) + "], 1;\n";
    };
    const std::string sees = "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\n", raises = "st.relaxed.gpu.global.u32 [%rd1], 1;\n";
    CHECK(said({between("", 8, 12, raises), between("", 12, 8, "")}).empty());
    CHECK(has(said({between("", 8, 12, raises), passes(0, 1, "ld.relaxed", "st.relaxed"), between(sees, 12, 8, "")}), circle));
    // no circle of places
    CHECK(said({passes(0, 1, "ld.relaxed", "st.relaxed"), passes(1, 2, "ld.relaxed", "st.relaxed")}).find(circle) == std::string::npos);
    // fences do the same, on either side
    const std::string fence = "fence.acq_rel.gpu;\n";
    CHECK(said({passes(0, 1, "ld.relaxed", fence + "st.relaxed"), passes(1, 0, "ld.relaxed", fence + "st.relaxed")}).find(circle) ==
          std::string::npos);
    // but not where it stands before the read, or is too narrow
    CHECK(has(said({fence + passes(0, 1, "ld.acquire", "st.relaxed"), fence + passes(1, 0, "ld.acquire", "st.relaxed")}), circle));
    const std::string near = "fence.acq_rel.cta;\n";
    CHECK(has(said({passes(0, 1, "ld.relaxed", near + "st.relaxed"), passes(1, 0, "ld.relaxed", near + "st.relaxed")}), circle));
    // the second of two reads of a place counts, too
    const std::string twice = "ld.acquire.gpu.global.u32 %r5, [%rd1];\n" + passes(0, 1, "ld.relaxed", "st.release");
    CHECK(has(said({twice, passes(1, 0, "ld.relaxed", "st.release")}), circle));
    // where the reads of one place alone acquire nothing, coherence forbids it
    CHECK(said({twice, passes(1, 0, "ld.acquire", "st.release")}).find(circle) == std::string::npos);
}

namespace {

// Blocks of so many threads that execute one text; %r1 is the thread, %r2 the block.
std::string said_of_all(const std::string& text, const std::string& grid, const std::string& block) {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[16]"};
    sweep::testing::Launched launched;
    launched.module = kernel::testing::module_of(
        ".func returns()\n{\nret;\n}\n.visible .entry k(.param .u64 k_param_0)\n{\n.local .align 4 .b8 own[4];\n.shared .align 8 .b64 "
        "object;\n.reg .pred %p<10>;\n"
        ".reg .b32 %r<12>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r9, object;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\nsetp.eq.u32 %p3, %r2, 0;\n" +
        text + "END:\nret;\n}\n");
    launched.launch = kernel::launch_of(launched.module, texts, [](const std::string&) { return std::string(); });
    return said(launched);
}

}  // namespace

TEST_CASE("lanes of a warp are threads") {
    const std::string two = "setp.gt.u32 %p4, %r1, 1;\n@%p4 bra END;\n";
    const std::string uses = "setp.eq.u32 %p4, %r3, 9;\n@!%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    CHECK(has(said_of_all(two + draws("relaxed") + uses, "2", "32"), "several lanes of a warp"));
    // sums of one kind are in no order that matters, and those of two kinds are
    const std::string sum = "red.relaxed.gpu.global.add.u32 [%rd1+8], 1;\n";
    CHECK(said_of_all(two + sum + "@!%p1 bra END;\n" + draws("relaxed") + uses, "2", "32").empty());
    const std::string unlike =
        "@%p1 red.relaxed.gpu.global.add.u32 [%rd1+8], 1;\n@%p2 red.relaxed.gpu.global.max.u32 [%rd1+8], 5;\n"
        "bar.sync 0;\nld.global.u32 %r3, [%rd1+8];\n";
    CHECK(!said_of_all(unlike + uses, "1", "2").empty());
    // one lane polls, and another one draws
    const std::string polls = "POLL:\nld.acquire.gpu.global.u32 %r5, [%rd1+4];\nsetp.eq.u32 %p5, %r5, 0;\n@%p5 bra POLL;\n";
    const std::string once = "setp.ne.u32 %p4, %r3, 0;\n@%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    CHECK(!said_of_all("@!%p3 bra OTHER;\n@%p2 bra DRAW;\n" + polls + "bra END;\nDRAW:\n" + draws("acq_rel") + once +
                           "bra END;\nOTHER:\n@!%p1 bra END;\nst.global.u32 [%rd1+24], 1;\n" + draws("acq_rel") +
                           "st.release.gpu.global.u32 [%rd1+4], 1;\n",
                       "2", "2")
               .empty());
    // both lanes poll, one of them answers, and the flag changes again
    CHECK(!said_of_all("@!%p3 bra OTHER;\nPOLL:\nld.acquire.gpu.global.u32 %r5, [%rd1+4];\nsetp.ne.u32 %p5, %r5, 1;\n@%p5 bra POLL;\n"
                       "@%p1 st.release.gpu.global.u32 [%rd1+8], 1;\nbra END;\nOTHER:\n@!%p1 bra END;\n"
                       "st.release.gpu.global.u32 [%rd1+4], 1;\nBACK:\nld.acquire.gpu.global.u32 %r6, [%rd1+8];\n"
                       "setp.eq.u32 %p6, %r6, 0;\n@%p6 bra BACK;\nst.relaxed.gpu.global.u32 [%rd1+4], 0;\n",
                       "2", "2")
               .empty());
    // what another lane does behind the choice of a lane
    const auto arrives = [](const std::string& before) {
        return "@%p1 mbarrier.init.shared::cta.b64 [%r9], 1;\nbar.sync 0;\nsetp.ge.u32 %p4, %r1, 32;\n@%p4 bra SECOND;\n"
               "@%p2 bra ARRIVE;\n@!%p1 bra END;\n" +
               draws("relaxed") + "st.global.u32 [%rd1+24], 1;\nbra END;\nARRIVE:\n" + before +
               "mbarrier.arrive.shared::cta.b64 _, [%r9];\nbra END;\nSECOND:\nsetp.ne.u32 %p5, %r1, 32;\n@%p5 bra END;\n"
               "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p6, [%r9], 0;\n@!%p6 bra WAIT;\n";
    };
    // also where it meets itself alone before, or comes back from a call
    for (const char* before : {"", "bar.warp.sync 2;\n", "call.uni returns;\n"}) {
        CAPTURE(before);
        CHECK(!said_of_all(arrives(before) + draws("relaxed") + once, "1", "64").empty());
    }
}

TEST_CASE("what goes on by itself, or in parts, is in no order that was run") {
    const std::string halves = "mov.u32 %r6, 1006648320;\natom.relaxed.gpu.global.add.noftz.f16x2 %r3, [%rd1], %r6;\n" + decides;
    CHECK(has(said({halves, halves}), "several accesses"));
    const std::string pair = "ld.relaxed.gpu.global.v2.u32 {%r3, %r4}, [%rd1];\n" + decides;
    CHECK(has(said({pair, "st.relaxed.gpu.global.u32 [%rd1], 1;\nst.relaxed.gpu.global.u32 [%rd1+4], 1;\n"}), "several accesses"));
}

TEST_CASE("a warp waits where it would find nothing else, and has nothing else") {
    const std::string writes = "@!%p3 bra OTHER;\n", other = "OTHER:\n@!%p1 bra END;\n";
    // a loop that draws, until it has not the first ticket
    const std::string draws_on = "AGAIN:\n" + draws("relaxed") + "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra AGAIN;\n";
    const std::string second = draws("relaxed") + "setp.eq.u32 %p4, %r3, 2;\n@%p4 st.global.u32 [%rd1+24], 2;\n";
    CHECK(has(said_of_all(writes + "@!%p1 bra END;\n" + draws_on + "st.global.u32 [%rd1+24], 1;\nbra END;\n" + other + second, "2", "1"),
              "race"));
    // who gives up counts in memory of its own
    const std::string gives_up =
        "mov.u64 %rd2, own;\nmov.u32 %r5, 0;\nst.local.u32 [%rd2], %r5;\nPOLL:\nld.relaxed.gpu.global.u32 %r3, "
        "[%rd1+4];\nsetp.ne.u32 %p4, %r3, 0;\n@%p4 bra END;\nld.local.u32 %r5, [%rd2];\nadd.u32 %r5, %r5, 1;\n"
        "st.local.u32 [%rd2], %r5;\nsetp.lt.u32 %p5, %r5, 3;\n@%p5 bra POLL;\nst.global.u32 [%rd1+24], 1;\n";
    CHECK(has(said_of_all(writes + "@!%p1 bra END;\nst.global.u32 [%rd1+24], 2;\nst.release.gpu.global.u32 [%rd1+4], 1;\nbra END;\n" +
                              other + gives_up,
                          "2", "1"),
              "race"));
}

TEST_CASE("another lane may be elected") {
    CHECK(has(said_of_all("elect.sync _|%p4, 0xffffffff;\n@!%p4 bra END;\n" + draws("acq_rel") + decides, "2", "32"),
              "another lane may be elected"));
}

TEST_CASE("where a warp waits, what decides on the way is a condition all the same") {
    // block 1 polls if it draws first
    const std::string first = "mov.u32 %r5, 0;\n" + draws("acq_rel") +
                              "setp.eq.u32 %p4, %r3, 0;\nsetp.eq.u32 %p5, %r2, 1;\nand.pred %p4, %p4, %p5;\n@%p4 bra LOOP;\n"
                              "st.relaxed.gpu.global.u32 [%rd1+8], 1;\nbra END;\nLOOP:\nld.relaxed.gpu.global.u32 %r4, [%rd1+8];\n",
                      ends = "setp.ne.u32 %p6, %r4, 0;\n@%p6 bra END;\n", spins = "bra LOOP;\nSPIN:\nbra SPIN;\n";
    for (const std::string& round :
         {"mov.u32 %r6, %smid;\nsetp.eq.u32 %p7, %r6, 7;\n@%p7 bra SPIN;\n" + std::string(),
          "fence.acq_rel.gpu;\nsetp.eq.u32 %p7, %r5, 1;\n@%p7 bra SPIN;\n" + std::string("mov.u32 %r6, %smid;\nshr.u32 %r5, %r6, 3;\n")}) {
        CAPTURE(round);
        CHECK(has(said_of_all(first + ends + round + spins, "3", "1"), "may be another on a GPU"));
    }
}

TEST_CASE("what publishes nothing says not which phase a wait means") {
    const std::string meets =
        "@%p1 mbarrier.init.shared::cta.b64 [%r9], 1;\nbar.sync 0;\nsetp.ge.u32 %p4, %r1, 32;\n@%p4 bra SECOND;\n"
        "@!%p1 bra END;\nmbarrier.arrive.shared::cta.b64 _, [%r9];\nFIRST:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 %p6, [%r9], 0;\n@!%p6 bra FIRST;\n";
    const auto handed = [&](const std::string& raises, const std::string& polls) {
        return said_of_all(meets + raises +
                               ".gpu.global.u32 [%rd1+4], 1;\nst.global.u32 [%rd1+24], 1;\n"
                               "mbarrier.arrive.shared::cta.b64 _, [%r9];\nbra END;\nSECOND:\nsetp.ne.u32 %p5, %r1, 32;\n"
                               "@%p5 bra END;\nPOLL:\n" +
                               polls +
                               ".gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p4, %r3, 0;\n@%p4 bra POLL;\n"
                               "LAST:\nmbarrier.try_wait.parity.shared::cta.b64 %p6, [%r9], 1;\n@!%p6 bra LAST;\n"
                               "ld.global.u32 %r4, [%rd1+24];\n",
                           "1", "64");
    };
    CHECK(handed("st.release", "ld.acquire").empty());
    CHECK(has(handed("st.relaxed", "ld.relaxed"), "which phase a wait means"));
}

TEST_CASE("lanes of one reduction write several places") {
    const std::string adds = "red.relaxed.gpu.global.add.u32 [%rd3], 1;\n";
    const std::string reads =
        "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\nfence.acq_rel.gpu;\nld.relaxed.gpu.global.u32 %r6, [%rd1];\n"
        "setp.eq.u32 %p5, %r5, %r6;\n@%p5 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    CHECK(has(said_of_all("mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nsetp.eq.u32 %p1, %r2, 1;\n"
                          "@%p1 bra READS;\n" +
                              adds + "bra END;\nREADS:\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n" + reads,
                          "2", "2"),
              "several lanes"));
}
