// Lanes that their own mask leaves out.
#include "kernel/masks.h"

#include <doctest/doctest.h>

#include "kernel/arguments.h"
#include "kernel/evaluate.h"
#include "kernel/write.h"
#include "read.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

struct WarpLaunch {
    Module module;
    Launch launch;
};

// A kernel of 32 threads. %r0 is the lane, %rd0 the address of an array.
WarpLaunch of_warp(const std::string& body) {
    Module module = testing::kernel_of("ld.param.u64 %rd0, [k_param_0];\nmov.u32 %r0, %tid.x;\n" + body + "\nret;");
    LaunchTexts texts;
    texts.grid = "1";
    texts.block = "32";
    texts.arguments = {"a=u32[64]", "n=1"};
    Launch launch = launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

// Says what is found: broken masks, then presumed ones.
std::string outside(const std::string& body) {
    const WarpLaunch kernel = of_warp(body);
    const Findings found = lanes_outside_masks(kernel.module, evaluate(kernel.module, kernel.launch));
    std::string text;
    for (const KernelFinding& finding : found.broken) text += finding.message + "; ";
    for (const std::string& line : found.presumed) text += line + "; ";
    return text;
}

const std::string below_8 = "setp.ge.u32 %p0, %r0, 8;\n@%p0 exit;\n";

}  // namespace

TEST_CASE("a mask that leaves out a lane which executes it") {
    for (const std::string instruction :
         {"redux.sync.add.u32 %r2, %r0, 0xff;", "bar.warp.sync 0xff;", "shfl.sync.idx.b32 %r2, %r0, 0, 31, 0xff;",
          "vote.sync.ballot.b32 %r2, 1, 0xff;", "match.any.sync.b32 %r2, %r0, 0xff;"}) {
        CAPTURE(instruction);
        CHECK(testing::has(outside(instruction), "leaves out lane 8, which executes it (ISA 9.7."));
        CHECK(outside(below_8 + instruction).empty());
    }
    CHECK(testing::has(outside("ld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p0, %r4, 7;\n@%p0 bra OVER;\nbar.warp.sync 0xff;\nOVER:"),
                       "leaves out lane 8, which executes it (ISA 9.7.13.2), if it comes there"));
}

TEST_CASE("a test of a kernel says which lane its mask leaves out") {
    const WarpLaunch kernel = of_warp("bar.warp.sync 0xff;");
    CHECK(write_test(kernel.module, kernel.launch, evaluate(kernel.module, kernel.launch)).of_kernel.size() == 1);
}
