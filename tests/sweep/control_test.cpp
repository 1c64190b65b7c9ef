// Which way threads go, what they call, and what is said where that depends on more than the kernel.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/orders.h"

using namespace litmus;

namespace {

const std::string functions = R"(
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.extern .func (.param .b64 func_retval0) malloc(.param .b64 malloc_param_0);
.extern .func free(.param .b64 free_param_0);
.func (.param .b32 twice_result) twice(.param .b32 twice_x)
{
.reg .b32 %r<3>;
ld.param.u32 %r1, [twice_x];
add.u32 %r2, %r1, %r1;
st.param.b32 [twice_result], %r2;
ret;
}
.func write(.param .b64 write_to)
{
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [write_to];
st.global.u32 [%rd1], 7;
}
.func again()
{
call.uni again, ();
ret;
}
)";

// A kernel of this body, beside these functions and `more` of them, with an array of four words in %rd1, and shared memory of 64 bytes.
sweep::Swept swept(const std::string& body, const std::string& grid = "1", const std::string& block = "32", const std::string& more = {}) {
    const kernel::Module module = kernel::testing::module_of(
        functions + more +
        ".visible .entry k(.param .u64 k_param_0)\n{\n.shared .align 8 .b8 s[64];\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n"
        ".reg .f32 %f<10>;\n.reg .b64 %rd<10>;\n.param .b32 given;\n.param .b32 back;\n.param .b64 address;\n"
        "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n" +
        body + "\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[4]"};
    return sweep::sweep_in_orders(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }));
}

// "race on `x`; ...": the findings, then the conditions.
std::string said(const std::string& body, const std::string& grid = "1", const std::string& block = "32") {
    const sweep::Swept found = swept(body, grid, block);
    std::string text;
    for (const sweep::Finding& finding : found.findings) text += finding.text + "; ";
    for (const std::string& condition : found.conditions) text += "where " + condition + "; ";
    return text;
}

std::string refused(const std::string& body) {
    return kernel::testing::refusal([&] { swept(body); });
}

using kernel::testing::has;

}  // namespace

TEST_CASE("a call gives what its function computes") {
    // the result is an index: 3 is inside of the array, 4 outside
    const auto store_at_twice = [](const std::string& number) {
        return "st.param.b32 [given], " + number +
               ";\ncall (back), twice, (given);\nld.param.b32 %r2, [back];\nmul.wide.u32 %rd2, %r2, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
               "ld.global.u32 %r3, [%rd3];";
    };
    CHECK(said(store_at_twice("1")).empty());
    CHECK(has(refused(store_at_twice("2")), "x[4]"));
    CHECK(said("mov.u32 %r2, 1;\ncall (back), twice, (%r2);").empty());
}

TEST_CASE("accesses of a function that is called are the thread's, and lanes come back together") {
    const std::string call = "st.param.b64 [address], %rd1;\ncall write, (address);\n";
    CHECK(has(said(call), "race on `x`"));
    CHECK(
        said("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra OVER;\n" + call + "OVER:\nbar.warp.sync 0xffffffff;\nld.global.u32 %r2, [%rd1];").empty());
    // who has called stands before those behind the call: all lanes are active where they meet
    CHECK(
        said(
            "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra OVER;\n" + call +
            "OVER:\nactivemask.b32 %r2;\npopc.b32 %r3, %r2;\nsub.u32 %r3, %r3, 29;\nmul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
            "bar.warp.sync 0xffffffff;\nld.global.u32 %r4, [%rd3];") ==
        "where what `activemask.b32` gives may be another on a GPU, and decides (PTX line 50); ");
}

TEST_CASE("a call through a pointer; recursion; code that is not here") {
    CHECK(has(said("mov.u64 %rd2, write;\nst.param.b64 [address], %rd1;\nP: .callprototype _ (.param .b64 _);\ncall %rd2, (address), P;"),
              "race"));
    CHECK(has(refused("call.uni again, ();"), "recursion"));
    CHECK(has(refused("mov.u64 %rd2, 1;\nP: .callprototype _ ();\ncall %rd2, (), P;"), "points to no function"));
}

TEST_CASE("calls nest as deep as real kernels nest them, and no deeper") {
    const auto chain = [](int depth) {
        std::string text = ".func f0()\n{\nret;\n}\n";
        for (int i = 1; i < depth; ++i)
            text += ".func f" + std::to_string(i) + "()\n{\ncall.uni f" + std::to_string(i - 1) + ", ();\nret;\n}\n";
        return swept("call.uni f" + std::to_string(depth - 1) + ", ();", "1", "32", text);
    };
    CHECK(chain(256).findings.empty());
    CHECK(has(kernel::testing::refusal([&] { chain(257); }), "calls nest more than 256 deep"));
}

