// Whether the orders of strong accesses that were run stand for all executions: each premise, and what breaks it.
#include "sweep/line.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sweep/blocks.h"
#include "sweep/explore.h"
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
    for (const std::string& practice : all.swept.practices) text += "practice: " + practice + "; ";
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

TEST_CASE("an order that cannot be run leaves the claim open") {
    // block 1 cannot go on if it draws last, which neither of two orders has
    const std::string ends = draws("acq_rel") + "setp.ne.u32 %p4, %r3, 2;\n@%p4 bra END;\n";
    CHECK(has(said({ends, ends + "mov.u64 %rd2, 64;\nld.global.u32 %r5, [%rd2];\n", ends}), "depends on the order, and decides"));
}

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
    const std::string by_sum = "setp.eq.u32 %p5, %r6, 0;\n@%p5 fence.acq_rel.gpu;\n";
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
    // fences of two blocks have none, either, if they are for their blocks
    CHECK(has(said({raises(0, 1, "fence.sc.cta;\n", "relaxed"), raises(1, 0, "fence.sc.cta;\n", "relaxed")}), "may be early or late"));
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
    const std::string looks = "ld.relaxed.gpu.global.u32 %r3, [%rd1+8];\nsetp.eq.u32 %p4, %r3, 1;\n@%p4 fence.acq_rel.gpu;\n";
    CHECK(has(said({sees, writes + raises + fence, looks}), "may be early or late"));
    CHECK(said({sees, writes + fence + raises, looks}) == "");
    // where nobody looks, their order is no matter
    CHECK(said({sees, writes + raises + fence}).empty());
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
    const std::string looks = "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\n", raises = "st.relaxed.gpu.global.u32 [%rd1], 1;\n";
    CHECK(said({between("", 8, 12, raises), between("", 12, 8, "")}).empty());
    const std::string sees = looks + "setp.eq.u32 %p5, %r5, 7;\n@%p5 bra END;\n";
    CHECK(has(said({between("", 8, 12, raises), passes(0, 1, "ld.relaxed", "st.relaxed"), between(sees, 12, 8, "")}), circle));
    // a read that decides nothing closes none
    CHECK(said({between("", 8, 12, raises), passes(0, 1, "ld.relaxed", "st.relaxed"), between(looks, 12, 8, "")}).find(circle) ==
          std::string::npos);
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
std::string said_of_all(const std::string& text, const std::string& grid, const std::string& block, const std::string& cluster = "1") {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.cluster = cluster;
    texts.arguments = {"x=u32[16]"};
    sweep::testing::Launched launched;
    launched.module = kernel::testing::module_of(
        ".func returns()\n{\nret;\n}\n.visible .entry k(.param .u64 k_param_0)\n{\n.local .align 4 .b8 own[4];\n.shared .align 8 .b64 "
        "object;\n.shared .align 16 .b8 word[16640];\n.reg .pred %p<10>;\n"
        ".reg .b32 %r<12>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r9, object;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\nsetp.eq.u32 %p3, %r2, 0;\n" +
        text + "END:\nret;\n}\n");
    launched.launch = kernel::launch_of(launched.module, texts, [](const std::string&) { return std::string(); });
    return said(launched);
}

// Threads of a grid, each with a text of its own. No other lanes of their warps go on.
struct Alone {
    int block, thread;
    std::string text;
};
std::string said_of_threads(const std::vector<Alone>& threads, const std::string& cluster = "1", const std::string& begins = "") {
    std::string text = begins + "and.b32 %r10, %r1, 31;\nsetp.ne.u32 %p7, %r10, 0;\n@%p7 bra END;\n";
    int blocks = 1, last = 0;
    for (const Alone& one : threads) {
        blocks = std::max(blocks, one.block + 1);
        last = std::max(last, one.thread);
        const std::string other = "OTHER" + std::to_string(one.block) + "_" + std::to_string(one.thread);
        text += "setp.ne.u32 %p8, %r2, " + std::to_string(one.block) + ";\nsetp.ne.u32 %p9, %r1, " + std::to_string(one.thread) +
                ";\nor.pred %p8, %p8, %p9;\n@%p8 bra " + other + ";\n" + one.text + "bra END;\n" + other + ":\n";
    }
    const int in_cluster = std::stoi(cluster);
    return said_of_all(text, std::to_string((blocks + in_cluster - 1) / in_cluster * in_cluster), std::to_string(last + 1), cluster);
}

// An access to the word of this number. %r3 has what is read.
std::string load_of(int word, const std::string& sem, const std::string& to = "%r3") {
    return "ld." + sem + ".gpu.global.u32 " + to + ", [%rd1+" + std::to_string(4 * word) + "];\n";
}
std::string store_of(int word, const std::string& sem, const std::string& value = "1") {
    return "st." + sem + ".gpu.global.u32 [%rd1+" + std::to_string(4 * word) + "], " + value + ";\n";
}

// Word 6 is written if this was read.
const std::string if_one = "setp.ne.u32 %p4, %r3, 1;\n@%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n",
                  if_zero = "setp.ne.u32 %p4, %r3, 0;\n@%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n",
                  with_object = "@%p1 mbarrier.init.shared::cta.b64 [%r9], 1;\nbar.sync 0;\n",
                  arrive_once = "mbarrier.arrive.shared::cta.b64 _, [%r9];\n",
                  arrive_relaxed = "mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [%r9];\n";
std::string await_phase(const std::string& sem = "") {
    return "PHASE:\nmbarrier.try_wait.parity" + sem + ".shared::cta.b64 %p6, [%r9], 0;\n@!%p6 bra PHASE;\n";
}

}  // namespace

TEST_CASE("a place that one thread alone comes to is no step of a circle") {
    // two threads wait for each other twice, and count
    const auto rounds = [](const std::string& label, int raises, int waits_for, const std::vector<int>& counters) {
        std::string text;
        for (int round = 1; round <= 2; ++round) {
            const std::string wait = label + std::to_string(round);
            text += "red.release.gpu.global.add.u32 [%rd1+" + std::to_string(raises) + "], 1;\n";
            for (const int counter : counters)
                text += "atom.relaxed.gpu.global.add.u32 %r3, [%rd1+" + std::to_string(counter) +
                        "], 1;\nsetp.eq.u32 %p4, %r3, 77;\n@%p4 bra END;\n";
            text += wait + ":\nld.acquire.gpu.global.u32 %r4, [%rd1+" + std::to_string(waits_for) + "];\nsetp.lt.u32 %p1, %r4, " +
                    std::to_string(round) + ";\n@%p1 bra " + wait + ";\n";
        }
        return text;
    };
    const std::string circle = "may find a write that would come about by it";
    CHECK(said({rounds("A", 0, 4, {8}), rounds("B", 4, 0, {12})}).find(circle) == std::string::npos);
    CHECK(has(said({rounds("A", 0, 4, {8, 12}), rounds("B", 4, 0, {12, 8})}), circle));
}

