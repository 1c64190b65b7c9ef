// The verdicts of small kernels, asked of the library alone.
#include "analysis/kernel/kernel_verdict.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../kernel/kernel_table.h"
#include "analysis/kernel/judge.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/json.h"
#include "kernel/dimensions.h"
#include "kernel/read.h"
#include "sweep/slice.h"
#include "sweep/sweep.h"

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

namespace {

using Json = nlohmann::ordered_json;

// The words of a line, quotes off.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '\'')
            quoted = !quoted;
        else if (c == ' ' && !quoted)
            words.emplace_back();
        else
            words.back() += c;
    }
    return words;
}

// "--grid 2 --block 32 --then 'second --grid 2' --pdl", the launches of a kernel of the table.
std::vector<kernel::Launch> launches_of(const kernel::Module& module, const std::string& options) {
    std::vector<kernel::LaunchTexts> texts(1);
    bool programmatic = false;
    uint32_t gpus = 1, unlaunched = 0;
    const std::vector<std::string> words = words_of(options);
    for (size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--pdl") {
            programmatic = true;
            continue;
        }
        const std::string& option = words[i];
        const std::string& value = words.at(++i);
        if (option == "--entry") texts.front().entry = value;
        if (option == "--grid") texts.front().grid = value;
        if (option == "--block") texts.front().block = value;
        if (option == "--cluster") texts.front().cluster = value;
        if (option == "--shared") texts.front().shared_bytes = static_cast<uint32_t>(std::stoul(value));
        if (option == "--arg") texts.front().arguments.push_back(value);
        if (option == "--gpus") gpus = static_cast<uint32_t>(std::stoul(value));
        if (option == "--unlaunched") unlaunched = static_cast<uint32_t>(std::stoul(value));
        if (option == "--then") {
            texts.push_back(launch_texts(value.substr(value.find(' ') + 1)));
            texts.back().entry = value.substr(0, value.find(' '));
        }
    }
    std::vector<kernel::Launch> launches = kernel::launches_of(module, texts, [](const std::string&) { return std::string(); });
    for (size_t l = 1; l < launches.size(); ++l) launches[l].programmatic = programmatic;
    launches.front().gpus = gpus;
    launches.front().unlaunched = unlaunched;
    return launches;
}

// The CUDA lines that what decides a verdict is about.
std::string lines_named(const Json& result) {
    const std::string verdict = result.at("verdict");
    std::set<int> named;
    const auto note = [&](const Json& access) {
        if (access.contains("origin")) named.insert(access.at("origin").at("line").get<int>());
    };
    if (verdict == "race")
        for (const Json& race : result.at("races")) note(race.at("first")), note(race.at("second"));
    const std::string kind = verdict == "deadlock" ? "may-deadlock" : verdict;
    for (const Json& hazard : result.at("hazards"))
        if (hazard.at("kind") == kind)
            for (const Json& access : hazard.at("accesses")) note(access);
    std::string text;
    for (const int line : named) text += (text.empty() ? "" : ", ") + std::to_string(line);
    return text;
}

std::string lines_wanted(const KernelEntry& kernel, const std::vector<std::string>& names) {
    const std::map<std::string, int> marks = marks_of(kernel.name);
    std::set<int> wanted;
    for (const std::string& mark : names) wanted.insert(marks.at(mark));
    std::string text;
    for (const int line : wanted) text += (text.empty() ? "" : ", ") + std::to_string(line);
    return text;
}

// The verdict of a test, as JSON has it.
Json verdict_of(const kernel::Written& written, ModelFamily& family, Solver& solver) {
    const Result judged = kernel_verdict(written, "k.litmus", [&](const std::shared_ptr<const Test>& test) {
        CheckOptions options;
        options.strict = true;
        return check_test("k.litmus", *test, family, options, solver).result;
    });
    return Json::parse(json_line(judged));
}

// "ok*": with reservations
std::string verdict_in(const Json& result) {
    const std::string verdict = result.at("verdict");
    return verdict + (verdict == "ok" && result.contains("reservations") ? "*" : "");
}

// The threads that the test has by itself.
std::vector<std::pair<uint32_t, uint32_t>> threads_by_role(const kernel::Module& module, const std::vector<kernel::Launch>& launches,
                                                           const KernelQuestion& question) {
    std::vector<std::pair<uint32_t, uint32_t>> threads;
    for (const Thread& thread : test_of_kernel(module, launches, question).test.threads)
        threads.emplace_back(thread.at.cta, thread.at.warp * 32 + thread.at.lane);
    return threads;
}

}  // namespace