TEST_CASE("printf says nothing to other threads; allocated memory is a new array; a trap is reached or not") {
    const std::string print = "st.param.b64 [address], %rd1;\ncall (back), vprintf, (address, address);\n";
    CHECK(said(print).empty());
    const std::string allocate =
        "mov.u64 %rd2, 8;\nst.param.b64 [address], %rd2;\ncall (address), malloc, (address);\nld.param.b64 %rd4, [address];\n";
    CHECK(said(allocate + "st.global.u64 [%rd4], 1;\nst.param.b64 [address], %rd4;\ncall free, (address);").empty());
    CHECK(has(refused(allocate + "st.global.u64 [%rd4+8], 1;"), "byte 8 of `allocated"));
    // what it holds is not known
    CHECK(has(said(allocate + "ld.global.u32 %r2, [%rd4];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 add.u32 %r2, %r2, 1;"), "not computed"));
    const std::string shared = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra OTHERS;\n" + allocate +
                               "st.shared.u64 [s], %rd4;\nOTHERS:\nbar.sync 0;\n" +
                               "ld.shared.u64 %rd5, [s];\nsetp.ne.u32 %p2, %r1, 1;\n@!%p2 st.global.u32 [%rd5], 1;\n";
    const std::string free = "@%p1 bra END;\nst.param.b64 [address], %rd5;\ncall free, (address);\nEND:\n";
    CHECK(said(shared + "bar.sync 0;\n" + free).empty());
    CHECK(has(said(shared + free), "race on `allocated"));
    CHECK(said("setp.gt.u32 %p1, %r1, 31;\n@%p1 trap;").empty());
    CHECK(has(said("setp.gt.u32 %p1, %r1, 30;\n@%p1 trap;"), "a trap is reached"));
}

TEST_CASE("an indexed branch") {
    const std::string body =
        "and.b32 %r2, %r1, 1;\nW: .branchtargets EVEN, ODD;\nbrx.idx %r2, W;\nEVEN:\nbra END;\nODD:\nst.global.u32 [%rd1], 1;\nEND:\n";
    CHECK(has(said(body), "race on `x`"));
    CHECK(said(body, "1", "1").empty());
    CHECK(has(refused("mov.u32 %r2, 2;\nW: .branchtargets EVEN, ODD;\nbrx.idx %r2, W;\nEVEN:\nODD:\n"), "beyond the list"));
}

TEST_CASE("where a guard is not computed one way is taken, and said") {
    const std::string read = "ld.shared.u32 %r2, [s];\nsetp.eq.u32 %p1, %r2, 0;\n";
    CHECK(has(said(read + "@%p1 bra END;\nadd.u32 %r3, %r3, 1;\nEND:\n"),
              "where a value that is not computed decides whether `bra` is executed"));
    CHECK(said(read).empty());
    CHECK(said(read + "@%p1 st.global.u32 [%rd1], 1;", "1", "1") ==
          "where a value that is not computed decides whether `st.global.u32` is executed: one way is taken (PTX line 41); ");
    // what is guarded is done, and a contrary guard then not; a finding there says on what it rests
    CHECK(has(said(read + "@%p1 st.global.u32 [%rd1], 1;"), "race on `x` at byte 0, if a thread can come there"));
    CHECK(has(refused(read + "@%p1 mov.u64 %rd1, 0;\n@!%p1 mov.u64 %rd1, 1;\nld.global.u32 %r3, [%rd1];"), "address 0x0"));
    // a loop ends
    for (const std::string& loop : {"LOOP:\n" + read + "@%p1 bra END;\nbra LOOP;\nEND:\n", "LOOP:\n" + read + "@%p1 bra LOOP;\n"}) {
        CHECK(has(said(loop), "one way is taken"));
        CHECK(!has(said(loop), "for ever"));
    }
    CHECK(has(refused("ld.shared.u64 %rd2, [s];\nld.global.u32 %r3, [%rd2];"), "an address depends on a value that is not computed"));
}

TEST_CASE("a clock and an approximation are conditions where they decide") {
    const std::string clock = "mov.u64 %rd2, %clock64;\n", far = "setp.gt.u64 %p1, %rd2, 200000000000;\n@%p1 fence.acq_rel.gpu;\n";
    CHECK(said(clock).empty());
    CHECK(has(said(clock + far), "where what `mov.u64` of `%clock64` gives may be another on a GPU, and decides"));
    // a hint may ask something of its operands
    CHECK(has(said(clock + "setp.gt.u64 %p1, %rd2, 200000000000;\n@%p1 cp.async.bulk.prefetch.L2.global [%rd1+4], 16;\n"), "and decides"));
    const std::string root = "mov.f32 %f1, 0f40800000;\nrsqrt.approx.f32 %f2, %f1;\n";
    CHECK(said(root).empty());
    CHECK(has(said(root + "setp.gt.f32 %p1, %f2, 0f3F000000;\n@%p1 trap;"), "where what `rsqrt.approx.f32` gives"));
    CHECK(said("mov.f32 %f1, 0f40800000;\nsqrt.rn.f32 %f2, %f1;\nsetp.neu.f32 %p1, %f2, 0f40000000;\n@%p1 trap;").empty());
}

