// What is advised: for each kind of finding something, with a lesson or a test that is there; for the kernels of the tables what mends
// them.
#include "analysis/sweep/advice.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <utility>

#include "analysis/sweep/report.h"
#include "kernel/arguments.h"
#include "kernel/kernel_table.h"
#include "kernel/read.h"

using namespace litmus;

namespace {

const std::filesystem::path library_folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "litmus";

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
}

SweptKernel swept(const kernel::Module& module, const std::string& options, const sweep::Options& how = {}) {
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    return judge_sweep(module, kernel::launch_of(module, launch_texts(options), [](const std::string&) { return std::string(); }), how,
                       family, {}, solver);
}

}  // namespace

TEST_CASE("each kind of finding has advice, and what it refers to is there") {
    const kernel::Module module = kernel::testing::kernel_of("st.global.u32 [%rd1], %r1;\nld.global.u32 %r1, [%rd1];\nret;");
    const std::vector<kernel::Statement>& code = module.functions.front().code;
    for (const sweep::BreachRow& row : sweep::breaches()) {
        CAPTURE(row.words);
        sweep::Finding finding;
        finding.breach = row.breach;
        finding.kind = row.kind;
        finding.places = {{{0, 0, 0}, &code[0]}, {{0, 32, 0}, &code[1]}};
        if (finding.kind == sweep::Kind::race) finding.clash.emplace();
        const Advice advice = advice_on({module, {64, 1, 1}, {}}, finding);
        CHECK(!advice.change.empty());
        CHECK(!advice.why.empty());
        CHECK(advice.change.find("{}") == std::string::npos);
        CHECK((advice.see.empty() || std::filesystem::exists(library_folder / advice.see)));
    }
    CHECK(std::filesystem::exists(library_folder / advice_on_narrow_waits({}, {}).see));
}

TEST_CASE("all that advice may refer to is there") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "src" / "analysis" / "sweep";
    const std::string source = text_of(folder / "advice.cpp") + text_of(folder / "race_advice.cpp") + text_of(folder / "phase_advice.cpp") +
                               text_of(std::filesystem::path(LITMUS_SOURCE_DIR) / "src" / "sweep" / "breach.cpp");
    const std::regex name("\"([a-z0-9/-]+\\.(?:litmus|md))\"");
    size_t names = 0;
    for (std::sregex_iterator at(source.begin(), source.end(), name); at != std::sregex_iterator(); ++at, ++names) {
        CAPTURE((*at)[1].str());
        CHECK(std::filesystem::exists(library_folder / (*at)[1].str()));
    }
    CHECK(names > 40);
}

TEST_CASE("what is advised for the kernels of the tables") {
    size_t advised = 0, mended = 0;
    for (const std::filesystem::path& folder : {kernel_folder(), std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda"})
        for (const KernelEntry& kernel : kernel_table(folder))
            for (const KernelRow& row : kernel.rows) {
                if (row.advice.empty()) {
                    CHECK((row.verdict == "ok" || folder == kernel_folder()));
                    continue;
                }
                const std::string ptx = kernel.ptx(row);
                CAPTURE(ptx);
                const kernel::Module module = kernel::read_module(read_source((folder / ptx).string()));
                const SweptKernel found = swept(module, kernel.launch);
                const std::string said = sweep_text(module, found);
                CAPTURE(said);
                ++advised;
                CHECK(said.find("  advice: ") != std::string::npos);
                CHECK(said.find(row.advice) != std::string::npos);
                const bool mends = std::any_of(found.findings.begin(), found.findings.end(), [&](const SweptFinding& one) {
                    return one.advised.all_gone && one.advised.change.find(row.advice) == 0;
                });
                CHECK(mends == row.mended);
                mended += mends ? 1 : 0;
            }
    CHECK(advised > 40);
    CHECK(mended > 24);
}

TEST_CASE("a fence that is advised is tried by the model, too") {
    const kernel::Module module = kernel::read_module(read_source((kernel_folder() / "bulk_store.UNFENCED.ptx").string()));
    const SweptKernel found = swept(module, "--grid 1 --block 32 --arg in=s32[64]:iota --arg out=s32[64]");
    REQUIRE(found.findings.size() == 1);
    CHECK(found.findings.front().advised.by_model);
    CHECK(sweep_text(module, found).find("tried: the sweep then finds nothing, and the model no race; see litmus/lessons/09") !=
          std::string::npos);
}

TEST_CASE("a parity that never changes is changed in each round") {
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<2>;\n"
        ".shared .align 4 .b32 word;\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, word;\nmov.u32 %r3, bar;\n"
        "setp.ne.u32 %p1, %r1, 0;\n@!%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\nbar.sync 0;\nmov.u32 %r4, 0;\n"
        "ROUND:\n@%p1 bra WAIT;\nst.shared.u32 [%r2], %r4;\nmbarrier.arrive.shared::cta.b64 _, [%r3];\n"
        "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra WAIT;\nld.shared.u32 %r5, [%r2];\nbar.sync 0;\n"
        "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p3, %r4, 4;\n@%p3 bra ROUND;\nret;\n}\n");
    const SweptKernel found = swept(module, "--grid 1 --block 64 --arg out=u32[1]");
    REQUIRE(!found.findings.empty());
    CHECK(found.findings.front().advised.all_gone);
    CHECK(found.findings.front().advised.change.find("a parity that changes each time the wait is over") == 0);
}

TEST_CASE("causes come before what follows from them") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    for (const KernelEntry& kernel : kernel_table(folder))
        for (const KernelRow& row : kernel.rows) {
            if (kernel.name != "matmul" || (row.macro != "HASTY" && row.macro != "LATE")) continue;
            CAPTURE(row.macro);
            const kernel::Module module = kernel::read_module(read_source((folder / kernel.ptx(row)).string()));
            const SweptKernel found = swept(module, kernel.launch);
            // the slot is read before its bytes came: of no phase is anything wrong for another reason
            CHECK(found.findings.front().finding.kind == sweep::Kind::race);
            CHECK(std::any_of(found.findings.begin(), found.findings.end(),
                              [](const SweptFinding& one) { return one.finding.kind == sweep::Kind::phase; }));
            // what a wait for the products mends besides comes behind it, and names it
            for (size_t f = 0; f < found.findings.size(); ++f) {
                const auto& with = found.findings[f].advised.with;
                CHECK((row.macro == "LATE") == (found.findings.front().advised.all_gone));
                if (with) CHECK(*with < f);
            }
        }
}

