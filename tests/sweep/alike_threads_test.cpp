// One thread for all that are alike: where that is allowed, it shows what each order of the threads shows.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/explore.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;

namespace {

struct Threads {
    kernel::Module module;
    kernel::Launch launch;
};

// x = u32[256], each its own number, is in %rd1, y = u32[256] in %rd2, and their words of the thread in %rd3 and %rd4. The number of the
// thread in the grid is in %r1, and that of its block in %r2. `variables`: what the kernel declares besides.
Threads threads_of(const std::string& text, const std::string& grid, const std::string& block, const std::string& variables = "") {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[256]:iota", "y=u32[256]"};
    kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .pred %p<40>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n" +
        variables +
        "ld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r10, %ntid.x;\n"
        "mov.u32 %r1, %tid.x;\nmad.lo.u32 %r1, %r2, %r10, %r1;\nmul.wide.u32 %rd5, %r1, 4;\nadd.u64 %rd3, %rd1, %rd5;\n"
        "add.u64 %rd4, %rd2, %rd5;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

sweep::Explored searched(const Threads& one, bool exchanges = true) {
    return sweep::explore(one.module, one.launch, {}, {.most_runs = 3000, .most_work = 40'000'000, .exchanges = exchanges});
}

// Whether each order was run, nothing was found, and no other orders come about.
bool is_right(const sweep::Explored& all) {
    return all.all && all.swept.findings.empty() && all.swept.out_of_line.empty();
}

// Each thread with a word that is not 0 takes a place in y, from its word 16 on.
const std::string draws_place = "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\n",
                  to_place = "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd6, %rd6, %rd2;\n",
                  compacts = "ld.global.u32 %r4, [%rd3];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra END;\n" + draws_place + to_place +
                             "st.global.u32 [%rd6+64], %r4;\n";

}  // namespace

TEST_CASE("threads that are alike are exchanged") {
    const auto runs = [](const std::string& text, const std::string& grid, const std::string& block, const std::string& variables = "") {
        const sweep::Explored all = searched(threads_of(text, grid, block, variables));
        CHECK(is_right(all));
        CHECK(all.exchanged);
        CHECK(all.threads_apart.empty());
        for (const std::string& why : all.swept.out_of_line) FAIL_CHECK(why);
        return all.runs;
    };
    for (const auto& [grid, block] : {std::pair("1", "32"), std::pair("1", "64"), std::pair("2", "64"), std::pair("3", "48")})
        CHECK(runs(compacts, grid, block) == 1);
    // each in a loop, of which it has one round: the number of the thread says that it ends
    CHECK(runs("LOOP:\n" + compacts + "add.u32 %r1, %r1, 256;\nsetp.lt.u32 %p2, %r1, 64;\n@%p2 bra LOOP;\n", "2", "32") == 1);
    // the word is loaded behind the draw, and the place is kept where the word was
    CHECK(runs(draws_place + to_place + "ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd6+64], %r4;\n", "1", "64") == 1);
    CHECK(runs(draws_place + "st.global.u32 [%rd4+64], %r3;\n", "2", "32") == 1);
    // of two counters each has an order of its own
    const std::string counter = "and.b32 %r5, %r1, 1;\nmul.wide.u32 %rd7, %r5, 4;\nadd.u64 %rd7, %rd7, %rd2;\n";
    CHECK(runs(counter + "atom.relaxed.gpu.global.add.u32 %r3, [%rd7], 1;\nst.global.u32 [%rd4+64], %r3;\n", "1", "32") < 200);
    // the last one reads what all have written
    const std::string last = "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 31;\n@%p1 bra END;\n";
    CHECK(runs("st.global.u32 [%rd3], %r1;\n" + last + "ld.global.u32 %r5, [%rd1];\nld.global.u32 %r6, [%rd1+124];\n", "1", "32") == 1);
    // threads of one block alone draw in its shared memory; thread 0, which has begun it, is like no other
    const std::string shared = ".shared .align 4 .b8 own[256];\n",
                      begins = "setp.eq.u32 %p2, %r1, 0;\n@%p2 st.shared.u32 [own], 0;\nbar.sync 0;\n",
                      in_shared =
                          "atom.relaxed.cta.shared.add.u32 %r3, [own], 1;\nmov.u32 %r6, own;\nmad.lo.u32 %r6, %r3, 4, %r6;\n"
                          "st.shared.u32 [%r6+4], %r1;\n";
    CHECK(runs(begins + in_shared, "1", "8", shared) == 8);
    // lanes that have voted are alike in their warp: one of the other warp may come at any time
    CHECK(runs("vote.sync.ballot.b32 %r7, 1, -1;\n" + compacts, "1", "32") == 1);
    CHECK(runs("vote.sync.ballot.b32 %r7, 1, -1;\nsetp.gt.u32 %p3, %r1, 32;\n@%p3 bra END;\n" + draws_place +
                   "st.global.u32 [%rd4+64], %r3;\n",
               "1", "64") == 33);
    // threads that have come to a barrier are alike in their block
    CHECK(runs("bar.sync 0;\n" + draws_place + "st.global.u32 [%rd4+64], %r3;\n", "2", "2") == 6);
}

TEST_CASE("threads of a kernel with mbarrier objects are not exchanged") {
    const std::string object = ".shared .align 8 .b64 object;\n",
                      begins = "setp.eq.u32 %p2, %r1, 0;\n@%p2 mbarrier.init.shared.b64 [object], 4;\n";
    CHECK(searched(threads_of(draws_place + "st.global.u32 [%rd4+64], %r3;\n", "1", "4", object)).runs == 1);
    CHECK(searched(threads_of(begins + draws_place + "st.global.u32 [%rd4+64], %r3;\n", "1", "4", object)).runs == 24);
}

TEST_CASE("what only another order of the threads shows") {
    struct Case {
        const char* what;
        const char* grid;
        const char* block;
        std::string text;
        std::string variables = "";
    };
    const auto drawn = [](int n) { return draws_place + "setp.ne.u32 %p1, %r3, " + std::to_string(n) + ";\n@%p1 bra END;\n"; };
    const std::string spins = "SPIN:\nbra SPIN;\n", stores = "st.global.u32 [%rd3], %r1;\n";
    const std::vector<Case> cases = {
        {"the number of the thread decides behind the place", "1", "4", drawn(0) + "setp.ne.u32 %p2, %r1, 2;\n@%p2 bra END;\n" + spins},
        {"the number that another thread has brought decides behind the place", "1", "4",
         "shfl.sync.down.b32 %r7, %r1, 1, 31, 15;\n" + drawn(0) + "setp.ne.u32 %p2, %r7, 2;\n@%p2 bra END;\n" + spins},
        {"it decides before the place does", "1", "4",
         draws_place + "setp.ne.u32 %p2, %r1, 2;\n@%p2 bra END;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\n" + spins},
        {"together with the place, which is the same number in the first run", "1", "4",
         draws_place + "setp.eq.u32 %p2, %r1, %r3;\n@%p2 bra END;\n" + spins},
        {"together with what is found by the place", "1", "4",
         draws_place +
             "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd6, %rd6, %rd1;\nld.global.u32 %r4, [%rd6];\nsetp.eq.u32 %p2, %r1, %r4;\n"
             "@%p2 bra END;\n" +
             spins},
        {"the last one reads what another one has written before it drew", "1", "4", stores + drawn(3) + "ld.global.u32 %r5, [%rd1+12];\n"},
        {"which was a strong write", "1", "4", "st.relaxed.gpu.global.u32 [%rd3], %r1;\n" + drawn(3) + "ld.global.u32 %r5, [%rd1+12];\n"},
        {"the last one reads by its number", "1", "4",
         stores + drawn(3) +
             "xor.b32 %r6, %r1, 3;\nmul.wide.u32 %rd6, %r6, 0;\n"
             "add.u64 %rd6, %rd6, %rd3;\nld.global.u32 %r5, [%rd6+4];\n"},
        {"it writes by its number, and by its place", "1", "4",
         draws_place + "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd6, %rd6, %rd1;\nst.global.u32 [%rd3], 1;\nst.global.u32 [%rd6], 2;\n"},
        {"the first one writes by its number what the two others write at once", "1", "3",
         "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nmin.u32 %r6, %r3, 1;\nPOLL:\nld.acquire.gpu.global.u32 %r5, [%rd2+4];\n"
         "setp.lt.u32 %p2, %r5, %r6;\n@%p2 bra POLL;\nshr.u32 %r7, %r1, 1;\nmul.wide.u32 %rd6, %r7, 4;\nadd.u64 %rd6, %rd6, %rd1;\n"
         "st.global.u32 [%rd6], 1;\nred.release.gpu.global.add.u32 [%rd2+4], 1;\n"},
        {"lanes meet by a mask that has not all of them", "1", "4",
         draws_place + "setp.gt.u32 %p1, %r3, 1;\n@%p1 bra END;\nbar.warp.sync 3;\n"},
        {"lane 0 waits for lane 2, which draws", "1", "3",
         "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra DRAW;\nbar.warp.sync 5;\n"
         "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 1;\n@%p1 bra END;\n" +
             spins + "DRAW:\n" + draws_place},
        {"a fence for one block", "2", "2",
         draws_place + "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra FIRST;\nsetp.ne.u32 %p1, %r3, 1;\n@%p1 bra END;\nPOLL:\n"
                       "ld.relaxed.gpu.global.u32 %r4, [%rd2+4];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra POLL;\nfence.acq_rel.cta;\n"
                       "ld.global.u32 %r5, [%rd1];\nbra END;\nFIRST:\nst.global.u32 [%rd1], 1;\nfence.acq_rel.cta;\n"
                       "st.relaxed.gpu.global.u32 [%rd2+4], 1;\n"},
        {"the first and the third write in the shared memory of their blocks", "2", "2",
         draws_place + "and.b32 %r4, %r3, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra END;\nst.shared.u32 [own], 1;\n",
         ".shared .align 4 .b8 own[4];\n"},
        {"what threads of one block know since they have met", "2", "3",
         "setp.eq.u32 %p2, %r1, 0;\n@%p2 st.global.u32 [%rd1], 1;\nbar.sync 0;\nsub.u32 %r7, %r1, 1;\nsetp.gt.u32 %p3, %r7, 2;\n"
         "@%p3 bra END;\n" +
             drawn(1) + "ld.global.u32 %r4, [%rd1];\n"},
        {"what lanes of one warp know since they have met", "1", "33",
         "setp.eq.u32 %p2, %r1, 0;\n@%p2 st.global.u32 [%rd1], 1;\nbar.warp.sync -1;\nand.b32 %r7, %r1, 31;\nsetp.gt.u32 %p3, %r7, 2;\n"
         "@%p3 bra END;\n@%p2 bra END;\n" +
             drawn(1) + "ld.global.u32 %r4, [%rd1];\n"},
        {"what another lane has handed on", "1", "4",
         "mov.u32 %r7, 0;\nsetp.eq.u32 %p2, %r1, 1;\n@%p2 mov.u32 %r7, 1;\nshfl.sync.down.b32 %r8, %r7, 1, 3, 15;\n" + drawn(2) +
             "setp.ne.u32 %p3, %r8, 1;\n@%p3 bra END;\n" + spins},
        {"threads draw at two places, and then all at one of these", "1", "4",
         "and.b32 %r5, %r1, 1;\nmul.wide.u32 %rd7, %r5, 4;\nadd.u64 %rd7, %rd7, %rd2;\natom.relaxed.gpu.global.add.u32 %r3, [%rd7], 1;\n"
         "atom.relaxed.gpu.global.add.u32 %r4, [%rd2], 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra END;\n" +
             spins},
        {"each is told by a flag of its own, and one flag tells more", "1", "4",
         "setp.ge.u32 %p1, %r1, 2;\n@%p1 bra RAISE;\nPOLL:\nld.acquire.gpu.global.u32 %r4, [%rd4+32];\nsetp.eq.u32 %p2, %r4, 0;\n"
         "@%p2 bra POLL;\n" +
             drawn(0) +
             "ld.global.u32 %r5, [%rd1];\nbra END;\nRAISE:\nsetp.eq.u32 %p3, %r1, 2;\n"
             "@%p3 st.global.u32 [%rd1], 1;\nst.release.gpu.global.u32 [%rd4+24], 1;\n"},
        {"what an atomic operation has found by the number", "1", "4",
         "atom.relaxed.gpu.global.exch.b32 %r4, [%rd3], 9;\n" + drawn(0) + "setp.ne.u32 %p2, %r4, 2;\n@%p2 bra END;\n" + spins},
    };
    for (const Case& one : cases) {
        CAPTURE(std::string(one.what));
        CHECK_FALSE(searched(threads_of(one.text, one.grid, one.block, one.variables)).swept.findings.empty());
    }
    // of a whole warp not each order is run: the claim is open
    CHECK_FALSE(is_right(searched(threads_of(drawn(0) + "setp.ne.u32 %p2, %r1, 20;\n@%p2 bra END;\n" + spins, "1", "32"))));
    CHECK_FALSE(is_right(searched(threads_of(draws_place + "bar.warp.sync -1;\n", "1", "32"))));
    CHECK_FALSE(is_right(searched(threads_of(draws_place + "vote.sync.any.pred %p2, 1, -1;\n", "1", "32"))));
}
