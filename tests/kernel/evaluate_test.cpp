// What is left of each thread: small kernels, and the residual body expected of them.
#include "kernel/evaluate.h"

#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/write.h"
#include "language/syntax/native/print.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

// A kernel `k` with these parameters and this body, and registers %r0.. (b32), %d0.. (b64), %p0.. (pred), %f0.. (f32).
std::string ptx_of(const std::string& parameters, const std::string& body, const std::string& before = "") {
    return ".version 8.8\n.target sm_90a\n.address_size 64\n" + before + ".visible .entry k(" + parameters +
           ")\n{\n.reg .b32 %r<20>;\n.reg .b64 %d<20>;\n.reg .pred %p<10>;\n.reg .f32 %f<10>;\n.reg .b16 %h<10>;\n" + body + "\n}\n";
}

struct Launched {
    Module module;
    Traces traces;
};

Launched evaluated(const std::string& text, const LaunchTexts& texts, const EvaluateOptions& options = {}) {
    Launched launched{read_module(make_source("k.ptx", text)), {}};
    const Launch launch = launch_of(launched.module, texts, [](const std::string&) { return std::string(); });
    launched.traces = evaluate(launched.module, launch, options);
    return launched;
}

// The body of a thread, an instruction a line.
std::string body(const Trace& trace) {
    std::string text;
    for (const Instruction& instruction : trace.body) {
        for (const std::string& label : instruction.labels) text += label + ":\n";
        text += print(instruction) + "\n";
    }
    for (const std::string& label : trace.end_labels) text += label + ":\n";
    return text;
}

std::string body_of(const std::string& text, const LaunchTexts& texts, size_t thread = 0) {
    return body(evaluated(text, texts).traces.threads.at(thread));
}

std::string failure_of(const std::string& text, const LaunchTexts& texts, const EvaluateOptions& options = {}) {
    try {
        evaluated(text, texts, options);
    } catch (const Failure& failure) {
        return render(failure.diagnostics().at(0), false);
    }
    return "";
}

const std::string one_array = ".param .u64 a";
const std::string two_arrays = ".param .u64 a, .param .u64 b";
const std::string load_arrays = "ld.param.u64 %d0, [a];\nld.param.u64 %d1, [b];\n";

LaunchTexts launch(const std::string& block, std::vector<std::string> arguments, const std::string& grid = "1") {
    LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = std::move(arguments);
    return texts;
}

}  // namespace

TEST_CASE("addresses, branches and loops with known bounds are computed") {
    const std::string text = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        cvta.to.global.u64 %d0, %d0;
        mov.u32 %r0, %tid.x;
        mul.wide.u32 %d1, %r0, 4;
        add.s64 %d2, %d0, %d1;
        setp.eq.u32 %p0, %r0, 1;
        @%p0 bra ONE;
        mov.u32 %r1, 0;
    LOOP:
        st.global.u32 [%d2], %r1;
        add.u32 %r1, %r1, 1;
        setp.lt.u32 %p1, %r1, 3;
        @%p1 bra LOOP;
    ONE:
        ret;)");
    const Launched launched = evaluated(text, launch("2", {"a=u32[8]"}));
    CHECK(body(launched.traces.threads[0]) == "st.global.u32 [a], 0\nst.global.u32 [a], 1\nst.global.u32 [a], 2\n");
    CHECK(body(launched.traces.threads[1]).empty());
    CHECK(launched.traces.objects.at(0).name == "a");
}

TEST_CASE("an array that nobody writes is what it is at the start") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        ld.global.nc.u32 %r0, [%d0+8];
        ld.global.s8 %r1, [%d0+4];
        ld.global.v2.u32 {%r2, %r3}, [%d0+8];
        add.u32 %r0, %r0, %r1;
        add.u32 %r0, %r0, %r3;
        st.global.u32 [%d1], %r0;)");
    CHECK(body_of(text, launch("1", {"a=u32[8]:iota", "b=u32[1]"})) == "st.global.u32 [b], 6\n");
    const std::string written = ptx_of(two_arrays, load_arrays + R"(
        ld.global.u32 %r0, [%d0];
        st.global.u32 [%d1], %r0;
        mov.u32 %r1, %tid.x;
        setp.ne.u32 %p0, %r1, 1;
        @%p0 bra END;
        red.global.add.u32 [%d0+4], 1;
    END:
        ret;)");
    // another thread writes it, so that the load is one
    CHECK(body_of(written, launch("2", {"a=u32[8]:iota", "b=u32[1]"})) == "ld.global.u32 r0, [a]\nst.global.u32 [b], r0\n");
    // a load that synchronizes stays in any case
    const std::string strong = ptx_of(one_array, "ld.param.u64 %d0, [a];\nld.acquire.gpu.global.u32 %r0, [%d0];");
    CHECK(body_of(strong, launch("1", {"a=u32[1]"})) == "ld.acquire.gpu.global.u32 r0, [a]\n");
}

TEST_CASE("a load that is not aligned stays, and who makes one plays a role of its own") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        mov.u32 %r0, %tid.x;
        setp.eq.u32 %p0, %r0, 9;
        selp.u32 %r1, 4, 0, %p0;
        cvt.u64.u32 %d2, %r1;
        add.u64 %d0, %d0, %d2;
        ld.global.v2.u32 {%r2, %r3}, [%d0];
        ld.global.u32 %r4, [%d0];
        st.global.v2.u32 [%d1], {%r2, %r3};)");
    Launched launched = evaluated(text, launch("32", {"a=u32[4]:5", "b=u32[64]"}));
    CHECK(body(launched.traces.threads[8]) == "st.global.v2.u32 [b], {5, 5}\n");
    CHECK(body(launched.traces.threads[9]) == "ld.global.v2.u32 {r2, r3}, [a+4]\nst.global.v2.u32 [b], {r2, r3}\n");
    launched.traces.threads[8].body[0].operands[0].offset = 4;
    Launch of_test;
    of_test.entry = "k";
    of_test.block[0] = 32;
    const Written written = write_test(launched.module, of_test, launched.traces);
    REQUIRE(written.broken.size() == 2);
    CHECK(written.broken[0].thread == "t8");
    CHECK(written.broken[1].thread == "t9");
    CHECK(written.broken[1].message.find("an access of 8 bytes is aligned to its size") != std::string::npos);
    // in the numbers of the kernel, though the test has not all elements
    const std::string far = ptx_of(one_array, "ld.param.u64 %d0, [a];\nst.global.u32 [%d0], 1;\nst.global.v2.u32 [%d0+44], {%r1, %r2};");
    const Launched one = evaluated(far, launch("1", {"a=u32[64]"}));
    of_test.block[0] = 1;
    const Written of_far = write_test(one.module, of_test, one.traces);
    REQUIRE(of_far.broken.size() == 1);
    CHECK(of_far.broken[0].hint == "offset 44 is not a multiple");
    CHECK(print(of_far.broken[0].instruction).find("[a+44]") != std::string::npos);
}

TEST_CASE("a loop that waits is the wait") {
    const std::string barrier = ptx_of("", R"(
        .shared .align 8 .b64 bar;
        mov.u32 %r0, bar;
        mbarrier.init.shared.b64 [%r0], 1;
    WAIT:
        mbarrier.try_wait.parity.shared::cta.b64 %p0, [%r0], 0;
        selp.u32 %r1, 1, 0, %p0;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 bra WAIT;
        mbarrier.inval.shared.b64 [%r0];)");
    CHECK(body_of(barrier, launch("1", {})) ==
          "mbarrier.init.shared.b64 [bar], 1\nawait mbarrier.try_wait.parity.shared::cta.b64 [bar], 0\nmbarrier.inval.shared.b64 [bar]\n");
    const std::string flag = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
    WAIT:
        ld.acquire.gpu.u32 %r0, [%d0];
        setp.lt.u32 %p0, %r0, 5;
        @%p0 bra WAIT;
        st.global.u32 [%d0+4], %r0;)");
    CHECK(body_of(flag, launch("1", {"a=u32[2]"})) == "await ld.acquire.gpu.u32 r0, [a] >= 5\nst.global.u32 [a+4], r0\n");
    // another order than the load's: it stays a loop
    const std::string sign = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
    WAIT:
        ld.acquire.gpu.u32 %r0, [%d0];
        setp.lt.s32 %p0, %r0, 5;
        @%p0 bra WAIT;)");
    CHECK(body_of(sign, launch("1", {"a=u32[2]"})) == "L1:\nld.acquire.gpu.u32 r0, [a]\nsetp.lt.s32 p0, r0, 5\n@p0 bra L1\n");
}