// Two runs elect two lanes. A third one would not be in the mask.
TEST_CASE("a mask that leaves out lanes which may be elected is a condition") {
    const auto alone = [](const std::string& mask) {
        return said("elect.sync %r2|%p1, 15;\n@!%p1 exit;\nredux.sync.add.u32 %r3, %r1, " + mask + ";\n", "1", "4");
    };
    CHECK(has(alone("11"), "the lane that `elect.sync` elects may be one that this mask leaves out"));
    CHECK(alone("15").empty());
}

// The flag is there at once in this order of the blocks. In another one the wait gives up, and reads all the same.
TEST_CASE("a loop that lets time pass decides nothing") {
    struct Delay {
        std::string clock = "mov.u64 %rd3, %clock64;\n", passed = "sub.s64 %rd4, %rd3, %rd2;\n",
                    ends = "setp.lt.s64 %p1, %rd4, 1000;\n@%p1 bra L;\n", behind = {}, before = {};
    };
    const auto of = [](const Delay& how) {
        return said("mov.u64 %rd2, %clock64;\nmov.u64 %rd5, 0;\n" + how.before + "L:\n" + how.clock + how.passed + how.ends + "PASSED:\n" +
                    how.behind + "fence.acq_rel.gpu;\n");
    };
    CHECK(of({}).empty());
    CHECK(of({.passed = "sub.u64 %rd4, %rd3, %rd2;\n", .ends = "setp.ge.u64 %p1, %rd4, 1000;\n@!%p1 bra L;\n"}).empty());
    CHECK(of({.passed = "", .ends = "setp.lt.u64 %p1, %rd3, %rd5;\n@%p1 bra L;\n"}).empty());
    // nvcc asks once before the loop
    CHECK(of({.before = "mov.u64 %rd3, %clock64;\nsub.s64 %rd4, %rd3, %rd2;\nsetp.ge.s64 %p1, %rd4, 1000;\n@%p1 bra PASSED;\n"}).empty());
    // how long it took, or how often it was asked
    const std::string decides = "setp.gt.u64 %p1, %rd5, 7;\n@%p1 fence.acq_rel.gpu;\n",
                      condition = "gives may be another on a GPU, and decides";
    CHECK(has(of({.behind = "mov.u64 %rd5, %rd4;\n" + decides}), condition));
    CHECK(has(of({.passed = "sub.s64 %rd4, %rd3, %rd2;\nadd.u64 %rd5, %rd5, 1;\n", .behind = decides}), condition));
    // it ends where time has passed, and not before
    CHECK(has(of({.ends = "setp.gt.s64 %p1, %rd4, 1000000000;\n@%p1 bra L;\n"}), condition));
    CHECK(has(of({.ends = "setp.lt.s64 %p1, %rd4, 1000;\n@!%p1 bra L;\n"}), condition));
    // what it is compared with grows, too
    CHECK(has(of({.passed = "sub.s64 %rd4, %rd3, %rd2;\nadd.u64 %rd5, %rd4, 0;\n", .ends = "setp.lt.s64 %p1, %rd4, %rd5;\n@%p1 bra L;\n"}),
              condition));
    CHECK(has(of({.passed = "sub.s64 %rd4, %rd3, %rd2;\nsub.u64 %rd2, %rd2, 500;\n"}), condition));
    CHECK(has(of({.ends = "setp.lt.s64 %p1, %rd4, 1000;\nsetp.gt.s64 %p1, %rd4, 1000000000;\n@%p1 bra L;\n"}), condition));
    // a clock of 32 bits comes round
    CHECK(has(of({.clock = "mov.u32 %r3, %clock;\ncvt.s64.s32 %rd3, %r3;\n"}), condition));
    // something else is done meanwhile
    CHECK(has(of({.passed = "sub.s64 %rd4, %rd3, %rd2;\nfence.acq_rel.gpu;\n"}), condition));
}

TEST_CASE("a wait that gives up by a clock is a condition where it need not give up in this run, too") {
    const auto waits = [](const std::string& between, const std::string& decides) {
        return "mov.u32 %r3, %ctaid.x;\nmov.u64 %rd2, %clock64;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\nst.global.u32 [%rd1+4], 42;\n"
               "st.release.gpu.global.u32 [%rd1], 1;\nret;\nL:\nld.acquire.gpu.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 1;\n"
               "@%p2 bra END;\n" +
               between + "setp.lt.s64 %p3, " + decides + ", 1000001;\n@%p3 bra L;\nEND:\nld.global.u32 %r4, [%rd1+4];\n";
    };
    CHECK(has(said(waits("mov.u64 %rd3, %clock64;\nsub.s64 %rd4, %rd3, %rd2;\n", "%rd4"), "2", "1"),
              "what `ld.acquire.gpu.global.u32` finds depends on the order, and decides"));
    CHECK(said(waits("", "7"), "2", "1").empty());
}

