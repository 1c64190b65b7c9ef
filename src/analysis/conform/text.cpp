// The report of `litmus conform` in its two forms.
#include "analysis/conform/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

constexpr size_t most_refutations = 3;  // lines of each, without --verbose
constexpr size_t most_not_compared = 20;

// ---- words --------------------------------------------------------------------------------------

std::string times(uint64_t count) {
    return std::to_string(count) + (count == 1 ? " time" : " times");
}

// Large counts to three figures, small ones as they are.
std::string rounded(uint64_t count) {
    std::array<char, 32> text{};
    if (count < 1000000) return std::to_string(count);
    std::snprintf(text.data(), text.size(), "%.2e", static_cast<double>(count));
    return text.data();
}

std::string bound_text(uint64_t instances) {
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "rate < %.2g (95 %%)", rate_bound(instances));
    return text.data();
}

std::string_view colour_of(Standing standing) {
    switch (standing) {
        case Standing::allowed:
            return "32";  // green
        case Standing::forbidden:
            return "31";  // red
        default:
            return "33";  // yellow
    }
}

std::string_view colour_of(Evidence::Verdict verdict) {
    switch (verdict) {
        case Evidence::Verdict::consistent:
            return "32";
        case Evidence::Verdict::refuted:
            return "31";
        default:
            return "33";
    }
}

// ---- text ---------------------------------------------------------------------------------------

const std::vector<gpu::Observable>& observables_of(const ConformTest& test) {
    return test.prediction.observables;
}

std::string title_of(const ConformTest& test) {
    return visible(test.name) + " (" + visible(test.file) + ")";
}

std::string forbidden_lines(const ConformDevice& device, const TextStyle& style) {
    std::string text;
    for (const ConformTest& test : device.tests)
        for (const Seen& seen : test.comparison.seen) {
            if (seen.standing != Standing::forbidden) continue;
            const auto known = test.known.find(seen.values);
            const bool is_known = known != test.known.end();
            text += (is_known ? painted("Forbidden, as known", "33", style) : painted("Forbidden", colour_of(seen.standing), style)) + " " +
                    title_of(test) + ": " + outcome_text(observables_of(test), seen.values) + " seen " + times(seen.count) + " in " +
                    std::to_string(test.comparison.instances) + " instances\n";
            if (is_known) text += "  " + visible(known->second) + "\n";
            const auto why = test.why.find(seen.values);
            if (why == test.why.end()) continue;
            for (const std::string& line : why->second.lines) text += "  " + visible(line) + "\n";
        }
    return text;
}

std::string undecided_lines(const ConformDevice& device, const TextStyle& style) {
    std::string text;
    for (const ConformTest& test : device.tests) {
        if (test.comparison.standing != Standing::undecided) continue;
        const std::string head = painted("Undecided", colour_of(Standing::undecided), style) + " " + title_of(test) + ": ";
        for (const Seen& seen : test.comparison.seen)
            if (seen.standing == Standing::undecided)
                text += head + outcome_text(observables_of(test), seen.values) + " seen " + times(seen.count) +
                        ", and not found allowed within the time limit or the unroll bound\n";
        if (test.comparison.unlisted > 0)
            text += head + std::to_string(test.comparison.unlisted) + " instances ended in ways that the file does not list\n";
    }
    return text;
}

std::string late_lines(const ConformDevice& device, const TextStyle& style) {
    std::string text;
    for (const ConformTest& test : device.tests)
        for (const Seen& seen : test.comparison.seen)
            if (seen.standing == Standing::late)
                text += painted("Late", colour_of(Standing::late), style) + " " + title_of(test) + ": " +
                        outcome_text(observables_of(test), seen.values) + " seen " + times(seen.count) + " in " +
                        std::to_string(test.comparison.instances) +
                        " instances: not allowed, but a bulk operation that the test does not wait for may have been in flight when it was "
                        "read\n";
    return text;
}

