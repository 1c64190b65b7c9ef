// A part is named as advice names a place: by its CUDA line.
#include "analysis/needed/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/sweep/advice_places.h"
#include "base/visible.h"
#include "kernel/program.h"
#include "print/columns.h"

namespace litmus {

namespace {

using nlohmann::ordered_json;

const char* name(NeededFate fate) {
    switch (fate) {
        case NeededFate::needed:
            return "needed";
        case NeededFate::weaker_will_do:
            return "weaker-will-do";
        case NeededFate::not_needed:
            return "not-needed-in-this-launch";
        case NeededFate::not_executed:
            return "not-executed";
        case NeededFate::unknown:
            return "unknown";
    }
    return "";
}

// "cp.async.bulk.wait_group 0": with its numbers as the PTX spells them, where it has nothing else.
std::string instruction_of(const NeededPart& part) {
    const kernel::Statement& first = *part.statements.front();
    std::string numbers;
    for (const kernel::Argument& argument : first.arguments) {
        if (argument.kind != kernel::Argument::Kind::immediate) return kernel::dotted(first.words);
        const auto [begin, end] = argument.span;
        numbers += (numbers.empty() ? " " : ", ") + part.module->source->text.substr(begin, end - begin);
    }
    return kernel::dotted(first.words) + numbers;
}

// "race on `tile` at byte 0 (ring.cu:18, ring.cu:22; the model agrees)"
std::string without_text(const NeededPart& part) {
    std::string beside = joined(part.lines, ", ");
    if (part.by_model) beside += std::string(beside.empty() ? "" : "; ") + "the model agrees";
    return part.without + (beside.empty() ? "" : " (" + beside + ")");
}

std::string said_of(const NeededPart& part) {
    switch (part.fate) {
        case NeededFate::needed:
            return "needed: otherwise " + without_text(part);
        case NeededFate::weaker_will_do:
            return "`" + part.weaker + "` would do in this launch" + (part.without.empty() ? "" : "; with less, " + without_text(part));
        case NeededFate::not_needed:
            return "not needed in this launch";
        case NeededFate::not_executed:
            return "no thread comes there in this launch";
        case NeededFate::unknown:
            return "not known: " + part.without;
    }
    return {};
}

std::string line_of(const NeededPart& part) {
    return advised_line(*part.module, {{}, part.statements.front()});
}

}  // namespace

std::string needed_text(const Needed& needed) {
    const auto count = [&](NeededFate fate) {
        return std::count_if(needed.parts.begin(), needed.parts.end(), [&](const NeededPart& part) { return part.fate == fate; });
    };
    std::string text = std::to_string(count(NeededFate::needed)) + " of " + counted(needed.parts.size(), "place") +
                       " that order or wait are needed as they are\n";
    if (needed.findings > 0)
        text += "the kernel is wrong as it is (" + counted(needed.findings, "finding") +
                "; without --needed they are named): what follows is what comes besides\n";
    for (const NeededPart& part : needed.parts) {
        const bool has_line = !part.statements.front()->origin.empty();
        text += "   " + visible((has_line ? line_of(part) + ": `" : "`") + instruction_of(part) + "`: " + said_of(part)) + "\n";
    }
    for (const std::string& condition : needed.conditions) text += "holds for two orders of the threads only: " + visible(condition) + "\n";
    if (needed.partial) text += "the time or the memory did not last for all of them\n";
    return text +
           "Each was changed alone, and all threads were run again. Another launch may need what this one does not, and of two that can "
           "each "
           "go both may not.\n";
}

std::string needed_json(const Needed& needed, const std::string& file, double seconds) {
    ordered_json object = {{"version", 1},
                           {"file", file},
                           {"complete", !needed.partial},
                           {"findings", needed.findings},
                           {"conditions", needed.conditions},
                           {"parts", ordered_json::array()},
                           {"seconds", seconds}};
    for (const NeededPart& part : needed.parts) {
        ordered_json one = {{"instruction", instruction_of(part)}, {"fate", name(part.fate)}};
        const kernel::Line line = kernel::shown_line(*part.module, part.statements.front()->origin);
        const auto known = part.module->files.find(line.file);
        if (line.line > 0 && known != part.module->files.end()) {
            one["file"] = known->second;
            one["line"] = line.line;
        }
        if (!part.weaker.empty()) one["weaker"] = part.weaker;
        if (!part.without.empty()) {
            one["without"] = part.without;
            one["lines"] = part.lines;
            one["model"] = part.by_model ? "confirmed" : "not asked";
        }
        object["parts"].push_back(std::move(one));
    }
    return object.dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

}  // namespace litmus
