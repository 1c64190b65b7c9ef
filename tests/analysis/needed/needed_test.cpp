// Kernels with parts that are needed, and parts that are not.
#include "analysis/needed/needed.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/needed/report.h"
#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/program.h"
#include "kernel/read.h"

using namespace litmus;

namespace {

struct Asked {
    kernel::Module module;
    Needed needed;
    std::string text;

    // The part whose first instruction has this name.
    const NeededPart& part(const std::string& name) const {
        const auto found = std::find_if(needed.parts.begin(), needed.parts.end(),
                                        [&](const NeededPart& one) { return kernel::dotted(one.statements.front()->words) == name; });
        REQUIRE_MESSAGE(found != needed.parts.end(), name << " is no part of\n" << text);
        return *found;
    }
};

Asked ask(kernel::Module module, const kernel::LaunchTexts& texts, const sweep::Options& how = {}) {
    Asked asked{std::move(module), {}, {}};
    const kernel::Launch launch = kernel::launch_of(asked.module, texts, [](const std::string&) { return std::string(); });
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    asked.needed = needed({{&asked.module, &launch, {}}}, how, family, {}, solver);
    for (NeededPart& part : asked.needed.parts) part.module = &asked.module;
    asked.text = needed_text(asked.needed);
    return asked;
}

// A kernel with this body, with an array of words in %rd1.
Asked ask_body(const std::string& body, const std::string& grid, const std::string& block, const std::string& cluster = "") {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.cluster = cluster;
    texts.arguments = {"x=u32[256]", "1"};
    return ask(kernel::testing::kernel_of("ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\n" + body + "\nret;"), texts);
}

// Thread 0 writes a word, and thread 32 reads it behind `between`.
std::string handed_on(const std::string& between) {
    return "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra A;\nst.global.u32 [%rd1], 1;\nA:\n" + between +
           "\nsetp.ne.u32 %p2, %r1, 32;\n@%p2 bra B;\nld.global.u32 %r2, [%rd1];\nB:";
}

}  // namespace

TEST_CASE("a barrier that orders is needed, and one that nothing needs is not") {
    const Asked asked = ask_body(handed_on("bar.sync 0;") + "\nbar.sync 0;", "1", "64");
    CAPTURE(asked.text);
    REQUIRE(asked.needed.parts.size() == 2);
    CHECK(asked.needed.parts[0].fate == NeededFate::needed);
    CHECK(asked.needed.parts[0].without == "race on `x` at byte 0");
    CHECK(asked.needed.parts[0].by_model);
    CHECK(asked.needed.parts[1].fate == NeededFate::not_needed);
    CHECK(asked.needed.findings == 0);
    CHECK_FALSE(asked.needed.partial);
}

TEST_CASE("of a barrier with a number of threads no half goes") {
    const Asked asked = ask_body(
        "setp.lt.u32 %p1, %r1, 32;\n@%p1 bra W;\nbar.sync 1, 64;\nld.global.u32 %r2, [%rd1];\nbra E;\nW:\n"
        "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra N;\nst.global.u32 [%rd1], 1;\nN:\nbar.arrive 1, 64;\nE:",
        "1", "64");
    CAPTURE(asked.text);
    REQUIRE(asked.needed.parts.size() == 1);
    CHECK(asked.needed.parts[0].statements.size() == 2);
    CHECK(asked.needed.parts[0].fate == NeededFate::needed);
    CHECK(asked.needed.parts[0].without == "race on `x` at byte 0");  // and nobody waits for ever
}

TEST_CASE("an arrival at the cluster's barrier goes with its wait, and its release can go alone") {
    const std::string from_peer =
        "mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;\nst.global.u32 [%rd1], 1;\nA:\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra B;\n"
        "ld.global.u32 %r2, [%rd1];\nB:";
    const Asked asked = ask_body(from_peer, "2", "1", "2");
    CAPTURE(asked.text);
    const NeededPart& wait = asked.part("barrier.cluster.wait.aligned");
    CHECK(wait.fate == NeededFate::needed);
    CHECK(wait.statements.size() == 2);
    CHECK(wait.without == "race on `x` at byte 0");
    CHECK(asked.part("barrier.cluster.arrive.aligned").fate == NeededFate::needed);
}