TEST_CASE("words of 128 bits stay in registers of the test") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        .reg .b128 %q<4>;
        mov.b128 %q0, {%d0, 5};
        mov.u64 %d2, 7;
        mov.b128 %q1, {%d2, 5};
        st.relaxed.gpu.global.b128 [%d0+16], %q1;
        ld.relaxed.gpu.global.b128 %q2, [%d0];
        mov.b128 {%d3, %d4}, %q2;
        add.u64 %d4, %d4, 1;
        atom.relaxed.gpu.global.cas.b128 %q3, [%d0], %q2, %q1;
        mov.b128 {_, %d5}, %q3;
        st.global.v2.u64 [%d1], {%d4, %d5};)");
    CHECK(body_of(text, launch("1", {"a=b128[2]", "b=u64[2]"})) ==
          "mov.b128 q1, {7, 5}\nst.relaxed.gpu.global.b128 [a+16], q1\nld.relaxed.gpu.global.b128 q2, [a]\nmov.b128 {d3, d4}, q2\n"
          "add.u64 d4, d4, 1\natom.relaxed.gpu.global.cas.b128 q3, [a], q2, q1\nmov.b128 {_, d5}, q3\n"
          "st.global.v2.u64 [b], {d4, d5}\n");
    // what they are unpacked into may be an index
    const std::string index = ptx_of(two_arrays, load_arrays + R"(
        .reg .b128 %q0;
        ld.relaxed.gpu.global.b128 %q0, [%d0];
        mov.b128 {%d2, %d3}, %q0;
        shl.b64 %d4, %d2, 2;
        add.u64 %d5, %d4, %d1;
        st.global.u32 [%d5], 1;)");
    CHECK(body_of(index, launch("1", {"a=b128[1]", "b=u32[2]"})).find("@is_d2 bra") != std::string::npos);
    const std::string unwritten = ptx_of(one_array, ".reg .b128 %q0;\nld.param.u64 %d0, [a];\nst.global.b128 [%d0], %q0;");
    CHECK(failure_of(unwritten, launch("1", {"a=b128[1]"})).find("128 bits that nothing has written") != std::string::npos);
}

TEST_CASE("a pointer that is loaded is one of those that are stored there") {
    // block 0 loads what block 1 stores: which pointers these are is known when all have been evaluated
    const auto kernel = [](const std::string& stored, const std::string& load = "ld.acquire.gpu.global.u64") {
        return ptx_of(two_arrays, load_arrays + R"(
        mov.u32 %r0, %ctaid.x;
        setp.ne.u32 %p0, %r0, 0;
        @%p0 bra STORE;
        )" + load + R"( %d2, [%d0];
        setp.eq.u64 %p1, %d2, 0;
        @%p1 exit;
        ld.global.u32 %r1, [%d2+4];
        ret;
    STORE:
        st.global.u32 [%d1+4], 7;
        )" + stored);
    };
    const LaunchTexts blocks = launch("1", {"a=u64[1]", "b=u32[4]"}, "2");
    const Launched followed = evaluated(kernel("st.release.gpu.global.u64 [%d0], %d1;\nadd.u64 %d3, %d1, 8;\n"
                                               "st.release.gpu.global.u64 [%d0], %d3;"),
                                        blocks);
    const std::string reader = body(followed.traces.threads[0]);
    CHECK(reader.find("ld.global.u32 r1, [b+4]") != std::string::npos);
    CHECK(reader.find("ld.global.u32 r1, [b+12]") != std::string::npos);
    REQUIRE(followed.traces.threads[1].notes.size() == 2);
    CHECK(followed.traces.threads[1].notes[0].text.find("the address of `b`, byte 0, is stored as the number ") == 0);
    // other stores to the same word: it could be anything
    for (const std::string other : {"ld.volatile.global.u64 %d3, [%d1+8];\nst.volatile.global.u64 [%d0], %d3;",
                                    "red.global.add.u64 [%d0], 8;", "st.global.u32 [%d0+4], 1;"})
        CHECK(failure_of(kernel("st.release.gpu.global.u64 [%d0], %d1;\n" + other), blocks)
                  .find("an address depends on a value that is read from memory and can be any number") != std::string::npos);
    // half of it is loaded
    CHECK(failure_of(kernel("st.release.gpu.global.u64 [%d0], %d1;", "ld.acquire.gpu.global.u32"), blocks).find("can be any number") !=
          std::string::npos);
    // no pointer is stored
    CHECK(failure_of(kernel("st.release.gpu.global.u64 [%d0], 5;"), blocks).find("can be any number") != std::string::npos);
}

TEST_CASE("a branch on a clock goes either way, and its trap ends all threads") {
    const auto kernel = [](const std::string& late) {
        return ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        mov.u64 %d1, %clock64;
    LOOK:
        ld.acquire.gpu.global.u32 %r0, [%d0];
        setp.eq.u32 %p0, %r0, 1;
        @%p0 bra DONE;
        mov.u64 %d2, %clock64;
        sub.s64 %d3, %d2, %d1;
        setp.lt.s64 %p1, %d3, 1000;
        @%p1 bra LOOK;
        )" + late + "\nDONE:\nst.global.u32 [%d0+4], 1;");
    };
    const std::string loop =
        "L1:\nld.acquire.gpu.global.u32 r0, [a]\nsetp.eq.u32 p0, r0, 1\n@p0 bra L2\nmov.u64 clock, %clock64\n"
        "setp.ne.u64 late, clock, 0\n@late bra L1\n";
    const Launched traps = evaluated(kernel("trap;"), launch("1", {"a=u32[2]"}));
    CHECK(body(traps.traces.threads[0]) == loop + "trap\nL2:\nst.global.u32 [a+4], 1\n");
    CHECK(traps.traces.threads[0].traps.empty());  // no claim: it may come at any time
    CHECK(body_of(kernel("st.global.u32 [%d0+4], 2;"), launch("1", {"a=u32[2]"})).find("@late bra L1\nst.global.u32 [a+4], 2\n") !=
          std::string::npos);
    // a trap that hangs on what was read is one to which nobody comes, whatever clocks were asked before
    const Launched both =
        evaluated(kernel("ld.volatile.global.u32 %r1, [%d0+4];\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 trap;"), launch("1", {"a=u32[2]"}));
    CHECK(both.traces.threads[0].traps.size() == 1);
    // two ways lead to one trap, of which one is a time-out's
    const std::string shared = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        ld.volatile.global.u32 %r0, [%d0];
        setp.eq.u32 %p0, %r0, 7;
        @%p0 bra TRAP;
        mov.u32 %r1, %clock;
        setp.gt.u32 %p1, %r1, 1000;
        @%p1 bra TRAP;
        st.global.u32 [%d0+4], 1;
        ret;
    TRAP:
        trap;)");
    const Launched two = evaluated(shared, launch("1", {"a=u32[2]"}));
    CHECK(two.traces.threads[0].traps.size() == 1);
    CHECK(body(two.traces.threads[0]).find("trap\n") != std::string::npos);
    // a register of the kernel has the name
    const std::string named = ptx_of(one_array,
                                     ".reg .u64 clock;\n.reg .pred late;\nld.param.u64 %d0, [a];\nmov.u64 clock, %globaltimer;\n"
                                     "setp.gt.u64 late, clock, 5;\n@late st.global.u32 [%d0], 1;");
    CHECK(body_of(named, launch("1", {"a=u32[1]"})).find("mov.u64 clock") != std::string::npos);
}

