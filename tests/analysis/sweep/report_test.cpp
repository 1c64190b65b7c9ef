// What is said of a sweep, in each form.
#include "analysis/sweep/report.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "kernel/kernel_table.h"
#include "kernel/read.h"

using namespace litmus;

namespace {

struct Judged {
    kernel::Module module;
    SweptKernel swept;
};

// A kernel of tests/kernel/cuda, launched as its table says.
Judged judged(const std::string& name, const std::string& macro) {
    const std::vector<KernelEntry> table = kernel_table();
    const auto entry = std::find_if(table.begin(), table.end(), [&](const KernelEntry& one) { return one.name == name; });
    REQUIRE(entry != table.end());
    const std::string ptx = name + (macro.empty() ? "" : "." + macro) + ".ptx";
    Judged result{kernel::read_module(read_source((kernel_folder() / ptx).string())), {}};
    const kernel::Launch launch =
        kernel::launch_of(result.module, launch_texts(entry->launch), [](const std::string&) { return std::string(); });
    ModelFamily family("ptx", {});
    Solver solver(Solver::usually, faster);
    result.swept = judge_sweep(result.module, launch, {}, family, {}, solver);
    return result;
}

}  // namespace

TEST_CASE("a race is said with its two lines, and that the model confirms it") {
    const Judged early = judged("ring", "EARLY");
    REQUIRE(early.swept.is_wrong());
    const std::string text = sweep_text(early.module, early.swept);
    CAPTURE(text);
    CHECK(text.find("ring.cu:") != std::string::npos);
    CHECK(text.find("confirmed by the model with ") != std::string::npos);
    const auto json = nlohmann::json::parse(sweep_json(early.module, "ring.EARLY.ptx", "ring", early.swept));
    CHECK(json["verdict"] == "wrong");
    const auto& first = json["findings"].front();
    CHECK(first["places"].size() == 2);
    CHECK(first["places"][0]["line"].is_number());
    const bool has_test = std::any_of(json["findings"].begin(), json["findings"].end(), [](const auto& f) { return f.contains("test"); });
    CHECK(has_test);
    CHECK(first["advice"]["change"].get<std::string>().find("the arrival at ring.cu:") == 0);
    CHECK(first["advice"]["tried"] == "sweep");
}

TEST_CASE("a finding for other tools stands at its CUDA line, with the other place beside it") {
    const Judged early = judged("ring", "EARLY");
    const Case one = sweep_case(early.module, "ring.EARLY.ptx", "ring", early.swept);
    CHECK(one.outcome == Case::Outcome::failed);
    REQUIRE(!one.findings.empty());
    CHECK(one.findings.front().file.find("ring.cu") != std::string::npos);
    CHECK(one.findings.front().related.size() == 2);
    CHECK(one.findings.front().message.find("; advice: the arrival at ring.cu:") != std::string::npos);
    CHECK(one.findings.front().fingerprint.find("advice") == std::string::npos);
    const auto is_rule = [&](const Rule& rule) { return rule.id == one.findings.front().rule; };
    CHECK(std::any_of(sweep_rules().begin(), sweep_rules().end(), is_rule));
}

TEST_CASE("a kernel in which nothing comes up") {
    const Judged plain = judged("ring", "");
    CHECK_FALSE(plain.swept.is_wrong());
    CHECK(sweep_text(plain.module, plain.swept).find("nothing found") == 0);
    CHECK(nlohmann::json::parse(sweep_json(plain.module, "ring.ptx", "ring", plain.swept))["verdict"] == "ok");
    CHECK(sweep_case(plain.module, "ring.ptx", "ring", plain.swept).outcome == Case::Outcome::passed);
}