TEST_CASE("all threads write one place by one instruction: no barrier would help, and none is advised") {
    const kernel::Module module = kernel::testing::kernel_of(
        "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%rd1], "
        "%r1;\nret;");
    for (const auto& [grid, block] : {std::pair("1", "2"), std::pair("2", "1")}) {
        CAPTURE(grid);
        const SweptKernel found = swept(module, std::string("--grid ") + grid + " --block " + block + " --arg x=u32[4] --arg 1");
        REQUIRE(found.findings.size() == 1);
        CHECK(found.findings.front().advised.change.find("one thread that comes to ") == 0);
        CHECK(found.findings.front().advised.see == "lessons/06-atomics.md");
    }
}

TEST_CASE("an object that each lane initialises") {
    const kernel::Module module = kernel::testing::kernel_of(".shared .align 8 .b64 bar;\nmbarrier.init.shared::cta.b64 [bar], 1;\nret;");
    kernel::LaunchTexts texts;
    texts.grid = "1";
    texts.block = "32";
    texts.arguments = {"u32[4]", "1"};
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const SweptKernel found =
        judge_sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }), {}, family, {}, solver);
    REQUIRE(!found.findings.empty());
    CHECK(found.findings.front().advised.change.find("one thread that comes to ") == 0);
}

TEST_CASE("threads of two GPUs are told by what reaches from one to the other") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    sweep::Options how;
    how.gpus = 2;
    for (const KernelEntry& kernel : kernel_table(folder)) {
        if (kernel.name != "two_ranks") continue;
        for (const std::string macro : {"HALF", "LATE"}) {
            const kernel::Module module = kernel::read_module(read_source((folder / ("two_ranks." + macro + ".ptx")).string()));
            const SweptKernel found = swept(module, kernel.launch, how);
            CAPTURE(sweep_text(module, found));
            REQUIRE(!found.findings.empty());
            const auto& advised = found.findings.front().advised;
            CHECK(advised.by_model);
            CHECK(advised.change.find("`__threadfence_system()` in place of `__threadfence()` at two_ranks.cu:") == 0);
        }
        const kernel::Module module = kernel::read_module(read_source((folder / "two_ranks.NARROW.ptx").string()));
        CHECK(
            sweep_text(module, swept(module, kernel.launch, how)).find(".sys` (`cuda::atomic_ref` with `cuda::thread_scope_system`) at ") !=
            std::string::npos);
    }
}