TEST_CASE("launches of a stream are one test") {
    const std::string kernels = std::string(".version 8.8\n.target sm_90a\n.address_size 64\n") + R"(
.global .u32 count;
.visible .entry first(.param .u64 a)
{
.reg .b64 %d<3>;
.shared .u32 tile;
ld.param.u64 %d0, [a];
st.global.u32 [%d0], 5;
st.global.u32 [count], 1;
st.shared.u32 [tile], 1;
}
.visible .entry second(.param .u64 a, .param .u64 b)
{
.reg .b32 %r<9>;
.reg .b64 %d<3>;
.shared .u32 tile;
ld.param.u64 %d0, [a];
ld.param.u64 %d1, [b];
ld.global.nc.v2.u32 {%r0, %r1}, [%d0];
ld.global.u32 %r2, [count];
ld.global.u32 %r3, [%d1];
st.shared.u32 [tile], %r0;
st.global.u32 [%d1+4], %r3;
}
)";
    const Module module = read_module(make_source("k.ptx", kernels));
    LaunchTexts first = launch("1", {"x=u32[2]:7"}), second = launch("2", {"x=u32[2]", "out=u32[2]:3"}, "2");
    first.entry = "first";
    second.entry = "second";
    const auto read = [](const std::string&) { return std::string(); };
    std::vector<Launch> launches = launches_of(module, {first, second}, read);
    CHECK(launches[1].arrays.size() == 2);
    CHECK(launches[1].arguments[1].pointers[0].array == 1);
    const Traces traces = evaluate(module, launches);
    std::vector<std::string> names;
    for (const Object& object : traces.objects) names.push_back(object.name);
    CHECK(names == std::vector<std::string>{"x", "out", "count", "tile", "tile_2"});
    REQUIRE(traces.threads.size() == 5);
    // what the first one writes is no number any more, and of nobody's array the second one's is
    CHECK(body(traces.threads[0]) == "st.global.u32 [x], 5\nst.global.u32 [count], 1\nst.shared.u32 [tile], 1\n");
    CHECK(body(traces.threads[4]) ==
          "ld.global.nc.v2.u32 {r0, r1}, [x]\nld.global.u32 r2, [count]\nld.global.u32 r3, [out]\nst.shared.u32 [tile_2], "
          "r0\nst.global.u32 [out+4], r3\n");
    CHECK(traces.threads[4].seat.block == static_cast<uint32_t>(in_grid(1, 1)));
    launches[1].programmatic = true;
    const Written written = write_test(module, launches, traces);
    CHECK(written.test.name == "first-second");
    REQUIRE(written.test.grids.size() == 1);
    CHECK(written.test.grids[0].programmatic == std::vector<int>{0});
    CHECK(written.text.find("thread g1b1t0 @ grid1.cluster1.cta1.warp0 {") != std::string::npos);
    CHECK(written.text.find("launch 1 of the stream: second") != std::string::npos);
    launches[1].programmatic = false;
    CHECK(write_test(module, launches, traces).test.grids.empty());  // in the order of the stream
    // one name is one array
    second.arguments = {"x=u32[3]", "out=u32[2]"};
    CHECK_THROWS_WITH_AS(launches_of(module, {first, second}, read), doctest::Contains("two launches have an array `x`"), Failure);
    second.arguments = {"u32[3]", "u32[2]"};
    first.arguments = {"u32[2]"};
    CHECK(launches_of(module, {first, second}, read)[0].arrays.size() == 3);
}

TEST_CASE("what a multimem address points to has the same elements in the test, and blocks are of several GPUs") {
    const std::string text = ptx_of(".param .u64 x, .param .u64 y, .param .u64 m", R"(
        ld.param.u64 %d0, [x];
        ld.param.u64 %d1, [y];
        ld.param.u64 %d2, [m];
        mov.u32 %r0, %ctaid.x;
        setp.eq.u32 %p0, %r0, 1;
        @%p0 bra OTHER;
        ld.global.u32 %r1, [%d0+4];
        st.global.u32 [%d0+12], %r1;
        ret;
    OTHER:
        multimem.red.release.sys.global.add.u32 [%d2+20], 1;
        multimem.ld_reduce.weak.global.add.u32 %r2, [%d2+20];
        st.global.u32 [%d1+28], %r2;)");
    const Module module = read_module(make_source("k.ptx", text));
    Launch two = launch_of(module, launch("1", {"x=u32[8]:iota", "y=u32[8]", "m=multimem(x,y)"}, "2"),
                           [](const std::string&) { return std::string(); });
    two.gpus = 2;
    const Traces traces = evaluate(module, two);
    // the reduction writes `x`, so that a load of it is one
    CHECK(body(traces.threads[0]) == "ld.global.u32 r1, [x+4]\nst.global.u32 [x+12], r1\n");
    const Written written = write_test(module, two, traces);
    REQUIRE(written.test.locations.size() == 3);
    for (const Location& location : written.test.locations) CHECK(location.count == 4);
    CHECK(written.test.locations[0].init == std::vector<uint64_t>{1, 3, 5, 7});
    CHECK(written.test.locations[2].points_to == std::vector<std::string>{"x", "y"});
    CHECK(written.text.find("multimem.red.release.sys.global.add.u32 [m+8], 1;") != std::string::npos);
    CHECK(written.text.find("st.global.u32 [y+12], r2;") != std::string::npos);
    CHECK(written.text.find("thread b1t0 @ gpu1.cluster1.cta1") != std::string::npos);
    CHECK(written.text.find("the blocks are those of 2 GPUs") != std::string::npos);
    // an ordinary access through it breaks a rule
    const std::string ordinary = ptx_of(".param .u64 x, .param .u64 y, .param .u64 m", "ld.param.u64 %d2, [m];\nld.global.u32 %r1, [%d2];");
    const Launched launched = evaluated(ordinary, launch("1", {"x=u32[8]", "y=u32[8]", "m=multimem(x,y)"}));
    Launch named;
    named.entry = "k";
    CHECK(write_test(launched.module, named, launched.traces).broken.size() == 1);
}

TEST_CASE("words of 128 bits become locations of 128 bits, which a vector of two words may access") {
    const auto written = [](const std::string& body) {
        const Launched launched = evaluated(ptx_of(one_array, ".reg .b128 %q<2>;\nld.param.u64 %d0, [a];\nmov.b128 %q0, {5, 6};\n" + body),
                                            launch("1", {"a=u64[8]:iota"}));
        Launch named;
        named.entry = "k";
        return write_test(launched.module, named, launched.traces);
    };
    const Written wide = written(
        "st.relaxed.gpu.global.b128 [%d0+16], %q0;\nld.relaxed.gpu.global.v2.u64 {%d1, %d2}, [%d0+32];\n"
        "ld.relaxed.gpu.global.v2.u64 {%d1, %d2}, [%d0+16];");
    REQUIRE(wide.test.locations.size() == 2);
    CHECK(wide.test.locations[0].name == "a_64");
    CHECK(wide.test.locations[0].init == std::vector<uint64_t>{4, 5});
    CHECK(wide.test.locations[1].name == "a_128");
    CHECK(wide.test.locations[1].wide);
    CHECK(wide.test.locations[1].init == std::vector<uint64_t>{2, 3});
    CHECK(wide.text.find(".global .b128 a_128[1] = {{2, 3}};") != std::string::npos);
    const Test all = in_numbers_of_kernel(wide.test, wide.arrays);
    CHECK(all.locations[1].count == 8);  // halves of four elements
    CHECK(all.locations[1].init == std::vector<uint64_t>{0, 0, 2, 3, 0, 0, 0, 0});
    for (const std::string other :
         {"st.global.u64 [%d0+16], 1;", "ld.global.u32 %r1, [%d0+20];", "st.global.v4.u32 [%d0+16], {1, 2, 3, 4};"})
        CHECK_THROWS_WITH_AS(written("st.relaxed.gpu.global.b128 [%d0+16], %q0;\n" + other), doctest::Contains("accesses of mixed sizes"),
                             Failure);
}

TEST_CASE("a loop over a queue of few places is followed to its end") {
    const auto unroll = [](const std::string& tiles) {
        const std::string text = ptx_of(two_arrays, load_arrays + R"(
    DRAW:
        atom.global.add.u32 %r0, [%d0], 1;
        setp.ge.u32 %p0, %r0, )" + tiles + R"(;
        @%p0 bra DONE;
        mul.wide.u32 %d2, %r0, 4;
        add.u64 %d3, %d2, %d1;
        st.global.u32 [%d3], 1;
        bra DRAW;
    DONE:
        ret;)");
        const Launched launched = evaluated(text, launch("1", {"a=u32[1]", "b=u32[8]"}));
        Launch named;
        named.entry = "k";
        return write_test(launched.module, named, launched.traces).test.unroll;
    };
    CHECK(unroll("2") == 3);
    CHECK(unroll("3") == 4);
    CHECK(unroll("8") == 4);  // no more: the user may say more
}

