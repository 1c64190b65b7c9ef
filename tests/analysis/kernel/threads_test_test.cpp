// Tests of a few threads, from runs of all.
#include "analysis/kernel/threads_test.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../../kernel/kernel_table.h"
#include "analysis/verdict/check.h"
#include "analysis/verdict/hazards.h"
#include "analysis/verdict/json.h"
#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/slice.h"
#include "sweep/sweep.h"

using namespace litmus;

namespace {

constexpr const char* kernels = LITMUS_SOURCE_DIR "/tests/kernel/cuda/";

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

// The verdict on these threads.
Result result_of(const ThreadsTest& made, ModelFamily& family, Solver& solver) {
    return threads_verdict(made, "k.litmus", [&](const std::shared_ptr<const Test>& test) {
        CheckOptions options;
        options.strict = true;
        return check_test("k.litmus", *test, family, options, solver).result;
    });
}

// The launches of a row of the table.
std::vector<KernelLaunch> stream_in(const KernelEntry& entry, const KernelRow& row) {
    const auto module = std::make_shared<const kernel::Module>(kernel::read_module(read_source(kernels + entry.ptx(row))));
    std::vector<KernelLaunch> launches;
    for (kernel::Launch& launch : launches_of(*module, entry.launch))
        launches.push_back({module, std::make_shared<const kernel::Launch>(std::move(launch)), entry.ptx(row), launch.entry});
    return launches;
}

// The launch of one of the kernels of tests/kernel/cuda.
KernelLaunch launch_of_cuda(const std::string& name, const kernel::LaunchTexts& texts) {
    const auto module = std::make_shared<const kernel::Module>(kernel::read_module(read_source(kernels + name + ".ptx")));
    const auto no_file = [](const std::string&) { return std::string(); };
    return {module, std::make_shared<const kernel::Launch>(kernel::launch_of(*module, texts, no_file)), name, name};
}

}  // namespace

TEST_CASE("the test of each kernel of the table has its verdict, at its lines, or there is none") {
    const char* only = std::getenv("LITMUS_KERNEL");  // one kernel, to look at
    ModelFamily family("ptx", {});
    size_t made_of = 0;
    for (const KernelEntry& entry : kernel_table())
        for (const KernelRow& row : entry.rows) {
            if (only != nullptr && entry.name != only) continue;
            INFO(entry.ptx(row));
            const ThreadsTest made = test_of_threads(stream_in(entry, row), {}, {});
            const bool is_made = made.why.empty();
            CHECK_MESSAGE(is_made == row.untested.empty(), made.why);
            CHECK_MESSAGE(made.why.find(row.untested) != std::string::npos, made.why);
            if (!is_made) continue;
            ++made_of;
            Solver solver;
            const Json result = Json::parse(json_line(result_of(made, family, solver)));
            const bool differs = !row.of_threads.empty();
            CHECK(result.at("verdict").get<std::string>() == (differs ? row.of_threads : row.verdict));
            CHECK(lines_named(result) == lines_wanted(entry, differs ? row.marks_of_threads : row.marks));
        }
    CHECK((only != nullptr || made_of >= 40));
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
                ThreadsTest made;
                made.text = slice.text;
                const Verdict verdict = result_of(made, family, solver).judgement.verdict;
                CHECK_MESSAGE((verdict == Verdict::race || verdict == Verdict::undefined), finding.text);
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

TEST_CASE("a copy that is in flight when its CTA exits is undefined behaviour of a kernel") {
    ModelFamily family("ptx", {});
    Solver solver;
    const kernel::LaunchTexts texts{.grid = "1", .block = "32", .arguments = {"in=s32[64]:iota", "out=s32[64]"}};
    const auto result = [&](const std::string& name) {
        return result_of(test_of_threads({launch_of_cuda(name, texts)}, {}, {}), family, solver);
    };
    CHECK(result("bulk_store").judgement.verdict == Verdict::ok);
    const Result leaves = result("bulk_store.LEAVES");
    CHECK(leaves.judgement.verdict == Verdict::undefined);
    REQUIRE(leaves.hazards.size() == 1);
    CHECK(leaves.hazards.front().flag == in_flight_at_exit);
}

TEST_CASE("a verdict on less than it seems has reservations") {
    const kernel::LaunchTexts tile{.grid = "1", .block = "8,8", .arguments = {"in=s32[64]:iota", "out=s32[64]"}};
    const ThreadsTest apart = test_of_threads({launch_of_cuda("transpose.UNSYNCED", tile)}, {{0, 0}, {0, 17}}, {});
    CHECK(apart.reservations == std::vector<std::string>{"no data is touched by more than one of the threads of the test"});
    CHECK(apart.text.find("// reservation: no data is touched") != std::string::npos);
    const kernel::LaunchTexts flags{.grid = "2", .block = "32", .arguments = {"flags=u32[2]", "result=s32[1]"}};
    const ThreadsTest dekker = test_of_threads({launch_of_cuda("dekker", flags)}, {{0, 0}, {1, 0}}, {});
    REQUIRE(dekker.reservations.size() == 1);
    CHECK(dekker.reservations.front().find("another run may have them do something else: what `ld.relaxed.gpu.global.u32`") == 0);
}

TEST_CASE("a strong read that finds what it found in no run ends the test") {
    const kernel::LaunchTexts flags{.grid = "2", .block = "32", .arguments = {"flags=u32[2]", "result=s32[1]"}};
    const ThreadsTest made = test_of_threads({launch_of_cuda("dekker", flags)}, {{0, 0}, {1, 0}}, {});
    CHECK(made.runs > 2);
    for (const Thread& thread : made.test.threads) {
        const auto number = [&](Op op) {
            return std::count_if(thread.body.begin(), thread.body.end(), [&](const Instruction& one) { return one.op == op; });
        };
        CHECK(number(Op::trap) == 1);
        CHECK(number(Op::bra) == 2);  // the flag is up, or it is not
        CHECK(number(Op::exit) == 2);
    }
}