TEST_CASE("what leads round a circle of reads and writes") {
    const std::string circle = "may find a write that would come about by it";
    const auto reads = [](const std::string& sem) { return load_of(0, sem); };
    const auto writes = [](const std::string& sem) { return store_of(1, sem); };
    const std::string meets = "bar.sync 1;\n", cluster = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    // the last block goes round: its read of one word is before its write of the other one, and acquires nothing or releases nothing
    const std::string releases = load_of(1, "relaxed") + store_of(0, "release") + if_one,
                      acquires = load_of(1, "acquire") + store_of(0, "relaxed") + if_one,
                      both = load_of(1, "acquire") + store_of(0, "release") + if_one;
    struct Case {
        std::string what;
        std::vector<Alone> threads;
        bool is_circle = true;
        std::string cluster = "1", begins = {};
    };
    const std::vector<Case> cases = {
        {"each read of a word has to acquire",
         {{0, 0, load_of(0, "relaxed", "%r5") + reads("acquire") + writes("relaxed") + "mov.u32 %r3, %r5;\n" + if_one}, {1, 0, releases}}},
        {"also where two threads read it",
         {{0, 0, reads("relaxed") + writes("release") + meets + if_one},
          {0, 32, meets + reads("acquire") + writes("release")},
          {1, 0, releases}}},
        {"each write has to release", {{0, 0, reads("relaxed") + writes("relaxed") + store_of(1, "release", "2") + if_one}, {1, 0, both}}},
        {"a fence that releases acquires nothing",
         {{0, 0, reads("relaxed") + "fence.release.gpu;\n" + writes("relaxed") + if_one}, {1, 0, releases}}},
        {"a fence that acquires releases nothing",
         {{0, 0, reads("relaxed") + "fence.acquire.gpu;\n" + writes("relaxed") + if_one}, {1, 0, acquires}}},
        {"a fence acquires what its own thread has read",
         {{0, 0, reads("relaxed") + meets + if_one}, {0, 32, meets + "fence.acq_rel.gpu;\n" + writes("relaxed")}, {1, 0, releases}}},
        {"and not what another one has read before",
         {{0, 0, reads("relaxed") + meets + "bar.sync 2;\n" + if_one},
          {0, 32, meets + reads("relaxed") + "fence.acq_rel.gpu;\nbar.sync 2;\n" + writes("relaxed")},
          {1, 0, releases}}},
        {"nor what another one has read since",
         {{0, 0, reads("relaxed") + meets + "bar.sync 2;\nfence.acq_rel.gpu;\n" + writes("relaxed") + if_one},
          {0, 32, meets + reads("relaxed") + "bar.sync 2;\n"},
          {1, 0, releases}}},
        {"a fence for the block acquires nothing from another one",
         {{0, 0, reads("relaxed") + "fence.acq_rel.cta;\n" + writes("release") + if_one}, {1, 0, releases}}},
        {"and releases nothing to it", {{0, 0, reads("relaxed") + "fence.acq_rel.cta;\n" + writes("relaxed") + if_one}, {1, 0, both}}},
        {"a fence behind the barrier acquires too late",
         {{0, 0, reads("relaxed") + "bar.arrive 1, 64;\nfence.acq_rel.gpu;\n" + if_one},
          {0, 32, "bar.sync 1, 64;\n" + writes("release")},
          {1, 0, releases}}},
        {"a fence releases what is ordered before it",
         {{0, 0, reads("relaxed") + arrive_relaxed + meets + if_one},
          {0, 32, await_phase(".relaxed.cluster") + "fence.acq_rel.gpu;\n" + meets + writes("relaxed")},
          {1, 0, both}},
         true,
         "1",
         with_object},
        {"the blocks of a cluster meet",
         {{0, 0, reads("relaxed") + cluster + if_one},
          {1, 0, cluster + writes("relaxed")},
          {2, 0, load_of(1, "relaxed") + store_of(0, "relaxed") + if_one}},
         true,
         "2"},
        {"what publishes nothing does not lead from the read to the write",
         {{0, 0, reads("acquire") + arrive_relaxed + if_one}, {0, 32, await_phase(".relaxed.cluster") + writes("release")}, {1, 0, both}},
         true,
         "1",
         with_object},
        {"nor if it leads to a later write",
         {{0, 0, reads("acquire") + arrive_relaxed + meets + if_one},
          {0, 32, await_phase(".relaxed.cluster") + writes("release") + meets + writes("release")},
          {1, 0, both}},
         true,
         "1",
         with_object},
        {"not even to a write of the same word",
         {{0, 0, reads("acquire") + arrive_relaxed + if_one}, {0, 32, await_phase(".relaxed.cluster") + store_of(0, "relaxed")}},
         true,
         "1",
         with_object},
        {"but what publishes does",
         {{0, 0, reads("acquire") + arrive_once + if_one}, {0, 32, await_phase() + writes("release")}, {1, 0, both}},
         false,
         "1",
         with_object},
        {"also where the thread reads again meanwhile",
         {{0, 0, reads("acquire") + arrive_once + load_of(0, "acquire", "%r5") + if_one},
          {0, 32, await_phase() + writes("release")},
          {1, 0, releases}},
         false,
         "1",
         with_object},
        {"threads that nothing orders make no pair",
         {{0, 0, reads("relaxed") + if_one}, {0, 32, writes("relaxed")}, {1, 0, load_of(1, "relaxed") + store_of(0, "release")}},
         false},
        {"the scopes of a block are enough in it",
         {{0, 0, "ld.acquire.cta.global.u32 %r3, [%rd1];\nst.release.cta.global.u32 [%rd1+4], 1;\n" + if_one},
          {0, 32, "ld.acquire.cta.global.u32 %r3, [%rd1+4];\nst.release.cta.global.u32 [%rd1], 1;\n" + if_one + store_of(3, "relaxed")}},
         false},
        {"two writes are no pair",
         {{0, 0, store_of(0, "relaxed") + store_of(1, "relaxed") + store_of(0, "relaxed", "2")}, {1, 0, reads("relaxed") + if_one}},
         false},
        {"places that lead on, and not back",
         {{0, 0, reads("relaxed") + writes("relaxed")},
          {1, 0, load_of(1, "relaxed") + store_of(2, "relaxed")},
          {2, 0, load_of(2, "relaxed") + store_of(3, "relaxed") + if_one}},
         false},
        {"what leads out of a circle is no part of it",
         {{0, 0, reads("acquire") + writes("release") + store_of(2, "relaxed") + store_of(3, "relaxed") + if_one}, {1, 0, both}},
         false},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        const std::string text = said_of_threads(one.threads, one.cluster, one.begins);
        CAPTURE(text);
        CHECK(has(text, circle) == one.is_circle);
        if (!one.is_circle) CHECK(text.empty());
    }
}