std::string hung_lines(const ConformDevice& device) {
    std::string text;
    for (const ConformTest& test : device.tests)
        if (test.hung) text += "Hung " + title_of(test) + ": a launch did not end; the counts are those before it\n";
    return text;
}

// Times, unlisted outcomes and hangs; empty without any.
std::string incidents(const ConformTest& test) {
    std::string text;
    if (test.comparison.timeouts > 0) text += ", " + std::to_string(test.comparison.timeouts) + " timed out";
    if (test.comparison.unlisted > 0) text += ", " + std::to_string(test.comparison.unlisted) + " not listed";
    if (test.hung) text += ", a launch hung";
    return text;
}

std::string test_lines(const ConformTest& test, const TextStyle& style) {
    const Comparison& c = test.comparison;
    std::string text = painted(left(std::string(name(c.standing)), 9), colour_of(c.standing), style) + "  " + visible(test.name) + ": " +
                       std::to_string(c.instances) + " instances" + incidents(test) + "\n";
    if (!test.prediction.undefined_by.empty())
        text += "    undefined by the model: " + visible(joined(test.prediction.undefined_by, "; ")) + "\n";
    for (const std::string& line : c.disturbances) text += "    " + visible(line) + "\n";
    for (const Seen& seen : c.seen) {
        text += right(std::to_string(seen.count), 20) + "  " + left(std::string(name(seen.standing)), 9) + "  " +
                outcome_text(observables_of(test), seen.values);
        if (!seen.refutes.empty()) text += "  refutes " + visible(joined(seen.refutes, ", "));
        text += "\n";
    }
    for (const OutcomeValues& values : c.not_seen)
        text += right("0", 20) + "  allowed    " + outcome_text(observables_of(test), values) +
                (c.unlisted > 0 ? std::string() : "  " + bound_text(c.ended)) + "\n";
    return text;
}

std::string refutation_lines(const ConformDevice& device, const Evidence& evidence, bool verbose) {
    std::string text;
    size_t shown = 0;
    for (const Evidence::Refutation& r : evidence.refutations) {
        if (shown++ == most_refutations && !verbose)
            return text + "      and " + std::to_string(evidence.refutations.size() - most_refutations) + " more\n";
        const ConformTest& test = device.tests[r.test];
        text += "      " + title_of(test) + ": " + outcome_text(observables_of(test), r.outcome) + " seen " + times(r.count) +
                (r.disturbed == 0         ? ""
                 : r.disturbed == r.count ? ", in code that the compiler did not leave in order"
                                          : ", " + times(r.disturbed) + " of these in code that the compiler did not leave in order") +
                "\n";
    }
    return text;
}

// The reading of the model that a device's evidence is about.
const Reading& reading_of(const ConformReport& report, const Evidence& evidence) {
    return *std::find_if(report.readings.begin(), report.readings.end(), [&](const Reading& r) { return r.name == evidence.reading; });
}

// The tests that could have refuted the reading and did not.
std::string consistent_lines(const ConformDevice& device, const Evidence& evidence) {
    std::string text;
    for (const size_t t : evidence.tests) {
        const ConformTest& test = device.tests[t];
        const auto by_it = [&](const Evidence::Refutation& r) { return r.test == t; };
        if (std::any_of(evidence.refutations.begin(), evidence.refutations.end(), by_it)) continue;
        text += "      " + title_of(test) + ": what it forbids was not seen in " + std::to_string(test.comparison.ended) + " instances";
        text += test.comparison.unlisted > 0 ? "\n" : ", " + bound_text(test.comparison.ended) + "\n";
    }
    return text;
}

