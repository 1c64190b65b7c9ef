// More orders than two: bugs that a third one has, and the order that a finding comes with.
#include "sweep/explore.h"

#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/behind.h"
#include "sweep/orders.h"

using namespace litmus;

namespace {

struct Contenders {
    kernel::Module module;
    kernel::Launch launch;
};

// The first thread of each block executes the text. x = u32[16] is in %rd1, and the number of the block in %r2.
Contenders contenders(const std::string& text, int blocks, const std::string& variables = "") {
    kernel::LaunchTexts texts;
    texts.grid = std::to_string(blocks);
    texts.block = "1";
    texts.arguments = {"x=u32[16]"};
    kernel::Module module = kernel::testing::module_of(
        variables +
        ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n"
        "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r2, %ctaid.x;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

sweep::Explored explored(const std::string& text, int blocks, const sweep::ExploreLimits& limits = {}) {
    const Contenders one = contenders(text, blocks);
    return sweep::explore(one.module, one.launch, {}, limits);
}

sweep::Swept in_two_orders(const std::string& text, int blocks) {
    const Contenders one = contenders(text, blocks);
    return sweep::sweep_in_orders(one.module, one.launch);
}

const std::string draws_ticket = "atom.acq_rel.gpu.global.add.u32 %r3, [%rd1], 1;\n";

// Block `who` alone writes a word that each block reads before its ticket, if it is the last one.
std::string last_one_writes(int blocks, int who) {
    return "ld.global.u32 %r5, [%rd1+8];\n" + std::string("fence.acq_rel.gpu;\natom.relaxed.gpu.global.add.u32 %r3, [%rd1], 1;\n") +
           "setp.ne.u32 %p1, %r3, " + std::to_string(blocks - 1) + ";\n@%p1 bra END;\nsetp.ne.u32 %p2, %r2, " + std::to_string(who) +
           ";\n@%p2 bra END;\nst.global.u32 [%rd1+8], %r3;\n";
}

const std::string takes_lock = "TAKE:\natom.acquire.gpu.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra TAKE;\n",
                  gives_lock = "mov.u32 %r4, 0;\nst.release.gpu.global.u32 [%rd1], %r4;\n";

}  // namespace

TEST_CASE("what only a third block does that comes last") {
    for (const int who : {0, 1, 2}) {
        CAPTURE(who);
        CHECK(in_two_orders(last_one_writes(3, who), 3).findings.empty() == (who == 1));
        const sweep::Explored more = explored(last_one_writes(3, who), 3);
        REQUIRE(more.swept.findings.size() == 1);
        const std::vector<sweep::Place>& order = more.swept.findings[0].order;
        REQUIRE(order.size() == 3);
        CHECK(order.back().seat.block == static_cast<uint32_t>(who));
    }
}

TEST_CASE("one statement may be wrong in two ways") {
    // block 0 waits for too many threads if it draws first, and else at a barrier that there is not
    const sweep::Swept swept = in_two_orders(draws_ticket +
                                                 "shl.b32 %r4, %r2, 1;\nadd.u32 %r4, %r4, %r3;\nsetp.eq.u32 %p1, %r4, 0;\n"
                                                 "setp.eq.u32 %p2, %r4, 1;\nselp.b32 %r5, 64, 32, %p1;\nselp.b32 %r6, 20, 1, %p2;\n"
                                                 "barrier.sync %r6, %r5;\n",
                                             2);
    REQUIRE(swept.findings.size() == 2);
    CHECK(swept.findings[0].kind == sweep::Kind::undefined);
    CHECK(swept.findings[1].kind == sweep::Kind::stuck);
}

TEST_CASE("the schedule of a finding shows it again") {
    const Contenders one = contenders(last_one_writes(3, 1), 3);
    const sweep::Explored more = sweep::explore(one.module, one.launch, {});
    REQUIRE(more.swept.findings.size() == 1);
    sweep::Options how;
    how.schedule = more.swept.findings[0].schedule;
    const sweep::Swept again = sweep::sweep(one.module, one.launch, how);
    REQUIRE(again.findings.size() == 1);
    CHECK(sweep::is_same(again.findings[0], more.swept.findings[0]));
}

TEST_CASE("the orders of tickets and of locks are counted, and waiting is no choice") {
    // n tickets have n! orders
    const std::string draws = draws_ticket + "setp.eq.u32 %p1, %r3, 1;\n@%p1 bra END;\nmov.u32 %r4, 1;\n";
    const std::string adds = "ld.global.u32 %r5, [%rd1+8];\nst.global.u32 [%rd1+8], %r5;\n" + gives_lock;
    const std::string locks = takes_lock + adds;
    // who has not got it sleeps, and longer each time
    const std::string sleeps =
        "mov.u32 %r6, 8;\nTAKE:\natom.acquire.gpu.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra TAKEN;\n"
        "nanosleep.u32 %r6;\nshl.b32 %r6, %r6, 1;\nbra TAKE;\nTAKEN:\n" +
        adds;
    const auto orders = [](const std::string& text, int blocks) {
        const sweep::Explored all = explored(text, blocks, {.exchanges = false});
        CHECK(all.all);
        CHECK(!all.exchanged);
        CHECK(all.swept.findings.empty());
        return all.runs;
    };
    for (const std::string& text : {draws, locks, sleeps}) {
        CHECK(orders(text, 2) == 2);
        CHECK(orders(text, 3) == 6);
        CHECK(orders(text, 4) == 24);
        // blocks that are alike have one
        const sweep::Explored alike = explored(text, 64);
        CHECK(alike.all);
        CHECK(alike.exchanged);
        CHECK(alike.runs == 1);
    }
}

TEST_CASE("a search ends where it may not go on, and says so") {
    const std::string draws = draws_ticket + "setp.eq.u32 %p1, %r3, 1;\n@%p1 bra END;\nmov.u32 %r4, 1;\n";
    const sweep::Explored some = explored(draws, 5, {10, 1'000'000, false});
    CHECK(some.runs == 10);
    CHECK(!some.all);
    CHECK(!explored(draws, 5, {1000, 30, false}).all);
    CHECK(explored(draws, 5, {1000, 1'000'000, false}).all);
}

TEST_CASE("a warp that writes while it waits does not choose for ever") {
    const std::string spins = "TAKE:\natom.acquire.gpu.global.add.u32 %r3, [%rd1], 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra TAKE;\n";
    const sweep::Explored more = explored(spins + gives_lock, 3, {20, 1'000'000, false});
    CHECK(more.swept.findings.empty());
    CHECK(more.runs <= 20);
    CHECK(!more.all);
}

TEST_CASE("a loop that counts its rounds does not wait for nothing") {
    // block 0 raises a flag behind its data; block 1 looks for it up to three times, and reads the data
    const std::string raises =
        "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOKS;\nmov.u32 %r4, 1;\nst.global.u32 [%rd1+8], %r4;\n"
        "st.release.gpu.global.u32 [%rd1], %r4;\nbra END;\nLOOKS:\nmov.u32 %r5, 0;\n";
    const std::string load = "LOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\n", reads = "ld.global.u32 %r6, [%rd1+8];\n";
    const std::string waits = raises + load + "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra LOOP;\n" + reads;
    const std::string counts = raises + load +
                               "add.u32 %r5, %r5, 1;\nsetp.eq.u32 %p2, %r3, 0;\nsetp.lt.u32 %p3, %r5, 3;\nand.pred %p4, %p2, %p3;\n"
                               "@%p4 bra LOOP;\n";
    const sweep::Swept waited = in_two_orders(waits, 2);
    CHECK(waited.findings.empty());
    CHECK(waited.conditions.empty());
    const sweep::Explored counted = explored(counts + reads, 2);
    REQUIRE(counted.swept.findings.size() == 1);
    CHECK(counted.swept.findings[0].kind == sweep::Kind::race);
    // the count only says how long to sleep, or that it takes too long
    for (const char* harmless : {"nanosleep.u32 %r5;\n", "setp.gt.u32 %p5, %r5, 1000;\n@%p5 trap;\n"}) {
        const sweep::Swept slept =
            in_two_orders(raises + load + "add.u32 %r5, %r5, 1;\n" + harmless + "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra LOOP;\n" + reads, 2);
        CHECK(slept.findings.empty());
        CHECK(slept.conditions.empty());
    }
    // what a round has seen is kept
    const sweep::Swept kept = in_two_orders(
        raises + load + "or.b32 %r5, %r5, %r3;\nsetp.ne.u32 %p2, %r3, 1;\n@%p2 bra LOOP;\nsetp.eq.u32 %p3, %r5, 3;\n@%p3 trap;\n" + reads,
        2);
    CHECK(kept.findings.empty());
}

TEST_CASE("who tries to take a lock three times may go on without it") {
    const std::string tries =
        "mov.u32 %r6, 0;\nTRY:\natom.acquire.gpu.global.cas.b32 %r3, [%rd1], 0, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra TRIED;\n"
        "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 3;\n@%p2 bra TRY;\nTRIED:\n";
    const std::string writes = "st.global.u32 [%rd1+8], 1;\n", gives = "@!%p1 bra END;\n" + gives_lock;
    CHECK(in_two_orders(tries + writes + gives, 2).findings.empty());
    const sweep::Explored more = explored(tries + writes + gives, 2);
    REQUIRE(more.swept.findings.size() == 1);
    CHECK(more.swept.findings[0].kind == sweep::Kind::race);
    CHECK(explored(tries + "@%p1 " + writes + gives, 2).swept.findings.empty());
}

TEST_CASE("a first round that finds the flag does something that the loop does not") {
    // In two orders block 2 finds the flag of block 1 at once. In others it may find 0 first.
    const auto found = [](const std::string& first, const std::string& second) {
        const std::string read = "ld.relaxed.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p3, %r3, 0;\n";
        return explored(
                   "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra BEGINS;\nsetp.eq.u32 %p2, %r2, 1;\n@%p2 bra RAISES;\n"
                   "GO:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra GO;\n" +
                       read + "@!%p3 bra FOUND;\nLOOP:\n" + read + "@%p3 bra LOOP;\n" + second + "bra READ;\nFOUND:\n" + first +
                       "READ:\nld.global.u32 %r5, [%rd1+8];\nbra END;\nBEGINS:\nst.release.gpu.global.u32 [%rd1+4], 1;\nbra END;\n"
                       "RAISES:\nst.global.u32 [%rd1+8], 1;\nst.release.gpu.global.u32 [%rd1], 1;\n",
                   3)
            .swept.findings;
    };
    const std::string fence = "fence.acq_rel.gpu;\n";
    CHECK(found(fence, fence).empty());
    CHECK(!found(fence, "").empty());
    CHECK(!found("", fence).empty());
}

TEST_CASE("two first rounds that both find 0") {
    // Each block raises its flag, and looks for the other one's. Both find 0 in a weak execution only.
    const std::string read = "ld.relaxed.gpu.global.u32 %r3, [%rd3];\nsetp.eq.u32 %p3, %r3, 0;\n";
    const sweep::Explored more = explored(
        "mul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd2, %rd1, %rd2;\nxor.b32 %r4, %r2, 1;\n"
        "mul.wide.u32 %rd3, %r4, 4;\nadd.u64 %rd3, %rd1, %rd3;\nst.relaxed.gpu.global.u32 [%rd2], 1;\n" +
            read + "@!%p3 bra END;\nLOOP:\n" + read + "@%p3 bra LOOP;\nst.global.u32 [%rd1+8], 1;\n",
        2, {.exchanges = false});
    CHECK(more.all);
    CHECK(more.swept.findings.empty());
    CHECK(!more.swept.out_of_line.empty());
}

TEST_CASE("the next launch begins with what each order leaves") {
    // who has the lock last leaves its number, or a constant; the second launch draws tickets, too
    const auto orders = [](const std::string& what, const std::string& next) {
        const Contenders first = contenders(takes_lock + "st.global.u32 [%rd1+8], " + what + ";\n" + gives_lock, 2),
                         second = contenders(next, 2);
        sweep::Options how;
        how.explores = true;
        return sweep::sweep_stream({{&first.module, &first.launch}, {&second.module, &second.launch}}, how);
    };
    const std::string draws = draws_ticket + "setp.eq.u32 %p1, %r3, 1;\n@%p1 bra END;\nld.global.u32 %r5, [%rd1+8];\n";
    const auto same = orders("7", draws), other = orders("%r2", draws);
    CHECK(same[0].all_orders);
    CHECK(same[0].out_of_line.empty());
    CHECK(same[0].swept.conditions.empty());
    CHECK(same[1].all_orders);
    CHECK(same[1].swept.conditions.empty());
    CHECK(other[0].all_orders);
    REQUIRE(other[0].out_of_line.size() == 1);
    CHECK(other[0].out_of_line[0] == "it leaves something else for the next launch in another order");
    CHECK(!other[0].swept.conditions.empty());
    CHECK(!other[1].swept.conditions.empty());
}

TEST_CASE("each two orders are compared in all that they leave") {
    const auto leave_differently = [](const std::string& text, int blocks, const std::string& variables = "") {
        const Contenders one = contenders(text, blocks, variables);
        sweep::Options how;
        how.leaves = true;
        const sweep::Explored all = sweep::explore(one.module, one.launch, how, {.exchanges = false});
        CHECK(all.all);
        return all.leaves_differ;
    };
    // who has the lock last leaves this
    const auto last = [&](const std::string& computes, const std::string& to = "[%rd1+8]") {
        return takes_lock + computes + "st.global.u32 " + to + ", %r5;\n" + gives_lock;
    };
    CHECK(!leave_differently(last("mov.u32 %r5, 7;\n"), 2));
    CHECK(leave_differently(last("mov.u32 %r5, %r2;\n"), 2));
    // nothing that is computed, in place of a zero
    CHECK(leave_differently(last("mov.u32 %r5, 0;\nsetp.ne.u32 %p5, %r2, 0;\n@%p5 ld.shared.u32 %r5, [s];\n"), 2,
                            ".shared .align 4 .u32 s;\n"));
    CHECK(leave_differently(last("mov.u64 %rd2, v;\nmov.u32 %r5, %r2;\n", "[%rd2]"), 2, ".global .align 4 .u32 v;\n"));
    // one of six orders: the last one that has the lock says whether they came as they are numbered, and takes the rest back
    CHECK(leave_differently(
        takes_lock +
            "ld.global.u32 %r5, [%rd1+8];\nshl.b32 %r5, %r5, 2;\nadd.u32 %r5, %r5, %r2;\nld.global.u32 %r6, [%rd1+12];\n"
            "add.u32 %r6, %r6, 1;\nsetp.ne.u32 %p5, %r6, 3;\n@%p5 bra LEAVE;\nmov.u32 %r6, 0;\nsetp.eq.u32 %p6, %r5, 6;\n"
            "@%p6 st.global.u32 [%rd1+16], 1;\nmov.u32 %r5, 0;\nLEAVE:\nst.global.u32 [%rd1+8], %r5;\nst.global.u32 [%rd1+12], %r6;\n" +
            gives_lock,
        3));
    // a run that ends where it would show the same as another one has left nothing yet
    CHECK(
        !leave_differently("setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLL;\nmov.u32 %r4, 1;\nst.global.u32 [%rd1+8], %r4;\n"
                           "st.release.gpu.global.u32 [%rd1+4], %r4;\nbra END;\nPOLL:\nld.relaxed.gpu.global.u32 %r5, [%rd1+4];\n"
                           "fence.acq_rel.gpu;\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra POLL;\nst.global.u32 [%rd1+12], %r5;\n",
                           2));
}

TEST_CASE("all orders were run only if each run came to its end") {
    // block 1 draws more tickets than a run has choices, while block 0 can only wait
    const std::string many =
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nmov.u32 %r5, 0;\nDRAW:\nred.relaxed.gpu.global.add.u32 [%rd1], 1;\n"
        "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 20001;\n@%p2 bra DRAW;\nbra END;\nWAIT:\n"
        "ld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.ne.u32 %p2, %r3, 20001;\n@%p2 bra WAIT;\n";
    const sweep::Explored broken_off = explored(many, 2);
    CHECK(broken_off.swept.findings.empty());
    CHECK(!broken_off.all);
    // block 1 cannot go on if it comes last
    const sweep::Explored stuck = explored(draws_ticket +
                                               "setp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra END;\n"
                                               "mov.u64 %rd2, 64;\nld.global.u32 %r5, [%rd2];\n",
                                           3);
    CHECK(stuck.swept.findings.empty());
    CHECK(!stuck.all);
}

TEST_CASE("a finding stands, whatever a later search would come to") {
    // Block 0 draws the first two tickets where no ticket is a choice. There is no work left for a third run.
    const std::string twice =
        "ld.global.u32 %r5, [%rd1+8];\natom.relaxed.gpu.global.add.u32 %r3, [%rd1], 1;\n"
        "atom.relaxed.gpu.global.add.u32 %r4, [%rd1], 1;\nadd.u32 %r4, %r4, %r3;\nsetp.ne.u32 %p1, %r4, 1;\n@%p1 bra END;\n"
        "st.global.u32 [%rd1+8], %r3;\n";
    CHECK(explored(twice, 3, {10'000, 1, false}).swept.findings.size() == 1);
    // the order of such a finding needs no blocks that are told apart
    const sweep::Explored last = explored(last_one_writes(3, 2), 3);
    CHECK(last.swept.findings.size() == 1);
    CHECK(last.not_exchangeable.empty());
}

TEST_CASE("a round in vain is no such round if it reads what others write") {
    // block 1 polls for 2, and reads the word while the flag is 0
    const std::string text =
        "atom.relaxed.gpu.global.add.u32 %r3, [%rd1], 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra RAISES;\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra "
        "END;\n"
        "setp.ne.u32 %p3, %r3, 2;\n@%p3 bra END;\nPOLL:\nld.acquire.gpu.global.u32 %r4, [%rd1+4];\nsetp.eq.u32 %p4, %r4, 2;\n@%p4 bra "
        "END;\n"
        "setp.eq.u32 %p5, %r4, 1;\n@%p5 bra POLL;\nld.global.u32 %r5, [%rd1+8];\nbra POLL;\nRAISES:\nmov.u32 %r6, 1;\nmov.u32 %r7, 2;\n"
        "st.relaxed.gpu.global.u32 [%rd1+4], %r6;\nst.global.u32 [%rd1+8], %r6;\nst.release.gpu.global.u32 [%rd1+4], %r7;\n";
    CHECK(explored(text, 3).swept.findings.size() == 1);
}

TEST_CASE("two warps that go round in vain do not show each other's end") {
    // block 1 does not raise the flag, even if it draws 0
    const std::string text =
        "atom.relaxed.gpu.global.add.u32 %r3, [%rd1], 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra POLL;\n"
        "setp.eq.u32 %p2, %r2, 1;\n@%p2 bra END;\nmov.u32 %r4, 1;\nst.release.gpu.global.u32 [%rd1+4], %r4;\nbra END;\n"
        "POLL:\nld.relaxed.gpu.global.u32 %r5, [%rd1+4];\nfence.acq_rel.gpu;\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra POLL;\n";
    CHECK(explored(text, 3).swept.findings.size() == 1);
}

namespace {

sweep::Explored explored_text(const std::string& text, const std::string& grid, const std::string& block) {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"t=u32[2]", "f=u32[2]"};
    const kernel::Module module = kernel::testing::module_of(text);
    return sweep::explore(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }), {});
}

const std::string begins =
    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.shared .align 8 .b64 object;\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 "
    "%rd<10>;\nld.param.u64 %rd0, [p0];\nld.param.u64 %rd1, [p1];\nmov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\n";

}  // namespace

TEST_CASE("a function that polls is called in a loop that counts") {
    // block 1 looks up to five times, and spins if the flag is there the fourth time
    const std::string peeks =
        ".func (.param .b32 out) peek(.param .b64 p)\n{\n.reg .b64 %a;\n.reg .b32 %v;\nld.param.u64 %a, [p];\n"
        "ld.acquire.gpu.global.u32 %v, [%a];\nst.param.b32 [out], %v;\nret;\n}\n";
    const std::string text =
        begins +
        "atom.acq_rel.gpu.global.add.u32 %r2, [%rd0], 1;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 st.release.gpu.global.u32 "
        "[%rd1], 1;\nsetp.ne.u32 %p2, %r0, 1;\n@%p2 bra END;\nsetp.ne.u32 %p3, %r2, 0;\n@%p3 bra END;\nmov.u32 %r3, 0;\n"
        "LOOP:\n{\n.param .b64 q;\n.param .b32 o;\nst.param.b64 [q], %rd1;\ncall.uni (o), peek, (q);\n"
        "ld.param.b32 %r4, [o];\n}\nsetp.eq.u32 %p4, %r4, 1;\n@%p4 bra FOUND;\nadd.u32 %r3, %r3, 1;\n"
        "setp.lt.u32 %p5, %r3, 5;\n@%p5 bra LOOP;\nbra END;\nFOUND:\nsetp.ne.u32 %p6, %r3, 3;\n@%p6 bra END;\n"
        "SPIN:\nbra SPIN;\nEND:\nret;\n}\n";
    CHECK(explored_text(peeks + text, "3", "1").swept.findings.size() == 1);
}

TEST_CASE("a lane that stands before an exit which it does not take may go on") {
    // lane 1 lets the other warp draw first, which then spins
    const auto text = [](const std::string& guarded) {
        return begins +
               "setp.eq.u32 %p1, %r1, 32;\nsetp.eq.u32 %p9, %r1, 99;\n@%p1 mbarrier.init.shared::cta.b64 [object], 1;\nbar.sync 0;\n"
               "@%p1 bra OTHER;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 bra LANE;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra END;\n"
               "atom.acq_rel.gpu.global.add.u32 %r2, [%rd0], 1;\nbra END;\nOTHER:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 %p4, [object], 0;\n@!%p4 bra OTHER;\n"
               "atom.acq_rel.gpu.global.add.u32 %r3, [%rd0], 1;\nsetp.ne.u32 %p5, %r3, 0;\n@%p5 bra END;\nSPIN:\nbra SPIN;\nLANE:\n" +
               guarded + "mbarrier.arrive.shared::cta.b64 _, [object];\nEND:\nret;\n}\n";
    };
    for (const char* const guarded : {"", "@%p9 exit;\n", "@%p9 bar.sync 0;\n"}) {
        const sweep::Explored all = explored_text(text(guarded), "1", "33");
        CHECK((!all.swept.findings.empty() || !all.swept.out_of_line.empty()));
    }
}

TEST_CASE("who sleeps may go round in vain") {
    // block 0 polls a flag, and block 1 raises it unless it draws 0; others go on elsewhere
    const std::string more = "atom.relaxed.gpu.global.add.u32 %r6, [%rd1+8], 1;\n";
    const std::string text =
        "atom.acq_rel.gpu.global.add.u32 %r3, [%rd1], 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra OTHERS;\nPOLL:\n"
        "ld.relaxed.gpu.global.u32 %r4, [%rd1+4];\nfence.acq_rel.gpu;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra POLL;\nbra END;\n"
        "OTHERS:\nsetp.eq.u32 %p3, %r2, 2;\n@%p3 bra LATER;\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra LATER;\nmov.u32 %r5, 1;\n"
        "st.release.gpu.global.u32 [%rd1+4], %r5;\nLATER:\n" +
        more + more + more;
    CHECK(explored(text, 3).swept.findings.size() == 1);
}

TEST_CASE("each round in vain that reads the block's own memory is followed") {
    // a warp reads the object in each round, and another writes it if block 0 draws first
    const std::string text = begins +
                             "and.b32 %r2, %r1, 31;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 exit;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra OTHERS;\n"
                             "ld.shared.u32 %r8, [object+4];\natom.relaxed.gpu.global.add.u32 %r9, [%rd0+4], 0;\n"
                             "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra B0;\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 bra B1;\nPOLL:\n"
                             "ld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p2, %r3, 2;\n@%p2 bra END;\nsetp.eq.u32 %p2, %r3, 1;\n"
                             "@%p2 bra POLL;\nld.shared.u32 %r4, [object];\nbra POLL;\nOTHERS:\nsetp.ne.u32 %p1, %r0, 2;\n@%p1 bra END;\n"
                             "W1:\nld.acquire.gpu.global.u32 %r5, [%rd1+4];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 bra W1;\n"
                             "setp.ne.u32 %p4, %r5, 1;\n@%p4 bra END;\nst.shared.u32 [object], 1;\nbra END;\nB0:\n"
                             "st.relaxed.gpu.global.u32 [%rd1], 1;\natom.acq_rel.gpu.global.add.u32 %r6, [%rd0], 1;\n"
                             "add.u32 %r6, %r6, 1;\nst.release.gpu.global.u32 [%rd1+4], %r6;\nst.release.gpu.global.u32 [%rd1], 2;\n"
                             "bra END;\nB1:\natom.acq_rel.gpu.global.add.u32 %r6, [%rd0], 1;\nEND:\nret;\n}\n";
    CHECK(explored_text(text, "3", "64").swept.findings.size() == 1);
}

TEST_CASE("a round that arrives at a barrier is not in vain") {
    // rounds of block 1 let its other warp go on
    const std::string arrives = "bar.arrive 1, 128;\n";
    const std::string text =
        begins +
        "and.b32 %r9, %r1, 31;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra END;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra OTHER;\n"
        "atom.acq_rel.gpu.global.add.u32 %r2, [%rd0], 1;\nsetp.eq.u32 %p2, %r0, 0;\n"
        "@%p2 st.release.gpu.global.u32 [%rd1], 1;\nsetp.ne.u32 %p3, %r0, 1;\n@%p3 bra END;\nsetp.ne.u32 %p4, %r2, 2;\n"
        "@%p4 bra DONE;\nLOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p5, %r3, 1;\n@%p5 bra DONE;\n" +
        arrives + "bra LOOP;\nDONE:\n" + arrives + arrives + arrives +
        "bra END;\nOTHER:\nsetp.ne.u32 %p3, %r0, 1;\n@%p3 bra END;\nbar.sync 1, 128;\n"
        "ld.relaxed.gpu.global.u32 %r4, [%rd1];\nld.relaxed.gpu.global.u32 %r5, [%rd0];\nsetp.ne.u32 %p6, %r4, 0;\n"
        "@%p6 bra END;\nsetp.ne.u32 %p6, %r5, 3;\n@%p6 bra END;\nSPIN:\nbra SPIN;\nEND:\nret;\n}\n";
    const sweep::Explored all = explored_text(text, "3", "64");
    CHECK((!all.swept.findings.empty() || !all.all));
}

namespace {

// x = u32[16] is in %rd1, y = u32[16] in %rd2, the thread in %r1, and the block in %r2. `own` is shared, and `mine` is of the thread alone.
Contenders with_own(const std::string& text, const std::string& grid, const std::string& block, const std::string& functions = "") {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[16]", "y=u32[16]"};
    kernel::Module module = kernel::testing::module_of(
        functions +
        ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.local .align 8 .b8 mine[8];\n.shared .align 8 .b8 own[8];\n"
        ".reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\n"
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}
sweep::Explored explored_with_own(const std::string& text, const std::string& grid, const std::string& block = "1",
                                  const std::string& functions = "", const sweep::ExploreLimits& limits = {}) {
    const Contenders one = with_own(text, grid, block, functions);
    return sweep::explore(one.module, one.launch, {}, limits);
}

struct Case {
    const char* what;
    const char* grid;
    const char* block;
    std::string text;
    std::string functions = {};
};

}  // namespace

TEST_CASE("what a warp hands on to its next round") {
    // another warp of the block goes on in each round; how often it did is in a register, or in where it stands
    const auto beside = [](const std::string& rounds) {
        return "and.b32 %r9, %r1, 31;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra END;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra RAISES;\nmov.u32 %r5, "
               "0;\n"
               "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra BESIDE;\nPOLL:\nld.relaxed.gpu.global.u32 %r3, [%rd2];\nst.shared.u32 [own], %r3;\n"
               "barrier.sync 1, 64;\nbarrier.sync 2, 64;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra POLL;\nbra END;\nBESIDE:\n" +
               rounds + "SPIN:\nbra SPIN;\nRAISES:\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nst.relaxed.gpu.global.u32 [%rd2], 1;\n";
    };
    const std::string meets =
        "barrier.sync 1, 64;\nld.shared.u32 %r3, [own];\nbarrier.sync 2, 64;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\n";
    const std::vector<Case> cases = {
        {"a call of a function is not another call of it", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra PEEKS;\nst.relaxed.gpu.global.u32 [%rd2], 1;\nbra END;\nPEEKS:\n{\n"
         ".param .b64 q;\nst.param.b64 [q], %rd2;\ncall.uni peek, (q);\ncall.uni peek, (q);\ncall.uni peek, (q);\n}\n"
         "SPIN:\nbra SPIN;\n",
         ".func peek(.param .b64 p)\n{\n.reg .b64 %a;\n.reg .b32 %v;\n.reg .pred %q;\nld.param.u64 %a, [p];\n"
         "ld.relaxed.gpu.global.u32 %v, [%a];\nfence.acq_rel.gpu;\nsetp.ne.u32 %q, %v, 0;\n@%q exit;\nret;\n}\n"},
        {"what is not computed is not 0", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLLS;\nst.relaxed.gpu.global.u32 [%rd2], 1;\nbra END;\nPOLLS:\n"
         "ld.shared.u32 %r5, [own];\nPOLL:\nld.relaxed.gpu.global.u32 %r3, [%rd2];\nfence.acq_rel.gpu;\n"
         "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\nsetp.eq.u32 %p9, %r5, 0;\n@%p9 bra SPIN;\nmov.u32 %r5, 0;\nbra POLL;\n"
         "SPIN:\nbra SPIN;\n"},
        {"it counts in memory of its own", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLLS;\nst.relaxed.gpu.global.u32 [%rd2], 1;\nbra END;\nPOLLS:\n"
         "mov.u64 %rd9, mine;\nst.local.u32 [%rd9], 0;\nPOLL:\nld.relaxed.gpu.global.u32 %r3, [%rd2];\n"
         "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\nld.local.u32 %r5, [%rd9];\nadd.u32 %r5, %r5, 1;\n"
         "st.local.u32 [%rd9], %r5;\nsetp.lt.u32 %p3, %r5, 3;\n@%p3 bra POLL;\nSPIN:\nbra SPIN;\n"},
        {"another warp of its block does", "2", "64",
         "and.b32 %r9, %r1, 31;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra END;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra RAISES;\n"
         "mov.u64 %rd9, mine;\nst.local.u32 [%rd9], 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra COUNTS;\nPOLL:\n"
         "ld.relaxed.gpu.global.u32 %r3, [%rd2];\nst.shared.u32 [own], %r3;\nbarrier.sync 1, 64;\nbarrier.sync 2, 64;\n"
         "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra POLL;\nbra END;\nCOUNTS:\nbarrier.sync 1, 64;\nld.shared.u32 %r3, [own];\n"
         "barrier.sync 2, 64;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\nld.local.u32 %r5, [%rd9];\n"
         "add.u32 %r5, %r5, 1;\nst.local.u32 [%rd9], %r5;\nsetp.ne.u32 %p2, %r5, 3;\nmov.u32 %r5, 0;\n"
         "@%p2 bra COUNTS;\nSPIN:\nbra SPIN;\nRAISES:\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n"
         "st.relaxed.gpu.global.u32 [%rd2], 1;\n"},
        {"another warp of its block counts in a register", "2", "64",
         beside(meets + "add.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 3;\n@%p2 bra BESIDE;\n")},
        {"another warp of its block goes on", "2", "64", beside(meets + meets + meets)},
        {"a value that is known in part", "3", "1",
         "st.shared.u8 [own], 0;\nld.shared.u32 %r5, [own];\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra POLL;\n"
         "ld.relaxed.gpu.global.u32 %r4, [%rd2];\nadd.u32 %r4, %r4, 1;\nst.relaxed.gpu.global.u32 [%rd2], %r4;\n"
         "st.relaxed.gpu.global.u32 [%rd2], 7;\nbra END;\nPOLL:\nld.relaxed.gpu.global.u32 %r3, [%rd2];\n"
         "fence.acq_rel.gpu;\nsetp.ne.u32 %p2, %r3, 1;\n@%p2 bra END;\nand.b32 %r6, %r5, 1;\nxor.b32 %r5, %r5, 1;\n"
         "setp.eq.u32 %p3, %r6, 0;\n@%p3 bra POLL;\nSPIN:\nbra SPIN;\n"},
    };
    for (const Case& one : cases) {
        CAPTURE(std::string(one.what));
        CHECK(!explored_with_own(one.text, one.grid, one.block, one.functions).swept.findings.empty());
    }
}

TEST_CASE("what may be an access, or meet one, is chosen") {
    const std::vector<Case> cases = {
        {"it is not known whether the guard holds", "3", "1",
         "setp.ne.u32 %p9, %r2, %r2;\nld.shared.u32 %r9, [own];\nsetp.eq.u32 %p9, %r9, 0;\n"
         "@%p9 atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n"
         "setp.ne.u32 %p1, %r2, 1;\n@%p1 bra END;\nSPIN:\nbra SPIN;\n"},
        {"two accesses of other widths meet", "2", "1",
         "mov.u32 %r5, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra READS;\n"
         "st.relaxed.gpu.global.v2.u32 [%rd2], {%r5, %r5};\nbra END;\nREADS:\n"
         "ld.relaxed.gpu.global.u32 %r3, [%rd2+4];\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\nSPIN:\nbra SPIN;\n"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        CHECK(!explored_with_own(one.text, one.grid, one.block).swept.findings.empty());
    }
}

TEST_CASE("a warp that waits goes on when it finds something else") {
    const std::vector<Case> cases = {
        {"a round with an access of its own", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLL;\nst.relaxed.gpu.global.u32 [%rd2+4], 1;\nbra END;\nPOLL:\n"
         "ld.relaxed.gpu.global.u32 %r3, [%rd2];\nld.relaxed.gpu.global.u32 %r4, [%rd2+4];\nst.shared.u32 [own], %r4;\n"
         "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra POLL;\n"},
        {"the second of two reads", "3", "1",
         "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra RAISES;\nsetp.eq.u32 %p1, %r2, 2;\n@%p1 bra OTHER;\nPOLL:\n"
         "ld.relaxed.gpu.global.u32 %r3, [%rd2];\nld.relaxed.gpu.global.u32 %r4, [%rd2+4];\nld.shared.u32 %r5, [own];\n"
         "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra END;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra POLL;\nbra END;\nRAISES:\n"
         "st.relaxed.gpu.global.u32 [%rd2+4], 1;\nbra END;\nOTHER:\nld.relaxed.gpu.global.u32 %r3, [%rd2+4];\n"
         "setp.ne.u32 %p2, %r3, 0;\n@%p2 st.relaxed.gpu.global.u32 [%rd2], 1;\n"},
        {"the second of two lanes", "2", "2",
         "mul.wide.u32 %rd9, %r1, 4;\nadd.u64 %rd9, %rd9, %rd2;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra OTHER;\nbra POLL;\n"
         "RAISES:\nst.relaxed.gpu.global.u32 [%rd2+8], 1;\nbra END;\nPOLL:\nld.relaxed.gpu.global.u32 %r3, [%rd9];\n"
         "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra RAISES;\nbra POLL;\nOTHER:\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra END;\n"
         "st.relaxed.gpu.global.u32 [%rd2+4], 1;\nst.relaxed.gpu.global.u32 [%rd2+4], 2;\nBACK:\n"
         "ld.relaxed.gpu.global.u32 %r3, [%rd2+8];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra BACK;\n"
         "st.relaxed.gpu.global.u32 [%rd2], 1;\nst.relaxed.gpu.global.u32 [%rd2], 2;\n"},
        {"a compare-and-swap that succeeds", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra OTHER;\nLOOP:\natom.acquire.gpu.global.cas.b32 %r3, [%rd2], 0, 1;\n"
         "setp.ne.u32 %p2, %r3, 2;\n@%p2 bra LOOP;\nbra END;\nOTHER:\nld.relaxed.gpu.global.u32 %r3, [%rd2];\n"
         "setp.ne.u32 %p2, %r3, 1;\n@%p2 bra OTHER;\nst.release.gpu.global.u32 [%rd2], 2;\n"},
        {"what it read before the loop has changed", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLLS;\nst.relaxed.gpu.global.u32 [%rd2], 1;\n"
         "st.relaxed.gpu.global.u32 [%rd2+4], 1;\nbra END;\nPOLLS:\nld.relaxed.gpu.global.u32 %r3, [%rd2];\nPOLL:\n"
         "ld.relaxed.gpu.global.u32 %r4, [%rd2+4];\nfence.acq_rel.gpu;\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra POLL;\n"},
        {"the flag is known in part, and has changed once", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLL;\nst.shared.u8 [own], 1;\nld.shared.u32 %r5, [own];\n"
         "st.relaxed.gpu.global.u32 [%rd2], %r5;\nst.relaxed.gpu.global.u32 [%rd2], 2;\nbra END;\nPOLL:\n"
         "ld.relaxed.gpu.global.u32 %r3, [%rd2];\nld.shared.u32 %r4, [own];\nand.b32 %r6, %r3, 255;\n"
         "setp.ne.u32 %p2, %r6, 2;\n@%p2 bra POLL;\n"},
        {"each round has a strong access to memory of the thread", "2", "1",
         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLLS;\nst.release.gpu.global.u32 [%rd2], 1;\nbra END;\nPOLLS:\n"
         "mov.u64 %rd9, mine;\ncvta.local.u64 %rd9, %rd9;\nst.relaxed.gpu.u32 [%rd9], 5;\nPOLL:\n"
         "ld.relaxed.gpu.u32 %r4, [%rd9];\nld.relaxed.gpu.global.u32 %r3, [%rd2];\nfence.acq_rel.gpu;\n"
         "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra POLL;\n"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        const sweep::Explored all = explored_with_own(one.text, one.grid, one.block, "", {.most_runs = 40, .exchanges = false});
        CHECK(all.all);
        CHECK(all.swept.findings.empty());
    }
}

TEST_CASE("a run that is about to end has no other orders") {
    const std::string text =
        "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra POLL;\nst.release.gpu.global.u32 [%rd2], 1;\nbra END;\nPOLL:\n"
        "ld.relaxed.gpu.global.u32 %r3, [%rd2];\nfence.acq_rel.gpu;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra POLL;\n";
    CHECK(explored_with_own(text, "4", "1", "", {.exchanges = false, .takes_detours = false}).runs == 7);
}

TEST_CASE("what meets nothing is run in one order") {
    const auto runs = [](const std::string& text, const std::string& grid, const std::string& block = "1") {
        const sweep::Explored all = explored_with_own(text, grid, block, "", {.exchanges = false});
        CHECK(all.all);
        CHECK(all.swept.findings.empty());
        return all.runs;
    };
    // two pairs of blocks draw tickets, each pair its own: of two words, or of two arrays
    const auto pairs = [](const std::string& other) {
        return "setp.lt.u32 %p1, %r2, 2;\nadd.u64 %rd4, " + other +
               ";\nselp.b64 %rd3, %rd1, %rd4, %p1;\n"
               "atom.acq_rel.gpu.global.add.u32 %r3, [%rd3], 1;\nsetp.ne.u32 %p2, %r3, 1;\n@%p2 bra END;\nst.global.u32 [%rd3+4], 1;\n";
    };
    CHECK(runs(pairs("%rd2, 0"), "4") == runs(pairs("%rd1, 8"), "4"));
    // a weak write comes before the tickets that are drawn there
    const auto tickets = [](const std::string& begins) {
        return "setp.gt.u32 %p1, %r2, 2;\n@%p1 bra OTHERS;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra AWAIT;\n" + begins +
               "st.release.gpu.global.u32 [%rd2+8], 1;\nbra END;\nAWAIT:\nld.acquire.gpu.global.u32 %r4, [%rd2+8];\n"
               "setp.eq.u32 %p2, %r4, 0;\n@%p2 bra AWAIT;\natom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\n"
               "setp.eq.u32 %p2, %r3, 1;\n@%p2 st.global.u32 [%rd1], 1;\nbra END;\nOTHERS:\n"
               "atom.relaxed.gpu.global.add.u32 %r3, [%rd2+4], 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 st.global.u32 [%rd1+4], 1;\n";
    };
    CHECK(runs(tickets("st.global.u32 [%rd2], 0;\n"), "5") == runs(tickets(""), "5"));
    // warps of block 1 draw in its shared memory; what block 0 does in its own meets that nowhere
    const auto shared = [](const std::string& first) {
        return "and.b32 %r9, %r1, 31;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra END;\nsetp.eq.u32 %p3, %r1, 0;\n@%p3 st.shared.u32 [own], 0;\n"
               "barrier.sync 1, 64;\nsetp.eq.u32 %p2, %r2, 1;\n@%p2 bra DRAWS;\n@!%p3 bra END;\n" +
               first +
               "bra DRAW;\nDRAWS:\natom.relaxed.cta.shared.add.u32 %r3, [own], 1;\nsetp.ne.u32 %p1, %r3, 1;\n@%p1 bra END;\nDRAW:\n"
               "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\nld.global.u32 %r4, [%rd1];\n";
    };
    CHECK(runs(shared("st.relaxed.cta.shared.u32 [own], 1;\n"), "3", "64") == runs(shared(""), "3", "64"));
    // reductions of one kind that give nothing
    const std::string draws = "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.eq.u32 %p1, %r3, 1;\n@%p1 bra END;\nmov.u32 %r4, 1;\n";
    CHECK(runs("red.relaxed.gpu.global.add.u32 [%rd2+4], 1;\n" + draws, "3") == 6);
}

TEST_CASE("the first run of a search is fair") {
    // block 0 goes on drawing until block 1 has raised the flag
    const std::string text =
        "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra RAISES;\nmov.u32 %r5, 0;\nAGAIN:\natom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\n"
        "ld.acquire.gpu.global.u32 %r4, [%rd2+4];\nadd.u32 %r5, %r5, 1;\nsetp.eq.u32 %p1, %r4, 0;\nsetp.lt.and.u32 %p1, %r5, 100, %p1;\n"
        "@%p1 bra AGAIN;\nbra END;\nRAISES:\natom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\nst.release.gpu.global.u32 [%rd2+4], 1;\n";
    CHECK(explored_with_own(text, "2", "1", "", {.most_runs = 1}).swept.accesses < 20);
}

TEST_CASE("a round in which another warp has chosen is not in vain") {
    // the warps of block 0 poll a flag each, and tell each other
    const Contenders one = with_own(
        "and.b32 %r9, %r1, 31;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra END;\nsetp.eq.u32 %p3, %r1, 0;\nsetp.eq.u32 %p4, %r2, 1;\n"
        "@%p4 bra OTHER;\n@!%p3 bra SECOND;\nFIRST:\nld.relaxed.gpu.global.u32 %r3, [%rd2];\nbarrier.sync 1, 64;\nbarrier.sync 2, 64;\n"
        "ld.shared.u32 %r4, [own];\nld.relaxed.gpu.global.u32 %r3, [%rd2];\nsetp.eq.u32 %p5, %r4, 0;\nmov.u32 %r4, 0;\n@%p5 bra "
        "FIRST;\nbra END;\nSECOND:\nmov.u32 %r5, 0;\n"
        "barrier.sync 1, 64;\nld.relaxed.gpu.global.u32 %r5, [%rd2+4];\nst.shared.u32 [own], %r5;\nbarrier.sync 2, 64;\n"
        "setp.eq.u32 %p5, %r5, 0;\n@%p5 bra SECOND;\nbra END;\nOTHER:\n@!%p3 bra END;\nmov.u32 %r5, 0;\nLATE:\n"
        "ld.relaxed.gpu.global.u32 %r3, [%rd2+8];\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p5, %r5, 5;\n@%p5 bra LATE;\n"
        "st.relaxed.gpu.global.u32 [%rd2+4], 1;\n",
        "2", "64");
    sweep::Options how;
    how.schedule.choices = std::make_shared<const std::vector<sweep::Choice>>();
    CHECK(sweep::sweep(one.module, one.launch, how).chose_all);
}

TEST_CASE("a warp that computes for long comes to its choice late, so that not each order is run") {
    const std::string text =
        "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DRAW;\nmov.u32 %r5, 0;\nLONG:\nadd.u32 %r5, %r5, 1;\n"
        "setp.lt.u32 %p2, %r5, 100000;\n@%p2 bra LONG;\nDRAW:\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\n"
        "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\nsetp.ne.u32 %p1, %r2, 1;\n@!%p1 bra END;\nsetp.ne.u32 %p1, %r2, 2;\n"
        "@!%p1 bra END;\nSPIN:\nbra SPIN;\n";
    CHECK(!explored_with_own(text, "3").all);
}

TEST_CASE("what another lane could do meanwhile") {
    const auto arrives = [](const std::string& before) {
        return "setp.eq.u32 %p1, %r1, 32;\nsetp.ne.u32 %p9, %r1, 99;\nmov.u32 %r7, 3;\n@%p1 mbarrier.init.shared::cta.b64 [own], 1;\n"
               "bar.sync 0;\n@%p1 bra OTHER;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 bra LANE;\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra END;\n"
               "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nbra END;\nOTHER:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 %p4, [own], 0;\n@!%p4 bra OTHER;\n"
               "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p5, %r3, 0;\n@%p5 bra END;\nSPIN:\nbra SPIN;\nLANE:\n" +
               before + "mbarrier.arrive.shared::cta.b64 _, [own];\n";
    };
    const std::vector<Case> cases = {
        {"its guard holds it back from the ticket", "1", "33",
         "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 1;\nsetp.eq.u32 %p3, %r1, 32;\n"
         "@%p1 mbarrier.init.shared::cta.b64 [own], 1;\nbar.sync 0;\n@%p3 bra OTHER;\n"
         "@%p1 atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\n@%p2 mbarrier.arrive.shared::cta.b64 _, [own];\nbra END;\nOTHER:\n"
         "mbarrier.try_wait.parity.shared::cta.b64 %p4, [own], 0;\n@!%p4 bra OTHER;\n"
         "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p5, %r3, 0;\n@%p5 bra END;\nSPIN:\nbra SPIN;\n"},
        {"a guard that is computed before its exit", "1", "33", arrives("setp.eq.u32 %p9, %r1, 99;\n@%p9 exit;\n")},
        {"a mask that is computed before it meets others", "1", "33", arrives("mov.u32 %r7, 2;\nbar.warp.sync %r7;\n")},
        {"a lane that it meets", "1", "33",
         "setp.eq.u32 %p1, %r1, 32;\n@%p1 mbarrier.init.shared::cta.b64 [own], 1;\nbar.sync 0;\n@%p1 bra OTHER;\nsetp.gt.u32 %p2, %r1, 2;\n"
         "@%p2 bra END;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra DRAW;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 bra LATE;\nbar.warp.sync 6;\n"
         "mbarrier.arrive.shared::cta.b64 _, [own];\nbra END;\nDRAW:\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nbra END;\nLATE:\n"
         "bar.warp.sync 6;\nbra END;\nOTHER:\nmbarrier.try_wait.parity.shared::cta.b64 %p4, [own], 0;\n@!%p4 bra OTHER;\n"
         "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p5, %r3, 0;\n@%p5 bra END;\nSPIN:\nbra SPIN;\n"},
        {"a return from a call", "1", "33",
         "setp.eq.u32 %p1, %r1, 32;\n@%p1 mbarrier.init.shared::cta.b64 [own], 1;\nbar.sync 0;\n@%p1 bra OTHER;\n"
         "setp.gt.u32 %p2, %r1, 1;\n@%p2 bra END;\n{\n.param .b32 n;\n.param .b64 o;\nst.param.b32 [n], %r1;\n"
         "st.param.b64 [o], %rd2;\ncall.uni returns, (n, o);\n}\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra END;\n"
         "mbarrier.arrive.shared::cta.b64 _, [own];\nbra END;\nOTHER:\n"
         "mbarrier.try_wait.parity.shared::cta.b64 %p4, [own], 0;\n@!%p4 bra OTHER;\n"
         "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p5, %r3, 0;\n@%p5 bra END;\nSPIN:\nbra SPIN;\n",
         ".func returns(.param .b32 p, .param .b64 q)\n{\n.reg .b64 %a;\n.reg .b32 %v;\n.reg .pred %g;\n"
         "ld.param.u32 %v, [p];\nld.param.u64 %a, [q];\nsetp.eq.u32 %g, %v, 1;\n@%g bra R;\n"
         "atom.acq_rel.gpu.global.add.u32 %v, [%a], 1;\nR:\nret;\n}\n"},
        {"it goes on while another one polls", "2", "64",
         "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [own], 1;\nbar.sync 0;\n"
         "setp.ne.u32 %p9, %r2, 0;\n@%p9 bra OTHER;\nsetp.eq.u32 %p2, %r1, 32;\n@%p2 bra DRAWS;\n"
         "setp.gt.u32 %p3, %r1, 1;\n@%p3 bra END;\nsetp.eq.u32 %p4, %r1, 1;\n@%p4 bra ARRIVES;\nPOLL:\n"
         "ld.acquire.gpu.global.u32 %r3, [%rd2+8];\nsetp.eq.u32 %p5, %r3, 0;\n@%p5 bra POLL;\nbra END;\nARRIVES:\n"
         "mbarrier.arrive.shared::cta.b64 _, [own];\nbra END;\nDRAWS:\n"
         "mbarrier.try_wait.parity.shared::cta.b64 %p6, [own], 0;\n@!%p6 bra DRAWS;\n"
         "atom.acq_rel.gpu.global.add.u32 %r4, [%rd2], 1;\nsetp.ne.u32 %p7, %r4, 0;\n@%p7 bra END;\nSPIN:\nbra SPIN;\n"
         "OTHER:\nsetp.ne.u32 %p7, %r1, 0;\n@%p7 bra END;\natom.acq_rel.gpu.global.add.u32 %r4, [%rd2], 1;\n"
         "st.release.gpu.global.u32 [%rd2+8], 1;\n"},
    };
    for (const Case& one : cases) {
        CAPTURE(std::string(one.what));
        CHECK(!explored_with_own(one.text, one.grid, one.block, one.functions).swept.findings.empty());
    }
    // it waits for what the other one does behind its ticket
    const std::string waits =
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared::cta.b64 [own], 1;\nbar.sync 0;\n@%p1 bra DRAWS;\nWAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 %p4, [own], 0;\n@!%p4 bra WAIT;\nbra END;\nDRAWS:\n"
        "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nmbarrier.arrive.shared::cta.b64 _, [own];\n"
        "setp.ne.u32 %p5, %r3, 1;\n@%p5 bra END;\nst.global.u32 [%rd1], 1;\n";
    CHECK(explored_with_own(waits, "2", "2").swept.out_of_line.empty());
    // and it waits where the whole block meets
    const std::string meets =
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p2, %r3, 1;\n@%p2 bra "
        "MEET;\n"
        "st.global.u32 [%rd1], 1;\nMEET:\nbar.sync 0;\n";
    CHECK(explored_with_own(meets, "2", "2").swept.out_of_line.empty());
}

TEST_CASE("lanes of a warp that are chosen one by one") {
    // so many draw tickets as there are lanes: each order of them is run once
    const std::string draws =
        "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.eq.u32 %p1, %r3, 9;\n@!%p1 bra END;\nst.global.u32 [%rd1], 1;\n";
    CHECK(explored_with_own(draws, "1", "2", "", {.exchanges = false}).runs == 2);
    CHECK(explored_with_own(draws, "1", "3", "", {.exchanges = false}).runs == 6);
    CHECK(explored_with_own(draws, "2", "2", "", {.exchanges = false}).runs == 24);
    CHECK(explored_with_own(draws, "1", "4").swept.out_of_line.empty());
    // of nine none is chosen by itself
    CHECK(explored_with_own(draws, "1", "9", "", {.exchanges = false}).runs == 1);
    CHECK_FALSE(explored_with_own(draws, "1", "9", "", {.exchanges = false}).swept.out_of_line.empty());

    // where nothing decides, nine lanes may write
    const std::string writes =
        "mad.lo.u32 %r4, %r2, 16, %r1;\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd3, %rd1, %rd3;\nst.relaxed.gpu.global.u8 [%rd3], 1;\n"
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.eq.u32 %p2, %r3, 1;\n"
        "@%p2 st.global.u32 [%rd2+8], 1;\n";
    const sweep::Explored one_draws = explored_with_own(writes, "2", "9", "", {.exchanges = false});
    CHECK(one_draws.all);
    CHECK(one_draws.runs == 2);
    CHECK(one_draws.swept.out_of_line.empty());

    // Each of two lanes polls a flag of its own, and they vote whether to go on. Each of two other blocks raises a flag, or takes it back.
    const auto vote = [](const std::string& clock, const std::string& behind) {
        return "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra VOTES;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nmul.wide.u32 %rd3, %r2, 4;\n"
               "add.u64 %rd3, %rd2, %rd3;\nst.release.gpu.global.u32 [%rd3], 1;\n" +
               behind +
               "bra END;\nVOTES:\nmul.wide.u32 %rd3, %r1, 4;\n"
               "add.u64 %rd3, %rd2, %rd3;\nLOOP:\n" +
               clock +
               "ld.acquire.gpu.global.u32 %r3, [%rd3+4];\nsetp.eq.u32 %p2, %r3, 0;\n"
               "vote.sync.any.pred %p3, %p2, 3;\n@%p3 bra LOOP;\n";
    };
    const std::string takes_back = "st.relaxed.gpu.global.u32 [%rd3], 0;\n";
    const auto instructions_to_decide = [](const std::string& text, const std::string& grid) {
        const sweep::Explored found = explored_with_own(text, grid, "2");
        CHECK(found.all);
        CHECK(found.swept.findings.empty());
        CHECK(found.swept.out_of_line.empty());
        return found.swept.instructions;
    };
    CHECK(instructions_to_decide(vote("", ""), "3") < 2000);
    CHECK(instructions_to_decide(vote("mov.u64 %rd5, %clock64;\n", ""), "3") < 2000);
    CHECK_FALSE(explored_with_own(vote("", takes_back), "3", "2").swept.findings.empty());  // it waits for ever

    // one of them alone goes round in vain, until the other one has drawn a ticket
    const std::string alone =
        "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra DRAW;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra DRAW;\nLOOP:\n"
        "ld.acquire.gpu.global.u32 %r3, [%rd2+4];\nsetp.eq.u32 %p2, %r3, 0;\nvote.sync.any.pred %p3, %p2, 1;\n@%p3 bra LOOP;\nbra END;\n"
        "DRAW:\nsetp.eq.u32 %p4, %r1, %r2;\n@%p4 bra END;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\n"
        "setp.eq.u32 %p4, %r3, 1;\n@%p4 st.release.gpu.global.u32 [%rd2+4], 1;\n";
    instructions_to_decide(alone, "2");
    Contenders one = with_own(alone, "2", "2", "");
    sweep::Options one_by_one;
    one_by_one.records = true;
    one_by_one.schedule.choices = std::make_shared<const std::vector<sweep::Choice>>();
    one_by_one.schedule.splits = true;
    CHECK(sweep::sweep(one.module, one.launch, one_by_one).chose_all);

    // the turns of such a run repeat it
    one = with_own(
        "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, %r1;\n@%p1 bra END;\n"
        "st.global.u32 [%rd1], 1;\n",
        "1", "3", "");
    one_by_one.schedule.choices = std::make_shared<const std::vector<sweep::Choice>>(std::vector<sweep::Choice>{{0, 2}, {1, 1}});
    const Swept turned = sweep::sweep(one.module, one.launch, one_by_one);
    REQUIRE(turned.chosen.size() == 3);
    CHECK(turned.chosen[0].place.seat.thread == 2);
    CHECK(turned.chosen[1].place.seat.thread == 1);
    CHECK(turned.findings.empty());
    sweep::Options again;
    again.schedule = turned.took;
    again.schedule.choices = nullptr;
    CHECK(sweep::sweep(one.module, one.launch, again).findings.empty());
    CHECK_FALSE(sweep::sweep(one.module, one.launch, {}).findings.empty());  // each of the three lanes stores

    // one lane polls beside another one, and each round leaves a clock in a register that nobody reads
    const std::string clock =
        "setp.eq.u32 %p1, %r2, 0;\n@!%p1 bra RAISE;\nsetp.ne.u32 %p1, %r1, 0;\nLOOP:\nmov.u32 %r3, 1;\n@%p1 bra JOIN;\n"
        "ld.acquire.gpu.global.u32 %r3, [%rd2+4];\nJOIN:\nsetp.eq.u32 %p2, %r3, 0;\nvote.sync.any.pred %p3, %p2, 3;\n"
        "mov.u64 %rd5, %clock64;\n@%p3 bra LOOP;\nbra END;\nRAISE:\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n"
        "st.release.gpu.global.u32 [%rd2+4], 1;\n";
    CHECK(instructions_to_decide(clock, "2") < 1000);

    // one lane spins at a flag that nobody contends for, until another one of its warp has gone on
    const std::string spins =
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra RAISES;\nSPIN:\nld.acquire.gpu.global.u32 %r3, [%rd1+4];\nsetp.eq.u32 %p2, %r3, 0;\n"
        "@%p2 bra SPIN;\nbra DRAW;\nRAISES:\nst.release.gpu.global.u32 [%rd1+4], 1;\nDRAW:\n" +
        draws;
    instructions_to_decide(spins, "1");
}

// Lane 0 draws, while the others do something that has no place in an order, and wait for it then.
TEST_CASE("lanes of a warp may do meanwhile what has no place in an order") {
    const auto beside = [](const std::string& others, const std::string& meet) {
        return "mov.u32 %r7, -2;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LANES;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nbra MEET;\n"
               "LANES:\n" +
               others + "MEET:\n" + meet +
               "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nsetp.ne.u32 %p5, %r3, 1;\n@%p5 bra END;\nst.global.u32 [%rd1], 1;\n";
    };
    const std::string meet = "bar.sync 0;\n";
    const std::vector<std::pair<std::string, std::string>> quiet = {
        {"a way that a weak read decides", beside("ld.global.u32 %r4, [%rd1+32];\nsetp.eq.u32 %p6, %r4, 7;\n@%p6 exit;\n", meet)},
        {"a loop over weak reads", beside("AGAIN:\nld.global.u32 %r4, [%rd1+32];\nsetp.eq.u32 %p6, %r4, 7;\n@%p6 bra AGAIN;\n", meet)},
        {"a fence", beside("fence.acq_rel.gpu;\n", meet)},
        {"a fence.sc, as long as fences have no order", beside("fence.sc.gpu;\n", meet)},
        {"who is active", beside("activemask.b32 %r4;\n", meet)},
        {"memory of their own", beside("st.local.u32 [mine], %r1;\n", meet)},
        {"what they exchange among themselves", beside("shfl.sync.idx.b32 %r4, %r1, 1, 31, %r7;\n", meet)},
        {"a mask that is read", beside("sub.u32 %r4, %r7, 0;\nbar.warp.sync %r4;\n", meet)},
        {"a meeting by a mask that one mov writes", beside("add.u32 %r4, %r1, 1;\n",
                                                           "mov.u32 %r8, -1;\nbar.warp.sync %r8;\nsetp.ne.u32 %p1, %r1, 5;\n@%p1 bra ON;\n"
                                                           "red.relaxed.gpu.global.add.u32 [%rd1+32], 1;\nON:\n")},
        {"a barrier of all threads that is not aligned", beside("add.u32 %r4, %r1, 1;\n", "barrier.sync 0;\n")},
    };
    for (const auto& [what, text] : quiet) {
        CAPTURE(what);
        const Swept swept = explored_with_own(text, "2", "32").swept;
        CHECK(swept.contended);
        for (const std::string& why : swept.out_of_line) FAIL_CHECK(why);
    }
    // of many lanes none is chosen by itself
    const std::string counts = "red.relaxed.gpu.global.add.u32 [%rd1+32], 1;\n", draw = "atom.relaxed.gpu.global.add.u32 %r4, [%rd2], 1;\n";
    const Swept swept = explored_with_own(beside(counts + draw, meet), "2", "32").swept;
    CHECK(explored_with_own(beside(counts, meet), "2", "32").swept.out_of_line.empty());
    REQUIRE_FALSE(swept.out_of_line.empty());
    CHECK(swept.out_of_line.front().find("some may come to `red.relaxed.gpu.global.add.u32` (") != std::string::npos);
    // a barrier for so many threads may be over without lane 0
    CHECK_FALSE(explored_with_own(beside("barrier.sync 1, 32;\n" + counts + draw, meet), "2", "64").swept.out_of_line.empty());
    // the others may come to the barrier first, which lane 0 passes by
    const std::string passes =
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra LANES;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\n"
        "setp.ne.u32 %p5, %r3, 1;\n@%p5 bra END;\nst.global.u32 [%rd1], 1;\nbra END;\nLANES:\nbar.sync 0;\n";
    const std::vector<std::string> conditions = explored_with_own(passes, "2", "32").swept.conditions;
    CHECK(std::any_of(conditions.begin(), conditions.end(), [](const std::string& one) {
        return one.find("lanes of the warp pass this `.aligned` instruction by") != std::string::npos;
    }));
    const kernel::Module module = kernel::testing::module_of(".visible .entry k()\n{\nfence.sc.gpu;\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = texts.block = "1";
    const auto decoded = sweep::decoded(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }), {});
    CHECK(sweep::Behind(decoded->code, true).ways(0, 1, {}).first == &decoded->code.front());
    CHECK(sweep::Behind(decoded->code, false).ways(0, 1, {}).first == nullptr);
}
