// Races that the sweep finds in the tables of kernels are races, or undefined behaviour, by the model.
#include "analysis/sweep/confirm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>

#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/read.h"
#include "language/syntax/read.h"
#include "sweep/orders.h"

using namespace litmus;

TEST_CASE("the model confirms what the sweep finds") {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    std::map<sweep::Question, size_t> confirmed;
    std::map<std::string, size_t> unknown, without;
    for (const std::filesystem::path& folder : {kernel_folder(), std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda"})
        for (const KernelEntry& kernel : kernel_table(folder))
            for (const KernelRow& row : kernel.rows) {
                CAPTURE(kernel.ptx(row));
                try {
                    const kernel::Module module = kernel::read_module(read_source((folder / kernel.ptx(row)).string()));
                    const kernel::Launch launch =
                        kernel::launch_of(module, launch_texts(kernel.launch), [](const std::string&) { return std::string(); });
                    const sweep::Options how;
                    const sweep::Swept swept = sweep::sweep(module, launch, how);
                    for (const sweep::Finding& finding : swept.findings) {
                        if (const auto why = sweep::why_no_test(finding.breach); !why.empty()) {
                            ++without[std::string(why)];
                            continue;
                        }
                        CAPTURE(finding.text);
                        const Confirmation answer = confirm(module, launch, how, finding, family, {}, solver);
                        CAPTURE(answer.slice.text);
                        CHECK(answer.answer != Confirmation::Answer::no);
                        if (answer.answer == Confirmation::Answer::yes)
                            ++confirmed[answer.slice.question];
                        else
                            ++unknown[answer.why];
                    }
                } catch (const Failure&) {  // what the sweep refuses (tests/sweep)
                }
            }
    for (const auto& [question, n] : confirmed) std::cout << n << " confirmed of question " << static_cast<int>(question) << "\n";
    for (const auto& [why, n] : unknown) std::cout << n << " not asked: " << why << "\n";
    for (const auto& [why, n] : without) std::cout << n << " without a test: " << why << "\n";
    CHECK(confirmed[sweep::Question::race] + confirmed[sweep::Question::life] > 75);
    CHECK(confirmed[sweep::Question::hang] >= 15);
    CHECK(confirmed[sweep::Question::exit] >= 4);
    CHECK(confirmed[sweep::Question::state] >= 1);
}

namespace {

// The answer about the first finding (of this breach) in a kernel with this body, with an array of words in %rd1.
Confirmation first_answer(const std::string& body, const std::string& grid, const std::string& block, const std::string& cluster = "",
                          std::optional<sweep::Breach> breach = {}, const std::string& array = "x") {
    const kernel::Module module = kernel::testing::kernel_of("ld.param.u64 %rd1, [k_param_0];\n" + body + "\nret;");
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.cluster = cluster;
    texts.arguments = {array + "=u32[256]", "1"};
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    const sweep::Options how;
    const sweep::Swept swept = sweep::sweep_in_orders(module, launch, how);
    REQUIRE(!swept.findings.empty());
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const auto found = std::find_if(swept.findings.begin(), swept.findings.end(),
                                    [&](const sweep::Finding& finding) { return !breach || finding.breach == *breach; });
    REQUIRE(found != swept.findings.end());
    return confirm(module, launch, how, *found, family, {}, solver);
}

}  // namespace

TEST_CASE("a barrier at whose turns different warps meet") {
    // warps 0 and 1 meet at barrier 1, all at barrier 0, warps 1 and 2 at barrier 1; then a lane of warp 0 races with one of warp 1
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
setp.eq.u32 %p1, %r2, 2;
@%p1 bra A;
bar.sync 1, 64;
A:
bar.sync 0;
setp.eq.u32 %p2, %r2, 0;
@%p2 bra B;
bar.sync 1, 64;
B:
and.b32 %r3, %r1, 31;
setp.ne.u32 %p3, %r3, 0;
setp.eq.or.u32 %p3, %r2, 2, %p3;
@%p3 bra C;
st.global.u32 [%rd1], %r1;
C:)",
                                             "1", "96");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("bar.sync 1, 64;") != std::string::npos);
    CHECK(answer.slice.text.find("bar.sync 2, 32;") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("threads that are told by a flag") {
    const auto handed_on = [](const std::string& store, const std::string& load) {
        return R"(
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p1, %r1, 0;
@!%p1 bra READ;
st.global.u32 [%rd1+128], 5;
)" + store + R"( [%rd1], 1;
bra END;
READ:
)" + load + R"( %r2, [%rd1];
setp.ne.u32 %p2, %r2, 1;
@%p2 bra READ;
ld.global.u32 %r3, [%rd1+128];
END:)";
    };
    const Confirmation answer = first_answer(handed_on("st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32"), "2", "1");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("await ld.relaxed.gpu.global.u32") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("a loop that polls for long is one read of the test") {
    // the scope of a block does not reach the other one; the flag comes late
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %ctaid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra POLL;
mov.u32 %r2, 0;
LATE:
add.u32 %r2, %r2, 1;
setp.ne.u32 %p2, %r2, 2000;
@%p2 bra LATE;
st.relaxed.cta.global.u32 [%rd1], 1;
bra END;
POLL:
ld.relaxed.cta.global.u32 %r3, [%rd1];
setp.ne.u32 %p3, %r3, 1;
@%p3 bra POLL;
END:)",
                                             "2", "1");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("strong accesses of two sizes are no question for the model") {
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 st.volatile.global.u8 [%rd1], 1;
@!%p1 ld.volatile.global.u32 %r2, [%rd1];)",
                                             "1", "2");
    CAPTURE(answer.slice.text);
    CHECK(answer.answer == Confirmation::Answer::unknown);
    CHECK(answer.why == "strong accesses of two sizes to one place");
}

