// Sentences about what was found and what was searched.
#include "analysis/distinguish/text.h"

#include <nlohmann/json.hpp>

#include "base/visible.h"
#include "language/syntax/native/print.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

std::string pair_of(const DistinguishReport& report) {
    return report.models[0] + " and " + report.models[1];
}

// "of at most 3 instructions in at most 3 threads", and of which families where not of all
std::string searched(const DistinguishReport& report, size_t instructions) {
    std::string text = "of at most " + counted(instructions, "instruction") + " in at most " + counted(report.threads, "thread");
    if (report.families.size() < vocabulary().size()) text += ", of the families " + joined(report.families, ", ");
    return text;
}

Test documented(const DistinguishReport& report) {
    Test test = report.found->test;
    test.name = "apart";
    const std::string &allowing = report.models[report.allowing], &forbidding = report.models[1 - report.allowing];
    test.doc = test.claims_undefined ? "Undefined under " + allowing + " and not under " + forbidding + ". "
                                     : allowing + " allows this outcome, " + forbidding + " does not. ";
    if (report.complete > 0) test.doc += "No program " + searched(report, report.complete) + " tells them apart (litmus distinguish).";
    return test;
}

}  // namespace

std::string distinguish_text(const DistinguishReport& report) {
    if (report.found) return print(documented(report));
    std::string text;
    if (report.complete > 0) text = "no program " + searched(report, report.complete) + " tells " + visible(pair_of(report)) + " apart\n";
    if (!report.reason.empty()) text += "larger ones were not all searched: " + visible(report.reason) + "\n";
    return text;
}

std::string distinguish_json(const DistinguishReport& report) {
    Json object = {{"a", report.models[0]}, {"b", report.models[1]}, {"found", report.found.has_value()}};
    object["allowed_by"] = report.found ? Json(report.allowing == 0 ? "a" : "b") : Json();
    object["instructions"] = report.found ? Json(report.instructions) : Json();
    object["test"] = report.found ? Json(print(documented(report))) : Json();
    object["outcome"] = Json();
    if (report.found) object["outcome"] = Json::object();
    for (size_t i = 0; report.found && i < report.found->values.size(); ++i)
        object["outcome"][report.found->observables[i]] = report.found->values[i];
    object["complete"] = report.complete;
    object["max_instructions"] = report.wanted;
    object["max_threads"] = report.threads;
    object["families"] = report.families;
    object["skeletons"] = report.skeletons;
    object["reason"] = report.reason.empty() ? Json() : Json(report.reason);
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace litmus