TEST_CASE("a time-out that traps is no condition, and the other way is gone") {
    // What is done while the flag is not there yet, and where the loop goes on.
    const auto waits = [](const std::string& between) {
        return "mov.u32 %r3, %ctaid.x;\nmov.u64 %rd2, %clock64;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\nst.global.u32 [%rd1+4], 42;\n"
               "st.release.gpu.global.u32 [%rd1], 1;\nret;\nL:\nld.acquire.gpu.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 1;\n"
               "@%p2 bra END;\nmov.u64 %rd3, %clock64;\nsub.s64 %rd4, %rd3, %rd2;\nsetp.gt.s64 %p3, %rd4, 1000000;\n" +
               between + "bra L;\nEND:\nld.global.u32 %r4, [%rd1+4];\n";
    };
    const std::string ends = "ret;\nLATE:\n";
    CHECK(said("mov.u64 %rd2, %clock64;\nsetp.gt.u64 %p1, %rd2, 200000000000;\n@%p1 trap;\n").empty());
    CHECK(said(waits("@%p3 trap;\n"), "2", "1").empty());
    CHECK(said(waits("@%p3 bra LATE;\n") + ends + "trap;\n", "2", "1").empty());
    CHECK(said(waits("@!%p3 bra L;\ntrap;\n"), "2", "1").empty());
    // the first round of the loop stands before it
    const auto peeled = [](const std::string& place) {
        return "mov.u32 %r3, %ctaid.x;\nmov.u64 %rd2, %clock64;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra L;\nst.global.u32 [%rd1+4], 42;\n"
               "st.release.gpu.global.u32 [%rd1], 1;\nret;\nL:\nld.acquire.gpu.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 1;\n"
               "@%p2 bra END;\nAGAIN:\nmov.u64 %rd3, %clock64;\nsub.s64 %rd4, %rd3, %rd2;\nsetp.gt.s64 %p3, %rd4, 1000000;\n"
               "@%p3 trap;\nld.acquire.gpu.global.u32 %r4, [" +
               place +
               "];\nsetp.ne.u32 %p2, %r4, 1;\n@%p2 bra AGAIN;\nEND:\n"
               "ld.global.u32 %r4, [%rd1+4];\n";
    };
    CHECK(said(peeled("%rd1"), "2", "1").empty());
    CHECK(has(said(peeled("%rd1+8"), "2", "1"), "depends on the order"));
    // it says why before it does
    const std::string tells = "mov.u64 %rd5, 0;\nst.param.b64 [address], %rd5;\ncall.uni (given), vprintf, (address, address);\ntrap;\n";
    CHECK(said(waits("@%p3 bra LATE;\n") + ends + tells, "2", "1").empty());
    // who goes on, or does what others see, has given up: that way is gone in a further run
    const std::string race = "race on `x` at byte 4";
    CHECK(has(said(waits("@%p3 bra END;\n"), "2", "1"), race));
    CHECK(has(said(waits("@%p3 bra LATE;\n") + ends + "st.global.u32 [%rd1+4], 7;\ntrap;\n", "2", "1"), race));
    const std::string harmless = said(waits("@%p3 bra LATE;\n") + ends, "2", "1");
    CHECK(!has(harmless, "race"));
    CHECK(has(harmless, "where what "));
    // a wait in vain goes on for ever
    const std::string never =
        "L:\nld.acquire.gpu.global.u32 %r2, [%rd1];\nmov.u64 %rd3, %clock64;\nsetp.gt.u64 %p3, %rd3, 1000;\n"
        "@%p3 trap;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra L;\n";
    CHECK(has(said(never), "for ever"));
    // a loop that lets time pass ends, and so does what a time-out is asked in
    const std::string delay =
        "mov.u64 %rd2, %clock64;\nL:\nmov.u64 %rd3, %clock64;\nsub.s64 %rd4, %rd3, %rd2;\n"
        "setp.lt.s64 %p3, %rd4, 1000;\n@%p3 bra L;\n";
    CHECK(said(delay).empty());
}

TEST_CASE("what an atomic gives is a condition where it decides and others come in between") {
    const std::string ticket = "atom.global.add.u32 %r2, [%rd1], 1;\n", decides = "setp.eq.u32 %p1, %r2, 0;\n@%p1 fence.acq_rel.gpu;\n";
    CHECK(said(ticket).empty());
    CHECK(said(ticket + "atom.shared.exch.b32 %r4, [s], %r2;").empty());
    CHECK(has(said(ticket + decides), "where what `atom.global.add.u32` finds depends on the order"));
    CHECK(said(ticket + decides, "1", "1").empty());
    // through memory, too
    const std::string kept = "mul.wide.u32 %rd2, %r1, 4;\nmov.u32 %r9, s;\ncvt.u32.u64 %r8, %rd2;\nadd.u32 %r9, %r9, %r8;\n";
    CHECK(has(said(kept + ticket + "st.shared.u32 [%r9], %r2;\nld.shared.u32 %r2, [%r9];\n" + decides, "1", "2"), "depends on the order"));
}