TEST_CASE("a load through the cache that is not coherent") {
    // ordered by the barrier, and a race all the same
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 st.global.u32 [%rd1], 5;
bar.sync 0;
ld.global.nc.u32 %r2, [%rd1];)",
                                             "1", "64");
    CAPTURE(answer.slice.text);
    CHECK(answer.slice.text.find("ld.global.nc.u32") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("an update of the place is one of the kernel's kind in the test, too") {
    const auto shown = [](const std::string& update) {
        const Confirmation answer = first_answer(
            "mov.u32 %r1, %ctaid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], 0;\n@!%p1 " + update + ";\n", "2", "1");
        CHECK(answer.answer == Confirmation::Answer::yes);
        return answer.slice.text;
    };
    const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
    CHECK(has(shown("atom.global.inc.u32 %r2, [%rd1], 7"), "atom.relaxed.gpu.global.inc.u32 r0, [x], 1;"));
    CHECK(has(shown("atom.release.gpu.global.and.b32 %r2, [%rd1], 7"), "atom.release.gpu.global.and.b32 r0, [x], 1;"));
    CHECK(has(shown("atom.global.exch.b32 %r2, [%rd1], 7"), "atom.relaxed.gpu.global.exch.b32 r0, [x], 1;"));
    CHECK(has(shown("red.global.max.s32 [%rd1], 7"), "red.relaxed.gpu.global.max.u32 [x], 1;"));
    CHECK(has(shown("atom.global.cas.b32 %r2, [%rd1], 0, 7"), "atom.relaxed.gpu.global.add.u32 r0, [x], 1;"));
    CHECK(has(shown("st.relaxed.gpu.global.u32 [%rd1], 7"), "st.relaxed.gpu.global.u32 [x], 1;"));
}

TEST_CASE("a thread that draws another ticket does not go on") {
    // the block that comes last reads what the other has stored without release; in the test it reads only behind that ticket
    const Confirmation answer = first_answer(R"(
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3+128], 5;
atom.global.add.u32 %r2, [%rd1], 1;
setp.ne.u32 %p1, %r2, 1;
@%p1 bra END;
ld.global.u32 %r3, [%rd1+128];
ld.global.u32 %r3, [%rd1+132];
END:)",
                                             "2", "1");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("atom.relaxed.gpu.global.add.u32") != std::string::npos);
    CHECK(answer.slice.text.find("trap;") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("where threads of a test may trap, it denies nothing") {
    const auto asked = [](const std::string& guard) {
        const Test test = parse_tests(make_source("race.litmus",
                                                  "test \"race\"\n.global .u32 x = 0;\n.global .u32 ticket = 0;\n"
                                                  "thread P0 @ cta0 {\n  atom.relaxed.gpu.add.u32 r0, [ticket], 1;\n"
                                                  "  setp." +
                                                      guard + ".u32 p0, r0, 5;\n  @p0 trap;\n  st.weak.u32 [x], 1;\n}\n"))
                              .front();
        ModelFamily family("ptx", {});
        Solver solver(Solver::usually, faster);
        return confirm(test, sweep::Question::race, family, {}, solver, Budget());
    };
    CHECK(asked("eq").answer == Confirmation::Answer::no);  // it goes on in every execution
    const Confirmation elsewhere = asked("ne");
    CHECK(elsewhere.answer == Confirmation::Answer::unknown);
    CHECK(elsewhere.why == "threads of its test may read something else than in the run, and what they do then is not known");
}

TEST_CASE("an object that is not initialised") {
    const Confirmation answer = first_answer(R"(
.shared .align 8 .b64 bar;
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra USE;
mbarrier.init.shared::cta.b64 [bar], 32;
USE:
mbarrier.arrive.shared::cta.b64 _, [bar];)",
                                             "1", "64");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.text.find("mbarrier.init.shared::cta.b64 [bar]") != std::string::npos);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("a copy that an object completes which is not initialised") {
    const Confirmation answer = first_answer(R"(
.shared .align 16 .b8 s[64];
.shared .align 8 .b64 bar;
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra USE;
mbarrier.init.shared::cta.b64 [bar], 1;
USE:
setp.ne.u32 %p1, %r1, 1;
@%p1 bra END;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%rd1], 64, [bar];
END:)",
                                             "1", "64");
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.answer == Confirmation::Answer::yes);
}

