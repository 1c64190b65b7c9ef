// The verdicts of small kernels, asked of the library alone.
#include "analysis/kernel/kernel_verdict.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/verdict/hazards.h"
#include "kernel/read.h"

using namespace litmus;

namespace {

constexpr const char* kernels = LITMUS_SOURCE_DIR "/tests/kernel/cuda/";

JudgedKernel judged(const SourcePtr& ptx, const kernel::LaunchTexts& launch) {
    ModelFamily family("ptx", {});
    Solver solver;
    KernelQuestion question;
    question.launch = launch;
    return judge_kernel(ptx, question, family, {}, solver);
}

// One of the kernels of tests/kernel/cuda; `launch` as in kernels.txt there.
Result of_cuda(const std::string& name, const kernel::LaunchTexts& launch) {
    return judged(read_source(kernels + name + ".ptx"), launch).result;
}

// Each thread writes the word that the parameter points to, by this instruction.
SourcePtr writing(const std::string& store) {
    return make_source("folder/k.ptx", std::string(kernel::testing::prologue) +
                                           ".visible .entry k(.param .u64 to)\n{\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [to];\n"
                                           "cvta.to.global.u64 %rd2, %rd1;\n" +
                                           store + " [%rd2], 1;\nret;\n}\n");
}

}  // namespace

TEST_CASE("a kernel whose accesses race has that verdict, without any claim") {
    const kernel::LaunchTexts launch{.grid = "2", .block = "1", .arguments = {"u32[1]"}};
    const JudgedKernel racy = judged(writing("st.global.u32"), launch);
    CHECK(racy.result.judgement.verdict == Verdict::race);
    CHECK(racy.result.races.size() == 1);
    CHECK(judged(writing("st.relaxed.gpu.global.u32"), launch).result.judgement.verdict == Verdict::ok);
}

TEST_CASE("a result names its test and what that was made of, and says which threads it is about") {
    const JudgedKernel kernel = judged(writing("st.global.u32"), {.grid = "2", .block = "1", .arguments = {"u32[1]"}});
    CHECK(kernel.result.file == "k.litmus");
    CHECK(kernel.result.made_of == "folder/k.ptx");
    CHECK(kernel.result.model == "ptx");
    CHECK(kernel.result.judged == what_is_judged(kernel.written, false));
    CHECK_FALSE(kernel.result.judged.empty());
    CHECK(kernel.written.text.find("racefree") != std::string::npos);  // what others are to check
}

TEST_CASE("a copy that is in flight when its CTA exits is undefined behaviour of a kernel") {
    const kernel::LaunchTexts launch{.grid = "1", .block = "32", .arguments = {"in=s32[64]:iota", "out=s32[64]"}};
    CHECK(of_cuda("bulk_store", launch).judgement.verdict == Verdict::ok);
    const Result leaves = of_cuda("bulk_store.LEAVES", launch);
    CHECK(leaves.judgement.verdict == Verdict::undefined);
    REQUIRE(leaves.hazards.size() == 1);
    CHECK(leaves.hazards.front().flag == in_flight_at_exit);
}

TEST_CASE("a static rule that is broken is the verdict, at its CUDA line") {
    const Result own = of_cuda("cluster_votes.OWN", {.grid = "2", .block = "32", .arguments = {"in=s32[64]:iota", "out=s32[16]"}});
    CHECK(own.judgement.verdict == Verdict::undefined);
    REQUIRE(own.hazards.size() == 1);
    CHECK(own.hazards.front().accesses.front().origin);
    const auto is_verdict = [](const std::string& line) { return line.rfind("undefined: ", 0) == 0; };
    CHECK(std::none_of(own.judged.begin(), own.judged.end(), is_verdict));
}

TEST_CASE("a file that an argument names has to be provided") {
    const kernel::LaunchTexts launch{.grid = "1", .block = "1", .arguments = {"u32[1]:@data.bin"}};
    CHECK_THROWS_WITH_AS(judged(writing("st.global.u32"), launch), doctest::Contains("data.bin"), Failure);
}
