// What is changed, then each spelling that holds, with its price and the patch of the cheapest.
#include "tool/workarounds.h"

#include <nlohmann/json.hpp>

#include "analysis/compiled/report.h"
#include "analysis/compiled/workarounds.h"
#include "analysis/edits/diff.h"
#include "analysis/repair/text.h"
#include "base/visible.h"
#include "tool/assembling.h"
#include "tool/each_test.h"

namespace litmus {

namespace {

using namespace compiled;
using Json = nlohmann::ordered_json;

// As the other repairs have them.
std::string_view status_word(const Report& report, const Workarounds& found) {
    if (!found.found.empty()) return "repaired";
    if (report.fate() == Fate::kept || report.fate() == Fate::allowed) return "nothing-to-repair";
    return report.fate() == Fate::unknown || !found.complete ? "unknown" : "none";
}

int status_of(std::string_view word) {
    return word == "unknown" ? 3 : word == "none" ? 1 : 0;
}

std::string place_text(const Test& test, const Workaround& one) {
    const Thread& thread = test.threads[one.thread];
    return thread.name + ":" + std::to_string(position(*test.source, thread.body[one.instruction].span.begin).line);
}

std::string patch_of(const Report& report, const Workaround& one) {
    return unified_diff(report.file, report.test.source->text, one.text);
}

std::string text_of(const Report& report, const Workarounds& found) {
    std::string text = to_text(report, false);
    if (report.fate() != Fate::forbidden) return text;
    if (found.found.empty())
        return text + (found.complete ? "  none of " + std::to_string(found.tried) + " other spellings is kept\n"
                                      : "  not all other spellings were tried, or known\n");
    text += "  what is kept, with what it costs in " + lines_of({*found.measured}).front() + ":\n";
    for (const Workaround& one : found.found) {
        text += "    " + visible(place_text(report.test, one) + " " + one.what) + ": " + in_words(one.extra);
        text += one.fate == Fate::allowed ? " (what is changed then is allowed)\n" : "\n";
    }
    return text + patch_text(patch_of(report, found.found.front()));
}

std::string json_of(const Report& report, const Workarounds& found) {
    Json object = {{"file", report.file},
                   {"test", report.test.name},
                   {"status", status_word(report, found)},
                   {"verdict", name(report.fate())},
                   {"changes", Json::array()},
                   {"complete", found.complete},
                   {"measured", found.measured ? Json(lines_of({*found.measured}).front()) : Json()},
                   {"workarounds", Json::array()}};
    for (const Finding& finding : report.findings)
        for (const compiled::Change& change : finding.compiled.changes)
            if (finding.ruling.fate == Fate::forbidden) object["changes"].push_back(in_words(report.test, change));
    for (const Workaround& one : found.found) {
        const Thread& thread = report.test.threads[one.thread];
        object["workarounds"].push_back(
            {{"thread", thread.name},
             {"line", position(*report.test.source, thread.body[one.instruction].span.begin).line},
             {"what", one.what},
             {"verdict", name(one.fate)},
             {"extra", {{"instructions", one.extra.instructions}, {"loads", one.extra.loads}, {"barriers", one.extra.barriers}}},
             {"patch", patch_of(report, one)}});
    }
    return object.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace

int work_around(const Options& options, Output& out) {
    const Settings settings = settings_of(options.compiled);
    return each_test(options, out, [&](const Input& input, Asking& asking) {
        if (input.test->dialect != Dialect::native)
            throw Failure(nullptr, {}, "'" + input.file + "' is in another format than the DSL, which alone has all spellings",
                          "`litmus fmt --to native` converts it");
        const Report report = report_on(input.file, *input.test, settings, asking.family, asking.solver, options.unroll, asking.budget);
        Workarounds found;
        if (report.fate() == Fate::forbidden)
            found = workarounds(report, settings, asking.family, asking.readings, asking.solver, options.unroll, asking.budget);
        Said said{{}, status_of(status_word(report, found)), {}};
        said.text = options.format == Options::Format::json ? json_of(report, found) : text_of(report, found);
        if (!found.found.empty()) said.rewritten = found.found.front().text;
        return said;
    });
}

}  // namespace litmus