std::string evidence_lines(const ConformReport& report, const ConformDevice& device, const TextStyle& style, bool verbose) {
    if (device.evidence.empty() || device.tests.empty()) return {};
    size_t width = 7;
    for (const Evidence& e : device.evidence) width = std::max(width, display_width(visible(e.reading)));
    std::string text = "Readings, each switched on with the others as under weakest; tests that it distinguishes, and their instances:\n";
    text += painted("  " + left("reading", width) + "  verdict      tests   instances", "1", style) + "\n";
    for (const Evidence& e : device.evidence) {
        text += "  " + left(visible(e.reading), width) + "  " +
                painted(left(std::string(name(e.verdict)), 11), colour_of(e.verdict), style) + "  " +
                right(std::to_string(e.tests.size()), 5) + "  " + right(rounded(e.instances), 10);
        if (e.undecided > 0) text += "  (" + counted(e.undecided, "test") + " not decided)";
        if (const std::string known = refutation(reading_of(report, e).refuted); !known.empty())
            text += "  (the model says: " + visible(known) + ")";
        text += "\n" + refutation_lines(device, e, verbose);
        if (verbose) text += consistent_lines(device, e);
    }
    return text;
}

std::string device_text(const ConformReport& report, const ConformDevice& device, const TextStyle& style, bool verbose) {
    uint64_t instances = 0, timeouts = 0;
    size_t missed = 0, tests_with_missed = 0;
    for (const ConformTest& test : device.tests) {
        instances += test.comparison.instances;
        timeouts += test.comparison.timeouts;
        missed += test.comparison.not_seen.size();
        tests_with_missed += test.comparison.not_seen.empty() ? 0 : 1;
    }
    std::string text = painted(visible(device.name) + ", sm_" + std::to_string(device.sm), "1", style) + ": " +
                       counted(device.tests.size(), "test") + ", " + rounded(instances) + " instances, " + rounded(timeouts) +
                       " timed out\n";
    if (verbose)
        for (const ConformTest& test : device.tests) text += test_lines(test, style);
    text += forbidden_lines(device, style) + late_lines(device, style) + undecided_lines(device, style) + hung_lines(device);
    text += "Allowed and not seen: " + counted(missed, "outcome") + " of " + counted(tests_with_missed, "test") +
            (verbose || missed == 0 ? "" : " (--verbose lists them, each with a bound of its rate)") + "\n";
    return text + evidence_lines(report, device, style, verbose) + "\n";
}

std::string not_compared_lines(const ConformReport& report, bool verbose) {
    std::string text;
    size_t shown = 0;
    for (const NotCompared& n : report.not_compared) {
        if (shown++ == most_not_compared && !verbose)
            return text + "and " + std::to_string(report.not_compared.size() - most_not_compared) + " more (--verbose lists them)\n";
        text +=
            "Not compared: " + visible(n.name) + " (" + visible(n.file) + "): " + visible(n.detail.empty() ? n.reason : n.detail) + "\n";
    }
    return text;
}

std::string totals(const ConformReport& report, const TextStyle& style) {
    size_t tests = 0;
    for (const ConformDevice& device : report.devices) tests += device.tests.size();
    const auto part = [&](Standing standing, const std::string& word) {
        return painted(std::to_string(count_of(report, standing)) + " " + word, colour_of(standing), style);
    };
    std::string text = counted(tests, "test") + " compared with " + visible(report.model) + ", reading " + visible(report.reading) + ": " +
                       part(Standing::allowed, "as allowed") + ", " + part(Standing::forbidden, "forbidden");
    if (const size_t known = count_of(report, Standing::forbidden) - count_unknown(report); known > 0)
        text += " (" + std::to_string(known) + " as known)";
    if (count_of(report, Standing::late) > 0) text += ", " + part(Standing::late, "read while a bulk operation may run");
    if (count_of(report, Standing::undecided) > 0) text += ", " + part(Standing::undecided, "undecided");
    if (count_of(report, Standing::undefined) > 0) text += ", " + part(Standing::undefined, "undefined (everything is allowed there)");
    std::map<std::string, size_t> reasons;
    for (const NotCompared& n : report.not_compared) ++reasons[n.reason];
    for (const auto& [reason, count] : reasons) text += ", " + std::to_string(count) + " not compared (" + visible(reason) + ")";
    if (const size_t skipped = count_skipped(report); skipped > 0) text += ", " + std::to_string(skipped) + " not run";
    return text + "\n";
}