TEST_CASE("sums of integers do not depend on the order, and those of floats do") {
    const std::string decides = "bar.sync 0;\nld.global.f32 %f1, [%rd1];\nsetp.gt.f32 %p1, %f1, 0f00000000;\n@%p1 fence.acq_rel.gpu;\n";
    CHECK(said("red.global.add.u32 [%rd1], 1;\n" + decides).empty());
    CHECK(has(said("red.global.add.f32 [%rd1], 0f3F800000;\n" + decides), "where what `red.global.add.f32` finds depends on the order"));
    CHECK(has(said("atom.global.exch.b32 %r2, [%rd1], %r1;\n" + decides), "where what `atom.global.exch.b32` finds"));
}

TEST_CASE("strong accesses that overlap in part are a race, and a strong one hides no weak one") {
    CHECK(has(
        said("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.relaxed.gpu.global.u8 [%rd1], 1;\n@!%p1 ld.relaxed.gpu.global.u32 %r2, [%rd1];", "1", "2"),
        "race"));
    CHECK(said("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.relaxed.gpu.global.u8 [%rd1], 1;\n@!%p1 ld.relaxed.gpu.global.u8 %r2, [%rd1];", "1", "2")
              .empty());
    CHECK(has(said("setp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], 0;\nred.global.add.u32 [%rd1], 1;", "1", "2"), "race"));
    CHECK(has(said("setp.eq.u32 %p1, %r1, 0;\n@%p1 ld.global.u32 %r2, [%rd1];\n@%p1 ld.relaxed.gpu.global.u32 %r2, [%rd1];\n"
                   "@!%p1 st.relaxed.gpu.global.u32 [%rd1], 1;",
                   "1", "2"),
              "race"));
}

TEST_CASE("what only the contrary order shows") {
    // the thread that comes second to the ticket writes, and the one of number 1 also before
    const sweep::Swept found = swept(
        "setp.eq.u32 %p1, %r1, 1;\nmov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 st.global.u32 [%rd1+4], 1;\n"
        "atom.global.add.u32 %r3, [%rd1], 1;\nsetp.eq.u32 %p2, %r3, 1;\n@%p2 st.global.u32 [%rd1+4], 2;\n",
        "2", "1");
    REQUIRE(found.findings.size() == 1);
    CHECK(found.findings[0].schedule.is_contrary());
}

TEST_CASE("a wait that nvcc repeats by a number and a comparison") {
    const auto waits = [](const std::string& otherwise) {
        return said(
            "mbarrier.init.shared::cta.b64 [s], 32;\nbar.sync 0;\nmbarrier.arrive.shared::cta.b64 %rd2, [s];\nLOOP:\n"
            "mbarrier.try_wait.shared::cta.b64 %p1, [s], %rd2;\nselp.b32 %r2, 1, 0, %p1;\nsetp.eq.s32 %p2, %r2, 0;\n@%p2 bra " +
                otherwise + ";\nld.global.u32 %r3, [%rd1];\nEND:\n",
            "1", "1");
    };
    CHECK(!has(waits("LOOP"), "may give false"));
    CHECK(has(waits("END"), "a wait that is not repeated may give false"));
}

TEST_CASE("a reduction acquires nothing, and an atomic does") {
    const auto reads_after = [](const std::string& atomic) {
        return swept(
            "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@!%p1 bra SECOND;\nst.global.u32 [%rd1], 42;\n"
            "st.release.gpu.global.u32 [%rd1+4], 1;\nret;\nSECOND:\n" +
                atomic + "\nfence.acquire.gpu;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 ld.global.u32 %r4, [%rd1];\n",
            "2", "1");
    };
    CHECK(reads_after("atom.global.add.u32 %r3, [%rd1+4], 1;").findings.empty());
    for (const std::string reduction :
         {"red.global.add.u32 [%rd1+4], 1;\nmov.u32 %r3, 1;", "atom.global.add.u32 _, [%rd1+4], 1;\nmov.u32 %r3, 1;"}) {
        const sweep::Swept found = reads_after(reduction);
        REQUIRE(found.findings.size() == 1);
        CHECK(!found.findings[0].schedule.is_contrary());
    }
}

