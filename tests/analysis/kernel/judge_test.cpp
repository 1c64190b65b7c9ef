// The claim about launches, asked of the library alone.
#include "analysis/kernel/judge.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/kernel/report.h"
#include "kernel/arguments.h"
#include "kernel/read.h"

using namespace litmus;

namespace {

std::string path_of(const std::string& name) {
    return LITMUS_SOURCE_DIR "/tests/kernel/cuda/" + name + ".ptx";
}

KernelLaunch launch_of(const SourcePtr& ptx, const std::string& name, const kernel::LaunchTexts& texts) {
    const auto module = std::make_shared<const kernel::Module>(kernel::read_module(ptx));
    const auto no_file = [](const std::string&) { return std::string(); };
    return {module, std::make_shared<const kernel::Launch>(kernel::launch_of(*module, texts, no_file)), ptx->name, name};
}

KernelLaunch launch_of(const std::string& name, const kernel::LaunchTexts& texts) {
    return launch_of(read_source(path_of(name)), name, texts);
}

KernelJudgement judged(const std::vector<KernelLaunch>& launches, const std::string& model = "ptx",
                       const std::vector<std::string>& variants = {}) {
    ModelFamily family(model, variants);
    Solver solver;
    JudgeQuestion question;
    question.file = "k.litmus";
    return judge_launches(launches, question, family, solver);
}

const kernel::LaunchTexts ring{.grid = "1", .block = "64", .arguments = {"in=s32[96]:iota", "out=s32[96]", "tiles=3"}};
const kernel::LaunchTexts dekker{.grid = "2", .block = "32", .arguments = {"flags=u32[2]", "result=s32[1]"}};
const kernel::LaunchTexts timed{.grid = "2", .block = "32", .arguments = {"data=s32[1]", "ready=u32[1]", "out=s32[1]"}};

}  // namespace

TEST_CASE("a kernel that synchronises alike in every order is right, and no test is asked") {
    const std::vector<KernelLaunch> launches = stream_of({launch_of("ring", ring)});
    const KernelJudgement right = judged(launches);
    CHECK(right.claim == KernelClaim::right);
    CHECK_FALSE(right.threads);
    CHECK(claim_line(launches, right) == "right in every order of this launch");
    const KernelJudgement wrong = judged({launch_of("ring.EARLY", ring)});
    CHECK(wrong.claim == KernelClaim::wrong);
    CHECK(wrong.findings == 1);
    CHECK_FALSE(wrong.threads);
}

TEST_CASE("a run of all threads is by the model ptx: another model, or a variant, leaves the claim open") {
    const std::vector<KernelLaunch> launches = stream_of({launch_of("ring", ring)});
    for (const auto& judgement : {judged(launches, "tso"), judged(launches, "ptx", {"async-scope"})}) {
        CHECK(judgement.claim == KernelClaim::open);
        REQUIRE(judgement.open.size() == 1);
        CHECK(kernel::testing::has(judgement.open.front().what, "the run of all threads"));
    }
}

TEST_CASE("where the machine is not sure a test of a few threads is asked besides") {
    // two blocks raise a flag each, and who finds the other's flag down says so, by a strong store
    const std::string body =
        ".visible .entry k(.param .u64 to)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<5>;\nld.param.u64 %rd1, [to];\n"
        "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd3, %rd2, %rd3;\n"
        "st.relaxed.gpu.global.u32 [%rd3], 1;\nxor.b32 %r2, %r1, 1;\nmul.wide.u32 %rd4, %r2, 4;\nadd.u64 %rd4, %rd2, %rd4;\n"
        "ld.relaxed.gpu.global.u32 %r3, [%rd4];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 st.relaxed.gpu.global.u32 [%rd2+8], 1;\nret;\n}\n";
    const std::vector<KernelLaunch> launches{launch_of(make_source("k.ptx", std::string(kernel::testing::prologue) + body), "k",
                                                       {.grid = "2", .block = "1", .arguments = {"to=u32[3]"}})};
    const KernelJudgement open = judged(launches);
    CHECK(open.claim == KernelClaim::open);
    CHECK(open.open.size() == 1);
    REQUIRE(open.threads);
    CHECK(open.threads->made.runs > 2);
    CHECK(open.threads->result.judgement.verdict == Verdict::ok);
    CHECK(claim_line(launches, open) == "open: nothing is found, and this is open");
    CHECK(kernel::testing::has(judgement_text(launches, open, {}, ""),
                               "every order of 2 of its threads was looked at besides, as they went in "));
    const KernelJudgement wrong = judged({launch_of("dekker.UNFENCED", dekker)});
    CHECK(wrong.claim == KernelClaim::wrong);
    CHECK(wrong.open.empty());
    CHECK_FALSE(wrong.swept.front().is_wrong());
    CHECK(wrong.threads->result.judgement.verdict == Verdict::race);
}

TEST_CASE("what a clock decides is found by a run in which it says the other thing") {
    const KernelJudgement anyway = judged({launch_of("timeout.ANYWAY", timed)});
    CHECK(anyway.claim == KernelClaim::wrong);
    CHECK(anyway.swept.front().is_wrong());
    CHECK_FALSE(anyway.threads);
    CHECK(judged({launch_of("timeout", timed)}).claim == KernelClaim::right);
}

TEST_CASE("what the machine does not execute is no claim") {
    std::string text = read_source(path_of("ring"))->text;
    text.insert(text.rfind("ret;"), "fence.acquire.sync_restrict::shared::cluster.cluster;\n");
    const KernelLaunch one = launch_of(make_source("ring.ptx", text), "ring", ring);
    CHECK_THROWS_WITH_AS(judged({one}),
                         doctest::Contains("`fence.acquire.sync_restrict::shared::cluster.cluster` is not executed by the sweep"), Failure);
}

TEST_CASE("a test of a few threads shows weak orders alone: that one waits for who is left out is no finding") {
    const std::string body =
        ".visible .entry k(.param .u64 to)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [to];\n"
        "cvta.to.global.u64 %rd2, %rd1;\natom.relaxed.gpu.global.add.u32 %r1, [%rd2], 1;\nsetp.eq.u32 %p1, %r1, 1;\n"
        "@%p1 st.relaxed.gpu.global.u32 [%rd2+4], 1;\nret;\n}\n";
    const KernelLaunch one = launch_of(make_source("k.ptx", std::string(kernel::testing::prologue) + body), "k",
                                       {.grid = "3", .block = "1", .arguments = {"to=u32[2]"}});
    const KernelJudgement judgement = judged({one}, "tso");
    CHECK(judgement.claim == KernelClaim::open);
}

TEST_CASE("a launch that comes again finds memory as it was left") {
    const std::vector<KernelLaunch> stream = stream_of({launch_of("ring", ring)}, 3);
    REQUIRE(stream.size() == 3);
    CHECK_FALSE(stream[0].repeats);
    CHECK(stream[1].repeats == 0);
    CHECK(stream[2].repeats == 0);
    CHECK(claim_line(stream, judged(stream)) == "right in every order of these 3 launches");
}
