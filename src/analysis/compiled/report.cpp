// Settings are named by what varies: "ptxas 13.0.88, -O1 -O2 -O3, sm_90a sm_100a, plain loop" where all of these combinations are meant,
// and one after the other where not.
#include "analysis/compiled/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/visible.h"
#include "language/syntax/native/print.h"

namespace litmus::compiled {

namespace {

using Json = nlohmann::ordered_json;

std::string words(const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& word : list) text += (text.empty() ? "" : " ") + word;
    return text;
}

template <class Member>
std::vector<std::string> values(const std::vector<Setting>& settings, const Member& member) {
    std::vector<std::string> list;
    for (const Setting& s : settings)
        if (const std::string value = member(s); std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    return list;
}

std::string level(const Setting& s) {
    return "-O" + std::to_string(s.level);
}

std::string indented(const std::string& text, const std::string& by) {
    std::istringstream in(text);
    std::string result;
    for (std::string line; std::getline(in, line);) result += (line.empty() ? line : by + line) + "\n";
    return result;
}

std::string finding_text(const Test& test, const Finding& finding) {
    std::string text;
    for (const std::string& line : lines_of(finding.settings)) text += "  " + visible(line) + "\n";
    for (const Change& change : finding.compiled.changes) text += "    " + visible(in_words(test, change)) + "\n";
    const Ruling& ruling = finding.ruling;
    text += "    " + std::string(name(ruling.fate));
    if (!ruling.outcome.empty()) text += ": it can end as " + visible(ruling.outcome) + " and the source cannot";
    if (!ruling.hazard.empty()) text += ": it has undefined behaviour, " + visible(ruling.hazard) + ", and the source has none";
    text += (ruling.reason.empty() ? "" : ": " + visible(ruling.reason)) + "\n";
    if (ruling.fate != Fate::forbidden) return text;
    text += "    an execution of the compiled test:\n" + indented(ruling.execution, "      ");
    if (!ruling.outcome.empty()) text += "    of the source:\n" + indented(explanation_text(ruling.why), "      ");
    return text;
}

Json setting_json(const Setting& s) {
    return {{"assembler", s.assembler}, {"level", s.level}, {"target", s.target}, {"body", s.body}};
}

Json change_json(const Test& test, const Change& change) {
    const Thread& thread = test.threads[change.thread];
    Json other;
    if (change.other) other = print(thread.body[*change.other]);
    return {
        {"kind", name(change.kind)}, {"thread", thread.name}, {"instruction", print(thread.body[change.instruction])}, {"other", other}};
}

Json truth_json(Truth truth) {
    return truth == Truth::unknown ? Json() : Json(truth == Truth::yes);
}

Json or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json finding_json(const Test& test, const Finding& finding) {
    const Ruling& ruling = finding.ruling;
    Json object = {{"verdict", name(ruling.fate)}, {"settings", Json::array()}, {"changes", Json::array()}};
    for (const Setting& s : finding.settings) object["settings"].push_back(setting_json(s));
    for (const Change& change : finding.compiled.changes) object["changes"].push_back(change_json(test, change));
    object["reason"] = or_null(ruling.reason);
    object["outcome"] = or_null(ruling.outcome);
    object["compiled"] = finding.compiled.test && !finding.compiled.changes.empty() ? Json(print(*finding.compiled.test)) : Json();
    object["execution"] = or_null(ruling.execution);
    object["axioms"] = Json::array();
    for (const Explanation::Case& one : ruling.why.cases)
        for (const Explanation::Way& way : one.ways)
            object["axioms"].push_back({{"axiom", way.axiom}, {"section", way.section}, {"meaning", way.meaning}});
    object["hazard"] = or_null(ruling.hazard);
    object["why"] = !ruling.outcome.empty() ? Json(explanation_text(ruling.why)) : Json();
    return object;
}

std::string title(const Report& result) {
    std::string text = "Test " + visible(result.test.name) + ": " + std::string(name(result.fate()));
    if (result.fate() != Fate::forbidden) return text;
    if (result.race_free == Truth::yes) text += ", in a race-free program";
    if (result.race_free == Truth::no) text += ", in a program with a data race";
    if (result.readings != Reading::Base::weakest) text += ", under the " + std::string(litmus::name(result.readings)) + " readings";
    return text;
}

}  // namespace

std::vector<std::string> lines_of(const std::vector<Setting>& settings) {
    const auto assemblers = values(settings, [](const Setting& s) { return s.assembler; });
    const auto levels = values(settings, level);
    const auto targets = values(settings, [](const Setting& s) { return s.target; });
    const auto bodies = values(settings, [](const Setting& s) { return s.body; });
    if (assemblers.size() * levels.size() * targets.size() * bodies.size() == settings.size())
        return {words(assemblers) + ", " + words(levels) + ", " + words(targets) + ", " + words(bodies)};
    std::vector<std::string> lines;
    const auto add = [&](const auto& same) {
        std::vector<Setting> left = settings;
        while (!left.empty()) {
            const Setting first = left.front();
            std::vector<Setting> part;
            std::copy_if(left.begin(), left.end(), std::back_inserter(part), [&](const Setting& s) { return same(s, first); });
            std::erase_if(left, [&](const Setting& s) { return same(s, first); });
            const std::vector<std::string> more = lines_of(part);
            lines.insert(lines.end(), more.begin(), more.end());
        }
    };
    if (bodies.size() > 1)
        add([](const Setting& a, const Setting& b) { return a.body == b.body; });
    else if (targets.size() > 1)
        add([](const Setting& a, const Setting& b) { return a.target == b.target; });
    else
        add([](const Setting& a, const Setting& b) { return a.assembler == b.assembler; });
    return lines;
}

int exit_status(Fate fate) {
    return fate == Fate::forbidden ? 1 : fate == Fate::unknown ? 3 : 0;
}

std::string to_text(const Report& result, bool all) {
    std::string text = title(result) + "\n";
    size_t kept = 0;
    for (const Finding& finding : result.findings) {
        if (finding.ruling.fate == Fate::kept && !all)
            kept += finding.settings.size();
        else
            text += finding_text(result.test, finding);
    }
    if (kept > 0 && result.findings.size() == 1 && !result.left_out.empty()) text += "  what was looked at is kept\n";
    if (kept > 0 && result.findings.size() > 1)
        text += "  in " + std::to_string(kept) + (kept == 1 ? " other setting" : " other settings") + " all of it is kept\n";
    std::vector<std::pair<std::string, std::vector<Setting>>> refused;
    for (const auto& [setting, why] : result.refused) {
        if (refused.empty() || refused.back().first != why) refused.push_back({why, {}});
        refused.back().second.push_back(setting);
    }
    for (const auto& [why, settings] : refused)
        for (const std::string& line : lines_of(settings))
            text += "  " + visible(line) + ": not assembled: " + visible(why.substr(0, why.find('\n'))) + "\n";
    for (const std::string& line : result.left_out) text += "  not looked at: " + visible(line) + "\n";
    return text;
}

std::string to_json(const Report& result) {
    Json object = {{"file", result.file},
                   {"test", result.test.name},
                   {"verdict", name(result.fate())},
                   {"race_free", truth_json(result.race_free)},
                   {"undefined", truth_json(result.undefined)},
                   {"readings", litmus::name(result.readings)},
                   {"findings", Json::array()},
                   {"refused", Json::array()}};
    for (const Finding& finding : result.findings) object["findings"].push_back(finding_json(result.test, finding));
    for (const auto& [setting, why] : result.refused) {
        object["refused"].push_back(setting_json(setting));
        object["refused"].back()["reason"] = why;
    }
    if (!result.left_out.empty()) object["left_out"] = result.left_out;
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace litmus::compiled
