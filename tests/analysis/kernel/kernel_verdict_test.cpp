// The verdicts of small kernels, asked of the library alone.
#include "analysis/kernel/kernel_verdict.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../kernel/kernel_table.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/json.h"
#include "kernel/dimensions.h"
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

std::string lines_wanted(const KernelEntry& kernel, const KernelRow& row) {
    const std::map<std::string, int> marks = marks_of(kernel.name);
    std::set<int> wanted;
    for (const std::string& mark : row.marks) wanted.insert(marks.at(mark));
    std::string text;
    for (const int line : wanted) text += (text.empty() ? "" : ", ") + std::to_string(line);
    return text;
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
            const Result judged = kernel_verdict(written, "k.litmus", [&](const std::shared_ptr<const Test>& test) {
                CheckOptions options;
                options.strict = true;
                return check_test("k.litmus", *test, family, options, solver).result;
            });
            const Json result = Json::parse(json_line(judged));
            const bool reserved = result.at("verdict") == "ok" && result.contains("reservations");
            CHECK(result.at("verdict").get<std::string>() + (reserved ? "*" : "") == row.verdict);
            CHECK(lines_named(result) == lines_wanted(entry, row));
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