TEST_CASE("answers of try_cancel are loaded whole, and what is packed of their words is the answer") {
    const auto kernel = [](const std::string& after) {
        return ptx_of(one_array, R"(
        .shared .align 16 .b8 answer[16];
        .shared .align 8 .b64 bar;
        .reg .b128 %q<3>;
        ld.param.u64 %d0, [a];
        mov.u32 %r0, answer;
        mov.u32 %r1, bar;
        clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r0], [%r1];
        )" + after);
    };
    const auto evaluated_with = [](const std::string& text, uint32_t unlaunched) {
        Launched launched{read_module(make_source("k.ptx", text)), {}};
        Launch three = launch_of(launched.module, launch("1", {"a=u32[4]"}, "3"), [](const std::string&) { return std::string(); });
        three.unlaunched = unlaunched;
        launched.traces = evaluate(launched.module, three);
        return launched.traces;
    };
    const std::string asked = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar]\n";
    const std::string load = "ld.shared.b128 answer_v2, [answer]\n";
    const std::string is_canceled = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p0, answer_v2\n";
    const std::string query = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p0, %q1;\n@%p0 st.global.u32 [%d0], 1;";
    for (const std::string loaded : {"ld.shared.v2.u64 {%d1, %d2}, [%r0];\nmov.b128 %q1, {%d1, %d2};\n",
                                     "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r0];\nmov.b64 %d1, {%r2, %r3};\nmov.b64 %d2, {%r4, %r5};\n"
                                     "mov.b128 %q0, {%d1, %d2};\nmov.b128 %q1, %q0;\n",
                                     "ld.shared.b128 %q1, [%r0];\n"}) {
        INFO(loaded);
        const Traces traces = evaluated_with(kernel(loaded + query), 2);
        REQUIRE(traces.threads.size() == 1);  // the other blocks have not started
        CHECK(body(traces.threads[0]) == asked + load + is_canceled + "@p0 st.global.u32 [a], 1\n");
    }
    // the block is one of those that have not started
    const std::string first =
        "clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r2, %q1;\nmul.wide.u32 %d1, %r2, 4;\n"
        "add.u64 %d2, %d0, %d1;\nst.global.u32 [%d2], 1;";
    const std::string followed = body(evaluated_with(kernel("ld.shared.b128 %q1, [%r0];\n" + first), 2).threads[0]);
    CHECK(followed.find("st.global.u32 [a+4], 1") != std::string::npos);
    CHECK(followed.find("st.global.u32 [a+8], 1") != std::string::npos);
    CHECK(followed.find("st.global.u32 [a], 1") == std::string::npos);
    const auto refused = [&](const std::string& text, uint32_t unlaunched) {
        try {
            evaluated_with(text, unlaunched);
        } catch (const Failure& failure) {
            return render(failure.diagnostics().at(0), false);
        }
        return std::string();
    };
    CHECK(refused(kernel(""), 0).find("asks for a cluster that has not started, and all have") != std::string::npos);
    CHECK(refused(kernel("ld.shared.u32 %r2, [%r0+4];"), 1).find("a part of an answer") != std::string::npos);
    CHECK(refused(kernel("mov.b128 %q1, {%d0, %d0};\n" + query), 1).find("is no answer of `clusterlaunchcontrol.try_cancel`") !=
          std::string::npos);
    // it was loaded again in between
    const std::string again =
        "mov.u32 %r9, 0;\nld.shared.b128 %q0, [%r0];\nAGAIN:\nmov.b128 %q1, %q0;\nld.shared.b128 %q0, [%r0];\n"
        "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 2;\n@%p1 bra AGAIN;\n";
    CHECK(refused(kernel(again + query), 1).find("or it was changed since") != std::string::npos);
    CHECK(refused(kernel("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 "
                         "[%r0], [%r1];"),
                  1)
              .find("is not read from kernels") != std::string::npos);
}

TEST_CASE("a wait that counts and looks at a clock is the same wait") {
    const std::string text = ptx_of("", R"(
        .shared .align 8 .b64 bar;
        mov.u32 %r0, bar;
        mbarrier.init.shared.b64 [%r0], 1;
        mov.u64 %d0, %globaltimer;
        mbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;
        @%p0 bra DONE;
        mov.u32 %r1, 0;
    AGAIN:
        setp.lt.s32 %p1, %r1, 16;
        @%p1 bra COUNT;
        mov.u64 %d1, %globaltimer;
        sub.s64 %d2, %d1, %d0;
        setp.lt.s64 %p2, %d2, 4000;
        @%p2 bra TRY;
        nanosleep.u32 100;
        bra TRY;
    COUNT:
        add.s32 %r1, %r1, 1;
    TRY:
        mbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;
        @!%p0 bra AGAIN;
    DONE:
        ret;)");
    CHECK(body_of(text, launch("1", {})) == "mbarrier.init.shared.b64 [bar], 1\nawait mbarrier.try_wait.parity.shared.b64 [bar], 0\n");
}

TEST_CASE("a branch on what is read stays a branch") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        atom.global.add.u32 %r0, [%d0], 1;
        setp.eq.u32 %p0, %r0, 1;
        @!%p0 bra END;
        st.global.u32 [%d1], 7;
    END:
        ret;)");
    CHECK(body_of(text, launch("1", {"a=u32[1]", "b=u32[1]"})) ==
          "atom.global.add.u32 r0, [a], 1\nsetp.eq.u32 p0, r0, 1\n@!p0 bra L1\nst.global.u32 [b], 7\nL1:\n");
}

TEST_CASE("the second result of a comparison is that of the contrary one") {
    const std::string twice =
        "setp.lo.u32 %p0|%p1, %r1, 4;\nsetp.ge.and.s32 %p2|%p3, %r1, 9, %p0;\n@%p1 st.global.u32 [%d1], 1;\n"
        "@%p3 st.global.u32 [%d1], 3;\n";
    const std::string read =
        body_of(ptx_of(two_arrays, load_arrays + "ld.global.u32 %r1, [%d0];\n" + twice + "st.global.u32 [%d0], 5;\nret;\n"),
                launch("2", {"a=u32[1]", "b=u32[1]"}));
    CAPTURE(read);
    CHECK(read.find("setp.hs.u32 p1, r1, 4\n") != std::string::npos);
    CHECK(read.find("setp.lt.and.s32 p3, r1, 9, p0\n") != std::string::npos);
    // known
    const std::string known =
        body_of(ptx_of(two_arrays, load_arrays + "mov.u32 %r1, 7;\n" + twice + "ret;\n"), launch("2", {"a=u32[1]", "b=u32[1]"}));
    CHECK(known == "st.global.u32 [b], 1\n");
    CHECK(failure_of(ptx_of("", "setp.eq.u32 %r1|%p1|%p2, %r2, %r3;\nret;\n"), launch("1", {})) != "");
}

TEST_CASE("a guard that is not known stays where the instruction gives no result") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        atom.global.add.u32 %r0, [%d0], 1;
        setp.eq.u32 %p0, %r0, 1;
        selp.u32 %r1, 1, 0, %p0;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 st.global.u32 [%d1], 7;
        @!%p1 ld.volatile.global.u32 %r2, [%d1];
        st.global.u32 [%d1], 9;)");
    CHECK(body_of(text, launch("1", {"a=u32[1]", "b=u32[1]"})) ==
          "atom.global.add.u32 r0, [a], 1\nsetp.eq.u32 p0, r0, 1\n@!p0 st.global.u32 [b], 7\n@!p0 bra L1\nld.volatile.global.u32 r2, [b]\n"
          "L1:\nst.global.u32 [b], 9\n");
}

TEST_CASE("an address that depends on a few bits of what is read is followed case by case") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        atom.global.add.u32 %r0, [%d0], 1;
        and.b32 %r1, %r0, 1;
        mul.wide.u32 %d2, %r1, 4;
        add.s64 %d3, %d1, %d2;
        st.global.u32 [%d3], 7;)");
    CHECK(body_of(text, launch("1", {"a=u32[1]", "b=u32[2]"})) ==
          "atom.global.add.u32 r0, [a], 1\nand.b32 r1, r0, 1\nsetp.eq.b32 is_r1, r1, 0\n@is_r1 bra L1\n"
          "st.global.u32 [b+4], 7\nexit\nL1:\nst.global.u32 [b], 7\n");
}

TEST_CASE("a branch on a value that can be many numbers has two ways") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        atom.global.add.u32 %r0, [%d0], 1;
        and.b32 %r1, %r0, 31;
        setp.eq.u32 %p0, %r1, 7;
        @!%p0 bra END;
        st.global.u32 [%d1], %r1;
    END:
        ret;)");
    CHECK(body_of(text, launch("1", {"a=u32[1]", "b=u32[1]"})).find("st.global.u32 [b], 7\n") != std::string::npos);
}