TEST_CASE("a write that waits for a loop is not in a circle by itself") {
    const std::string circle = "may find a write that would come about by it", meets = "bar.sync 1;\n";
    // Blocks 0 and 1 wait for each other. Block 2 begins, by another value; where block 0 finds that decides something.
    const auto waits_for_word = [](const std::string& label, int word) {
        return label + ":\n" + load_of(word, "relaxed") + "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra " + label + ";\n";
    };
    const std::string waits = waits_for_word("WAITS", 0), answers = store_of(1, "relaxed"), begins = store_of(0, "relaxed", "2"),
                      other = waits_for_word("OTHER", 1) + store_of(0, "relaxed");
    const std::string three_tries =
        "mov.u32 %r5, 0;\nTRIES:\n" + load_of(0, "relaxed") +
        "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p5, %r5, 3;\nsetp.eq.u32 %p4, %r3, 0;\nand.pred %p4, %p4, %p5;\n@%p4 bra TRIES;\n";
    struct Case {
        std::string what;
        std::vector<Alone> threads;
        bool is_circle = true;
        std::string begins = {};
    };
    const std::vector<Case> cases = {
        {"two loops", {{0, 0, waits + answers + if_one}, {1, 0, other}, {2, 0, begins}}, false},
        {"behind a barrier", {{0, 0, waits + meets + if_one}, {0, 32, meets + answers}, {1, 0, other}, {2, 0, begins}}, false},
        {"behind a phase",
         {{0, 0, waits + arrive_relaxed + if_one}, {0, 32, await_phase(".relaxed.cluster") + answers}, {1, 0, other}, {2, 0, begins}},
         false,
         with_object},
        {"a read that goes on with any value", {{0, 0, load_of(0, "relaxed") + answers + if_one}, {1, 0, other}, {2, 0, begins}}},
        {"a barrier behind such a read",
         {{0, 0, load_of(0, "relaxed") + meets + if_one}, {0, 32, meets + answers}, {1, 0, other}, {2, 0, begins}}},
        {"one before the loop", {{0, 0, load_of(0, "relaxed", "%r6") + waits + answers + if_one}, {1, 0, other}, {2, 0, begins}}},
        {"one behind the loop", {{0, 0, waits + load_of(0, "relaxed") + answers + if_one}, {1, 0, other}, {2, 0, begins}}},
        {"a loop that gives up", {{0, 0, three_tries + answers + if_one}, {1, 0, other}, {2, 0, begins}}},
        {"an exchange comes anyway, whatever it finds",
         {{0, 0, waits + answers + if_one},
          {1, 0, other},
          {2, 0, begins},
          {3, 0, "atom.relaxed.gpu.global.exch.b32 %r3, [%rd1+4], 2;\n" + if_one}}},
        {"a sum comes of what it finds",
         {{0, 0, waits + answers + if_one},
          {1, 0, other},
          {2, 0, begins},
          {3, 0, "atom.relaxed.gpu.global.add.u32 %r3, [%rd1+4], 2;\n" + if_one}},
         false},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        const std::string text = said_of_threads(one.threads, "1", one.begins);
        CAPTURE(text);
        CHECK(has(text, circle) == one.is_circle);
    }
    // what follows an exchange of lanes does not wait for the loop of another lane
    const auto of_lanes = [&](const std::string& meeting) {
        return said_of_all(
            "setp.gt.u32 %p4, %r1, 1;\n@%p4 bra END;\nsetp.eq.u32 %p5, %r2, 1;\n@%p5 bra SECOND;\n@!%p3 bra THIRD;\n"
            "@!%p1 bra MEETS;\n" +
                waits + "MEETS:\n" + meeting + "@%p2 " + answers + "@!%p1 bra END;\n" + if_one + "bra END;\nSECOND:\n@!%p1 bra END;\n" +
                other + "bra END;\nTHIRD:\n@!%p1 bra END;\n" + begins,
            "3", "2");
    };
    CHECK(has(of_lanes("mov.u32 %r4, 0;\nredux.sync.add.u32 %r4, %r4, 3;\n"), circle));
    CHECK(!has(of_lanes("bar.warp.sync 3;\n"), circle));
}

TEST_CASE("two blocks shake hands") {
    // Each raises the word of the other one, and takes its own back. A fence stands before and behind.
    const auto meets = [](const std::string& label, int own, int others, const std::string& value) {
        const auto swaps = [&](const std::string& name, int word, const std::string& from, const std::string& to) {
            return label + name + ":\natom.relaxed.gpu.global.cas.b32 %r3, [%rd1+" + std::to_string(4 * word) + "], " + from + ", " + to +
                   ";\nsetp.ne.u32 %p4, %r3, " + from + ";\n@%p4 bra " + label + name + ";\n";
        };
        return swaps("RAISES", others, "0", "1") + swaps("TAKES", own, value, "0");
    };
    const auto twice = [&](const std::string& label, int own, int others, const std::string& fence) {
        const std::string data = "st.global.u32 [%rd1+" + std::to_string(4 * own + 16) + "], 1;\n",
                          looks = "ld.global.u32 %r5, [%rd1+" + std::to_string(4 * others + 16) + "];\n";
        return data + fence + meets(label + "A", own, others, "1") + fence + looks + fence + meets(label + "B", own, others, "1") + fence +
               data;
    };
    const std::string fence = "fence.acq_rel.gpu;\n";
    CHECK(said({twice("X", 0, 1, fence), twice("Y", 1, 0, fence)}).empty());
    CHECK(has(said({twice("X", 0, 1, ""), twice("Y", 1, 0, "")}), "race"));
}

TEST_CASE("a loop that stands in several reads waits as one") {
    const std::string early = "may be early or late", fence = "fence.acq_rel.gpu;\n";
    // Each block raises its flag, and waits for the other one's. If the first rounds count by themselves, both may find 0.
    struct Loop {
        int rounds = 3;
        std::string before = {}, each_way = {}, last_way = {}, last_finds = "0", last_into = "%r3", behind = {};
    };
    const auto waits = [&](const Loop& how, int own) {
        const auto reads = [&](const std::string& into, const std::string& compares, const std::string& with, const std::string& branch) {
            return load_of(1 - own, "relaxed", into) + "setp." + compares + ".u32 %p4, " + into + ", " + with + ";\n@%p4 bra " + branch +
                   std::to_string(own) + ";\n";
        };
        std::string text =
            "st.global.u32 [%rd1+" + std::to_string(16 + 4 * own) + "], 1;\n" + fence + how.before + store_of(own, "relaxed");
        for (int round = 1; round < how.rounds; ++round) text += reads("%r3", "ne", "0", "DONE") + how.each_way;
        return text + "LOOP" + std::to_string(own) + ":\n" + how.last_way + reads(how.last_into, "eq", how.last_finds, "LOOP") + "DONE" +
               std::to_string(own) + ":\n" + fence + how.behind + "ld.global.u32 %r5, [%rd1+" + std::to_string(20 - 4 * own) + "];\n";
    };
    const auto of = [&](const Loop& how) { return said({waits(how, 0), waits(how, 1)}); };
    CHECK(of({}).empty());
    CHECK(of({.rounds = 2}).empty());
    CHECK(of({.rounds = 1}).empty());
    CHECK(of({.before = "mov.u32 %r6, 0;\n", .each_way = "nanosleep.u32 20;\n", .last_way = "add.u32 %r6, %r6, 1;\nnanosleep.u32 %r6;\n"})
              .empty());
    // what the rounds leave decides something behind them
    const Loop counted{.before = "mov.u32 %r6, 0;\n",
                       .each_way = "add.u32 %r6, %r6, 1;\n",
                       .behind = "setp.gt.u32 %p5, %r6, 1;\n@%p5 st.global.u32 [%rd1+24], 1;\n"};
    CHECK(has(of(counted), early));
    CHECK(has(of({.last_into = "%r8", .behind = "setp.eq.u32 %p5, %r3, 0;\n@%p5 st.global.u32 [%rd1+24], 1;\n"}), early));
    // a register that each round hands on to the next decides when the loop ends
    const std::string meets = "bar.warp.sync 1;\n";  // there no detour goes on
    CHECK(has(
        of({.before = "mov.u32 %r6, 0;\n", .last_way = "add.u32 %r6, %r6, 1;\nsetp.gt.u32 %p5, %r6, 5;\n@%p5 bra END;\n", .behind = meets}),
        early));
    // the loop goes on with 1, and the reads before it do not
    CHECK(!of({.last_finds = "1"}).empty());
    // a fence on one of the ways
    CHECK(has(of({.each_way = fence, .behind = meets}), early));
}

