// Multimem addresses: what their operations leave and give, and what they are ordered with. tests/library/sweep_test.cpp asks the sweep and
// the model of all tests of litmus/async/multimem.
#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/left.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;
using kernel::testing::refusal;

namespace {

// A kernel of this body; `x` and `y` lie at %rd1 and %rd2, and a third buffer at %rd4. %rd3 is a multimem address of so many of them.
sweep::Swept run_multimem(const std::string& body, size_t replicas = 2, const std::string& grid = "1", const std::string& type = "u32") {
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n.shared .align 16 .b8 s[16];\n"
        ".reg .pred %p<10>;\n.reg .b16 %h<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [p0];\n"
        "ld.param.u64 %rd2, [p1];\nld.param.u64 %rd4, [p2];\nld.param.u64 %rd3, [p3];\nmov.u32 %r9, %ctaid.x;\n" +
        body + "\nEND:\nret;\n}\n");
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = "1";
    texts.arguments = {"x=" + type + "[8]", "y=" + type + "[8]", "z=" + type + "[8]",
                       replicas == 3 ? "a=multimem(x,y,z)" : "a=multimem(x,y)"};
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    sweep::Options how;
    how.leaves = true;
    return sweep::sweep(module, launch, how);
}

std::string multimem_says(const std::string& body, size_t replicas = 2, const std::string& grid = "1") {
    const sweep::Swept found = run_multimem(body, replicas, grid);
    std::string text;
    for (const sweep::Finding& finding : found.findings) text += finding.text + "; ";
    for (const std::string& condition : found.conditions) text += "where " + condition + "; ";
    return text;
}

// The words that the run has left, " " between them; "?" where one is not computed.
std::string words_of(const sweep::Swept& found, size_t array, size_t words) {
    std::string text;
    const sweep::Contents& contents = found.left->arrays[array];
    for (size_t w = 0; w < words; ++w) {
        uint32_t word = 0;
        for (size_t i = 0; i < 4; ++i) word |= static_cast<uint32_t>(contents.bytes[4 * w + i]) << (8 * i);
        text += (w == 0 ? "" : " ") + (contents.known[4 * w] ? std::to_string(word) : "?");
    }
    return text;
}

const std::string alias_fence = "fence.proxy.alias;\n";

}  // namespace

TEST_CASE("a multimem operation is done at each location, and a load gives what they make together") {
    const std::string body = "st.global.u32 [%rd1], 5;\nst.global.u32 [%rd2], 7;\n" + alias_fence +
                             "multimem.ld_reduce.weak.global.add.u32 %r1, [%rd3];\nmultimem.ld_reduce.weak.global.min.u32 %r2, [%rd3];\n"
                             "multimem.st.weak.global.u32 [%rd3+4], %r1;\nmultimem.red.relaxed.gpu.global.max.u32 [%rd3+8], %r2;\n" +
                             alias_fence + "st.global.u32 [%rd1+12], 9;\n";
    const sweep::Swept found = run_multimem(body);
    CHECK(found.findings.empty());
    CHECK(words_of(found, 0, 4) == "5 12 5 9");
    CHECK(words_of(found, 1, 4) == "7 12 5 0");
    // halves, 1.0 and 2.0 in bfloat16
    const std::string halves = "st.global.u32 [%rd1], 0x3f803f80;\nst.global.u32 [%rd2], 0x40003f80;\n" + alias_fence +
                               "multimem.ld_reduce.weak.global.add.acc::f32.bf16x2 %r1, [%rd3];\n" + alias_fence +
                               "st.global.u32 [%rd4], %r1;\n";
    CHECK(words_of(run_multimem(halves), 2, 1) == std::to_string(0x40404000));
}

TEST_CASE("the order in which numbers are added is open where there are three") {
    const auto sum = [](const std::string& type) {
        return "multimem.ld_reduce.weak.global.add." + type + " %r1, [%rd3];\n" + alias_fence + "st.global.b32 [%rd4+4], %r1;\n";
    };
    CHECK(words_of(run_multimem(sum("f32"), 2), 2, 2) == "0 0");
    CHECK(words_of(run_multimem(sum("f32"), 3), 2, 2) == "0 ?");
    CHECK(words_of(run_multimem(sum("u32"), 3), 2, 2) == "0 0");
}