TEST_CASE("a finding that the model does not confirm is named, and the verdict is not sure") {
    Judged early = judged("ring", "EARLY");
    const auto race = std::find_if(early.swept.findings.begin(), early.swept.findings.end(),
                                   [](const SweptFinding& one) { return one.confirmation.answer == Confirmation::Answer::yes; });
    REQUIRE(race != early.swept.findings.end());
    race->confirmation.answer = Confirmation::Answer::no;
    early.swept.denied = {*race};
    early.swept.findings.clear();
    early.swept.conditions.clear();
    CHECK_FALSE(early.swept.is_wrong());
    CHECK_FALSE(early.swept.is_sure());
    const std::string text = sweep_text(early.module, early.swept);
    CAPTURE(text);
    CHECK(text.find("nothing found\nnot sure: race on ") == 0);
    CHECK(text.find("ring.cu:") != std::string::npos);
    CHECK(text.find("not confirmed: the model finds nothing in its test with ") != std::string::npos);
    const auto json = nlohmann::json::parse(sweep_json(early.module, "ring.EARLY.ptx", "ring", early.swept));
    CHECK(json["verdict"] == "depends");
    REQUIRE(json["denied"].size() == 1);
    CHECK(json["denied"][0]["places"].size() == 2);
    CHECK(json["denied"][0]["test"].get<std::string>().find("test \"race\"") == 0);
    const Case one = sweep_case(early.module, "ring.EARLY.ptx", "ring", early.swept);
    CHECK(one.outcome == Case::Outcome::broken);
    REQUIRE(one.findings.size() == 1);
    CHECK(one.findings[0].level == CaseFinding::Level::warning);
    CHECK(one.findings[0].message.find("not confirmed") != std::string::npos);
}

TEST_CASE("of a stream each launch is said with its number, and what an earlier one shows once") {
    const std::filesystem::path folder = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda";
    const auto judged_twice = [&](const std::string& ptx, const std::string& texts) {
        const kernel::Module module = kernel::read_module(read_source((folder / ptx).string()));
        const kernel::Launch launch = kernel::launch_of(module, launch_texts(texts), [](const std::string&) { return std::string(); });
        ModelFamily family("ptx", {});
        Solver solver(Solver::usually, faster);
        std::vector<SweptKernel> all = judge_stream({{&module, &launch}, {&module, &launch, 0}}, {}, family, {}, solver);
        REQUIRE(all.size() == 2);
        const std::string text = sweep_text(module, all[1]);
        const auto json = nlohmann::json::parse(sweep_json(module, ptx, "k", all[1]));
        CHECK(json["launch"] == 2);
        CHECK(sweep_case(module, ptx, "k", all[1]).name == "k, launch 2");
        return std::pair(text, json);
    };
    const std::string split = "--grid 3 --block 32 --arg in=s32[3]:iota --arg sum=s32[1] --arg tickets=u32[1] --arg out=s32[1]";
    const auto [spent, spent_json] = judged_twice("split.SPENT.ptx", split);
    CHECK(spent.find("bytes 0 to 3 of `out` are not written") != std::string::npos);
    CHECK(spent_json["unwritten"].front()["object"] == "out");
    CHECK(spent_json["verdict"] == "depends");
    const std::string last_block = "--grid 2 --block 32 --arg in=s32[8]:iota --arg partial=s32[2] --arg tickets=u32[1] --arg total=s32[1]";
    const auto [again, again_json] = judged_twice("last_block.UNACQUIRED.ptx", last_block);
    CHECK(again_json["findings"].empty());
}

TEST_CASE("what another order could change is said with the line of the PTX where no CUDA line is known") {
    const std::filesystem::path file = std::filesystem::path(LITMUS_SOURCE_DIR) / "tests" / "sweep" / "cuda" / "last_block.ptx";
    std::string text;
    for (const std::string& line : lines_of(file))
        if (line.find(".loc") == std::string::npos) text += line + "\n";
    const kernel::Module module = kernel::read_module(make_source("last_block.ptx", text));
    std::string launch;
    for (const KernelEntry& entry : kernel_table(file.parent_path()))
        if (entry.name == "last_block") launch = entry.launch;
    const sweep::Swept swept = sweep::sweep(module, kernel::launch_of(module, launch_texts(launch), [](const std::string&) { return ""; }));
    REQUIRE_FALSE(swept.conditions.empty());
    for (const std::string& condition : swept.conditions) CHECK(condition.find(" (PTX line ") != std::string::npos);
}