TEST_CASE("an index that can be any number is followed through an array of few elements") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        atom.global.add.u32 %r0, [%d0], 1;
        mul.wide.u32 %d2, %r0, 4;
        add.s64 %d3, %d1, %d2;
        st.global.u32 [%d3], 7;)");
    const Launched launched = evaluated(text, launch("1", {"a=u32[1]", "b=u32[2]"}));
    CHECK(body(launched.traces.threads[0]) ==
          "atom.global.add.u32 r0, [a], 1\nsetp.eq.b32 is_r0, r0, 0\n@is_r0 bra L2\nsetp.eq.b32 is_r0, r0, 1\n@is_r0 bra L1\nexit\n"
          "L1:\nst.global.u32 [b+4], 7\nexit\nL2:\nst.global.u32 [b], 7\n");
    CHECK(launched.traces.threads[0].traps == std::vector<size_t>{5});
    CHECK(failure_of(text, launch("1", {"a=u32[1]", "b=u32[64]"})).find("an address depends on a value that is read from memory") !=
          std::string::npos);
    const std::string pointer = ptx_of(two_arrays, load_arrays + "ld.volatile.global.u64 %d2, [%d0];\nst.global.u32 [%d2], 7;");
    CHECK(failure_of(pointer, launch("1", {"a=u64[1]", "b=u32[2]"})).find("can be any number") != std::string::npos);
}

TEST_CASE("an index is followed only where each number leads further away than the one before") {
    const auto refused = [](const std::string& index, const char* array = "b=u32[2]") {
        const std::string text = ptx_of(
            two_arrays, load_arrays + "atom.global.add.u32 %r0, [%d0], 1;\n" + index + "add.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], 7;");
        return failure_of(text, launch("1", {"a=u32[1]", array})).find("an address depends on a value that is read from memory") !=
               std::string::npos;
    };
    CHECK_FALSE(refused("mad.lo.s32 %r1, %r0, 1, 0;\nmul.wide.s32 %d2, %r1, 4;\n"));
    CHECK_FALSE(refused("cvt.u64.u32 %d2, %r0;\nshl.b64 %d2, %d2, 2;\n"));
    CHECK_FALSE(refused("sub.s32 %r1, %r0, 3;\nmul.wide.s32 %d2, %r1, 4;\n"));
    CHECK_FALSE(refused("add.s32 %r1, %r0, 3;\nmul.wide.s32 %d2, %r1, 4;\n"));  // -3 and -2 lead into the array
    CHECK(refused("max.s32 %r1, %r0, 0;\nmul.wide.s32 %d2, %r1, 4;\n"));        // all below 0 lead to the first element
    CHECK(refused("min.u32 %r1, %r0, 1000000;\nmul.wide.s32 %d2, %r1, 4;\n"));
    // 2^30 leads to the first element, too: that it does not come is claimed, and said so
    for (const std::string wraps : {"shl.b32 %r1, %r0, 2;\ncvt.u64.u32 %d2, %r1;\n", "shl.b32 %r1, %r0, 2;\nmul.wide.u32 %d2, %r1, 1;\n"}) {
        CHECK_FALSE(refused(wraps));
        const Launched claims = evaluated(ptx_of(two_arrays, load_arrays + "atom.global.add.u32 %r0, [%d0], 1;\n" + wraps +
                                                                 "add.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], 7;"),
                                          launch("1", {"a=u32[1]", "b=u32[2]"}));
        const Trace& trace = claims.traces.threads[0];
        CHECK(body(trace).find("st.global.u32 [b+4], 7") != std::string::npos);
        CHECK(trace.traps.size() == 1);
        REQUIRE(trace.notes.size() == 1);
        CHECK(trace.notes[0].text.find("or wrap around: the test claims that it is one of those") != std::string::npos);
    }
    CHECK(refused("mul.lo.s32 %r1, %r0, %r0;\nmul.wide.s32 %d2, %r1, 4;\n"));
    CHECK(refused("xor.b32 %r1, %r0, 0;\nmul.wide.s32 %d2, %r1, 4;\n"));
    CHECK(refused("add.s32 %r1, %r0, 18;\nmul.wide.s32 %d2, %r1, 4;\n"));  // -18 would lead into the array, and is no case
}

TEST_CASE("what a branch says of a number that was read holds on its ways") {
    const auto body_after = [](const std::string& text, const char* array = "b=u32[64]") {
        return body_of(ptx_of(two_arrays, load_arrays + "ld.volatile.global.u32 %r0, [%d0];\n" + text + "END:\nret;"),
                       launch("1", {"a=u32[2]", array}));
    };
    const std::string bad = "st.global.u32 [%d1+4], 99;\n";  // where no path leads
    const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
    // equal to a number: the other comparison is decided
    CHECK_FALSE(has(
        body_after("mov.u32 %r1, 1;\nsetp.ne.s32 %p0, %r0, %r1;\n@%p0 bra END;\nsetp.lt.u32 %p1, %r0, 3;\n@%p1 bra END;\n" + bad), "99"));
    CHECK(has(body_after("setp.eq.s32 %p0, %r0, 1000;\n@!%p0 bra END;\nst.global.u32 [%d1], %r0;\n"), "st.global.u32 [b], 1000\n"));
    CHECK(has(body_after("add.u32 %r1, %r0, 7;\nsetp.eq.s32 %p0, %r1, 9;\n@!%p0 bra END;\nst.global.u32 [%d1], %r0;\n"),
              "st.global.u32 [b], 2\n"));
    // less than a number, at least that, and both
    const std::string index = "mul.wide.u32 %d2, %r0, 4;\nadd.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], 7;\n";
    const std::string few = body_after("setp.ge.u32 %p0, %r0, 3;\n@%p0 bra END;\n" + index);
    CHECK(has(few, "st.global.u32 [b+8], 7\n"));
    CHECK_FALSE(has(few, "[b+12]"));
    CHECK(has(body_after("setp.lt.s32 %p0, %r0, 2;\n@%p0 bra END;\nsetp.gt.s32 %p1, %r0, 2;\n@%p1 bra END;\n" + index),
              "st.global.u32 [b+8], 7\n"));
    CHECK_FALSE(has(body_after("setp.lt.s32 %p0, %r0, 5;\n@!%p0 bra END;\nsetp.le.s32 %p1, %r0, 9;\n@%p1 bra END;\n" + bad), "99"));
    CHECK(has(body_after("setp.lt.s32 %p0, %r0, 5;\n@!%p0 bra END;\nsetp.le.u32 %p1, %r0, 9;\n@%p1 bra END;\n" + bad), "99"));  // -1
    CHECK(has(body_after("setp.gt.s32 %p0, %r0, 40;\n@!%p0 bra END;\nsetp.gt.s32 %p1, %r0, 50;\n@%p1 bra END;\n" + bad), "99"));
    // both of two predicates, or none
    const std::string both = "setp.ge.s32 %p0, %r0, 3;\nsetp.le.s32 %p1, %r0, 3;\n";
    CHECK(has(body_after(both + "and.pred %p2, %p0, %p1;\n@!%p2 bra END;\nst.global.u32 [%d1], %r0;\n"), "st.global.u32 [b], 3\n"));
    const std::string outside = "setp.lt.s32 %p0, %r0, 3;\nsetp.gt.s32 %p1, %r0, 3;\n";
    CHECK(has(body_after(outside + "or.pred %p2, %p0, %p1;\n@%p2 bra END;\nst.global.u32 [%d1], %r0;\n"), "st.global.u32 [b], 3\n"));
    CHECK(has(body_after(outside + "or.pred %p2, %p0, %p1;\n@!%p2 bra END;\nst.global.u32 [%d1], %r0;\n"), "st.global.u32 [b], r0\n"));
    // equal to another register
    const std::string two =
        "ld.volatile.global.u32 %r1, [%d0+4];\nsetp.ne.u32 %p0, %r0, %r1;\n@%p0 bra END;\nsetp.ne.u32 %p1, %r1, 2;\n"
        "@%p1 bra END;\n";
    CHECK_FALSE(has(body_after(two + "setp.eq.u32 %p2, %r0, 2;\n@%p2 bra END;\n" + bad), "99"));
    // what is read again is another number
    CHECK(has(body_after("setp.ne.u32 %p0, %r0, 1;\nld.volatile.global.u32 %r0, [%d0];\n@%p0 bra END;\nst.global.u32 [%d1], %r0;\n"),
              "st.global.u32 [b], r0\n"));
}

