// Barriers that ask the lanes of a warp to come together: small kernels, and what is said of them.
#include "kernel/convergence.h"

#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/evaluate.h"
#include "kernel/write.h"
#include "read.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

// Of 64 threads; %r0 is the thread's number, %r1 its lane, %rd0 the address of an array of 64 elements, %rd1 that of the thread's own.
Findings found(const std::string& body) {
    const Module module = testing::kernel_of(
        "ld.param.u64 %rd0, [k_param_0];\nmov.u32 %r0, %tid.x;\nand.b32 %r1, %r0, 31;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, "
        "%rd1;\n" +
        body);
    LaunchTexts texts;
    texts.grid = "1";
    texts.block = "64";
    texts.arguments = {"a=u32[64]", "n=1"};
    const Launch launch = launch_of(module, texts, [](const std::string&) { return std::string(); });
    const Traces traces = evaluate(module, launch);
    const Findings result = convergence(module, traces);
    CHECK(write_test(module, launch, traces).of_kernel.size() == result.broken.size());
    return result;
}

bool is_fine(const std::string& body) {
    const Findings result = found(body);
    return result.broken.empty() && result.presumed.empty();
}

std::string broken(const std::string& body) {
    const Findings result = found(body);
    CHECK(result.presumed.empty());
    return result.broken.size() == 1 ? result.broken[0].message : "";
}

std::string presumed(const std::string& body) {
    const Findings result = found(body);
    CHECK(result.broken.empty());
    return result.presumed.size() == 1 ? result.presumed[0] : "";
}

const std::string store = "\nst.global.u32 [%rd1], 1;\n";

// Executed by the lanes below 8 of each warp.
std::string by_some(const std::string& text) {
    return "setp.ge.u32 %p0, %r1, 8;\n@%p0 bra OVER;\n" + text + "\nOVER:\n";
}

}  // namespace

TEST_CASE("a barrier that some lanes of a warp pass by") {
    CHECK(is_fine("bar.sync 0;" + store));
    CHECK(has(broken(by_some("bar.sync 0;") + store), "t0..t7 come to this one, and t8..t31 pass it by"));
    CHECK(has(broken(by_some("barrier.sync.aligned 0;") + store), "pass it by"));
    CHECK(has(broken(by_some("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;") + store), "pass it by"));
    CHECK(is_fine(by_some("barrier.sync 0;") + store));
    CHECK(is_fine(by_some("barrier.cluster.arrive;\nbarrier.cluster.wait;") + store));
    CHECK(is_fine(by_some("bar.warp.sync 0xff;") + store));
    // by whole warps, others may pass
    CHECK(is_fine("setp.ge.u32 %p0, %r0, 32;\n@%p0 bra OVER;\nbar.sync 1, 32;\nOVER:\n" + store));
}

TEST_CASE("a loop with a number of rounds that depends on the lane") {
    const std::string loop = "and.b32 %r2, %r0, 1;\nLOOP:\nbar.sync 0;\nsub.s32 %r2, %r2, 1;\nsetp.ge.s32 %p0, %r2, 0;\n@%p0 bra LOOP;";
    CHECK(has(broken(loop + store), "pass it by"));
}

TEST_CASE("two barriers in two halves of a warp") {
    const std::string halves = "setp.ge.u32 %p0, %r1, 16;\n@%p0 bra OTHER;\nbar.sync 0;\nbra.uni DONE;\nOTHER:\nbar.sync 0;\nDONE:" + store;
    CHECK(has(broken(halves), "t0..t15 come to this one, and t16..t31 to `bar.sync`"));
}

TEST_CASE("lanes that have exited are asked nothing") {
    CHECK(is_fine("setp.ge.u32 %p0, %r1, 8;\n@%p0 exit;\nbar.sync 0;" + store));
    // what they do before they exit stands behind the barrier in the text, but is no place where the others come, too
    const std::string leaving =
        "setp.ge.u32 %p0, %r1, 8;\n@%p0 bra LEAVE;\nbar.sync 0;" + store + "ret;\nLEAVE:\nst.global.u32 [%rd1], 2;\nret;";
    CHECK(has(presumed(leaving), "t8..t31 do not come to it: have they exited by then?"));
}

TEST_CASE("matrices ask all lanes of the warp, those that have exited too") {
    const std::string tile = ".shared .align 16 .b8 tile[512];\nmov.u32 %r2, tile;\n";
    const std::string load = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r2];";
    CHECK(is_fine(tile + load + store));
    const std::string gone = broken(tile + "setp.ge.u32 %p0, %r1, 8;\n@%p0 exit;\n" + load + store);
    CHECK(gone == "all lanes of a warp execute the same `ldmatrix` or `stmatrix` (ISA 9.7.14.5.15): t8..t31 do not come to it");
    CHECK(has(broken(tile + by_some(load) + store), "t8..t31 do not come to it"));
    CHECK(has(broken(tile + by_some(load) + "bar.sync 0;" + store), "t0..t7 come to this one, and t8..t31 to `bar.sync`"));
    const std::string on_value =
        "ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p0, %r4, 7;\n@%p0 bra OVER;\n" + load + "\nOVER:" + store;
    CHECK(has(presumed(tile + on_value), "`ldmatrix` or `stmatrix` asks all lanes of a warp to come to it together (ISA 9.7.14.5.15)"));
}

TEST_CASE("what lanes read may lead them apart") {
    const std::string on_value =
        "ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p0, %r2, 7;\n@%p0 bra OVER;\nbar.sync 0;\nOVER:" + store;
    CHECK(has(presumed(on_value), "`bar.sync` asks all lanes of a warp to come to it together"));
    const std::string spin = "LOOP:\nld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p0, %r2, 7;\n@%p0 bra LOOP;\nbar.sync 0;" + store;
    CHECK(is_fine(spin));
}