// Each warp writes words and reads those of the other one. Twice a barrier is missing, and one lies between. No change that is tried mends
// all.
TEST_CASE("races of one missing order are one paragraph, and those of another order are another one") {
    const auto exchanges = [](const std::string& at, const std::string& between) {
        std::string writes, reads;
        for (const std::string& word : {at, at + "+1024", at + "+2048"}) {
            writes += "st.shared.u32 [%r3+" + word + "], %r1;\n";
            reads += "ld.shared.u32 %r5, [%r4+" + word + "];\n";
        }
        return writes + between + reads;
    };
    const std::string barrier = "bar.sync 0;\n";
    const auto judged_exchange = [&](const std::string& first, const std::string& second) {
        Judged result{
            kernel::testing::kernel_of(".shared .align 4 .b8 s[8192];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, s;\nshl.b32 %r6, %r1, 2;\n"
                                       "add.u32 %r3, %r2, %r6;\nxor.b32 %r6, %r6, 128;\nadd.u32 %r4, %r2, %r6;\n" +
                                       exchanges("0", first) + barrier + exchanges("4096", second) + "ret;"),
            {}};
        ModelFamily family("ptx", {});
        Solver solver(Solver::usually, faster);
        kernel::LaunchTexts texts;
        texts.grid = "1";
        texts.block = "64";
        texts.arguments = {"u32[4]", "1"};
        const kernel::Launch launch = kernel::launch_of(result.module, texts, [](const std::string&) { return std::string(); });
        result.swept = judge_sweep(result.module, launch, {}, family, {}, solver);
        return result;
    };
    const Judged both = judged_exchange("", "");
    const auto& findings = both.swept.findings;
    REQUIRE(findings.size() == 6);
    std::map<size_t, size_t> followers;  // by cause
    for (size_t f = 0; f < findings.size(); ++f) {
        CHECK(!findings[f].advised.by_sweep);
        if (!findings[f].cause) continue;
        REQUIRE(*findings[f].cause < f);
        ++followers[*findings[f].cause];
        CHECK(lack_one_order(findings[f].finding, findings[*findings[f].cause].finding));
    }
    REQUIRE(followers.size() == 2);
    for (const auto& [cause, count] : followers) CHECK(count == 2);
    CHECK(!lack_one_order(findings[followers.begin()->first].finding, findings[followers.rbegin()->first].finding));

    const std::string text = sweep_text(both.module, both.swept);
    CAPTURE(text);
    const std::string heading = "  between the same synchronisation, and so perhaps of one cause:\n    race on `s` of block 0 at byte ";
    const size_t once = text.find(heading), twice = text.find(heading, once + 1);
    CHECK(once != std::string::npos);
    CHECK(twice != std::string::npos);
    CHECK(text.find(heading, twice + 1) == std::string::npos);
    const auto json = nlohmann::json::parse(sweep_json(both.module, "k.ptx", "k", both.swept));
    const Case one = sweep_case(both.module, "k.ptx", "k", both.swept);
    for (size_t f = 0; f < findings.size(); ++f) {
        CHECK(json["findings"][f].contains("cause") == findings[f].cause.has_value());
        CHECK(one.findings[f].cause == (findings[f].cause ? one.findings[*findings[f].cause].fingerprint : ""));
    }

    // with one of the two barriers one group is left
    const Judged second = judged_exchange(barrier, "");
    REQUIRE(second.swept.findings.size() == 3);
    for (const size_t f : {1, 2}) CHECK(second.swept.findings[f].cause == 0U);
}