TEST_CASE("ways on which another thing is known of a predicate do not meet before it is asked") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        ld.volatile.global.u32 %r0, [%d0];
        ld.volatile.global.u32 %r1, [%d0+4];
        setp.eq.u32 %p3, %r1, 0;
        setp.eq.u32 %p0, %r0, 1;
        @%p3 bra MEET;
        setp.eq.u32 %p0, %r0, 2;
    MEET:
        @!%p0 bra END;
        st.global.u32 [%d1], %r0;
    END:
        ret;)");
    const std::string left = body_of(text, launch("1", {"a=u32[2]", "b=u32[1]"}));
    CHECK(left.find("st.global.u32 [b], 1\n") != std::string::npos);
    CHECK(left.find("st.global.u32 [b], 2\n") != std::string::npos);
}

TEST_CASE("an access outside of its array is a trap where what is read decides whether anybody makes it") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        ld.volatile.global.u32 %r0, [%d0];
        mov.u32 %r1, 0;
        mov.u64 %d2, %d1;
    NEXT:
        st.global.u32 [%d2], 7;
        add.u64 %d2, %d2, 4;
        add.u32 %r1, %r1, 1;
        xor.b32 %r2, %r1, %r0;
        setp.ne.u32 %p0, %r2, 0;
        @%p0 bra NEXT;)");
    const Launched launched = evaluated(text, launch("1", {"a=u32[1]", "b=u32[2]"}));
    const Trace& trace = launched.traces.threads[0];
    CHECK(body(trace).find("st.global.u32 [b+4], 7\n") != std::string::npos);
    CHECK(trace.traps.size() == 1);
    REQUIRE(!trace.notes.empty());
    CHECK(trace.notes.back().text ==
          "a way that depends on what is read leads to `b[2]`, and `b` has 2 elements: the test claims that no thread takes it");
    const std::string guarded = ptx_of(two_arrays, load_arrays + R"(
        ld.volatile.global.u32 %r0, [%d0];
        setp.eq.u32 %p0, %r0, 1;
        @%p0 st.global.u32 [%d1+64], 7;
        st.global.u32 [%d1], 8;)");
    const Launched left = evaluated(guarded, launch("1", {"a=u32[1]", "b=u32[2]"}));
    CHECK(left.traces.threads[0].traps.size() == 1);
    CHECK(body(left.traces.threads[0]).find("st.global.u32 [b], 8\n") != std::string::npos);
}

TEST_CASE("what is computed from an opaque value is opaque, by way of reductions and comparisons in memory, too") {
    const std::string opaque = "cvt.rzi.s32.f32 %r1, %f1;\n";  // of a float that nothing has written
    const std::string reduced = ptx_of(one_array, "ld.param.u64 %d0, [a];\n" + opaque + R"(
        setp.eq.s32 %p0, %r1, 0;
        barrier.red.or.pred.aligned %p1, 0, %p0;
        @%p1 st.global.u32 [%d0], 1;)");
    CHECK(failure_of(reduced, launch("32", {"a=u32[1]"})).find("depends on a value that is not computed") != std::string::npos);
    const std::string compared = ptx_of(one_array, "ld.param.u64 %d0, [a];\n" + opaque + R"(
        atom.global.cas.b32 %r2, [%d0], %r1, 1;
        setp.eq.s32 %p0, %r2, 0;
        @%p0 st.global.u32 [%d0], 2;)");
    CHECK(failure_of(compared, launch("32", {"a=u32[1]"})).find("depends on a value that is not computed") != std::string::npos);
}

TEST_CASE("floats keep their dependencies") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        ld.volatile.global.f32 %f0, [%d0];
        add.f32 %f1, %f0, 0f3f800000;
        st.global.f32 [%d1], %f1;)");
    CHECK(body_of(text, launch("1", {"a=f32[1]", "b=f32[1]"})) == "ld.volatile.global.f32 f0, [a]\nst.global.f32 [b], f0\n");
    const std::string branch = ptx_of(two_arrays, load_arrays + R"(
        ld.volatile.global.f32 %f0, [%d0];
        setp.gt.f32 %p0, %f0, 0f3f800000;
        @%p0 st.global.f32 [%d1], %f0;)");
    CHECK(failure_of(branch, launch("1", {"a=f32[1]", "b=f32[1]"})).find("depends on a value that is not computed") != std::string::npos);
}

TEST_CASE("a stand-in depends on all that it stands for, and what is copied from one is one") {
    const std::string product = ptx_of(two_arrays, load_arrays + R"(
        ld.volatile.global.f32 %f0, [%d0];
        ld.volatile.global.f32 %f1, [%d0+4];
        mul.f32 %f2, %f0, %f1;
        mul.f32 %f3, %f2, %f2;
        st.global.f32 [%d1], %f3;)");
    const std::string text = body_of(product, launch("1", {"a=f32[2]", "b=f32[1]"}));
    CHECK(text.find("add.u32 f2_1, f0, f1") != std::string::npos);
    const std::string copied = ptx_of(two_arrays, load_arrays + R"(
        .shared .align 16 .b8 s[16];
        cvt.rzi.s32.f32 %r1, %f1;
        st.shared.u32 [s], %r1;
        cp.async.bulk.global.shared::cta.bulk_group [%d0], [s], 16;
        ld.volatile.global.u32 %r2, [%d0];
        setp.eq.s32 %p0, %r2, 0;
        @%p0 st.global.u32 [%d1], 1;)");
    CHECK(failure_of(copied, launch("1", {"a=u32[4]", "b=u32[1]"})).find("depends on a value that is not computed") != std::string::npos);
}

TEST_CASE("what is loaded has the width and the sign of its type") {
    const auto stored = [](const std::string& load) {
        return body_of(ptx_of(two_arrays, load_arrays + load + "st.global.u64 [%d1], %d2;"),
                       launch("1", {"a=u32[1]:4294967295", "b=u64[1]"}));
    };
    CHECK(stored("ld.global.s8 %r0, [%d0];\ncvt.u64.u32 %d2, %r0;\n") == "st.global.u64 [b], 4294967295\n");
    CHECK(stored("ld.global.u8 %r0, [%d0];\ncvt.u64.u32 %d2, %r0;\n") == "st.global.u64 [b], 255\n");
    CHECK(stored("mov.u32 %r0, -1;\nadd.u32 %r1, %r0, 2;\nmov.b64 %d2, {%r1, %r0};\n") == "st.global.u64 [b], 18446744069414584321\n");
}

TEST_CASE("ways that differ in local memory do not meet") {
    const std::string before = load_arrays + R"(
        .local .align 8 .b8 depot[8];
        mov.u64 %d2, depot;
        ld.volatile.global.u32 %r0, [%d0];
        setp.eq.u32 %p0, %r0, 0;
)";
    const std::string memory = ptx_of(two_arrays, before + R"(
        st.local.u32 [%d2], 5;
        @%p0 bra JOIN;
        st.local.u32 [%d2], 6;
    JOIN:
        ld.local.u32 %r1, [%d2];
        st.global.u32 [%d1], %r1;)");
    const std::string both = body_of(memory, launch("1", {"a=u32[1]", "b=u32[1]"}));
    CHECK(both.find("[b], 5") != std::string::npos);
    CHECK(both.find("[b], 6") != std::string::npos);
}

TEST_CASE("local memory and calls") {
    const std::string text = ptx_of(two_arrays, load_arrays + R"(
        .local .align 8 .b8 depot[16];
        .param .b32 given;
        .param .b32 back;
        mov.u64 %d2, depot;
        cvta.local.u64 %d3, %d2;
        ld.volatile.global.u32 %r0, [%d0];
        st.u32 [%d3+4], %r0;
        st.local.u32 [%d2], 5;
        ld.local.u32 %r1, [%d2+4];
        ld.u32 %r2, [%d3];
        add.u32 %r3, %r1, %r2;
        st.param.b32 [given], %r3;
        call.uni (back), twice, (given);
        ld.param.b32 %r4, [back];
        st.global.u32 [%d1], %r4;)",
                                    R"(
    .func (.param .b32 result) twice(.param .b32 x)
    {
        .reg .b32 %r<4>;
        ld.param.b32 %r0, [x];
        add.u32 %r1, %r0, %r0;
        st.param.b32 [result], %r1;
        ret;
    }
)");
    CHECK(body_of(text, launch("1", {"a=u32[1]", "b=u32[1]"})) ==
          "ld.volatile.global.u32 r0, [a]\nadd.u32 r3, r0, 5\nadd.u32 r1_v2, r3, r3\nst.global.u32 [b], r1_v2\n");
}