TEST_CASE("two addresses of a location have an alias proxy fence between them") {
    const std::string between = "no alias proxy fence lies between";
    const std::string store = "st.global.u32 [%rd1], 1;\n", load = "multimem.ld_reduce.weak.global.add.u32 %r1, [%rd3];\n";
    CHECK(has(multimem_says(store + load), between));
    CHECK(multimem_says(store + alias_fence + load) == "");
    CHECK(has(multimem_says(load + store), between));
    CHECK(multimem_says(load + load + alias_fence + store) == "");
    CHECK(has(multimem_says(load + alias_fence + load + store), between));
    // what was read by one address is not forgotten because it is read by the other
    CHECK(has(multimem_says(load + "ld.global.u32 %r2, [%rd1];\n" + store), between));
    // another location, or one address
    CHECK(multimem_says("st.global.u32 [%rd4], 1;\n" + load) == "");
    CHECK(multimem_says("multimem.st.weak.global.u32 [%rd3], 1;\n" + load) == "");
    // strong accesses by two addresses may be morally strong (reading multimem-signals), and one thread's are in no order
    CHECK(multimem_says("multimem.red.relaxed.sys.global.add.u32 [%rd3], 1;\nld.relaxed.sys.global.u32 %r1, [%rd1];\n") == "");
    CHECK(has(multimem_says("multimem.red.relaxed.sys.global.add.u32 [%rd3], 1;\nld.relaxed.sys.global.u32 %r1, [%rd1];\n"
                            "setp.eq.u32 %p1, %r1, 0;\n@%p1 fence.acq_rel.gpu;\n"),
              "finds depends on the order, and decides"));
}

TEST_CASE("a flag that a multimem reduction raises, and a poll of one location of it") {
    const auto says = [](const std::string& raise, const std::string& poll, const std::string& behind) {
        return multimem_says("setp.ne.u32 %p1, %r9, 0;\n@%p1 bra OTHER;\nst.global.u32 [%rd4], 1;\n" + raise + "bra END;\nOTHER:\n" + poll +
                                 " %r1, [%rd2];\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra OTHER;\n" + behind + "ld.global.u32 %r2, [%rd4];\n",
                             2, "2");
    };
    const std::string raise = "multimem.red.release.gpu.global.add.u32 [%rd3], 1;\n";
    CHECK(says(raise, "ld.acquire.gpu.global.u32", "") == "");
    CHECK(has(says("multimem.red.relaxed.gpu.global.add.u32 [%rd3], 1;\n", "ld.acquire.gpu.global.u32", ""), "race on `z`"));
    CHECK(has(says(raise, "ld.relaxed.gpu.global.u32", ""), "race on `z`"));
    CHECK(says(raise, "ld.relaxed.gpu.global.u32", "fence.acq_rel.gpu;\n") == "");
    // asynchronous reductions and stores that release
    CHECK(says("multimem.red.async.release.gpu.global.add.u32 [%rd3], 1;\n", "ld.acquire.gpu.global.u32", "") == "");
    CHECK(says("multimem.st.async.release.gpu.global.u32 [%rd3], 1;\n", "ld.acquire.gpu.global.u32", "") == "");
}

// A thread comes behind the write that it has found in every order (8.9.5), by the address by which it has found it.
TEST_CASE("what was found by one address is no order of an access by another one") {
    const auto says = [](const std::string& writes) {
        return multimem_says(
            "setp.ne.u32 %p1, %r9, 0;\n@%p1 bra OTHER;\nst.relaxed.gpu.global.u32 [%rd1], 1;\nbra END;\nOTHER:\n"
            "ld.relaxed.gpu.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p2, %r1, 1;\n@%p2 bra OTHER;\n" +
                writes,
            2, "2");
    };
    CHECK(says("st.global.u32 [%rd1], 2;\n") == "");
    CHECK(has(says(alias_fence + "multimem.st.weak.global.u32 [%rd3], 2;\n"), "race on `x` at byte 0"));
}

TEST_CASE("a bulk copy to a multimem address is one to each location") {
    const std::string copy =
        "st.shared.u32 [s], 3;\nfence.proxy.async;\n"
        "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd3], [s], 16;\ncp.async.bulk.commit_group;\n";
    const std::string read = "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\n";
    CHECK(has(multimem_says(copy + "cp.async.bulk.wait_group 0;\n" + read), "race on `x`"));
    CHECK(has(multimem_says(copy + alias_fence + read + "cp.async.bulk.wait_group 0;\n"), "not known to be complete"));
    CHECK(multimem_says(copy + "cp.async.bulk.wait_group 0;\n" + alias_fence + read) == "");
    // through the async proxy of one block there is no proxy fence, but the alias fence
    const std::string waited = copy + "cp.async.bulk.wait_group 0;\n",
                      own = "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;\n";
    CHECK(has(multimem_says(waited + own), "race on `x`"));
    CHECK(!has(multimem_says(waited + alias_fence + own), "race on `x`"));
    const sweep::Swept found = run_multimem(waited);
    CHECK(words_of(found, 0, 1) == "3");
    CHECK(words_of(found, 1, 1) == "3");
}

TEST_CASE("a multimem address is for multimem operations, and they are for it") {
    CHECK(has(refusal([] { run_multimem("ld.global.u32 %r1, [%rd3];\n"); }), "`a` is a multimem address, for multimem operations alone"));
    CHECK(has(refusal([] { run_multimem("multimem.st.weak.global.u32 [%rd1], 1;\n"); }), "it is for a multimem address"));
}
