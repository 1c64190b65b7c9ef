// Disagreements of GPUs and a model as findings: one for each outcome that was seen and is forbidden, at the claim of its test.
#include "analysis/conform/text.h"
#include "analysis/verdict/result_cases.h"
#include "print/columns.h"

namespace litmus {

namespace {

// Why it is forbidden, as far as that was found out.
std::string why(const ConformTest& test, const Seen& seen) {
    const auto found = test.why.find(seen.values);
    return found == test.why.end() || found->second.lines.empty() ? std::string() : ": " + found->second.lines.front();
}

Finding finding(const ConformTest& test, const ConformDevice& device, const Seen& seen) {
    const std::string outcome = outcome_text(test.prediction.observables, seen.values);
    const auto known = test.known.find(seen.values);
    const bool forbidden = seen.standing == Standing::forbidden;
    const std::string rule = known != test.known.end() ? "known-forbidden-outcome" : forbidden ? "forbidden-outcome" : "undecided-outcome";
    std::string message = outcome + " was seen " + std::to_string(seen.count) + " times on " + device.name;
    message += forbidden ? " and is forbidden" + why(test, seen) : " and is not decided";
    if (known != test.known.end()) message += " (known: " + known->second + ")";
    return {known != test.known.end() ? Finding::Level::note : Finding::Level::error,
            rule,
            message,
            test.file,
            test.begin,
            test.end,
            fingerprint({test.name, rule, device.name, outcome})};
}

Case case_of(const ConformTest& test, const ConformDevice& device) {
    Case result{test.file, test.name + " on " + device.name, Case::Outcome::passed, 0, {}};
    bool failed = false, broken = test.comparison.standing == Standing::undecided;
    for (const Seen& seen : test.comparison.seen) {
        if (seen.standing != Standing::forbidden && seen.standing != Standing::undecided) continue;
        result.findings.push_back(finding(test, device, seen));
        failed = failed || (seen.standing == Standing::forbidden && test.known.count(seen.values) == 0);
        broken = broken || seen.standing == Standing::undecided;
    }
    if (broken && result.findings.empty())
        result.findings.push_back({Finding::Level::error, "undecided-outcome", "some outcomes that were seen are not listed", test.file,
                                   test.begin, test.end, fingerprint({test.name, "unlisted", device.name})});
    result.outcome = failed ? Case::Outcome::failed : broken ? Case::Outcome::broken : Case::Outcome::passed;
    return result;
}

}  // namespace

const std::vector<Rule>& conform_rules() {
    static const std::vector<Rule> rules{{"forbidden-outcome", "A GPU showed an outcome that the model forbids."},
                                         {"known-forbidden-outcome", "As before, and the list of known disagreements has it."},
                                         {"undecided-outcome", "Whether the model allows an outcome that was seen is not decided."},
                                         {"not-compared", "What was observed of a test could not be compared with the model."},
                                         {"error", "A file that cannot be used."}};
    return rules;
}

std::vector<Case> conform_cases(const ConformReport& report) {
    std::vector<Case> cases;
    for (const ConformDevice& device : report.devices)
        for (const ConformTest& test : device.tests) cases.push_back(case_of(test, device));
    for (const NotCompared& n : report.not_compared) {
        const bool undecided = n.reason == "not decided";
        const Finding finding{undecided ? Finding::Level::error : Finding::Level::warning,
                              "not-compared",
                              n.reason + ": " + n.detail,
                              n.file,
                              {},
                              {},
                              fingerprint({n.name, "not-compared", n.device})};
        cases.push_back({n.file, n.name + " on " + n.device, undecided ? Case::Outcome::broken : Case::Outcome::passed, 0, {finding}});
    }
    for (const Diagnostic& error : report.errors) {
        const std::string file = error.source ? error.source->name : "litmus conform";
        const Position at = error.source ? position(*error.source, error.span.begin) : Position();
        cases.push_back({file,
                         "input",
                         Case::Outcome::broken,
                         0,
                         {{Finding::Level::error, "error", error.message, file, at, at, fingerprint({"error", error.message})}}});
    }
    return cases;
}

}  // namespace litmus
