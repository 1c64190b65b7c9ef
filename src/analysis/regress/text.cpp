// Differences of sets, and words for them.
#include "analysis/regress/text.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "analysis/verdict/result_cases.h"
#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

// What is in `a` and not in `b`, in the order of `a`.
std::vector<std::string> without(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::vector<std::string> rest;
    std::copy_if(a.begin(), a.end(), std::back_inserter(rest),
                 [&](const std::string& one) { return std::find(b.begin(), b.end(), one) == b.end(); });
    return rest;
}

std::vector<std::string> with_flags(const BaselineEntry& entry) {
    std::vector<std::string> all;
    for (const std::string& flag : entry.flags) all.push_back("flag " + flag);
    all.insert(all.end(), entry.hazards.begin(), entry.hazards.end());
    return all;
}

bool differs_otherwise(const TestChange& change) {
    return change.before->verdict != change.now->verdict || change.before->rests != change.now->rests || !change.new_hazards.empty() ||
           !change.gone_hazards.empty();
}

TestChange::Kind kind_of(const TestChange& change, bool decided) {
    const bool came = !change.new_outcomes.empty(), went = !change.gone_outcomes.empty();
    if (came && went) return TestChange::Kind::changed;
    if (came) return TestChange::Kind::widened;
    if (!decided) return TestChange::Kind::undecided;
    if (went) return TestChange::Kind::narrowed;
    if (differs_otherwise(change)) return TestChange::Kind::changed;
    return change.before->file == change.now->file ? TestChange::Kind::unchanged : TestChange::Kind::moved;
}

// "" of nothing: a verdict that rests on no reading.
std::string rests_text(const std::string& rests) {
    return rests.empty() ? "nothing" : rests == "?" ? "what is not decided" : rests;
}

std::string_view colour_of(TestChange::Kind kind) {
    return kind == TestChange::Kind::undecided ? "33" : "31";
}

// The differences, one a line.
std::vector<std::string> details(const TestChange& change) {
    std::vector<std::string> lines;
    for (const std::string& outcome : change.new_outcomes) lines.push_back("new outcome {" + outcome + "}");
    for (const std::string& outcome : change.gone_outcomes) lines.push_back("gone outcome {" + outcome + "}");
    if (!change.before || !change.now) return lines;
    if (change.before->verdict != change.now->verdict) lines.push_back("verdict " + change.before->verdict + " -> " + change.now->verdict);
    if (change.before->rests != change.now->rests)
        lines.push_back("rests on " + rests_text(change.before->rests) + " -> " + rests_text(change.now->rests));
    for (const std::string& hazard : change.new_hazards) lines.push_back("new: " + hazard);
    for (const std::string& hazard : change.gone_hazards) lines.push_back("gone: " + hazard);
    return lines;
}

// " (the test and the model changed)".
std::string cause_text(const TestChange& change) {
    if (change.causes.empty()) return {};
    if (change.causes.front() == "build") return "neither test, model, readings, options nor version changed: another build of the tool";
    std::vector<std::string> words;
    for (const std::string& cause : change.causes) words.push_back("the " + cause);
    return joined(words, " and ") + " changed";
}

std::string summary(const TestChange& change) {
    switch (change.kind) {
        case TestChange::Kind::unchanged:
            return "the test changed, what it comes to did not";
        case TestChange::Kind::added:
            return "the test is not in the baseline";
        case TestChange::Kind::missing:
            return "the test is in line " + std::to_string(change.before->line) + " of the baseline, and no longer here";
        case TestChange::Kind::moved:
            return "the test was in " + change.before->file;
        case TestChange::Kind::undecided:
        case TestChange::Kind::error:
            return change.why;
        case TestChange::Kind::widened:
        case TestChange::Kind::narrowed:
        case TestChange::Kind::changed:
            break;
    }
    return cause_text(change);
}

Json before_and_now(const TestChange& change, std::string BaselineEntry::*part) {
    const auto value = [&](const std::optional<BaselineEntry>& entry) { return entry ? Json((*entry).*part) : Json(); };
    return {{"before", value(change.before)}, {"now", value(change.now)}};
}

}  // namespace

std::string_view name(TestChange::Kind kind) {
    constexpr std::array<std::string_view, 9> names{"unchanged", "new",     "missing",   "moved", "widened",
                                                    "narrowed",  "changed", "undecided", "error"};
    return names[static_cast<size_t>(kind)];
}

std::vector<std::string> causes(const BaselineHead& before, const BaselineHead& now) {
    std::vector<std::string> result;
    if (before.model != now.model) result.emplace_back("model");
    if (before.readings != now.readings) result.emplace_back("readings");
    if (before.options != now.options) result.emplace_back("options");
    if (before.tool != now.tool) result.emplace_back("tool");
    return result;
}