TEST_CASE("the test of each kernel of the table has its verdict, at its lines") {
    const char* only = std::getenv("LITMUS_KERNEL");  // one kernel, to look at
    ModelFamily family("ptx", {});
    for (const KernelEntry& entry : kernel_table())
        for (const KernelRow& row : entry.rows) {
            if (only != nullptr && entry.name != only) continue;
            INFO(entry.ptx(row));
            Solver solver;
            KernelQuestion question;
            if (!entry.ignored.empty()) question.ignored = {entry.ignored};
            const kernel::Module module = kernel::read_module(read_source(kernels + entry.ptx(row)));
            const kernel::Written written = test_of_kernel(module, launches_of(module, entry.launch), question);
            const Json result = verdict_of(written, family, solver);
            CHECK(verdict_in(result) == row.verdict);
            CHECK(lines_named(result) == lines_wanted(entry, row.marks));
        }
}

TEST_CASE("the test of named threads from a run has the verdict of the test that evaluates each thread") {
    const char* only = std::getenv("LITMUS_KERNEL");  // one kernel, to look at
    ModelFamily family("ptx", {});
    size_t from_run = 0;
    for (const KernelEntry& entry : kernel_table())
        for (const KernelRow& row : entry.rows) {
            if ((only != nullptr && entry.name != only) || entry.launch.find("--then") != std::string::npos) continue;
            INFO(entry.ptx(row));
            Solver solver;
            KernelQuestion question;
            if (!entry.ignored.empty()) question.ignored = {entry.ignored};
            const auto module = std::make_shared<const kernel::Module>(kernel::read_module(read_source(kernels + entry.ptx(row))));
            const std::vector<kernel::Launch> launches = launches_of(*module, entry.launch);
            kernel::ChoiceOptions choice;
            choice.threads = threads_by_role(*module, launches, question);
            const KernelLaunch launch{module, std::make_shared<const kernel::Launch>(launches.front()), entry.ptx(row), entry.name};
            const NamedThreads named = test_of_named({launch}, choice, {});
            if (!row.evaluated.empty()) {
                CHECK_MESSAGE(named.evaluated.find(row.evaluated) != std::string::npos, named.evaluated);
                continue;
            }
            CHECK_MESSAGE(named.evaluated.empty(), named.evaluated);
            if (!named.evaluated.empty()) continue;
            ++from_run;
            const bool differs = !row.of_run.empty();
            const Json result = verdict_of(named.written, family, solver);
            CHECK(verdict_in(result) == (differs ? row.of_run : row.verdict));
            CHECK(lines_named(result) == lines_wanted(entry, differs ? row.run_marks : row.marks));
        }
    CHECK((only != nullptr || from_run >= 40));
}

TEST_CASE("the test of the two threads of a race that a run finds shows that it is one") {
    ModelFamily family("ptx", {});
    Solver solver;
    size_t shown = 0;
    for (const KernelEntry& entry : kernel_table())
        for (const KernelRow& row : entry.rows) {
            INFO(entry.ptx(row));
            const kernel::Module module = kernel::read_module(read_source(kernels + entry.ptx(row)));
            const std::vector<kernel::Launch> launches = launches_of(module, entry.launch);
            if (launches.size() > 1) continue;
            sweep::Options how;
            how.gpus = launches.front().gpus;
            const sweep::Swept swept = sweep::sweep(module, launches.front(), how);
            for (const sweep::Finding& finding : swept.findings) {
                if (finding.kind != sweep::Kind::race) continue;
                std::vector<std::pair<uint32_t, uint32_t>> threads;
                for (const sweep::Place& place : finding.places) threads.emplace_back(place.seat.block, place.seat.thread);
                const sweep::Slice slice = sweep::slice_of(module, launches.front(), how, threads);
                if (slice.text.empty()) continue;
                kernel::Written written;
                written.text = slice.text;
                const std::string verdict = verdict_in(verdict_of(written, family, solver));
                CHECK_MESSAGE((verdict == "race" || verdict == "undefined"), (finding.text + ": " + verdict));
                ++shown;
            }
        }
    CHECK(shown >= 10);
}