TEST_CASE("a count that the reads of a loop hand on decides when it ends") {
    // Block 0 begins behind block 1, and gives up unless block 2 is faster. Then blocks 0 and 2 write one word, which neither of two orders
    // has.
    const auto tries = [](const std::string& counts) {
        const std::string reads = load_of(0, "relaxed");
        return "GO:\n" + load_of(2, "acquire") + "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra GO;\nmov.u32 %r6, 0;\n" + reads +
               "setp.ne.u32 %p4, %r3, 0;\n@%p4 bra DONE;\nLOOP:\n" + counts + reads +
               "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra LOOP;\nDONE:\nfence.acq_rel.gpu;\nsetp.ne.u32 %p5, %r3, 0;\n@%p5 bra END;\n"
               "st.global.u32 [%rd1+24], 1;\n";
    };
    const std::string begins = store_of(2, "release"), raises = "st.global.u32 [%rd1+24], 1;\n" + store_of(0, "release");
    CHECK(has(said({tries("add.u32 %r6, %r6, 1;\nsetp.gt.u32 %p5, %r6, 2;\n@%p5 bra DONE;\n"), begins, raises}), "race on `x` at byte 24"));
    CHECK(said({tries(""), begins, raises}).empty());
}

TEST_CASE("a loop of several reads ends at once where another one of them would go on") {
    // block 0 may see 2 in the loop, though not where it begins
    const auto sees = [](const std::string& goes_on) {
        return "ld.relaxed.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p4, %r3, 1;\n@%p4 bra DONE;\nLOOP:\n"
               "ld.relaxed.gpu.global.u32 %r3, [%rd1];\nsetp." +
               goes_on + ";\n@%p4 bra LOOP;\nDONE:\nfence.acq_rel.gpu;\n" + decides;
    };
    const std::string raises = store_of(0, "relaxed", "2") + store_of(0, "relaxed", "1");
    const std::string mixed = "not all of them go on with what it finds";
    CHECK(has(said({sees("eq.u32 %p4, %r3, 0"), raises}), mixed));
    CHECK(!has(said({sees("ne.u32 %p4, %r3, 1"), raises}), mixed));
}

TEST_CASE("a compare-and-swap that is tried before its loop, until time is over") {
    // each block raises the word of the other one, and takes its own back
    const auto meets = [](int own, const std::string& gives_up) {
        const std::string name = std::to_string(own);
        const auto takes = [&](const std::string& from, const std::string& to, const std::string& branch) {
            return "mov.u32 " + from + ", 1;\nmov.u32 " + to + ", 0;\natom.relaxed.gpu.global.cas.b32 %r3, [%rd1+" +
                   std::to_string(4 * own) + "], " + from + ", " + to + ";\nsetp." + branch + name + ";\n";
        };
        return "st.global.u32 [%rd1+" + std::to_string(16 + 4 * own) + "], 1;\nfence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%rd1+" +
               std::to_string(4 - 4 * own) + "], 1;\nmov.u64 %rd4, %globaltimer;\n" +
               takes("%r5", "%r6", "eq.u32 %p4, %r3, 1;\n@%p4 bra HAS") + "TRY" + name +
               ":\nmov.u64 %rd5, %globaltimer;\nsub.u64 %rd5, %rd5, %rd4;\nsetp.lt.u64 %p5, %rd5, 100000;\n@%p5 bra GO" + name + ";\n" +
               gives_up + "GO" + name + ":\n" + takes("%r7", "%r8", "ne.u32 %p4, %r3, 1;\n@%p4 bra TRY") + "HAS" + name +
               ":\nfence.acq_rel.gpu;\nld.global.u32 %r4, [%rd1+" + std::to_string(20 - 4 * own) + "];\n";
    };
    CHECK(said({meets(0, "trap;\n"), meets(1, "trap;\n")}).empty());
    CHECK(!said({meets(0, "bra END;\n"), meets(1, "bra END;\n")}).empty());
    CHECK(!said({meets(0, "trap;\n"), meets(1, "trap;\nmov.u32 %r7, 2;\n")}).empty());  // a register with two values
}