TEST_CASE("of memory that a kernel allocates the model is not asked") {
    const kernel::Module module = kernel::testing::module_of(
        ".extern .func (.param .b64 func_retval0) malloc(.param .b64 malloc_param_0);\n"
        ".visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n.reg .b64 %rd<3>;\n.param .b64 address;\n.shared .u64 s;\n"
        "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\nmov.u64 %rd1, 8;\nst.param.b64 [address], %rd1;\n"
        "call (address), malloc, (address);\nld.param.b64 %rd1, [address];\nst.shared.u64 [s], %rd1;\nMET:\nbar.sync 0;\n"
        "ld.shared.u64 %rd2, [s];\nst.u32 [%rd2], %r1;\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = "1";
    texts.block = "2";
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    const sweep::Options how;
    const sweep::Swept swept = sweep::sweep_in_orders(module, launch, how);
    REQUIRE(swept.findings.size() == 1);
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const Confirmation answer = confirm(module, launch, how, swept.findings.front(), family, {}, solver);
    CHECK(answer.answer == Confirmation::Answer::unknown);
    CHECK(answer.why == "it is about memory that the kernel allocates");
}

namespace {

// The model confirms a finding of this breach with so many threads. Gives the test.
std::string confirmed_hang(sweep::Breach breach, const std::string& body, const std::string& block, size_t threads,
                           const std::string& cluster = "") {
    const Confirmation answer = first_answer(body, cluster.empty() ? "1" : cluster, block, cluster, breach);
    CAPTURE(answer.slice.text);
    CAPTURE(answer.why);
    CHECK(answer.slice.question == sweep::Question::hang);
    CHECK(answer.answer == Confirmation::Answer::yes);
    CHECK(answer.slice.test.threads.size() == threads);
    CHECK(answer.slice.test.claims_terminates);
    return answer.slice.text;
}

// An mbarrier object with this count, which thread 0 initialises; then the body.
std::string with_object(const std::string& count, const std::string& body) {
    return ".shared .align 16 .b8 data[256];\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n"
           "@%p1 bra INIT;\nmbarrier.init.shared.b64 [bar], " +
           count + ";\nINIT:\nbar.sync 0;\n" + body;
}

const std::string await_phase_0 = "AWAIT:\nmbarrier.try_wait.parity.shared.b64 %p9, [bar], 0;\n@!%p9 bra AWAIT;\n";

}  // namespace

TEST_CASE("a phase that lacks an arrival lacks one in the test, whatever its count") {
    // one of two warps arrives, whose 32 threads are one here
    const std::string text = confirmed_hang(sweep::Breach::few_arrivals,
                                            with_object("64",
                                                        "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra NO;\n"
                                                        "mbarrier.arrive.shared.b64 %rd2, [bar];\nNO:\n" +
                                                            await_phase_0),
                                            "64", 1);
    CHECK(text.find(".mbarrier bar = 2") != std::string::npos);
}

TEST_CASE("a phase to which nobody arrives") {
    confirmed_hang(sweep::Breach::no_first_arrival, with_object("1", "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra NO;\n" + await_phase_0 + "NO:"),
                   "2", 1);
}

TEST_CASE("a phase that lacks bytes, and one that has too many") {
    const auto copied = [](const std::string& expected, const std::string& size) {
        return with_object("1", "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra NO;\nmbarrier.arrive.expect_tx.shared.b64 %rd2, [bar], " + expected +
                                    ";\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%rd1], " + size +
                                    ", [bar];\nNO:\n" + await_phase_0);
    };
    CHECK(confirmed_hang(sweep::Breach::few_bytes, copied("64", "32"), "1", 1).find("expect_tx.relaxed.cta.shared::cta.b64 [bar], 24;") !=
          std::string::npos);
    CHECK(confirmed_hang(sweep::Breach::many_bytes, copied("32", "64"), "1", 1).find("expect_tx.relaxed.cta.shared::cta.b64 [bar], 8;") !=
          std::string::npos);
}

TEST_CASE("a barrier to which some do not come, who wait elsewhere") {
    const std::string text =
        confirmed_hang(sweep::Breach::few_threads,
                       with_object("1", "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra NO;\n" + await_phase_0 + "NO:\nbar.sync 0;"), "64", 2);
    CHECK(text.find("bar.sync 0;") != std::string::npos);
}

TEST_CASE("a barrier that waits for one warp more than there is") {
    // first it has been met by both
    const std::string text = confirmed_hang(sweep::Breach::few_threads, "bar.sync 1, 64;\nbar.sync 1, 96;", "64", 1);
    CHECK(text.find("bar.sync 1, 32;") != std::string::npos);
    CHECK(text.find("bar.sync 0, 64;") != std::string::npos);
}

TEST_CASE("a cluster's barrier at which a block does not arrive") {
    confirmed_hang(sweep::Breach::few_in_cluster,
                   with_object("1", "mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra MEET;\n" + await_phase_0 +
                                        "MEET:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;"),
                   "1", 2, "2");
}

TEST_CASE("a copy that is in flight when its thread exits") {
    const std::string copied =
        ".shared .align 16 .b8 data[64];\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [data], 64;\n"
        "cp.async.bulk.commit_group;\n";
    const Confirmation answer = first_answer(copied, "1", "1");
    CAPTURE(answer.slice.text);
    CHECK(answer.slice.question == sweep::Question::exit);
    CHECK(answer.answer == Confirmation::Answer::yes);
    // the group is waited for, and another one is not
    const std::string again =
        "cp.async.bulk.wait_group.read 0;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [data], 64;\n"
        "cp.async.bulk.commit_group;";
    CHECK(first_answer(copied + again, "1", "1").answer == Confirmation::Answer::yes);
}

TEST_CASE("an array may be called as something in the test is") {
    const std::string handed = R"(
mov.u32 %r1, %ctaid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra R;
st.global.u32 [%rd1], 1;
st.relaxed.gpu.global.u32 [%rd1+4], 1;
ret;
R:
ld.relaxed.gpu.global.u32 %r2, [%rd1+4];
setp.ne.u32 %p2, %r2, 1;
@%p2 bra R;
ld.global.u32 %r2, [%rd1];)";
    for (const std::string name : {"r0", "r1", "p1", "never", "other0", "true", "false", "d", "b0t0", "global"}) {
        const Confirmation answer = first_answer(handed, "2", "1", "", {}, name);
        CAPTURE(answer.slice.text);
        CAPTURE(answer.why);
        CHECK(answer.answer == Confirmation::Answer::yes);
    }
}