TEST_CASE("no test of named threads is made from a run where it would lack something") {
    const kernel::LaunchTexts texts{.grid = "1", .block = "8,8", .arguments = {"in=s32[64]:iota", "out=s32[64]"}};
    const kernel::Module module = kernel::read_module(read_source(std::string(kernels) + "transpose.ptx"));
    const kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    const auto why = [&](const std::vector<std::pair<uint32_t, uint32_t>>& threads) {
        return sweep::slice_of(module, launch, {}, threads).why;
    };
    std::vector<std::pair<uint32_t, uint32_t>> many;
    for (uint32_t thread = 0; thread < 17; ++thread) many.emplace_back(0, thread);
    CHECK(why({{0, 1}, {0, 8}}).empty());
    CHECK(sweep::slice_of(module, launch, {}, {{0, 1}, {0, 8}}).shares);
    CHECK_FALSE(sweep::slice_of(module, launch, {}, {{0, 0}, {0, 17}}).shares);
    CHECK(why({{0, 64}}) == "a thread is none of the launch");
    CHECK(why(many) == "it would have more than 16 threads");
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    for (const KernelEntry& entry : kernel_table(folder)) {
        if (entry.name != "tensor_memory") continue;
        const kernel::Module tensor = kernel::read_module(read_source((folder / "tensor_memory.ptx").string()));
        CHECK(sweep::slice_of(tensor, launches_of(tensor, entry.launch).front(), {}, {{{0, 0}, {0, 32}}}).why == "it uses tensor memory");
    }
}

TEST_CASE("a verdict on less than it seems has reservations") {
    ModelFamily family("ptx", {});
    Solver solver;
    const auto reservations = [&](const std::string& name, const kernel::LaunchTexts& launch, const std::vector<std::string>& ignored,
                                  const std::vector<std::pair<uint32_t, uint32_t>>& threads, Verdict verdict) {
        KernelQuestion question;
        question.launch = launch;
        question.ignored = ignored;
        question.choice.threads = threads;
        const Result result = judge_kernel(read_source(kernels + name + ".ptx"), question, family, {}, solver).result;
        CHECK(result.judgement.verdict == verdict);
        std::string text;
        for (const std::string& reservation : result.reservations) text += reservation + "\n";
        return text;
    };
    const auto said = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
    const kernel::LaunchTexts matrices{.grid = "1", .block = "64", .arguments = {"in=s32[256]:iota", "out=s32[512]"}};
    CHECK(said(reservations("matrix_load.UNSYNCED", matrices, {"ldmatrix"}, {}, Verdict::ok),
               "`ldmatrix.sync.aligned.m8n8.x4.shared.b16` (matrix_load.cu:14) accesses memory, and is left out\n"));
    const kernel::LaunchTexts tile{.grid = "1", .block = "8,8", .arguments = {"in=s32[64]:iota", "out=s32[64]"}};
    CHECK(said(reservations("transpose.UNSYNCED", tile, {}, {{0, 0}, {0, 17}}, Verdict::ok),
               "no data is touched by more than one of the threads of the test\n"));
    const kernel::LaunchTexts empty{.grid = "1", .block = "64", .arguments = {"in=s32[96]:iota", "out=s32[96]", "tiles=0"}};
    CHECK(said(reservations("ring", empty, {}, {}, Verdict::ok),
               " barriers and asynchronous instructions of this kernel ran, and no thread came to the others (ring.cu:"));
    // whatever comes up counts as it is
    const kernel::LaunchTexts pipe{.grid = "1", .block = "64", .arguments = {"in=u32[768]:iota", "out=f32[256]"}};
    reservations("matrix_pipe.PRIOR", pipe, {"mma"}, {}, Verdict::undefined);
    // what is left out completes its bytes
    const kernel::LaunchTexts ring{.grid = "1", .block = "64", .arguments = {"in=s32[96]:iota", "out=s32[96]", "tiles=3"}};
    KernelQuestion question;
    question.launch = ring;
    question.ignored = {"cp"};
    const Result left_out = judge_kernel(read_source(std::string(kernels) + "ring.ptx"), question, family, {}, solver).result;
    CHECK(left_out.judgement.verdict == Verdict::ok);
    CHECK(std::any_of(left_out.judged.begin(), left_out.judged.end(), [&](const std::string& line) {
        return said(line, "no bytes are expected, as what completes on this mbarrier object is left out");
    }));
}