TEST_CASE("a loop that waits for a value finds the same in every order, or it depends on it") {
    const std::string second = "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra FIRST;\n";
    const auto waits = [&](const std::string& wait, const std::string& first) {
        return said(second + "LOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\n" + wait + "ld.global.u32 %r4, [%rd1+4];\nret;\nFIRST:\n" +
                        "st.global.u32 [%rd1+4], 42;\n" + first,
                    "2", "1");
    };
    const std::string for_1 = "setp.ne.u32 %p2, %r3, 1;\n@%p2 bra LOOP;\n", for_2 = "setp.ne.u32 %p2, %r3, 2;\n@%p2 bra LOOP;\n";
    const std::string any = "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra LOOP;\n", once = "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra END;\n";
    const std::string set_1 = "st.release.gpu.global.u32 [%rd1], 1;\n", set_2 = "st.release.gpu.global.u32 [%rd1], 2;\n";
    CHECK(waits(for_1, set_1).empty());
    CHECK(waits(any, set_1).empty());
    CHECK(waits(for_2, set_1 + set_2).empty());
    CHECK(has(waits(any, set_1 + set_2), "depends on the order"));  // 1 or 2 is found
    CHECK(has(waits(for_1, set_1 + set_2), "for ever"));            // or 1 has been missed, in one order
    CHECK(has(said(second + "ld.acquire.gpu.global.u32 %r3, [%rd1];\n" + once + "ld.global.u32 %r4, [%rd1+4];\nEND:\nret;\nFIRST:\n" +
                       "st.global.u32 [%rd1+4], 42;\n" + set_1,
                   "2", "1"),
              "depends on the order"));
    // something is done in each round
    CHECK(has(waits("st.global.u32 [%rd1+8], 1;\n" + for_1, set_1), "depends on the order"));
    // what a round sees that goes on is not acquired, though there is time to see it: the second store, of another thread, releases nothing
    const std::string delay = "mov.u32 %r6, 0;\nDELAY:\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p3, %r6, 5000;\n@%p3 bra DELAY;\n";
    const auto waits_for_second = [&](const std::string& behind_first) {
        return said(
            "mov.u32 %r2, %ctaid.x;\nsetp.eq.u32 %p1, %r2, 1;\n@%p1 bra FIRST;\nsetp.eq.u32 %p1, %r2, 2;\n@%p1 bra SECOND;\n"
            "LOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\n" +
                for_2 + "ld.global.u32 %r4, [%rd1+4];\nret;\nFIRST:\nst.global.u32 [%rd1+4], 42;\n" + set_1 + behind_first + delay +
                "st.relaxed.gpu.global.u32 [%rd1], 2;\n",
            "3", "1");
    };
    CHECK(has(waits_for_second("ret;\nSECOND:\n"), "race"));
    CHECK(!has(waits_for_second("bra GOES_ON;\nSECOND:\nret;\nGOES_ON:\n"), "race"));  // of the same thread (ISA 8.8)
    // a loop that looks at one place after the other is no such loop
    CHECK(has(said(second +
                       "LOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\nadd.u64 %rd1, %rd1, 4;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra "
                       "LOOP;\nret;\nFIRST:\n" +
                       "st.release.gpu.global.u32 [%rd1+4], 1;\nst.release.gpu.global.u32 [%rd1], 1;\n",
                   "2", "1"),
              "depends on the order"));
}

TEST_CASE("what a thread has observed comes before what it does then") {
    const std::string flag = "mov.u32 %r5, %ctaid.x;\nsetp.eq.u32 %p2, %r5, 1;\n@%p2 bra FIRST;\n";
    const std::string wait = "LOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra LOOP;\n";
    const std::string set = "FIRST:\nst.relaxed.gpu.global.u32 [%rd1], 1;\n";
    CHECK(said(flag + wait + "st.global.u32 [%rd1], 0;\nret;\n" + set, "2", "1").empty());
    CHECK(has(said(flag + "st.global.u32 [%rd1], 0;\nret;\n" + set, "2", "1"), "race on"));
    // a single read may find nothing in another order
    CHECK(has(said(flag + "ld.relaxed.gpu.global.u32 %r3, [%rd1];\nst.global.u32 [%rd1], 0;\nret;\n" + set, "2", "1"), "race on"));
}

// A relaxed flag publishes nothing. It says that the phase is over all the same, in time (C3 of model/sweep.md).
TEST_CASE("who waits for a flag knows the phases that its writer knows to be over") {
    const std::string meets =
        "mov.u32 %r9, s;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 32;\n@%p1 mbarrier.init.shared::cta.b64 [%r9], "
        "1;\nbar.sync 0;\n@%p2 bra SECOND;\n@!%p1 ret;\nmbarrier.arrive.shared::cta.b64 _, [%r9];\n";
    const std::string waits = "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [%r9], 0;\n@!%p3 bra W;\n";
    const std::string raises = "st.relaxed.gpu.global.u32 [%rd1], 1;\nret;\n";
    const std::string second =
        "SECOND:\nld.relaxed.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p4, %r3, 0;\n@%p4 bra SECOND;\n"
        "mbarrier.arrive.shared::cta.b64 _, [%r9];\n";
    CHECK(said(meets + waits + raises + second, "1", "64").empty());
    CHECK(has(said(meets + raises + second, "1", "64"), "phase"));
}