TEST_CASE("a trial of a later launch begins with what earlier ones left") {
    // one thread alone sets `count`; several, where it is set, read x[0], which the first one stores to, and store to x[2]
    const kernel::Module module = kernel::testing::module_of(
        ".global .u32 count;\n.visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\n"
        "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %ntid.x;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 st.global.u32 [count], 1;\n@%p1 ret;\n"
        "ld.global.u32 %r1, [count];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 ret;\nmov.u32 %r2, %tid.x;\nsetp.eq.u32 %p2, %r2, 0;\n"
        "@%p2 st.global.u32 [%rd1], 1;\nld.global.u32 %r3, [%rd1];\nst.global.u32 [%rd1+8], 1;\nret;\n}\n");
    const auto launch = [&](const std::string& block) {
        return kernel::launch_of(module, launch_texts("--grid 1 --block " + block + " --arg x=u32[4]"),
                                 [](const std::string&) { return std::string(); });
    };
    const kernel::Launch first = launch("1"), second = launch("64");
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    const std::vector<SweptKernel> all =
        judge_stream({{&module, &first}, {&module, &second}, {&module, &second, 1}}, {}, family, {}, solver);
    REQUIRE(all.size() == 3);
    CHECK(all[0].findings.empty());
    REQUIRE(all[1].findings.size() == 2);
    // of a kernel without lines all has to be gone, and nothing mends the stores to x[2]
    for (const SweptFinding& one : all[1].findings) {
        CHECK(!one.advised.change.empty());
        CHECK_FALSE(one.advised.by_sweep);
    }
    CHECK(all[2].findings.empty());
    CHECK(all[2].again == 2);
}

TEST_CASE("a copy that nobody has waited for, and one that its thread has waited for alone, have a reason each") {
    const auto reason = [](const std::string& behind) {
        const kernel::Module module = kernel::testing::kernel_of(
            ".shared .align 16 .b8 s[1024];\nld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nshl.b32 %r3, %r1, 2;\n"
            "add.u32 %r4, %r2, %r3;\ncvt.u64.u32 %rd2, %r3;\nadd.u64 %rd3, %rd1, %rd2;\ncp.async.ca.shared.global [%r4], [%rd3], 4;\n"
            "cp.async.commit_group;\n" +
            behind + "xor.b32 %r5, %r3, 128;\nadd.u32 %r6, %r2, %r5;\nld.shared.u32 %r7, [%r6];\nret;");
        const SweptKernel found = swept(module, "--grid 1 --block 64 --arg x=u32[64] --arg 1");
        REQUIRE(found.findings.size() == 1);
        CHECK(found.findings.front().advised.all_gone);
        return found.findings.front().advised.why;
    };
    const std::string not_waited = "a copy may write until its thread has waited for it";
    CHECK(reason("cp.async.wait_group 0;\n") == "its thread has waited for the copy, and other threads learn of that at a barrier alone");
    CHECK(reason("bar.sync 0;\n") == not_waited);
    CHECK(reason("") == not_waited);
}

TEST_CASE("who waits at a barrier for a thread that goes round for ever is a line below that thread") {
    const kernel::Module module = kernel::testing::kernel_of(
        "ld.param.u64 %rd1, [k_param_0];\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\nAGAIN:\n"
        "ld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra AGAIN;\nMET:\nbar.sync 0;\nret;");
    const SweptKernel found = swept(module, "--grid 1 --block 64 --arg x=u32[4] --arg 1");
    REQUIRE(found.findings.size() == 2);
    CHECK(found.findings[0].finding.breach == sweep::Breach::stuck);
    CHECK(found.findings[1].finding.breach == sweep::Breach::few_lanes_at_barrier);
    CHECK(found.findings[1].cause == 0U);
    const std::string said = sweep_text(module, found);
    CAPTURE(said);
    CHECK(said.find("  others wait for these threads:\n    63 threads wait for ever in `bar.sync`: ") != std::string::npos);
    CHECK(said.find("mask") == std::string::npos);
}

TEST_CASE("a barrier that lanes of a warp pass by has advice about barriers, and what names a mask about masks") {
    const auto advice = [](sweep::Breach breach) {
        const kernel::Module module = kernel::testing::kernel_of("bar.sync 0;\nret;");
        sweep::Finding finding;
        finding.breach = breach;
        finding.kind = sweep::Kind::stuck;
        finding.places = {{{0, 0, 0}, &module.functions.front().code.front()}};
        const Advice said = advice_on({module, {64, 1, 1}, {}}, finding);
        return said.change + ": " + said.why;
    };
    CHECK(advice(sweep::Breach::few_lanes_at_barrier).find("mask") == std::string::npos);
    CHECK(advice(sweep::Breach::few_lanes).find("mask") != std::string::npos);
}

TEST_CASE("a wait by a token is told nothing of parities") {
    const auto why = [](const std::string& wait) {
        const kernel::Module module = kernel::testing::kernel_of(".shared .align 8 .b64 bar;\n" + wait + "\nret;");
        sweep::Finding finding;
        finding.breach = sweep::Breach::no_first_arrival;
        finding.kind = sweep::Kind::stuck;
        finding.places = {{{0, 0, 0}, &module.functions.front().code.front()}};
        return advice_on({module, {64, 1, 1}, {}}, finding).why;
    };
    CHECK(why("mbarrier.try_wait.shared.b64 %p1, [bar], %rd1;").find("parity") == std::string::npos);
    CHECK(why("mbarrier.try_wait.parity.shared.b64 %p1, [bar], %r1;").find("parity") != std::string::npos);
}
