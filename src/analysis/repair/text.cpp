// The best repair as a patch, the others by what they add.
#include "analysis/repair/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "analysis/edits/diff.h"
#include "analysis/repair/missing_text.h"
#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;
using Status = Repairs::Status;

std::string kind_and_place(const Missing& missing) {
    return visible(missing.sentence) + " (" + std::string(row(missing.fault).name) + ")";
}

std::string readings_note(const RepairReport::Entry& entry) {
    if (!entry.under_weakest) return "whether it holds under the weakest readings was not decided";
    return *entry.under_weakest ? "holds under the weakest readings, too" : "holds by default, not under the weakest readings";
}

constexpr std::string_view undecided = "not all was tried, or decided, within the bounds";

constexpr size_t most_shown = 6;   // of one price, unless all are asked for
constexpr size_t most_robust = 1;  // of those for the weakest readings

// What is said where no repair is there.
std::string no_repair(const RepairReport& report) {
    if (report.status == Status::nothing_to_repair)
        return report.claims_exists ? "nothing to repair: no execution satisfies its `exists`, and more order allows no more"
                                    : "nothing to repair";
    if (report.status == Status::partial) return std::string(undecided);
    return "no repair of up to " + counted(report.max_edits, "edit") + " is known" +
           (report.max_edits < largest_repair ? "; --max-edits " + std::to_string(report.max_edits + 1) + " looks further" : "");
}

std::string_view status_word(const RepairReport& report) {
    if (!report.repairs.empty()) return "repaired";
    if (report.status == Status::nothing_to_repair) return "nothing-to-repair";
    return report.status == Status::partial ? "unknown" : "none";
}

// A line of a patch. Tabs stay, and the carriage return that a line ends with: `patch` looks for the line as it is in the file.
std::string patch_line(std::string_view line) {
    const bool returns = !line.empty() && line.back() == '\r';
    if (returns) line.remove_suffix(1);
    std::string text;
    for (size_t at = 0; at <= line.size();) {
        const size_t end = std::min(line.find('\t', at), line.size());
        text += visible(line.substr(at, end - at)) + (end < line.size() ? "\t" : "");
        at = end + 1;
    }
    return text + (returns ? "\r\n" : "\n");
}

}  // namespace

std::string patch_text(const std::string& patch) {
    std::string text;
    for (size_t at = 0; at < patch.size();) {
        const size_t end = std::min(patch.find('\n', at), patch.size());
        text += patch_line(std::string_view(patch).substr(at, end - at));
        at = end + 1;
    }
    return text;
}

std::string time_text(double seconds, const TextStyle& style) {
    if (!style.times) return {};
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "Time %.3f\n", seconds);
    return text.data();
}

RepairReport make_report(const std::string& file, const Test& test, const Repairs& repairs) {
    RepairReport report;
    report.file = file;
    report.test = test.name;
    report.claims_exists = test.claim.kind == Claim::Kind::exists;
    report.status = repairs.status;
    report.missing = what_is_missing(test, repairs);
    const auto add = [&](const Repair& repair, bool robust) {
        RepairReport::Entry& entry = report.repairs.emplace_back();
        entry.price = repair.price;
        entry.under_weakest = repair.under_weakest;
        entry.robust = robust;
        entry.missing = parts_of(test, repairs, repair);
        std::stable_sort(entry.missing.begin(), entry.missing.end(), [](const Missing& a, const Missing& b) { return a.place < b.place; });
        entry.patch = unified_diff(file, test.source->text, repair.text);
    };
    for (const Repair& repair : repairs.repairs) add(repair, false);
    for (const Repair& repair : repairs.robust) add(repair, true);
    if (!repairs.repairs.empty()) report.best = repairs.repairs.front().text;
    return report;
}

std::string repair_text(const RepairReport& report, const TextStyle& style) {
    std::string text = "Test " + visible(report.test) + ": ";
    const size_t robust = static_cast<size_t>(
        std::count_if(report.repairs.begin(), report.repairs.end(), [](const RepairReport::Entry& entry) { return entry.robust; }));
    const size_t cheapest = report.repairs.size() - robust;
    if (report.repairs.empty()) {
        text += no_repair(report) + "\n";
    } else {
        text += cheapest == 1 ? "one repair" : counted(cheapest, "repair") + (report.all ? "" : " of one price");
        if (robust > 0) text += ", " + std::to_string(robust) + (report.all ? "" : " dearer") + " for the weakest readings";
        if (report.status == Status::partial) text += " so far; " + std::string(undecided);
        text += "\n";
    }
    for (size_t i = 0; i < report.repairs.size(); ++i) {
        const RepairReport::Entry& entry = report.repairs[i];
        const size_t shown = entry.robust ? cheapest + most_robust : most_shown, end = entry.robust ? report.repairs.size() : cheapest;
        if (!report.all && i >= shown) {
            if (i == shown) text += "and " + std::to_string(end - i) + " more, which --all and --format json give\n";
            continue;
        }
        text += std::to_string(i + 1) + ". price " + std::to_string(entry.price) + ", " + readings_note(entry) + "\n";
        for (const Missing& missing : entry.missing) text += "   " + kind_and_place(missing) + "\n";
        if (i == 0 || report.all) text += patch_text(entry.patch);  // what is piped into `patch` is one patch
    }
    return text + time_text(report.seconds, style);
}

std::string repair_json(const RepairReport& report) {
    Json object = {{"file", report.file},
                   {"test", report.test},
                   {"model", report.model},
                   {"status", status_word(report)},
                   {"complete", report.status != Status::partial},
                   {"missing", missing_json(report.missing.best, true)},
                   {"repairs", Json::array()},
                   {"seconds", report.seconds}};
    for (const RepairReport::Entry& entry : report.repairs) {
        Json weakest;
        if (entry.under_weakest) weakest = *entry.under_weakest;
        object["repairs"].push_back(
            {{"price", entry.price}, {"weakest", weakest}, {"missing", missing_json(entry.missing, false)}, {"patch", entry.patch}});
    }
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

int exit_status(const RepairReport& report) {
    if (!report.repairs.empty() || report.status == Status::nothing_to_repair) return 0;
    return report.status == Status::partial ? 3 : 1;
}

}  // namespace litmus