TEST_CASE("a counter that all add to, and all wait for") {
    const std::string count = "atom.release.gpu.global.add.u32 %r2, [%rd1], 1;\nLOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\n";
    CHECK(said(count + "setp.ne.u32 %p1, %r3, 4;\n@%p1 bra LOOP;\n", "4", "1").empty());
    CHECK(has(said(count + "setp.lt.u32 %p1, %r3, 3;\n@%p1 bra LOOP;\n", "4", "1"), "depends on the order"));
    // in the contrary order another value than these leads out of the loop
    const std::string more =
        "mov.u32 %r5, %ctaid.x;\nadd.u32 %r5, %r5, 1;\natom.release.gpu.global.add.u32 %r2, [%rd1], %r5;\nLOOP:\n"
        "ld.acquire.gpu.global.u32 %r3, [%rd1];\n";
    CHECK(has(said(more + "setp.lt.u32 %p1, %r3, 2;\n@%p1 bra LOOP;\n", "2", "1"), "depends on the order"));
    const std::string one =
        "mov.u32 %r5, %ctaid.x;\nadd.u32 %r5, %r5, 1;\natom.release.gpu.global.add.u32 %r2, [%rd1], %r5;\nsetp.eq.u32 %p2, %r5, 1;\n"
        "@%p2 ret;\nLOOP:\nld.acquire.gpu.global.u32 %r3, [%rd1];\n";
    CHECK(has(said(one + "setp.lt.u32 %p1, %r3, 2;\n@%p1 bra LOOP;\n", "2", "1"), "depends on the order"));
    // what a relaxed one observes is acquired by a fence
    CHECK(has(said("fence.acq_rel.gpu;\natom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;\nfence.acq_rel.gpu;\n", "2", "1"),
              "depends on the order"));
    CHECK(said("fence.acq_rel.gpu;\natom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;\n", "2", "1").empty());
}

TEST_CASE("an mbarrier object that is initialised again begins with its first phase") {
    const std::string life = "mbarrier.init.shared::cta.b64 [%r9], 1;\nmbarrier.arrive.shared::cta.b64 _, [%r9];\n";
    const auto wait = [](const std::string& label) {
        return label + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r9], 0;\n@!%p1 bra " + label + ";\n";
    };
    const std::string end = "mbarrier.inval.shared::cta.b64 [%r9];\n";
    CHECK(said("mov.u32 %r9, s;\n" + life + wait("W") + end + life + wait("V"), "1", "1").empty());
    CHECK(has(said("mov.u32 %r9, s;\n" + life + wait("W") + life + wait("V"), "1", "1"), "a second time"));
}

TEST_CASE("loads and stores of 128 bits are as strong as they say") {
    const auto exchanged = [](const std::string& how) {
        return said(".reg .b128 %v;\nmov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\nmov.b128 %v, {%rd1, %rd1};\n@%p1 st" + how +
                        ".b128 [%rd1], %v;\n@!%p1 ld" + how + ".b128 %v, [%rd1];",
                    "2", "1");
    };
    CHECK(exchanged(".relaxed.gpu.global").empty());
    CHECK(exchanged(".volatile.global").empty());
    CHECK(has(exchanged(".global"), "race on `x`"));
    CHECK(has(exchanged(".relaxed.cta.global"), "race on `x`"));
}

TEST_CASE("addresses and sizes are aligned") {
    CHECK(has(said("st.global.u32 [%rd1+2], 1;", "1", "1"), "byte 2 of `x` is not aligned to 4 bytes"));
    CHECK(has(said("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+0];\nld.shared.v2.u32 {%r2, %r3}, [s+4];", "1", "1"),
              "byte 4 of `s` is not aligned to 8 bytes"));
    const auto copied = [](const std::string& to, const std::string& bytes) {
        return said("mov.u32 %r9, s;\nfence.proxy.async;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r9+" + to + "], " + bytes +
                        ";\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;",
                    "1", "1");
    };
    CHECK(copied("0", "16").empty());
    CHECK(has(copied("8", "16"), "byte 8 of `s` is not aligned to 16 bytes"));
    CHECK(has(copied("0", "8"), "the size of a bulk operation is a multiple of 16, and this is 8 (ISA 9.7.9.25.4.1)"));
    CHECK_THROWS_AS(copied("0", "-16"), Failure);
}

// A thread that computes for long is no thread that waits for ever; one that comes back to where it was, with the same values, is one.
TEST_CASE("what goes round for ever, and what is only long") {
    const auto counted = [](const std::string& rounds, const std::string& body) {
        return "mov.u32 %r2, 0;\nL:\n" + body + "add.u32 %r2, %r2, 1;\nsetp.ne.u32 %p1, %r2, " + rounds + ";\n@%p1 bra L;";
    };
    CHECK(said(counted("400000", ""), "1", "1").empty());
    CHECK(said(counted("200000", "ld.global.u32 %r3, [%rd1];\n"), "1", "1").empty());
    CHECK(has(said("L:\nbra L;", "1", "1"), "goes round for ever"));
    CHECK(has(said("L:\nld.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;", "1", "1"), "goes round for ever"));
    CHECK(has(said("L:\natom.global.exch.b32 %r3, [%rd1], 0;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;", "1", "1"), "goes round for ever"));
}

