// A line for each part, then the patches.
#include "analysis/weaken/text.h"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analysis/edits/diff.h"
#include "analysis/repair/missing.h"
#include "analysis/repair/text.h"
#include "analysis/verdict/json_value.h"
#include "base/visible.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;
using Fate = Part::Fate;

std::string_view word(Fate fate) {
    constexpr std::array<std::string_view, 4> words{"not-needed-in-this-test", "weaker-will-do", "needed", "unknown"};
    return words[static_cast<size_t>(fate)];
}

std::string joined_names(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::string line_text(const WeakenReport::Line& line) {
    std::string text = line.thread + " line " + std::to_string(line.line) + (line.origin ? " (" + short_text(line.origin) + ")" : "") +
                       ": `" + line.instruction + "`: ";
    if (line.fate == Fate::needed) return text + "needed: otherwise " + line.without + " (" + line.kind + ")";
    if (line.fate == Fate::unknown) return text + "not decided";
    text += line.what;
    if (!line.relies_on.empty()) text += ", relying on " + joined_names(line.relies_on);
    return text;
}

// What is said first of a test that shows something bad: it stays as bad as it is.
std::string caution(const WeakenReport& report) {
    if (report.verdict == Verdict::ok || report.verdict == Verdict::unknown) return {};
    return "Its verdict is " + std::string(name(report.verdict)) +
           ": what can go brings nothing new, but may be what a repair needs; `litmus repair` comes first\n";
}

}  // namespace

WeakenReport make_report(const std::string& file, const Test& test, const Weakening& found) {
    WeakenReport report;
    report.file = file;
    report.test = test.name;
    report.verdict = found.verdict;
    report.partial = found.partial;
    for (const Part& part : found.parts) {
        WeakenReport::Line& line = report.lines.emplace_back();
        const Missing place = missing_of(test, part.ways.front());
        line.fate = part.fate;
        line.thread = place.where;
        line.line = place.line;
        line.origin = place.origin;
        line.instruction = written(test, part.place);
        line.relies_on = part.relies_on;
        if (part.way) line.what = part.ways[*part.way].what;
        if (part.fate == Fate::needed) line.kind = row(part.ways.back().fault).name;
        line.without = part.without;
    }
    for (const ProgramPoint place : found.not_tried) {
        const Instruction& instruction = test.threads[static_cast<size_t>(place.thread)].body[static_cast<size_t>(place.instruction)];
        WeakenReport::Line& line = report.not_tried.emplace_back();
        line.thread = test.threads[static_cast<size_t>(place.thread)].name;
        line.line = position(*test.source, instruction.spelled.begin).line;
        line.instruction = written(test, place);
    }
    for (size_t i = 0; i < found.together.size(); ++i) {
        WeakenReport::Together& set = report.together.emplace_back();
        for (const Weakening::Choice& choice : found.together[i]) {
            set.lines.push_back(choice.part);
            set.what.push_back(found.parts[choice.part].ways[choice.way].what);
        }
        set.patch = unified_diff(file, test.source->text, found.texts[i]);
    }
    return report;
}

std::string weaken_text(const WeakenReport& report, const TextStyle& style) {
    size_t free = 0;
    for (const WeakenReport::Line& line : report.lines) free += line.fate == Fate::needless || line.fate == Fate::weaker_will_do ? 1 : 0;
    std::string text = "Test " + visible(report.test) + ": " + std::to_string(free) + " of " + std::to_string(report.lines.size()) +
                       (report.lines.size() == 1 ? " part" : " parts") + " can go or be weaker" +
                       (report.partial ? ", so far as was decided" : "") + "\n" + caution(report);
    for (const WeakenReport::Line& line : report.lines) text += "   " + visible(line_text(line)) + "\n";
    for (const WeakenReport::Line& line : report.not_tried)
        text += "   not tried: " + visible(line.thread + " line " + std::to_string(line.line) + ": `" + line.instruction + "`") + "\n";
    for (size_t i = 0; i < report.together.size(); ++i) {
        const size_t count = report.together[i].lines.size();
        text += report.together.size() == 1 && count == 1 ? "" : std::to_string(count) + " together:\n";
        text += patch_text(report.together[i].patch);
    }
    return text + time_text(report.seconds, style);
}

std::string weaken_json(const WeakenReport& report) {
    Json object = {{"file", report.file},         {"test", report.test},    {"model", report.model},     {"verdict", name(report.verdict)},
                   {"complete", !report.partial}, {"parts", Json::array()}, {"together", Json::array()}, {"not_tried", Json::array()},
                   {"seconds", report.seconds}};
    for (const WeakenReport::Line& line : report.lines) {
        Json part = {{"place", line.thread}, {"line", line.line}};
        if (line.origin) part["origin"] = origin_json(line.origin);
        part["instruction"] = line.instruction;
        part["fate"] = word(line.fate);
        if (!line.what.empty()) part["what"] = line.what;
        if (!line.kind.empty()) part["kind"] = line.kind;
        if (!line.without.empty()) part["without"] = line.without;
        part["relies_on"] = line.relies_on;
        object["parts"].push_back(std::move(part));
    }
    for (const WeakenReport::Together& set : report.together)
        object["together"].push_back({{"parts", set.lines}, {"what", set.what}, {"patch", set.patch}});
    for (const WeakenReport::Line& line : report.not_tried)
        object["not_tried"].push_back({{"place", line.thread}, {"line", line.line}, {"instruction", line.instruction}});
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace litmus