// ---- JSON ---------------------------------------------------------------------------------------

using Json = nlohmann::ordered_json;

Json outcome_json(const ConformTest& test, const OutcomeValues& values) {
    Json object = Json::object();
    for (size_t i = 0; i < values.size(); ++i) object[observables_of(test)[i].name] = format_value(values[i], observables_of(test)[i].type);
    return object;
}

Json why_json(const ConformTest& test, const Seen& seen) {
    const auto why = test.why.find(seen.values);
    if (why == test.why.end()) return nullptr;
    return {{"axioms", why->second.axioms}, {"text", why->second.lines}};
}

Json known_json(const ConformTest& test, const Seen& seen) {
    const auto known = test.known.find(seen.values);
    return known == test.known.end() ? Json() : Json(known->second);
}

Json test_json(const ConformTest& test) {
    const Comparison& c = test.comparison;
    Json object = {{"name", test.name},
                   {"file", test.file},
                   {"hash", test.hash},
                   {"verdict", name(c.standing)},
                   {"undefined_by", test.prediction.undefined_by},
                   {"instances", c.instances},
                   {"timeouts", c.timeouts},
                   {"unlisted", c.unlisted},
                   {"hung", test.hung},
                   {"compiled", c.disturbances},
                   {"seen", Json::array()},
                   {"not_seen", Json::array()}};
    for (const Seen& seen : c.seen)
        object["seen"].push_back({{"outcome", outcome_json(test, seen.values)},
                                  {"count", seen.count},
                                  {"verdict", name(seen.standing)},
                                  {"refutes", seen.refutes},
                                  {"known", known_json(test, seen)},
                                  {"why", why_json(test, seen)}});
    for (const OutcomeValues& values : c.not_seen)
        object["not_seen"].push_back(
            {{"outcome", outcome_json(test, values)}, {"bound", c.unlisted > 0 ? Json() : Json(rate_bound(c.ended))}});
    return object;
}

Json evidence_json(const ConformReport& report, const ConformDevice& device, const Evidence& evidence) {
    const Reading& reading = reading_of(report, evidence);
    Json object = {{"reading", reading.name},           {"base", name(reading.base)}, {"refuted", reading.refuted},
                   {"verdict", name(evidence.verdict)}, {"tests", Json::array()},     {"instances", evidence.instances},
                   {"undecided", evidence.undecided},   {"refuted_by", Json::array()}};
    for (const size_t t : evidence.tests) object["tests"].push_back(device.tests[t].name);
    for (const Evidence::Refutation& r : evidence.refutations)
        object["refuted_by"].push_back({{"test", device.tests[r.test].name},
                                        {"file", device.tests[r.test].file},
                                        {"outcome", outcome_json(device.tests[r.test], r.outcome)},
                                        {"count", r.count},
                                        {"in_order", r.in_order},
                                        {"disturbed", r.disturbed}});
    return object;
}

Json device_json(const ConformReport& report, const ConformDevice& device) {
    Json object = {
        {"name", device.name}, {"sm", device.sm}, {"drivers", device.drivers}, {"tests", Json::array()}, {"readings", Json::array()}};
    for (const ConformTest& test : device.tests) object["tests"].push_back(test_json(test));
    for (const Evidence& evidence : device.evidence) object["readings"].push_back(evidence_json(report, device, evidence));
    return object;
}

Json error_json(const Diagnostic& error) {
    Json object = {{"message", error.message}, {"file", nullptr}, {"line", nullptr}, {"column", nullptr}};
    if (!error.source) return object;
    const Position at = position(*error.source, error.span.begin);
    object["file"] = error.source->name;
    object["line"] = at.line;
    object["column"] = at.column;
    return object;
}

