// Each of the two says in its own words what it has found (analysis/sweep/report.h, analysis/verdict).
#include "analysis/kernel/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/sweep/report.h"
#include "analysis/verdict/json.h"
#include "analysis/verdict/result_cases.h"
#include "analysis/verdict/text.h"
#include "base/visible.h"
#include "kernel/source_name.h"

namespace litmus {

namespace {

// Whether the run of all threads found nothing, and the test of a few threads finds something.
bool is_of_other_orders(const KernelJudgement& judgement) {
    const auto is_wrong = [](const SweptKernel& one) { return one.is_wrong(); };
    return judgement.claim == KernelClaim::wrong && std::none_of(judgement.swept.begin(), judgement.swept.end(), is_wrong);
}

// The words of the kernel about its launch, and what of a recorded launch is not as it was.
std::vector<std::string> notes_on(const kernel::Launch& launch) {
    std::vector<std::string> notes = launch.taken;
    notes.insert(notes.end(), launch.notes.begin(), launch.notes.end());
    return notes;
}

// The findings of the machine, launch by launch.
std::string swept_text(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement) {
    std::string text;
    for (size_t n = 0; n < judgement.swept.size(); ++n) {
        if (launches.size() > 1)
            text += "launch " + std::to_string(n + 1) + " of " + std::to_string(launches.size()) + ": " +
                    visible(kernel::source_name(launches[n].launch->entry)) + "\n";
        text += sweep_text(*launches[n].module, judgement.swept[n]);
        for (const std::string& note : notes_on(*launches[n].launch)) text += "note: " + visible(note) + "\n";
    }
    if (!judgement.swept.empty() && judgement.swept.size() < launches.size())
        text += "launch " + std::to_string(judgement.swept.size() + 1) + " is not run: the one before it does not end\n";
    return text;
}

}  // namespace

const char* name(KernelClaim claim) {
    switch (claim) {
        case KernelClaim::right:
            return "right";
        case KernelClaim::wrong:
            return "wrong";
        case KernelClaim::open:
            return "open";
    }
    return "";
}

int exit_status(KernelClaim claim) {
    return claim == KernelClaim::right ? 0 : claim == KernelClaim::wrong ? 1 : 3;
}

std::string claim_line(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement) {
    switch (judgement.claim) {
        case KernelClaim::right:
            return launches.size() > 1 ? "right in every order of these " + std::to_string(launches.size()) + " launches"
                                       : "right in every order of this launch";
        case KernelClaim::wrong:
            return "wrong: " + counted(judgement.findings, "finding");
        case KernelClaim::open:
            return std::string("open: nothing is found, and ") + (judgement.open.size() == 1 ? "this is" : "these are") + " open";
    }
    return {};
}

std::string judgement_text(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement, const TextStyle& style,
                           const std::string& advice) {
    std::string text = claim_line(launches, judgement) + "\n";
    for (const KernelJudgement::Open& one : judgement.open)
        text += "  " + visible(one.what) + "; to close it: " + visible(one.closes) + "\n";
    if (is_of_other_orders(judgement))
        text += "nothing is found in the orders in which all threads were run, and this in others:\n";
    else
        text += swept_text(launches, judgement);
    if (!judgement.threads) return text;
    if (judgement.claim == KernelClaim::wrong) return text + text_report(judgement.threads->result, style) + advice;
    if (judgement.threads->result.judgement.verdict != Verdict::ok) return text;
    const ThreadsTest& made = judgement.threads->made;
    return text + "every order of " + std::to_string(made.test.threads.size()) + " of its threads was looked at besides, as they went in " +
           counted(made.runs, "run") + ": nothing is found in these, and what is open stays open\n";
}

std::string judgement_json(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement,
                           const std::optional<TestFile>& test) {
    using nlohmann::ordered_json;
    ordered_json object = {{"version", 1},
                           {"verdict", name(judgement.claim)},
                           {"claim", claim_line(launches, judgement)},
                           {"reading", judgement.reading},
                           {"open", ordered_json::array()},
                           {"launches", ordered_json::array()}};
    for (const KernelJudgement::Open& one : judgement.open) object["open"].push_back({{"what", one.what}, {"closes", one.closes}});
    for (size_t n = 0; n < judgement.swept.size(); ++n) {
        const KernelLaunch& one = launches[n];
        object["launches"].push_back(ordered_json::parse(sweep_json(*one.module, one.file, one.launch->entry, judgement.swept[n])));
        object["launches"].back()["notes"] = notes_on(*one.launch);
    }
    if (judgement.threads) object["threads"] = ordered_json::parse(json_line(judgement.threads->result));
    if (test) {
        object["test"] = {{"file", test->path}, {"written", test->is_written}};
        if (!test->said.empty()) object["test"][test->is_written ? "note" : "why"] = test->said;
    }
    return object.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

std::vector<Case> judgement_cases(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement) {
    std::vector<Case> cases;
    for (size_t n = 0; n < judgement.swept.size(); ++n)
        cases.push_back(sweep_case(*launches[n].module, launches[n].file, launches[n].launch->entry, judgement.swept[n]));
    if (judgement.threads) cases.push_back(case_of(judgement.threads->result));
    return cases;
}

const std::vector<Rule>& judgement_rules() {
    static const std::vector<Rule> rules = [] {
        std::vector<Rule> made = sweep_rules();
        for (const Rule& rule : result_rules())
            if (std::none_of(made.begin(), made.end(), [&](const Rule& one) { return one.id == rule.id; })) made.push_back(rule);
        return made;
    }();
    return rules;
}

}  // namespace litmus