TEST_CASE("objects and flags of two blocks have names of their own") {
    // Lane 1 of each block waits for lane 0. Block 0 takes one arrival, and block 1 two. All write one word of global memory.
    const Confirmation objects = first_answer("mov.u32 %r5, %ctaid.x;\nadd.u32 %r5, %r5, 1;\n" + with_object("%r5", R"(
mov.u32 %r3, %tid.x;
setp.ne.u32 %p2, %r3, 0;
@%p2 bra WAIT;
mbarrier.arrive.shared.b64 %rd2, [bar];
setp.eq.u32 %p3, %r5, 1;
@%p3 bra WAIT;
mbarrier.arrive.shared.b64 %rd2, [bar];
WAIT:
)" + await_phase_0 + "st.global.u32 [%rd1], 1;"),
                                              "2", "2");
    CAPTURE(objects.slice.text);
    CAPTURE(objects.why);
    CHECK(objects.answer == Confirmation::Answer::yes);
    const Confirmation flags = first_answer(R"(
.shared .align 4 .b32 flag;
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra R;
st.relaxed.cta.shared.u32 [flag], 1;
bra ON;
R:
ld.relaxed.cta.shared.u32 %r2, [flag];
setp.ne.u32 %p2, %r2, 1;
@%p2 bra R;
ON:
st.global.u32 [%rd1], 1;)",
                                            "2", "2");
    CAPTURE(flags.slice.text);
    CAPTURE(flags.why);
    CHECK(flags.answer == Confirmation::Answer::yes);
}

TEST_CASE("an object that is initialised again, and an arrival before the end of the last phase was seen") {
    const Confirmation twice = first_answer(
        with_object("1", "bar.sync 0;\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra NO;\nmbarrier.init.shared.b64 [bar], 1;\nNO:"), "1", "2");
    CAPTURE(twice.slice.text);
    CAPTURE(twice.why);
    CHECK(twice.slice.question == sweep::Question::life);
    CHECK(twice.answer == Confirmation::Answer::yes);
    const Confirmation unseen =
        first_answer(with_object("1", "mbarrier.arrive.shared.b64 %rd2, [bar];\nmbarrier.arrive.shared.b64 %rd2, [bar];"), "1", "1");
    CAPTURE(unseen.slice.text);
    CAPTURE(unseen.why);
    CHECK(unseen.slice.question == sweep::Question::state);
    CHECK(unseen.answer == Confirmation::Answer::yes);
}