TEST_CASE("lanes exchange what is known, and wait for each other") {
    const std::string text = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        mov.u32 %r0, %tid.x;
        shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;
        setp.lt.u32 %p0, %r0, 2;
        vote.sync.ballot.b32 %r2, %p0, -1;
        add.u32 %r3, %r1, %r2;
        st.global.u32 [%d0], %r3;)");
    const Launched launched = evaluated(text, launch("32", {"a=u32[1]"}));
    const std::string waits =
        "shfl.sync.bfly.b32 exchanged, 0, 0, 31, 4294967295\nsetp.eq.u32 agreed, 0, 0\n"
        "vote.sync.ballot.b32 exchanged, agreed, 4294967295\n";
    CHECK(body(launched.traces.threads[0]) == waits + "st.global.u32 [a], 4\n");
    CHECK(body(launched.traces.threads[5]) == waits + "st.global.u32 [a], 7\n");
    const std::string others = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        mov.u32 %r0, %laneid;
        setp.lt.u32 %p0, %r0, 2;
        vote.sync.all.pred %p1, %p0, -1;
        selp.u32 %r1, 1, 0, %p1;
        and.b32 %r2, %r0, 1;
        match.any.sync.b32 %r3, %r2, -1;
        shfl.sync.down.b32 %r4, %r0, 1, 31, -1;
        st.global.u32 [%d0], %r1;
        st.global.u32 [%d0+4], %r3;
        st.global.u32 [%d0+8], %r4;)");
    CHECK(body(evaluated(others, launch("32", {"a=u32[3]"})).traces.threads[31]) ==
          "setp.eq.u32 agreed, 0, 0\nvote.sync.all.pred agreed, agreed, 4294967295\nshfl.sync.bfly.b32 exchanged, 0, 0, 31, 4294967295\n"
          "shfl.sync.down.b32 exchanged, 0, 0, 31, 4294967295\n"
          "st.global.u32 [a], 0\nst.global.u32 [a+4], 2863311530\nst.global.u32 [a+8], 31\n");
    const std::string elected = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        elect.sync _|%p0, 0xffffffff;
        @%p0 st.global.u32 [%d0], 1;)");
    const Launched one = evaluated(elected, launch("32", {"a=u32[1]"}));
    CHECK(body(one.traces.threads[0]) == "elect.sync exchanged|agreed, 4294967295\nst.global.u32 [a], 1\n");
    CHECK(body(one.traces.threads[1]) == "elect.sync exchanged|agreed, 4294967295\n");
    REQUIRE(one.traces.threads[0].notes.size() == 1);
    CHECK(one.traces.threads[0].notes[0].text == "`elect.sync` is taken to elect the lowest lane of its mask, 0");
    const std::string active = ptx_of(one_array, "ld.param.u64 %d0, [a];\nactivemask.b32 %r0;\nst.global.u32 [%d0], %r0;");
    const Launched all = evaluated(active, launch("32", {"a=u32[1]"}));
    CHECK(body(all.traces.threads[0]) == "st.global.u32 [a], 4294967295\n");
    REQUIRE(all.traces.threads[0].notes.size() == 1);
    CHECK(all.traces.threads[0].notes[0].text == "`activemask` is taken to give all lanes of the warp that come here");
    const std::string apart = ptx_of("", R"(
        mov.u32 %r0, %tid.x;
        setp.eq.u32 %p0, %r0, 3;
        @%p0 bra OTHER;
        shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;
    OTHER:
        shfl.sync.down.b32 %r1, %r0, 1, 31, -1;)");
    CHECK(failure_of(apart, launch("32", {})).find("waits at `shfl.sync.idx.b32` for lanes that do not come: 3") != std::string::npos);
    // where lane 0 may have left, what it brings is not known
    const std::string leaves = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        mov.u32 %r0, %laneid;
        ld.volatile.global.u32 %r2, [%d0];
        setp.eq.u32 %p0, %r0, 0;
        setp.eq.u32 %p1, %r2, 1;
        and.pred %p2, %p0, %p1;
        @%p2 exit;
        shfl.sync.idx.b32 %r1, %r0, 0, 31, -1;
        setp.eq.u32 %p3, %r1, 0;
        @%p3 st.volatile.global.u32 [%d0], 1;)");
    CHECK(failure_of(leaves, launch("32", {"a=u32[1]"})).find("depends on a value that is not computed") != std::string::npos);
}