TestChange compare(const Result& result, const BaselineEntry& now, const std::optional<BaselineEntry>& before,
                   const std::vector<std::string>& common) {
    TestChange change;
    change.file = result.file;
    change.test = result.test;
    change.begin = result.begin;
    change.end = result.end;
    change.seconds = result.seconds;
    change.before = before;
    if (result.judgement.verdict == Verdict::error) {
        change.kind = TestChange::Kind::error;
        change.why = result.errors.empty() ? "internal error: " + result.internal_error : result.errors.front().message;
        if (!result.errors.empty() && result.errors.front().source)
            change.begin = change.end = position(*result.errors.front().source, result.errors.front().span.begin);
        return change;
    }
    change.now = now;
    const bool decided = result.judgement.verdict != Verdict::unknown && !result.partial;
    if (!decided) change.why = result.judgement.notes.empty() ? "not all was decided" : joined(result.judgement.notes, "; ");
    if (!before) {
        change.kind = decided ? TestChange::Kind::added : TestChange::Kind::undecided;
        return change;
    }
    // Of a listing that is not complete, what is not there may be allowed all the same.
    if (before->complete || now.complete)
        change.new_outcomes = before->complete ? without(now.outcomes, before->outcomes) : std::vector<std::string>();
    if (now.complete) change.gone_outcomes = without(before->outcomes, now.outcomes);
    change.new_hazards = without(with_flags(now), with_flags(*before));
    if (decided) change.gone_hazards = without(with_flags(*before), with_flags(now));
    change.kind = kind_of(change, decided);
    if (before->hash != now.hash) change.causes.emplace_back("test");
    if (change.kind == TestChange::Kind::unchanged || change.kind == TestChange::Kind::moved) return change;
    change.causes.insert(change.causes.end(), common.begin(), common.end());
    if (change.causes.empty() && change.kind != TestChange::Kind::undecided) change.causes.emplace_back("build");
    return change;
}

TestChange missing(const BaselineEntry& before, const std::string& file) {
    TestChange change;
    change.kind = TestChange::Kind::missing;
    change.file = file;
    change.test = before.test;
    change.before = before;
    return change;
}

int exit_status(const TestChange& change) {
    switch (change.kind) {
        case TestChange::Kind::unchanged:
            return 0;
        case TestChange::Kind::undecided:
            return 3;
        case TestChange::Kind::error:
            return 2;
        default:
            return 1;
    }
}

std::string change_text(const TestChange& change, const TextStyle& style) {
    if (change.kind == TestChange::Kind::unchanged && change.causes.empty()) return {};
    const bool edited = change.kind == TestChange::Kind::unchanged;
    const std::string word = left(edited ? "edited" : std::string(name(change.kind)), 9);
    const std::string why = summary(change);
    std::string text = (edited ? word : painted(word, colour_of(change.kind), style)) + "  " + test_name(change.file, change.test) +
                       (why.empty() ? "" : ": " + visible(why)) + "\n";
    for (const std::string& line : details(change)) text += "    " + visible(line) + "\n";
    return text;
}

std::string change_json(const TestChange& change) {
    const bool was = change.kind == TestChange::Kind::moved;
    const Json object = {{"file", change.file},
                         {"test", change.test},
                         {"line", change.kind == TestChange::Kind::missing ? change.before->line : change.begin.line},
                         {"change", name(change.kind)},
                         {"cause", change.causes},
                         {"new_outcomes", change.new_outcomes},
                         {"gone_outcomes", change.gone_outcomes},
                         {"new_hazards", change.new_hazards},
                         {"gone_hazards", change.gone_hazards},
                         {"verdict", before_and_now(change, &BaselineEntry::verdict)},
                         {"rests_on", before_and_now(change, &BaselineEntry::rests)},
                         {"hash", before_and_now(change, &BaselineEntry::hash)},
                         {"was", was ? Json(change.before->file) : Json()}};
    return object.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

const std::vector<Rule>& change_rules() {
    static const std::vector<Rule> rules{{"new", "The test is not in the baseline."},
                                         {"missing", "The test is in the baseline and not here."},
                                         {"moved", "The test is in a file of another name than in the baseline."},
                                         {"widened", "Outcomes came up that the baseline does not have."},
                                         {"narrowed", "Outcomes of the baseline are gone."},
                                         {"changed", "Outcomes, the verdict, what it rests on or hazards are not those of the baseline."},
                                         {"undecided", "Not decided: a limit of time or memory, or a loop bound."},
                                         {"error", "The input is no test that can be checked."}};
    return rules;
}

Case case_of(const TestChange& change) {
    const int status = exit_status(change);
    const Case::Outcome outcome = status == 0 ? Case::Outcome::passed : status == 1 ? Case::Outcome::failed : Case::Outcome::broken;
    Case result{change.file, change.test, outcome, change.seconds, {}};
    if (status == 0) return result;
    std::vector<std::string> parts = details(change);
    if (const std::string why = summary(change); !why.empty()) parts.insert(parts.begin(), why);
    const std::string rule(name(change.kind));
    const Position begin = change.kind == TestChange::Kind::missing ? Position{change.before->line, 1} : change.begin;
    const Position end = change.kind == TestChange::Kind::missing ? begin : change.end;
    result.findings.push_back(
        {Finding::Level::error, rule, joined(parts, "; "), change.file, begin, end, fingerprint({change.test, rule})});
    return result;
}

}  // namespace litmus