TEST_CASE("a fence has the weakest name that will do") {
    const Asked asked = ask_body(
        "mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra READ;\nst.global.u32 [%rd1+128], 5;\n"
        "membar.sys;\nst.relaxed.gpu.global.u32 [%rd1], 1;\nbra END;\nREAD:\n"
        "ld.acquire.gpu.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p2, %r2, 1;\n@%p2 bra READ;\n"
        "ld.global.u32 %r3, [%rd1+128];\nEND:",
        "2", "1");
    CAPTURE(asked.text);
    const NeededPart& fence = asked.part("membar.sys");
    CHECK(fence.fate == NeededFate::weaker_will_do);
    CHECK(fence.weaker == "fence.release.gpu");
    CHECK(fence.without == "race on `x` at byte 128");
    CHECK(fence.by_model);
    CHECK(asked.part("ld.acquire.gpu.global.u32").fate == NeededFate::needed);
    CHECK(asked.part("st.relaxed.gpu.global.u32").fate == NeededFate::needed);
}

TEST_CASE("what no thread comes to is not said to be needless") {
    const Asked asked = ask_body("setp.ne.u32 %p1, %r1, 77;\n@%p1 bra A;\nmembar.gl;\nA:", "1", "64");
    CAPTURE(asked.text);
    CHECK(asked.part("membar.gl").fate == NeededFate::not_executed);
}

TEST_CASE("nothing is needless of a kernel that is wrong as it is") {
    const Asked asked = ask_body(handed_on("") + "\nmembar.gl;", "1", "64");
    CAPTURE(asked.text);
    CHECK(asked.needed.findings == 1);
    CHECK(asked.part("membar.gl").fate == NeededFate::unknown);
    CHECK(asked.part("membar.gl").without == "the kernel is wrong as it is, and may need it when that is mended");
    CHECK(asked.text.find("the kernel is wrong as it is (1 finding; ") != std::string::npos);
}

TEST_CASE("a barrier that gives a result cannot be taken out, and is named") {
    const Asked asked = ask_body(handed_on("setp.eq.u32 %p3, 0, 0;\nbar.red.popc.u32 %r4, 0, %p3;"), "1", "64");
    CAPTURE(asked.text);
    const NeededPart& barrier = asked.part("bar.red.popc.u32");
    CHECK(barrier.fate == NeededFate::unknown);
    CHECK(barrier.without == "it gives a result, and cannot be taken out");
}

TEST_CASE("numbers are spelled as in the PTX") {
    const Asked asked = ask_body("bar.warp.sync 0xffffffff;\nbar.warp.sync -1;", "1", "32");
    CHECK(asked.text.find("`bar.warp.sync 0xffffffff`") != std::string::npos);
    CHECK(asked.text.find("`bar.warp.sync -1`") != std::string::npos);
}

TEST_CASE("without time all of it is unknown, and the JSON says so") {
    const kernel::Module module = kernel::testing::kernel_of("bar.sync 0;\nret;");
    Needed open;
    open.partial = true;
    open.parts.push_back({NeededFate::unknown, &module, {&module.functions[0].code[0]}, "", "no time is left to look at it", {}, false});
    CHECK(needed_text(open).find("`bar.sync 0`: not known: no time is left to look at it") != std::string::npos);
    const auto json = nlohmann::json::parse(needed_json(open, "k.ptx", 0));
    CHECK(json["complete"] == false);
    CHECK(json["parts"][0]["fate"] == "unknown");
}

// Each kernel of the tables, as it is: most of what it has is there for something.
TEST_CASE("in kernels that are right each part has an answer") {
    size_t needed_parts = 0, confirmed = 0;
    for (const std::filesystem::path& folder : {kernel_folder(), std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda"})
        for (const KernelEntry& kernel : kernel_table(folder)) {
            if (!kernel.unswept.empty() || kernel.launch.find("--then") != std::string::npos) continue;
            const KernelRow& plain = kernel.rows.front();
            CAPTURE(kernel.ptx(plain));
            try {
                const Asked asked =
                    ask(kernel::read_module(read_source((folder / kernel.ptx(plain)).string())), launch_texts(kernel.launch));
                CAPTURE(asked.text);
                CHECK_FALSE(asked.needed.partial);
                for (const NeededPart& part : asked.needed.parts) {
                    CHECK(part.fate != NeededFate::unknown);
                    needed_parts += part.fate == NeededFate::needed ? 1 : 0;
                    confirmed += part.by_model ? 1 : 0;
                }
            } catch (const Failure& failure) {
                FAIL_CHECK(failure.what());
            }
        }
    MESSAGE(needed_parts << " parts are needed; the model confirms " << confirmed);
    CHECK(needed_parts > 100);
    CHECK(confirmed > 60);
}