TEST_CASE("matrices are loaded by the lanes that give rows, and all lanes wait") {
    // a tile of 32 rows of 16 bytes; each lane gives a row, and what it gets is stored
    const auto kernel = [](const std::string& before, const std::string& load) {
        return ptx_of(one_array,
                      ".shared .align 16 .b8 tile[512];\nld.param.u64 %d0, [a];\nmov.u32 %r9, %tid.x;\nmov.u32 %r8, tile;\n"
                      "shl.b32 %r7, %r9, 4;\nadd.u32 %r8, %r8, %r7;\n" +
                          before + load + "\nst.global.u32 [%d0], %r1;");
    };
    const std::string waits = "shfl.sync.bfly.b32 exchanged, 0, 0, 31, 4294967295\n", stored = "st.global.u32 [a], 0\n";
    const std::string four = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%r8];";
    const LaunchTexts warp = launch("32", {"a=u32[1]"});
    const Launched whole = evaluated(kernel("", four), warp);
    CHECK(body(whole.traces.threads[31]) == "ld.shared.v2.b64 {row64_0, row64_1}, [tile+496]\n" + waits + stored);
    REQUIRE(whole.traces.threads[31].notes.size() == 1);
    CHECK(whole.traces.threads[31].notes[0].text == "what the lanes get of matrices is not computed: it stands for any value");
    CHECK(whole.traces.threads[31].aligned == std::vector<size_t>{1});
    // two matrices have 16 rows
    const Launched half = evaluated(kernel("", "ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%r0, %r1}, [%r8];"), warp);
    CHECK(body(half.traces.threads[15]) == "ld.shared.v2.b64 {row64_0, row64_1}, [tile+240]\n" + waits + stored);
    CHECK(body(half.traces.threads[16]) == waits + stored);
    // the elements are those of other accesses
    CHECK(body_of(kernel("st.shared.u32 [%r8], 7;\n", four), warp) ==
          "st.shared.u32 [tile], 7\nld.shared.v4.b32 {row32_0, row32_1, row32_2, row32_3}, [tile]\n" + waits + stored);
    CHECK(body_of(kernel("st.shared.v4.u32 [%r8], {7, 7, 7, 7};\nst.shared.u16 [%r8+2], 7;\n", four), warp)
              .find("ld.shared.v4.b16 {row16_0, row16_1, row16_2, row16_3}, [tile]\nld.shared.v4.b16 {row16_0, row16_1, row16_2, row16_3}, "
                    "[tile+8]\n") != std::string::npos);
    // what cannot be aligned breaks the rule of one access of 16 bytes
    CHECK(body_of(kernel("st.shared.u16 [%r8], 7;\nadd.u32 %r8, %r8, 8;\n", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r8];"), warp)
              .find("ld.shared.v4.b32 {row32_0, row32_1, row32_2, row32_3}, [tile+8]\n") != std::string::npos);
    // generic addresses
    CHECK(body_of(kernel("cvt.u64.u32 %d1, %r8;\ncvta.shared.u64 %d1, %d1;\n", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%d1];"), warp) ==
          "ld.shared.v2.b64 {row64_0, row64_1}, [tile]\n" + waits + stored);
    CHECK(failure_of(kernel("", "ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%d0];"), warp)
              .find("of memory that is not shared: the behaviour is undefined") != std::string::npos);
    CHECK(failure_of(kernel("", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r0, %r1}, [%r8];"), warp)
              .find("`ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8` is not read from kernels") != std::string::npos);
}

TEST_CASE("matrices are stored by the lanes that give rows, and what they hold is not computed") {
    const std::string text = ptx_of(one_array, R"(
        .shared .align 16 .b8 tile[512];
        ld.param.u64 %d0, [a];
        mov.u32 %r9, %tid.x;
        mov.u32 %r8, tile;
        shl.b32 %r7, %r9, 4;
        add.u32 %r8, %r8, %r7;
        stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r8], {%r9};
        bar.sync 0;
        ld.shared.u32 %r1, [tile];
        setp.eq.u32 %p0, %r1, 0;
        @%p0 st.global.u32 [%d0], 1;)");
    const LaunchTexts warp = launch("32", {"a=u32[1]"});
    // a value that is not computed decides nothing
    CHECK(failure_of(text, warp).find("depends on a value that is not computed") != std::string::npos);
    const std::string stored = text.substr(0, text.find("setp")) + "st.global.u32 [%d0], %r1;\n}\n";
    const Launched launched = evaluated(stored, warp);
    const std::string rest =
        "shfl.sync.bfly.b32 exchanged, 0, 0, 31, 4294967295\nbar.sync 0\nld.shared.u32 r1, [tile]\nst.global.u32 [a], r1\n";
    CHECK(body(launched.traces.threads[7]) == "st.shared.v4.b32 [tile+112], {0, 0, 0, 0}\n" + rest);
    CHECK(body(launched.traces.threads[8]) == rest);
}

TEST_CASE("what is left out completes its bytes on its mbarrier object") {
    const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    const std::string tensor = "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes";
    const auto kernel = [](const std::string& text) {
        return ptx_of(one_array,
                      ".shared .align 16 .b8 tile[64];\n.shared .align 8 .b64 bar;\n.shared .align 8 .b64 other;\n"
                      "ld.param.u64 %d0, [a];\nmov.u32 %r8, tile;\nmov.u32 %r9, bar;\nmov.u32 %r7, other;\n" +
                          text);
    };
    const std::string expects = "mbarrier.arrive.expect_tx.shared.b64 _, [%r9], 64;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r7], 64;\n";
    const std::string copies = tensor + " [%r8], [%d0, {%r1}], [%r9];\n";
    EvaluateOptions options;
    options.ignored = {"cp"};
    const Launched met = evaluated(kernel("mov.u32 %r1, 0;\n" + expects + copies), launch("1", {"a=u32[32]"}), options);
    CHECK(body(met.traces.threads[0]) ==
          "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 0\nmbarrier.arrive.expect_tx.shared.b64 _, [other], 64\n");
    REQUIRE(met.traces.left_out.size() == 1);
    CHECK(met.traces.left_out.begin()->first == tensor);
    // where others complete, too, how much cannot be told
    options.ignored = {"cp.async.bulk.tensor"};
    const std::string failure = failure_of(kernel("mov.u32 %r1, 0;\n" + expects + copies + copy + " [%r8], [%d0], 64, [%r9];"),
                                           launch("1", {"a=u32[32]"}), options);
    CHECK(failure.find("how many of the expected bytes are theirs cannot be told") != std::string::npos);
    CHECK(failure.find("`" + copy + "` completes bytes on an mbarrier object, and so do instructions that are left out") !=
          std::string::npos);
    // an arrival is no copy
    options.ignored = {"cp"};
    const std::string arrives = kernel("cp.async.mbarrier.arrive.noinc.shared.b64 [%r9];");
    CHECK(body(evaluated(arrives, launch("1", {"a=u32[32]"}), options).traces.threads[0]) ==
          "cp.async.mbarrier.arrive.noinc.shared.b64 [bar]\n");
    options.ignored = {"cp.async.mbarrier"};
    CHECK(body(evaluated(arrives, launch("1", {"a=u32[32]"}), options).traces.threads[0]).empty());
}

TEST_CASE("which synchronization some thread came to is counted") {
    const std::string text = ptx_of("", R"(
        mov.u32 %r0, %tid.x;
        bar.sync 0;
        setp.eq.u32 %p0, %r0, 5;
        @%p0 bar.warp.sync 32;
        setp.eq.u32 %p1, %r0, 99;
        @%p1 cp.async.wait_all;)");
    const Coverage coverage = evaluated(text, launch("32", {})).traces.synchronization;
    CHECK(coverage.statements == 3);
    CHECK(coverage.reached == 2);
}

TEST_CASE("who gave a value that is not computed is said, with its line") {
    const std::string text = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        .loc 1 7 1
        mov.u32 %r0, %clock;
        .loc 1 8 1
        and.b32 %r1, %r0, 3;
        cvt.u64.u32 %d1, %r1;
        add.u64 %d1, %d1, %d0;
        .loc 1 9 1
        st.global.u32 [%d1], 1;)",
                                    ".file 1 \"k.cu\"\n");
    CHECK(failure_of(text, launch("1", {"a=u32[8]"}))
              .find("an address depends on a value that is not computed, which `mov.u32` gives (k.cu:7) (k.cu:9)") != std::string::npos);
    const std::string unwritten = ptx_of(one_array, "ld.param.u64 %d0, [a];\nadd.u64 %d1, %d0, %d2;\nst.global.u32 [%d1], 1;");
    CHECK(failure_of(unwritten, launch("1", {"a=u32[8]"})).find("not computed: nothing has written the register that it comes from") !=
          std::string::npos);
    const std::string branch = ptx_of(one_array, R"(
        ld.param.u64 %d0, [a];
        sqrt.approx.f32 %f1, 0f40000000;
        setp.gt.f32 %p0, %f1, 0f3f800000;
        @%p0 st.global.u32 [%d0], 1;)");
    CHECK(failure_of(branch, launch("1", {"a=u32[8]"}))
              .find("what is done here depends on a value that is not computed, which "
                    "`sqrt.approx.f32` gives") != std::string::npos);
}

TEST_CASE("dynamic shared memory that the launch does not give is asked for") {
    const std::string text = ptx_of("", "mov.u32 %r0, buf;\nst.shared.u32 [%r0+4], 1;", ".extern .shared .align 16 .b32 buf[];\n");
    const std::string failure = failure_of(text, launch("1", {}));
    CHECK(failure.find("accesses `buf[1]`, and `buf` has 0 elements") != std::string::npos);
    CHECK(failure.find("`buf` is dynamic shared memory: --shared says how many bytes it has") != std::string::npos);
    LaunchTexts texts = launch("1", {});
    texts.shared_bytes = 8;
    CHECK(body_of(text, texts) == "st.shared.u32 [buf+4], 1\n");
    const std::string fixed = ptx_of("", ".shared .align 4 .b32 tile[4];\nmov.u32 %r0, tile;\nst.shared.u32 [%r0+16], 1;");
    CHECK(failure_of(fixed, launch("1", {})).find("accesses `tile[4]`, and `tile` has 4 elements") != std::string::npos);
}

TEST_CASE("shared variables are called as in the source") {
    const std::string text = ptx_of("", R"(
        .shared .align 4 .b32 _ZZ9MatrixMulILi16EEvPfS0_S0_iiE2As;
        mov.u32 %r0, _ZZ9MatrixMulILi16EEvPfS0_S0_iiE2As;
        st.shared.u32 [%r0], 1;)");
    CHECK(body_of(text, launch("1", {})) == "st.shared.u32 [As], 1\n");
}

TEST_CASE("what cannot be evaluated is refused with its line") {
    CHECK(failure_of(ptx_of("", "wgmma.fence.sync.aligned;"), launch("1", {}))
              .find("k.ptx:11:1: error: `wgmma.fence.sync.aligned` is not modelled") != std::string::npos);
    EvaluateOptions options;
    options.ignored = {"wgmma"};
    const Launched left_out = evaluated(ptx_of("", "wgmma.fence.sync.aligned;"), launch("1", {}), options);
    CHECK(left_out.traces.threads[0].notes.at(0).text == "`wgmma.fence.sync.aligned` is left out, as asked");
    for (const std::string name : {"griddepcontrol.wait", "griddepcontrol.launch_dependents"}) {
        const std::string dependent = ptx_of("", name + ";");
        CHECK(body_of(dependent, launch("1", {})) == name + "\n");
        options.ignored = {"griddepcontrol"};
        CHECK(evaluated(dependent, launch("1", {}), options).traces.threads[0].notes.at(0).text == "`" + name + "` is left out, as asked");
    }
    const std::string outside = ptx_of(one_array, "ld.param.u64 %d0, [a];\nst.global.u32 [%d0+4096], 1;");
    CHECK(failure_of(outside, launch("1", {"a=u32[1]"})).find("thread 0 of block 0 accesses `a[1024]`, and `a` has 1 element") !=
          std::string::npos);
    const std::string before = ptx_of(one_array, "ld.param.u64 %d0, [a];\nst.global.u32 [%d0+-4096], 1;");
    CHECK(failure_of(before, launch("1", {"a=u32[1]"})).find("accesses `a[-1024]`, and `a` has 1 element") != std::string::npos);
    options.most_states = 100;
    const std::string endless = ptx_of("", "mov.u32 %r0, 0;\nLOOP:\nadd.u32 %r0, %r0, 1;\nbra LOOP;");
    CHECK(failure_of(endless, launch("1", {}), options).find("more than 100 states") != std::string::npos);
}
