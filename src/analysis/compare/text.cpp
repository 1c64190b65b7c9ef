// A line for each thing that one of the two models has and the other rules out.
#include "analysis/compare/text.h"

#include <algorithm>

#include "analysis/verdict/json_value.h"
#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;
using Sets = std::vector<std::vector<std::string>>;

constexpr std::array<std::string_view, 2> side_letters{"A", "B"};

std::string side_of(const ComparedTest& test, const Difference& difference) {
    std::string text;
    for (size_t i = 0; i < difference.values.size(); ++i) {
        const Observable& o = test.result.observables[i];
        text += (i == 0 ? "" : " ") + o.name + "=" + format_value(difference.values[i], o.type) + ";";
    }
    return text;
}

bool is_outcome(const Difference& difference) {
    return difference.what.empty();
}

// "fence-cta + war-unfenced | fence-path"
std::string sets_text(const Sets& sets) {
    std::vector<std::string> words;
    for (const std::vector<std::string>& set : sets) words.push_back(joined(set, " + "));
    return joined(words, " | ");
}

// "ruled out by war-mbarrier (causality)"
std::string because(const Difference& difference) {
    const std::string readings = sets_text(difference.readings), axioms = sets_text(difference.axioms);
    if (!readings.empty()) return "ruled out by " + readings + (axioms.empty() ? "" : " (" + axioms + ")");
    if (!axioms.empty()) return "ruled out by " + axioms;
    return is_outcome(difference) ? "" : "not flagged by the other";
}

Json difference_json(const ComparedTest& test, const Difference& difference) {
    Json outcome, what;
    if (is_outcome(difference)) {
        outcome = Json::object();
        for (size_t i = 0; i < difference.values.size(); ++i)
            outcome[test.result.observables[i].name] = value_json(difference.values[i], test.result.observables[i].type);
    } else {
        what = difference.what;
    }
    return {
        {"by", difference.by == 0 ? "a" : "b"}, {"outcome", outcome}, {"what", what}, {"at", difference.at}, {"axioms", difference.axioms},
        {"readings", difference.readings}};
}

bool failed(const ComparedTest& test) {
    return !test.errors.empty() || !test.internal_error.empty();
}

}  // namespace

int exit_status(const ComparedTest& test) {
    if (!test.internal_error.empty()) return 70;
    if (!test.errors.empty()) return 2;
    if (!test.result.found.empty()) return 1;
    return test.result.decided && test.not_compared.empty() ? 0 : 3;
}

std::string compared_text(const ComparedTest& test, const TextStyle& style) {
    const ModelDifferences& result = test.result;
    if (failed(test) || (result.found.empty() && result.decided && test.not_compared.empty())) return {};
    std::string text = painted(visible(test.test), "1", style) + " (" + visible(test.file) + "): ";
    if (!test.not_compared.empty()) return text + "not compared: " + visible(test.not_compared) + "\n";
    text += "A " + std::string(name(result.verdicts[0])) + ", B " + std::string(name(result.verdicts[1])) + "\n";
    size_t width = 0;
    const auto shown = [&](const Difference& d) { return is_outcome(d) ? side_of(test, d) : d.what; };
    for (const Difference& d : result.found) width = std::max(width, display_width(shown(d)));
    for (const Difference& d : result.found) {
        text += "  only " + std::string(side_letters[d.by]) + "  " + left(visible(shown(d)), width) + "  " + visible(because(d)) + "\n";
        for (const std::string& line : d.at) text += "            " + visible(line) + "\n";
    }
    if (!result.decided) text += "  not all decided: " + visible(result.undecided) + "\n";
    return text;
}

std::string comparison_head(const SideNames& sides, const TextStyle& style) {
    std::string text;
    for (const size_t i : {size_t{0}, size_t{1}}) text += painted(side_letters[i], "1", style) + ": " + visible(sides[i]) + "\n";
    return text;
}

std::string comparison_end(const std::vector<ComparedTest>& tests) {
    size_t differ = 0, open = 0, not_compared = 0, errors = 0;
    for (const ComparedTest& test : tests) {
        if (failed(test))
            ++errors;
        else if (!test.not_compared.empty())
            ++not_compared;
        else if (!test.result.found.empty())
            ++differ;
        else if (!test.result.decided)
            ++open;
    }
    std::string text = counted(tests.size(), "test") + ": " + std::to_string(differ) + (differ == 1 ? " differs" : " differ");
    if (open > 0) text += ", " + std::to_string(open) + " not decided";
    if (not_compared > 0) text += ", " + std::to_string(not_compared) + " not compared";
    if (errors > 0) text += ", " + counted(errors, "error");
    return text + "\n";
}

std::string compared_json(const ComparedTest& test, const SideNames& sides) {
    const ModelDifferences& result = test.result;
    const bool compared = !failed(test) && test.not_compared.empty();
    Json object = {{"file", test.file}, {"test", test.test}, {"a", sides[0]}, {"b", sides[1]}};
    object["verdicts"] = {name(result.verdicts[0]), name(result.verdicts[1])};
    object["same"] = !result.found.empty() ? Json(false) : compared && result.decided ? Json(true) : Json();
    object["differences"] = Json::array();
    for (const Difference& d : result.found) object["differences"].push_back(difference_json(test, d));
    object["complete"] = compared && result.decided;
    const std::string reason = test.not_compared.empty() ? result.undecided : test.not_compared;
    object["reason"] = reason.empty() ? Json() : Json(reason);
    object["error"] = Json();
    if (!test.internal_error.empty()) object["error"] = "internal error: " + test.internal_error;
    if (!test.errors.empty()) object["error"] = test.errors.front().message;
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace litmus