// Lanes of a warp go on one without the other: here the one that polls stands before the one that writes.
TEST_CASE("a lane that polls waits for another lane of its warp") {
    const auto polled = [](const std::string& flag) {
        return "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra WRITE;\nL:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p2, %r2, " + flag +
               ";\n@%p2 bra L;\nret;\nWRITE:\nst.volatile.global.u32 [%rd1], 1;\n";
    };
    CHECK(said(polled("1"), "1", "2").empty());
    CHECK(said(polled("2"), "1", "2") == "1 thread goes round for ever at `setp.ne.u32`; ");
    // the other lanes go on, and end
    CHECK(said("setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nL:\natom.global.exch.b32 %r3, [%rd1], 0;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra L;\n"
               "END:\n",
               "1", "2")
              .rfind("1 thread goes round for ever", 0) == 0);
}

// Somebody in the block knows of it before the block ends.
TEST_CASE("a copy into shared memory is waited for") {
    const auto copied = [](const std::string& behind) {
        return said(
            "mov.u32 %r9, s;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\nmbarrier.init.shared::cta.b64 [%r9], 1;\nMET:\nbar.sync 0;\n"
            "@%p1 bra WAIT;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 16;\n"
            "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r9+16], [%rd1], 16, [%r9];\nret;\nWAIT:\n" +
                behind,
            "1", "2");
    };
    CHECK(copied("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n@!%p2 bra WAIT;\n").empty());
    CHECK(has(copied(""), "may not exist any more"));
}

TEST_CASE("what lies over an mbarrier object") {
    const std::string init = "mov.u32 %r9, s;\nmbarrier.init.shared::cta.b64 [%r9+16], 1;\n";
    const auto over = [&](const std::string& access) {
        return has(said(init + access, "1", "1"), "which only mbarrier operations may touch");
    };
    CHECK(over("st.shared.u32 [%r9+16], 1;\n"));
    CHECK(over("ld.shared.u8 %r2, [%r9+23];\n"));
    CHECK(over("st.shared.v2.u64 [%r9+16], {%rd2, %rd3};\n"));
    CHECK(over("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r9+16], [%rd1], 16, [%r9+16];\n"));
    CHECK(!over("st.shared.v2.u64 [%r9], {%rd2, %rd3};\nst.shared.u32 [%r9+24], 1;\n"));
    CHECK(!over("mbarrier.inval.shared::cta.b64 [%r9+16];\nst.shared.u32 [%r9+16], 1;\n"));
}

// Thread 1 reads the byte, copies over it and ends; thread 0 waits for the copy and writes.
TEST_CASE("the completion of a copy does not publish what came before its issue") {
    const auto copied_over = [](const std::string& before) {
        return "mov.u32 %r9, s;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\n"
               "mbarrier.init.shared::cta.b64 [%r9], 1;\nMET:\nbarrier.cta.sync 0;\n@%p1 bra COPY;\n"
               "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9], 16;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n"
               "@!%p2 bra W;\nst.shared.u32 [%r9+16], 1;\nret;\nCOPY:\n" +
               before + "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r9+16], [%rd1], 16, [%r9];\n";
    };
    CHECK(said(copied_over(""), "1", "2").empty());
    CHECK(has(said(copied_over("ld.shared.u32 %r2, [%r9+16];\nfence.proxy.async;\n"), "1", "2"), "race on"));
}

// The other thread's arrival may end the phase before the bytes are expected.
TEST_CASE("bytes are expected before the phase can end") {
    const auto expected = [](const std::string& before, const std::string& behind) {
        return "mov.u32 %r9, s;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\n"
               "mbarrier.init.shared::cta.b64 [%r9], 2;\nMET:\nbarrier.cta.sync 0;\n@%p1 bra OTHER;\n" +
               before + "mbarrier.arrive.shared::cta.b64 _, [%r9];\n" + behind +
               "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r9+16], [%rd1], 16, [%r9];\n"
               "W:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r9], 0;\n@!%p2 bra W;\nret;\nOTHER:\n"
               "mbarrier.arrive.shared::cta.b64 _, [%r9];\n";
    };
    const std::string expect = "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r9], 16;\n";
    CHECK(said(expected(expect, ""), "1", "2").empty());
    CHECK(has(said(expected("", expect), "1", "2"), "may be over before"));
}

TEST_CASE("a copy that an mbarrier object has completed is in no group any more") {
    const std::string copy = "cp.async.ca.shared.global [%r9+16], [%rd1], 16;\n";
    const std::string init = "mov.u32 %r9, s;\nmbarrier.init.shared::cta.b64 [%r9], 1;\n";
    const auto waits = [](const std::string& parity) {
        return "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r9];\nW" + parity +
               ":\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r9], " + parity + ";\n@!%p1 bra W" + parity + ";\n";
    };
    CHECK(said(init + copy + waits("0") + copy + waits("1"), "1", "1").empty());
    CHECK(has(said(init + copy + copy + waits("0"), "1", "1"), "of the same group"));
}