Json summary_json(const ConformReport& report) {
    size_t tests = 0;
    uint64_t instances = 0;
    for (const ConformDevice& device : report.devices) {
        tests += device.tests.size();
        for (const ConformTest& test : device.tests) instances += test.comparison.instances;
    }
    return {{"tests", tests},
            {"conforming", count_of(report, Standing::allowed)},
            {"forbidden", count_of(report, Standing::forbidden)},
            {"late", count_of(report, Standing::late)},
            {"undecided", count_of(report, Standing::undecided)},
            {"undefined", count_of(report, Standing::undefined)},
            {"not_compared", report.not_compared.size()},
            {"skipped", count_skipped(report)},
            {"instances", instances}};
}

}  // namespace

std::string outcome_text(const std::vector<gpu::Observable>& observables, const OutcomeValues& values) {
    std::string text;
    for (size_t i = 0; i < values.size(); ++i)
        text += (i > 0 ? " " : "") + visible(observables[i].name) + "=" + format_value(values[i], observables[i].type) + ";";
    return text.empty() ? "(nothing is observed)" : text;
}

size_t count_of(const ConformReport& report, Standing standing) {
    size_t count = 0;
    for (const ConformDevice& device : report.devices)
        count += static_cast<size_t>(std::count_if(device.tests.begin(), device.tests.end(),
                                                   [&](const ConformTest& test) { return test.comparison.standing == standing; }));
    return count;
}

size_t count_unknown(const ConformReport& report) {
    const auto unknown = [](const ConformTest& test) {
        return std::any_of(test.comparison.seen.begin(), test.comparison.seen.end(),
                           [&](const Seen& seen) { return seen.standing == Standing::forbidden && test.known.count(seen.values) == 0; });
    };
    size_t count = 0;
    for (const ConformDevice& device : report.devices)
        count += static_cast<size_t>(std::count_if(device.tests.begin(), device.tests.end(), unknown));
    return count;
}

size_t count_skipped(const ConformReport& report) {
    std::set<std::string> names;
    for (const ConformSkipped& s : report.skipped)
        if (!s.ran) names.insert(s.name);
    return names.size();
}

std::string conform_text(const ConformReport& report, const TextStyle& style, bool verbose) {
    std::string text;
    for (const ConformDevice& device : report.devices) text += device_text(report, device, style, verbose);
    for (const Known& known : report.known_unseen)
        text += "Known, but not among what was seen and is forbidden: " + visible(known.test + " | " + known.outcome) + "\n";
    text += not_compared_lines(report, verbose);
    if (verbose)
        for (const ConformSkipped& s : report.skipped)
            text += (s.ran ? "Ran in part: " : "Not run: ") + visible(s.name + " (" + s.file + "): " + s.reason) + "\n";
    return text + totals(report, style);
}

std::string conform_json(const ConformReport& report) {
    Json root = {
        {"schema", "litmus-conform"},
        {"version", 2},
        {"model", {{"name", report.model}, {"hash", report.model_hash}, {"reading", report.reading}, {"readings", report.readings_on}}},
        {"files", report.files},
        {"status", report.status},
        {"summary", summary_json(report)},
        {"devices", Json::array()},
        {"not_compared", Json::array()},
        {"skipped", Json::array()},
        {"errors", Json::array()}};
    for (const ConformDevice& device : report.devices) root["devices"].push_back(device_json(report, device));
    for (const NotCompared& n : report.not_compared)
        root["not_compared"].push_back(
            {{"name", n.name}, {"file", n.file}, {"device", n.device}, {"reason", n.reason}, {"detail", n.detail}});
    for (const ConformSkipped& s : report.skipped)
        root["skipped"].push_back({{"name", s.name}, {"file", s.file}, {"reason", s.reason}, {"ran", s.ran}});
    for (const Diagnostic& error : report.errors) root["errors"].push_back(error_json(error));
    // Names come from users' files: bytes that are no UTF-8 are replaced, not refused.
    return root.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace litmus
