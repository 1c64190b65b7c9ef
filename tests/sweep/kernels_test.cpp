// The kernels of tests/kernel/cuda and tests/sweep/cuda: the sweep finds nothing in those that are right, and something in each that is
// not.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/read.h"
#include "sweep/orders.h"

using namespace litmus;

namespace {

sweep::Swept swept(const std::filesystem::path& ptx, const std::string& options, const sweep::Options& how = {}) {
    std::ifstream file(ptx, std::ios::binary);
    REQUIRE(file);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const kernel::Module module = kernel::read_module(make_source(ptx.string(), text));
    std::vector<kernel::Launch> launches =
        kernel::launches_of(module, stream_texts(options), [](const std::string&) { return std::string(); });
    launches.front().unlaunched = number_in(options, "--unlaunched");
    sweep::Options here = how;
    if (const uint32_t gpus = number_in(options, "--gpus"); gpus > 0) here.gpus = gpus;
    std::vector<sweep::Started> started;
    for (kernel::Launch& launch : launches) {
        launch.programmatic = !started.empty() && options.find("--pdl") != std::string::npos;
        started.push_back({&module, &launch});
    }
    std::vector<sweep::Streamed> all = sweep::sweep_stream(started, here);
    sweep::Swept first = std::move(all.front().swept);
    for (size_t n = 1; n < all.size(); ++n)
        first.findings.insert(first.findings.end(), all[n].swept.findings.begin(), all[n].swept.findings.end());
    return first;
}

}  // namespace

TEST_CASE("the sweep and the tables of kernels") {
    size_t rows = 0;
    for (const std::filesystem::path& folder : {kernel_folder(), std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda"})
        for (const KernelEntry& kernel : kernel_table(folder))
            for (const KernelRow& row : kernel.rows) {
                ++rows;
                const std::string ptx = kernel.ptx(row);
                CAPTURE(ptx);
                std::string said;
                try {
                    const sweep::Swept found = swept(folder / ptx, kernel.launch);
                    for (const sweep::Finding& finding : found.findings) said += finding.text + "\n";
                } catch (const Failure& failure) {
                    said = failure.what();
                }
                CAPTURE(said);
                if (row.verdict.rfind("ok", 0) == 0)
                    CHECK(said.empty());
                else if (kernel.unswept.empty())
                    CHECK(!said.empty());
            }
    CHECK(rows > 60);
}

TEST_CASE("a run grows with the tiles, and what it says does not") {
    const std::filesystem::path ptx = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda" / "matmul.ptx";
    const auto launch = [](const std::string& tiles) {
        const std::string width = std::to_string(64 * std::stoi(tiles));
        return "--grid 1 --block 160 --shared 42000 --arg a=tensor(u16[64," + width + "],box=64,64) --arg b=tensor(u16[64," + width +
               "],box=64,64) --arg c=tensor(u16[64,64],box=64,64) --arg tiles=" + tiles;
    };
    const sweep::Swept few = swept(ptx, launch("8")), many = swept(ptx, launch("80"));
    CHECK(few.findings.empty());
    CHECK(many.findings.empty());
    CHECK(many.instructions > 5 * few.instructions);
    CHECK(many.instructions < 10 * few.instructions);
}

TEST_CASE("what comes of a wait at .cta for another block alone") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    for (const KernelEntry& kernel : kernel_table(folder)) {
        if (kernel.name != "pair") continue;
        const sweep::Swept strict = swept(folder / "pair.NARROW.ptx", kernel.launch);
        CHECK(!strict.findings.empty());
        CHECK(!strict.out_of_scope.empty());
        sweep::Options how;
        how.in_scope = false;
        const sweep::Swept wide = swept(folder / "pair.NARROW.ptx", kernel.launch, how);
        CHECK(wide.findings.empty());
        CHECK(wide.out_of_scope.empty());
        CHECK(swept(folder / "pair.ptx", kernel.launch).out_of_scope.empty());
    }
}

TEST_CASE("one run tells what comes of scopes alone") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    sweep::Options comparing, how;
    comparing.compares_scopes = true;
    how.in_scope = false;
    for (const KernelEntry& kernel : kernel_table(folder))
        for (const KernelRow& row : kernel.rows) {
            if (kernel.name != "pair") continue;
            CAPTURE(row.macro);
            const bool alone = swept(folder / kernel.ptx(row), kernel.launch, comparing).of_scopes_alone;
            CHECK(alone == swept(folder / kernel.ptx(row), kernel.launch, how).findings.empty());
            CHECK(alone == (row.verdict == "ok" || row.macro == "NARROW"));
        }
}

TEST_CASE("scopes that do not reach from one GPU to the other") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    sweep::Options how;
    how.gpus = 2;
    for (const KernelEntry& kernel : kernel_table(folder)) {
        if (kernel.name != "two_ranks") continue;
        for (const std::string macro : {"", "FENCED", "NARROW", "HALF", "LATE"}) {
            CAPTURE(macro);
            const std::filesystem::path ptx = folder / ("two_ranks" + (macro.empty() ? "" : "." + macro) + ".ptx");
            const sweep::Swept found = swept(ptx, kernel.launch, how);
            CHECK(found.conditions.empty());
            CHECK(found.findings.empty() == (macro.empty() || macro == "FENCED"));
        }
        how.gpus = 3;
        CHECK(kernel::testing::refusal([&] { swept(folder / "two_ranks.ptx", kernel.launch, how); }).find("cannot be cut") !=
              std::string::npos);
    }
}

TEST_CASE("what was found before an instruction that is not executed is said") {
    const kernel::Module module =
        kernel::testing::kernel_of(".shared .align 8 .b64 bar;\nmbarrier.arrive.shared::cta.b64 _, [bar];\nstackrestore.u32 %r1;\nret;");
    kernel::LaunchTexts texts;
    texts.grid = texts.block = "1";
    texts.arguments = {"u32[4]", "1"};
    const sweep::Swept found = sweep::sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }));
    CHECK(!found.findings.empty());
    CHECK(found.conditions.size() == 1);
}

TEST_CASE("an instruction that the sweep does not know is refused, and not passed over") {
    const auto said = [](const std::string& body) {
        const kernel::Module module = kernel::testing::kernel_of(body);
        kernel::LaunchTexts texts;
        texts.grid = "1";
        texts.block = "1";
        texts.arguments = {"u32[4]", "1"};
        const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
        return kernel::testing::refusal([&] { sweep::sweep(module, launch); });
    };
    CHECK(said("mov.u32 %r1, 1;\nret;").empty());
    for (const std::string hint : {"setmaxnreg.inc.sync.aligned.u32 240", "griddepcontrol.wait", "griddepcontrol.launch_dependents"})
        CHECK(said(hint + ";\nret;").empty());
    for (const std::string unknown : {"stackrestore.u32 %r1", "ldu.global.u32 %r1, [%rd1]", "tcgen05.shift.cta_group::1.down [%r1]"})
        CHECK(said(unknown + ";\nret;").find("is not executed by the sweep") != std::string::npos);
}

TEST_CASE("a run ends with the finding that it is to end with, though its instruction has another one") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    for (const KernelEntry& kernel : kernel_table(folder)) {
        if (kernel.name != "pair") continue;
        sweep::Options how;
        how.watch = sweep::Watch{{}, {}, 0};
        const sweep::Swept begun = swept(folder / "pair.NARROW.ptx", kernel.launch, how);
        CHECK(begun.findings.size() == 2);
        CHECK(begun.instructions < swept(folder / "pair.NARROW.ptx", kernel.launch).instructions / 2);
    }
}