TEST_CASE("what comes before without being published leads through the line") {
    const std::string early = "may be early or late", meets = "bar.sync 0;\n", cluster = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    // a thread exits, and nobody waits for it at a barrier any more: in store buffering, and in message passing
    CHECK(has(said_of_threads({{0, 0, store_of(0, "relaxed")},
                               {0, 32, meets + load_of(1, "relaxed") + if_zero},
                               {1, 0, store_of(1, "relaxed") + load_of(0, "relaxed") + if_zero}}),
              early));
    const std::string sees = "SEES:\natom.relaxed.gpu.global.or.b32 %r3, [%rd1], 0;\nsetp.eq.u32 %p4, %r3, 0;\n@%p4 bra SEES;\n",
                      sends = store_of(1, "relaxed") + store_of(0, "relaxed") + "st.global.u32 [%rd1+24], 1;\n",
                      looks = load_of(1, "relaxed") + if_zero;
    CHECK(has(said_of_threads({{0, 0, sees}, {0, 32, meets + looks}, {1, 0, sends}}), early));
    CHECK(has(said_of_threads({{0, 0, sees}, {1, 0, cluster + looks}, {2, 0, sends}}, "2"), early));
    // a reduction has no turn in the line: who waits for it comes behind its thread, however many places of the array have strong writes
    for (const std::string bytes : {"16", "16640"}) {
        CAPTURE(bytes);
        const std::string begins =
            "mbarrier.init.shared::cta.b64 [%r9], 1;\nmov.u32 %r8, word;\nmov.u32 %r4, 0;\nmov.u32 %r5, %r8;\nFILL:\n"
            "st.relaxed.cta.shared.u32 [%r5], %r1;\nadd.u32 %r5, %r5, 4;\nadd.u32 %r4, %r4, 4;\n"
            "setp.lt.u32 %p4, %r4, " +
            bytes + ";\n@%p4 bra FILL;\nfence.mbarrier_init.release.cluster;\n" + cluster;
        const std::string adds =
            "mapa.shared::cluster.u32 %r5, %r8, 1;\nmapa.shared::cluster.u32 %r6, %r9, 1;\n"
            "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], 1, [%r6];\n";
        const std::string finds =
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 4;\nFINDS:\nld.relaxed.cluster.shared::cta.u32 %r4, [%r8];\n"
            "setp.ne.u32 %p4, %r4, 1;\n@%p4 bra FINDS;\n" +
            load_of(0, "relaxed") + "setp.ne.u32 %p5, %r3, 0;\n@%p5 bra OUT;\nst.global.u32 [%rd1+24], 1;\nOUT:\n" + await_phase();
        CHECK(has(
            said_of_threads({{0, 0, store_of(0, "relaxed") + adds}, {1, 0, finds}, {2, 0, "st.global.u32 [%rd1+24], 2;\n"}}, "2", begins),
            early));
    }
    // a lane exits, and the barrier counts its warp without it
    const std::string in_warp = "bra END;\nARRIVES:\nbarrier.cta.arrive 1, 64;\nbra END;\nLOOKS:\nbarrier.cta.sync 1, 64;\n";
    CHECK(has(said_of_all("@!%p3 bra OTHER;\nsetp.eq.u32 %p4, %r1, 32;\n@%p4 bra LOOKS;\nsetp.gt.u32 %p4, %r1, 1;\n@%p4 bra END;\n"
                          "@%p1 bra ARRIVES;\n" +
                              sees + in_warp + looks + "bra END;\nOTHER:\n@!%p1 bra END;\n" + sends,
                          "2", "33"),
              early));
    // a copy is issued behind what its thread has seen, and completes a phase
    CHECK(has(said_of_threads({{0, 0,
                                sees + "mov.u32 %r11, word;\ncp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r11], "
                                       "[%rd1+32], 16, [%r9];\n"},
                               {0, 32, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 16;\n" + await_phase() + looks},
                               {1, 0, sends}},
                              "1", with_object),
              early));
    CHECK(
        has(said_of_threads({{0, 0,
                              sees + "mov.u32 %r11, word;\nmapa.shared::cluster.u32 %r5, %r11, 1;\nmapa.shared::cluster.u32 %r6, %r9, 1;\n"
                                     "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r5], 1, [%r6];\n"},
                             {1, 0, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 4;\n" + await_phase() + looks},
                             {2, 0, sends}},
                            "2", with_object + cluster),
            early));
    // who writes behind a read comes behind that, and not behind what the reader writes then
    CHECK(said_of_threads(
              {{0, 0, load_of(0, "relaxed") + store_of(1, "relaxed") + if_one}, {1, 0, store_of(0, "relaxed") + load_of(1, "relaxed")}})
              .empty());
}

TEST_CASE("a cluster that has not started at first may start before all others are over") {
    sweep::testing::Launched late = of_blocks({store_of(0, "relaxed") + "st.global.u32 [%rd1+24], 1;\n", load_of(0, "relaxed") + if_zero});
    late.launch.unlaunched = 1;
    CHECK(has(said(late), "may start before"));
}

TEST_CASE("each order of unlike reductions, of writes, and of fences is run") {
    const auto adds = [](const std::string& how, const std::string& by) {
        return "red.relaxed.gpu.global." + how + ".u32 [%rd1], " + by + ";\n";
    };
    const auto left = [](const std::vector<std::string>& changes, const std::string& value) {
        std::vector<Alone> threads;
        for (const std::string& change : changes)
            threads.push_back({static_cast<int>(threads.size()), 0, change + "red.release.gpu.global.add.u32 [%rd1+4], 1;\n"});
        const int blocks = static_cast<int>(changes.size());
        threads.push_back({blocks, 0,
                           sweep::testing::waits_for(std::to_string(blocks)) + "ld.global.u32 %r4, [%rd1];\nsetp.ne.u32 %p4, %r4, " +
                               value + ";\n@%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n"});
        threads.push_back({blocks + 1, 0, "st.global.u32 [%rd1+24], 1;\n"});
        return said_of_threads(threads);
    };
    // neither the first order nor the contrary one leaves these
    CHECK(has(left({adds("add", "3"), adds("max", "5"), adds("add", "1")}, "9"), "race"));
    CHECK(left({adds("add", "3"), adds("max", "5"), adds("add", "1")}, "7").find("race") == std::string::npos);
    CHECK(has(left({store_of(0, "relaxed", "1"), store_of(0, "relaxed", "2"), store_of(0, "relaxed", "3")}, "2"), "race"));
    // block 1 may have its fence before the one of block 0, which stands behind both writes: so it may find the later write alone
    const std::string goes_on = load_of(8, "relaxed");
    CHECK(has(said_of_threads({{0, 0, store_of(0, "relaxed") + store_of(1, "relaxed") + "fence.sc.gpu;\n"},
                               {1, 0,
                                goes_on + goes_on + goes_on + "fence.sc.gpu;\n" + load_of(1, "relaxed") +
                                    "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra END;\n" + load_of(0, "relaxed") + if_zero},
                               {2, 0, store_of(8, "relaxed") + "st.global.u32 [%rd1+24], 1;\n"}}),
              "may be early or late"));
}

TEST_CASE("lanes of a warp are threads") {
    const std::string two = "setp.gt.u32 %p4, %r1, 1;\n@%p4 bra END;\n";
    const std::string uses = "setp.eq.u32 %p4, %r3, 9;\n@!%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    CHECK(said_of_all(two + draws("relaxed") + uses, "2", "32").empty());
    CHECK(has(said_of_all(draws("relaxed") + uses, "2", "32"), "several lanes of a warp"));  // too many to be chosen one by one
    // sums of one kind are in no order that matters, and those of two kinds are
    const std::string sum = "red.relaxed.gpu.global.add.u32 [%rd1+8], 1;\n";
    CHECK(said_of_all(two + sum + "@!%p1 bra END;\n" + draws("relaxed") + uses, "2", "32").empty());
    CHECK(said_of_all(two + sum + "@%p3 bra END;\n@!%p1 bra END;\n" + draws("relaxed") + uses, "3", "32").empty());
    const std::string unlike =
        "@%p1 red.relaxed.gpu.global.add.u32 [%rd1+8], 1;\n@%p2 red.relaxed.gpu.global.max.u32 [%rd1+8], 5;\n"
        "bar.sync 0;\nld.global.u32 %r3, [%rd1+8];\nsetp.eq.u32 %p4, %r3, 6;\n@!%p4 bra END;\nst.global.u32 [%rd1+24], %r1;\n";
    CHECK(has(said_of_all(unlike, "1", "2"), "race on `x` at byte 24"));
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

TEST_CASE("the exit of a lane may end a barrier") {
    // thread 0 comes to it and draws; when the other lanes exit, who waits for the warp may draw before
    const auto draws_and_stores_if = [](const std::string& number) {
        return draws("acq_rel") + "setp.ne.u32 %p4, %r3, " + number + ";\n@%p4 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    };
    const std::string draws_if_first = draws_and_stores_if("0"), if_second = draws_and_stores_if("1"), raced = "race on `x` at byte 24";
    const auto of_block = [&](const std::string& begins) {
        return said_of_all("setp.eq.u32 %p4, %r1, 32;\n@%p4 bra LOOKS;\n" + begins + if_second +
                               "bra END;\nLOOKS:\nbarrier.cta.sync 1, 64;\n" + draws_if_first,
                           "1", "33");
    };
    const auto of_cluster = [&](const std::string& begins) {
        return said_of_all(begins + "@!%p3 bra LOOKS;\n" + if_second + "bra END;\nLOOKS:\nbarrier.cluster.wait;\n" + draws_if_first, "2",
                           "2", "2");
    };
    const std::string alone = "@!%p1 bra END;\n", arrives = "barrier.cta.arrive 1, 64;\n", in_cluster = "barrier.cluster.arrive;\n";
    CHECK(has(of_block(alone + arrives), raced));
    CHECK(has(of_block(arrives + alone), raced));
    CHECK(has(of_cluster(alone + in_cluster), raced));
    CHECK(has(of_cluster(in_cluster + alone), raced));
}

TEST_CASE("lanes of a warp that add, and lanes that wait together") {
    const std::string two = "setp.gt.u32 %p4, %r1, 1;\n@%p4 bra END;\n", other = "OTHER:\n@!%p1 bra END;\n";
    // lane 1 adds where others read, and lane 0 draws before: they might come in the other order
    CHECK(has(said_of_all(two +
                              "@!%p3 bra OTHER;\n@%p1 atom.relaxed.gpu.global.add.u32 %r3, [%rd1+4], 1;\n"
                              "@%p2 red.relaxed.gpu.global.add.u32 [%rd1], 1;\n@%p1 st.global.u32 [%rd1+24], 1;\nbra END;\n" +
                              other + load_of(0, "relaxed", "%r5") + "fence.acq_rel.gpu;\n" + load_of(1, "relaxed") +
                              "setp.ne.u32 %p5, %r5, 1;\n@%p5 bra END;\n" + if_zero,
                          "2", "32"),
              "race on `x` at byte 24"));
    // lane 0 says that it has seen the flag, and warp 1 takes it back: lane 1 might wait for ever
    const std::string sees = "@!%p3 bra OTHER;\nsetp.eq.u32 %p4, %r1, 32;\n@%p4 bra BACK;\n" + two +
                             "POLL:\nld.acquire.gpu.global.u32 %r5, [%rd1+4];\nsetp.ne.u32 %p5, %r5, 1;\n@%p5 bra POLL;\n@%p1 " +
                             arrive_once + "bra END;\nBACK:\n" + await_phase();
    const std::string raises = "bra END;\n" + other + "st.release.gpu.global.u32 [%rd1+4], 1;\n";
    CHECK(has(said_of_all(with_object + sees + "st.relaxed.gpu.global.u32 [%rd1+4], 0;\n" + raises, "2", "33"), "several lanes of a warp"));
    CHECK(said_of_all(with_object + sees + raises, "2", "33").empty());
    // they wait together for a flag that is raised once, while others draw tickets; but then none of them may draw
    const std::string wait =
                          "@!%p3 bra OTHER;\nPOLL:\nld.acquire.gpu.global.u32 %r5, [%rd1+4];\nsetp.eq.u32 %p4, %r5, 0;\n@%p4 bra POLL;\n",
                      draw = "bra END;\n" + other + draws("acq_rel") +
                             "setp.eq.u32 %p4, %r3, 1;\n@%p4 st.global.u32 [%rd1+24], 1;\n"
                             "setp.eq.u32 %p4, %r2, 1;\n@%p4 st.release.gpu.global.u32 [%rd1+4], 1;\n";
    CHECK(said_of_all(wait + draw, "3", "2").empty());
    CHECK(said_of_all(wait + "@!%p2 bra END;\n" + draws("acq_rel") + draw, "3", "2").empty());
    CHECK(has(said_of_all(wait + "@%p1 bra END;\n" + draws("acq_rel") + draw, "3", "12"), "several lanes of a warp"));
}

TEST_CASE("what goes on by itself, or in parts, is in no order that was run") {
    const std::string halves = "mov.u32 %r6, 1006648320;\natom.relaxed.gpu.global.add.noftz.f16x2 %r3, [%rd1], %r6;\n" + decides;
    CHECK(has(said({halves, halves}), "several accesses"));
    const std::string pair = "ld.relaxed.gpu.global.v2.u32 {%r3, %r4}, [%rd1];\n";
    const std::string writes = "st.relaxed.gpu.global.u32 [%rd1], 1;\nst.relaxed.gpu.global.u32 [%rd1+4], 1;\n";
    const std::string by_both = "setp.eq.u32 %p4, %r4, 7;\n@%p4 bra END;\n";
    CHECK(said({pair + decides, writes}).empty());
    const std::string stores = "st.relaxed.gpu.global.v2.u32 [%rd1], {1, 1};\n";
    const std::string by_practice = said({pair + by_both + decides, stores});
    CHECK(has(by_practice, "practice: `ld.relaxed.gpu.global.v2.u32`"));
    // two scalars are in no order with each other: the vector may find the second one alone
    CHECK(has(said({pair + by_both + decides, writes}), "several accesses"));
    CHECK(by_practice.find("depends on the order") == std::string::npos);
    // a flag that it waits for comes by itself, too
    const std::string waits = "WAIT:\n" + pair + "setp.ne.u32 %p4, %r4, 1;\n@%p4 bra WAIT;\n";
    CHECK(said({waits, stores}).rfind("practice: `ld.relaxed.gpu.global.v2.u32`", 0) == 0);
    CHECK(has(said({waits + decides, stores}), "practice: `ld.relaxed.gpu.global.v2.u32`"));
    CHECK(has(said({waits + decides, writes}), "several accesses"));
    // who acquires what a vector has released, by one of its elements, is not behind the others; by a vector it is
    const auto acquires = [](const std::string& load, int then) {
        return "WAIT:\n" + load + ", [%rd1" + (has(load, "v2") ? "" : "+4") + "];\nsetp.ne.u32 %p4, %r4, 1;\n@%p4 bra WAIT;\n" +
               "ld.global.u32 %r5, [%rd1+" + std::to_string(then) + "];\n";
    };
    const std::string releases = "st.release.gpu.global.v2.u32 [%rd1], {1, 1};\n", one = "ld.acquire.gpu.global.u32 %r4",
                      all = "ld.acquire.gpu.global.v2.u32 {%r3, %r4}";
    CHECK(has(said({acquires(one, 0), releases}), "race on `x` at byte 0"));
    CHECK(said({acquires(one, 4), releases}).empty());
    const std::string looks = "ld.acquire.gpu.global.u32 %r4, [%rd1+4];\nsetp.ne.u32 %p4, %r4, 1;\n@%p4 bra END;\n";
    CHECK(said({releases, looks + "ld.global.u32 %r5, [%rd1+4];\n"}).empty());
    CHECK(has(said({releases, looks + "ld.global.u32 %r5, [%rd1];\n"}), "race on `x` at byte 0"));
    // and nor are those of a reduction
    const std::string adds = "mov.u32 %r7, 0x3f800000;\nred.release.gpu.global.add.v2.f32 [%rd1], {%r7, %r7};\n";
    const auto finds = [](int word) {
        return "ld.acquire.gpu.global.b32 %r4, [%rd1+4];\nsetp.ne.u32 %p4, %r4, 0x3f800000;\n@%p4 bra END;\nld.global.u32 %r5, [%rd1+" +
               std::to_string(word) + "];\n";
    };
    CHECK(has(said({adds, finds(0)}), "race on `x` at byte 0"));
    CHECK(said({adds, finds(4)}).find("byte 4") == std::string::npos);
    // by a vector that finds it in part, behind a write of its own, it may not be, either
    CHECK(has(said({acquires(one, 8) + "st.relaxed.gpu.global.u32 [%rd1+4], 1;\nld.relaxed.gpu.global.v2.u32 {%r3, %r4}, [%rd1];\n"
                                       "fence.acq_rel.gpu;\nst.global.u32 [%rd1], 2;\n",
                    releases}),
              "finds depends on the order, and decides"));
    const std::string before = "st.global.u32 [%rd1+8], 1;\n";
    CHECK(said({acquires(one, 8), before + releases}).empty());
    CHECK(has(said({acquires(one, 8), releases + before}), "race on `x` at byte 8"));
    for (const int word : {0, 4, 8})
        CHECK(said({acquires(all, word), before + releases}).rfind("practice: `ld.acquire.gpu.global.v2.u32`", 0) == 0);
}

TEST_CASE("a reduction that goes on by itself comes when it likes") {
    // Block 0 adds to a word of block 1, and raises a flag meanwhile. Block 1 may see the flag, and not yet the sum.
    const std::string begins =
        "@%p1 mbarrier.init.shared::cta.b64 [%r9], 1;\nmov.u32 %r11, word;\n@%p1 st.shared.u32 [%r11], 0;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
    const std::string adds =
        "mapa.shared::cluster.u32 %r5, %r11, 1;\nmapa.shared::cluster.u32 %r6, %r9, 1;\n"
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r5], 1, [%r6];\n";
    const std::string looks = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 4;\n" + load_of(0, "acquire") +
                              "setp.eq.u32 %p4, %r3, 0;\n@%p4 bra OUT;\nld.relaxed.cluster.shared::cta.u32 %r4, [%r11];\n"
                              "setp.ne.u32 %p4, %r4, 0;\n@%p4 bra OUT;\nst.global.u32 [%rd1+24], 1;\nOUT:\n" +
                              await_phase();
    CHECK(has(said_of_threads({{0, 0, adds + store_of(0, "release")}, {1, 0, looks}, {2, 0, "st.global.u32 [%rd1+24], 1;\n"}}, "2", begins),
              "it is asynchronous"));
}

// Block 3 waits in a place as long as it finds 2. Block 1 has added 2 there, and block 2 has then stored 1. Block 3 may find 0 as well, and
// writes what block 2 writes. Block 0 lets block 3 begin, so that it comes late in two orders.
TEST_CASE("a reduction that goes on by itself comes when it likes, also where a later write hides it") {
    const auto ends = [](const std::string& adds) {
        return said({"st.release.gpu.global.u32 [%rd1], 1;\n", adds,
                     "TAKES:\nld.acquire.gpu.global.u32 %r3, [%rd1+16];\nsetp.ne.u32 %p3, %r3, 2;\n@%p3 bra TAKES;\n"
                     "st.relaxed.gpu.global.u32 [%rd1+16], 1;\nst.global.u32 [%rd1+12], 1;\n",
                     "GO:\nld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra GO;\nSEEN:\n"
                     "ld.relaxed.gpu.global.u32 %r5, [%rd1+16];\nsetp.eq.u32 %p4, %r5, 2;\n@%p4 bra SEEN;\nsetp.eq.u32 %p4, %r5, 0;\n"
                     "@%p4 st.global.u32 [%rd1+12], 1;\n"});
    };
    CHECK(has(ends("red.release.gpu.global.add.u32 [%rd1+16], 2;\n"), "race on `x` at byte 12"));
    CHECK(has(ends("red.async.release.gpu.global.add.u32 [%rd1+16], 2;\n"), "it is asynchronous"));
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
    // who has arrived itself finds no older state
    const std::string arrives = "mbarrier.arrive.shared::cta.b64 _, [%r9];\n";
    const auto counted = [&](const std::string& own) {
        return said_of_all(
            ".shared .align 8 .b64 tell;\nmov.u32 %r8, tell;\n@%p1 mbarrier.init.shared::cta.b64 [%r9], 2;\n"
            "@%p1 mbarrier.init.shared::cta.b64 [%r8], 1;\nbar.sync 0;\n"
            "setp.eq.u32 %p4, %r1, 32;\n@%p4 bra SECOND;\n@!%p1 bra END;\n"
            "mbarrier.arrive.shared::cta.b64 _, [%r9], 2;\nFIRST:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 %p6, [%r9], 0;\n@!%p6 bra FIRST;\n"
            "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%r8];\nst.global.u32 [%rd1+24], 1;\n" +
                arrives + (own.empty() ? arrives : "") +
                "bra END;\nSECOND:\nmbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 %p6, [%r8], 0;\n"
                "@!%p6 bra SECOND;\n" +
                own +
                "LAST:\nmbarrier.try_wait.parity.shared::cta.b64 %p6, [%r9], 1;\n@!%p6 bra LAST;\n"
                "ld.global.u32 %r4, [%rd1+24];\n",
            "1", "64");
    };
    CHECK(counted(arrives) == "");
    CHECK(has(counted(""), "which phase a wait means"));
}

TEST_CASE("lanes of one reduction write several places") {
    const std::string adds = "red.relaxed.gpu.global.add.u32 [%rd3], 1;\n";
    const std::string reads =
        "ld.relaxed.gpu.global.u32 %r5, [%rd1+4];\nfence.acq_rel.gpu;\nld.relaxed.gpu.global.u32 %r6, [%rd1];\n"
        "setp.eq.u32 %p5, %r5, %r6;\n@%p5 bra END;\nst.global.u32 [%rd1+24], 1;\n";
    CHECK(has(said_of_all("mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n@!%p3 bra READS;\n" + adds +
                              "@%p1 st.global.u32 [%rd1+24], 2;\nbra END;\nREADS:\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\n" + reads,
                          "2", "2"),
              "race on `x` at byte 24"));
}

TEST_CASE("who has found a write is behind that write, and behind nothing that its thread did before") {
    const std::string waits = sweep::testing::waits_for("1", "ld.relaxed.gpu"), raises = "st.relaxed.gpu.global.u32 [%rd1+4], 1;\n",
                      writes = "st.global.u32 [%rd1+4], 2;\n";
    CHECK(said({waits + writes, raises}).empty());
    for (const std::string before : {"ld.global.u32 %r5", "ld.relaxed.gpu.global.u32 %r5"})
        CHECK(has(said({waits + writes, before + ", [%rd1+4];\n" + raises}), "race on `x` at byte 4"));
    CHECK(has(said({waits + writes, "st.global.u32 [%rd1+4], 0;\n" + raises}), "race on `x` at byte 4"));
}

namespace {

struct Searched {
    size_t orders = 0, places = 0, contended = 0;
    std::string said;
};

// How many orders are run, at how many places, and what is said in the end, but for practices.
Searched searched(const std::vector<std::string>& blocks) {
    const sweep::testing::Launched one = of_blocks(blocks);
    const sweep::Explored all = sweep::explore(one.module, one.launch, {});
    sweep::Options how;
    how.explores = true;
    const size_t orders = sweep::sweep_stream({{&one.module, &one.launch}}, how).front().orders;
    std::string text = said(one);
    text.resize(std::min(text.find("practice: "), text.size()));
    return {orders, all.places.size(), all.contended.size(), text};
}

const std::string draws_besides = "atom.relaxed.gpu.global.add.u32 %r6, [%rd1+28], 1;\nsetp.eq.u32 %p5, %r6, 1;\n@%p5 fence.acq_rel.gpu;\n";

}  // namespace

TEST_CASE("of a vector that element is a place of the search that decides") {
    const std::string store = "st.relaxed.gpu.global.v2.u32 [%rd1], {1, 1};\n", load = "ld.relaxed.gpu.global.v2.u32 {%r3, %r4}, [%rd1];\n";
    const Searched by_one = searched({load + decides, store});
    CHECK(by_one.places == 1);
    CHECK(by_one.contended == 2);
    CHECK(by_one.said.empty());
    CHECK(searched({load + "setp.eq.u32 %p4, %r4, 7;\n@%p4 bra END;\n" + decides, store}).places == 2);
    // each element gives what the write has released, and the one that decides is enough
    const std::string release = "st.release.gpu.global.v2.u32 [%rd1], {1, 1};\n",
                      acquire = "ld.acquire.gpu.global.v2.u32 {%r3, %r4}, [%rd1];\n";
    for (const std::string by : {"", "mov.u32 %r3, %r4;\n"}) CHECK(searched({release, acquire + by + decides}).places == 1);
    // none decides but by what it has released: one is a place
    CHECK(searched({release + draws_besides, acquire + draws_besides}).places == 2);
    // they are of two writes
    CHECK(searched({release, "st.global.u32 [%rd1+12], 1;\nst.release.gpu.global.u32 [%rd1+4], 2;\n", acquire + decides}).places == 2);
    // vectors of more than a word where nothing decides
    const std::string sums = "mov.u32 %r7, 0x3f800000;\nred.relaxed.gpu.global.add.v2.f32 [%rd1], {%r7, %r7};\n";
    CHECK(said({sums + draws_besides, sums + draws_besides, "ld.relaxed.gpu.global.b32 %r8, [%rd1];\n"}).empty());
    CHECK(
        has(said({sums + draws_besides, sums + draws_besides, "ld.relaxed.gpu.global.b32 %r3, [%rd1];\n" + decides}), "several accesses"));
}

TEST_CASE("a loop that waits for a part of a vector") {
    const auto waits = [](const std::string& label, const std::string& until) {
        return label + ":\nld.relaxed.gpu.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1];\n" + until + "@%p4 bra " + label + ";\n";
    };
    const std::string flag = "setp.ne.u32 %p4, %r4, 1;\n", flags = flag + "setp.ne.or.u32 %p4, %r6, 1, %p4;\n",
                      store = "st.relaxed.gpu.global.v4.u32 [%rd1], {5, 1, 6, 1};\n";
    for (const std::string& until : {flag, flags}) {
        const Searched all = searched({waits("WAIT", until), store});
        CHECK(all.orders == 1);  // what it waits for comes in each order, and the data decide nothing
        CHECK(all.said.empty());
    }
    // each flag has its own writer
    const std::string one = "st.global.u32 [%rd1+16], 1;\nst.release.gpu.global.u32 [%rd1+4], 1;\n",
                      other = "st.global.u32 [%rd1+20], 1;\nst.release.gpu.global.u32 [%rd1+12], 1;\n",
                      reads = "fence.acq_rel.gpu;\nld.global.u32 %r7, [%rd1+16];\nld.global.u32 %r7, [%rd1+20];\n";
    CHECK(said({waits("WAIT", flags) + reads, one, other}).empty());
    CHECK(has(said({waits("WAIT", flag) + reads, one, other}), "race on `x` at byte 20"));
    // two flags that it waits for are in no order that matters, beside what decides
    CHECK(searched({waits("WAIT", flags) + draws_besides, store + draws_besides}).said.empty());
    CHECK(said({waits("WAIT", flags) + reads + draws_besides, one + draws_besides, other}).empty());
    // a first round before the loop
    const std::string first = "ld.relaxed.gpu.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd1];\n" + flag + "@!%p4 bra DONE;\n";
    const Searched peeled = searched({first + waits("WAIT", flag) + "DONE:\n", store});
    CHECK(peeled.orders == 1);
    CHECK(peeled.said.empty());
}

TEST_CASE("a place that decides nothing may show in a later run") {
    // If block 1 draws first, block 0 reads word 2 behind the write of it. Nothing but relaxed draws lies between.
    const std::string second = "atom.relaxed.gpu.global.add.u32 %r4, [%rd1+4], 1;\nsetp.eq.u32 %p5, %r4, 7;\n@%p5 fence.acq_rel.gpu;\n";
    const auto looks = [&](const std::string& then) {
        return draws("relaxed") + second + "setp.ne.u32 %p4, %r3, 1;\n@%p4 bra END;\nld.relaxed.gpu.global.u32 %r5, [%rd1+8];\n" + then;
    };
    const std::string writes = draws("relaxed") + "setp.eq.u32 %p4, %r3, 0;\n@%p4 st.relaxed.gpu.global.u32 [%rd1+8], 1;\n" + second;
    CHECK(said({looks(""), writes}).empty());
    CHECK(has(said({looks("setp.eq.u32 %p6, %r5, 0;\n@%p6 red.relaxed.gpu.global.add.u32 [%rd1+12], 1;\n"), writes}),
              "may be early or late"));
}

TEST_CASE("a place where a thread waits is in the line, though what is written there decides nothing") {
    // Two blocks write word 0, in no order. Each value ends the loop. Block 1 may find what block 0 writes behind it.
    const std::string waits =
                          "ld.global.u32 %r5, [%rd1+8];\nLOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p4, %r3, 0;\n"
                          "@%p4 bra LOOP;\nst.relaxed.gpu.global.u32 [%rd1+4], 1;\n",
                      again = "st.relaxed.gpu.global.u32 [%rd1], 1;\n";
    const auto looks = [](const std::string& sem) {
        return "ld." + sem +
               ".gpu.global.u32 %r3, [%rd1+4];\nst.relaxed.gpu.global.u32 [%rd1], 1;\nsetp.eq.u32 %p4, %r3, 1;\n"
               "@%p4 st.global.u32 [%rd1+8], 2;\n";
    };
    CHECK(has(said({waits + again, looks("relaxed")}), "may find a write that would come about by it"));
    CHECK(!said({waits + again, looks("acquire")}).empty());
}

// The memory of a block begins where its variable does, which need not be aligned as a vector is.
TEST_CASE("the element of a vector in shared memory that another one writes") {
    kernel::LaunchTexts texts;
    texts.grid = "1";
    texts.block = "64";
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k()\n{\n.shared .align 8 .b8 first[4];\n.shared .align 4 .b8 own[64];\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n"
        "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 32;\n@%p1 st.shared.u32 [first], 0;\n"
        "@%p1 st.shared.u32 [own+4], 0;\n@%p1 st.shared.u32 [own+8], 0;\nbar.sync 0;\n"
        "@%p2 st.relaxed.cta.shared.u32 [own+4], 1;\n@!%p1 bra END;\nld.relaxed.cta.shared.v2.u32 {%r3, %r4}, [own+4];\n"
        "setp.eq.u32 %p4, %r3, 1;\n@%p4 fence.acq_rel.cta;\nEND:\nret;\n}\n");
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    sweep::Options how;
    how.explores = true;
    const std::vector<sweep::Streamed> all = sweep::sweep_stream({{&module, &launch}}, how);
    CHECK(all.front().orders == 4);  // two, and then each of the two
}
