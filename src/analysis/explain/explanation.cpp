// The head of an explanation in one sentence, then the stories.
#include "analysis/explain/explanation.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analysis/repair/missing_text.h"
#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

constexpr size_t most_values = 8;  // of one observable, that are listed

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
}

std::string one_of(const std::vector<uint64_t>& values, Type type) {
    std::vector<std::string> words;
    for (size_t i = 0; i < std::min(values.size(), most_values); ++i) words.push_back(format_value(values[i], type));
    if (values.size() > most_values) return joined(words, ", ") + ", ...";
    if (words.size() < 2) return joined(words, "");
    const std::string last = words.back();
    words.pop_back();
    return joined(words, ", ") + " or " + last;
}

std::vector<std::string> why_impossible(const Forbidden& forbidden) {
    if (forbidden.filtered_out) return {"The filter of the test leaves out the executions that end so."};
    if (!forbidden.some_end)
        return {"No execution ends at all: whichever writes the reads take their values from, some thread never gets to its end."};
    if (forbidden.observables.empty()) return {"The condition names no register and no location, and is false whatever happens."};
    std::vector<std::string> lines{"No axiom is needed to rule it out: whichever writes the reads take their values from,"};
    for (size_t i = 0; i < forbidden.observables.size(); ++i)
        lines.push_back("  " + forbidden.observables[i].name + " ends as " + one_of(forbidden.possible[i], forbidden.observables[i].type) +
                        (forbidden.possible_complete ? "" : ", or as something else that is not listed here"));
    if (forbidden.observables.size() > 1) lines.emplace_back("and never in the combination asked about.");
    return lines;
}

// "Causality: no read takes its value ..." says the name of the axiom first.
std::string without_name(const std::string& meaning, std::string_view axiom) {
    const auto same = [](char a, char b) {
        const auto plain = [](char c) { return c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
        return plain(a) == plain(b);
    };
    const size_t colon = meaning.find(": ");
    if (colon == std::string::npos ||
        !std::equal(axiom.begin(), axiom.end(), meaning.begin(), meaning.begin() + static_cast<std::ptrdiff_t>(colon), same))
        return meaning;
    return meaning.substr(colon + 2);
}

bool same_story(const Explanation::Case& a, const Explanation::Case& b) {
    return std::equal(a.ways.begin(), a.ways.end(), b.ways.begin(), b.ways.end(),
                      [](const auto& x, const auto& y) { return x.axiom == y.axiom && lines(x.story) == lines(y.story); });
}

}  // namespace

std::string outcome_text(const std::vector<Observable>& observables, const std::vector<uint64_t>& values) {
    std::string text;
    for (size_t i = 0; i < observables.size(); ++i)
        text += (i == 0 ? "" : " ") + observables[i].name + "=" + format_value(values[i], observables[i].type) + ";";
    return text;
}

Explanation::Case case_of(const Forbidden& forbidden, const Forbidden::Case& from, const Model& model) {
    Explanation::Case result{{outcome_text(forbidden.observables, from.values)}, from.why.known, from.why.axioms, {}, from.why.all_ways};
    for (const Refuted& refuted : from.why.refuted) {
        if (refuted.breaches.empty()) continue;
        const BrokenAxiom& breach = refuted.breaches.front();
        const Constraint& axiom = model.constraints[breach.constraint];
        Storyteller teller(model, refuted.execution);
        result.ways.push_back({axiom.name, axiom.section, without_name(axiom.meaning, axiom.name), teller.tell(breach.derivations)});
    }
    return result;
}

void add_forbidden(Explanation& explanation, const Forbidden& forbidden, const Model& model) {
    explanation.complete = forbidden.complete;
    explanation.decided = forbidden.decided;
    explanation.answer = forbidden.cases.empty() ? Explanation::Answer::impossible : Explanation::Answer::forbidden;
    if (forbidden.cases.empty() && !forbidden.decided) {
        explanation.answer = Explanation::Answer::nothing;
        explanation.because = {"it cannot happen; why was not found out within the time limit"};
    } else if (forbidden.cases.empty()) {
        explanation.because = why_impossible(forbidden);
    }
    for (const Forbidden::Case& from : forbidden.cases) {
        Explanation::Case now = case_of(forbidden, from, model);
        explanation.decided = explanation.decided && now.known;
        const auto alike =
            std::find_if(explanation.cases.begin(), explanation.cases.end(), [&](const auto& known) { return same_story(known, now); });
        if (alike == explanation.cases.end() || now.ways.empty()) {
            explanation.cases.push_back(std::move(now));
        } else {
            alike->outcomes.push_back(now.outcomes.front());
        }
    }
}

void add_execution(Explanation& explanation, const Drawing& drawing) {
    explanation.answer = Explanation::Answer::shown;
    explanation.execution = split(execution_text(drawing));
    if (drawing.hazard == nullptr || explain(drawing.program, *drawing.hazard).says_why) return;
    for (const Constraint& flag : drawing.model.constraints)
        if (flag.flag && flag.name == drawing.hazard->flag && !flag.meaning.empty())
            explanation.because.push_back("The rule" + (flag.section.empty() ? "" : " (ISA " + flag.section + ")") + ": " + flag.meaning);
}

void add_readings(Explanation& explanation, const std::optional<Reliance>& reliance, const Model& model) {
    if (!reliance) return;
    std::vector<std::string>& told = explanation.readings;
    explanation.decided = explanation.decided && reliance->depends.known;
    if (!reliance->depends.known) {
        told.emplace_back("On which readings of the ISA this rests was not decided.");
        return;
    }
    const bool rests = !reliance->rests_on.empty();
    const std::vector<std::vector<std::string>>& sets = rests ? reliance->rests_on : reliance->depends.flips;
    if (sets.empty()) return;
    told.push_back(rests ? "This rests on how the ISA is read where it is silent; under the weakest readings the verdict is " +
                               std::string(name(reliance->weakest)) + ". It rests on"
                         : "Where the ISA is silent, other readings of it would change the verdict:");
    std::set<std::string> names;
    for (const std::vector<std::string>& set : sets) names.insert(set.begin(), set.end());
    for (const Reading& reading : model.readings) {
        if (names.count(reading.name) == 0) continue;
        const std::string refuted = refutation(reading.refuted);
        told.push_back("  " + reading.name + ": " + reading.meaning + (refuted.empty() ? "" : " (" + refuted + ")"));
    }
}

// ---- text ---------------------------------------------------------------------------------------

namespace {

// "causality (ISA 8.10.6): no read ...": what it means only once.
std::string broken_axiom(const Explanation::Way& way, std::set<std::string>& told) {
    const bool says_what = !way.meaning.empty() && told.insert(way.axiom).second;
    return way.axiom + (way.section.empty() ? "" : " (ISA " + way.section + ")") + (says_what ? ": " + way.meaning : "");
}

// `told`: the axioms whose meaning was said before.
std::string case_text(const Explanation& explanation, const Explanation::Case& shown, std::set<std::string>& told) {
    std::string text = visible(explanation.test) + ": " + visible(joined(shown.outcomes, " and ")) + " cannot happen\n";
    if (!shown.known) text += "  which axioms forbid it was not decided within the time limit\n";
    const bool several = shown.ways.size() > 1 || !shown.all_ways;
    if (several && !shown.ways.empty())
        text += shown.all_ways ? "It could come about in " + std::to_string(shown.ways.size()) + " ways, and each breaks an axiom.\n"
                               : "It could come about in these ways, and perhaps in others (--max-ways); each breaks an axiom.\n";
    size_t number = 0;
    for (const Explanation::Way& way : shown.ways) {
        text += (several ? std::to_string(++number) + ". " : "It would break ") + visible(broken_axiom(way, told)) + "\n";
        for (const std::string& line : lines(way.story)) text += "  " + visible(line) + "\n";
    }
    return text;
}

}  // namespace

std::string explanation_text(const Explanation& explanation) {
    std::string text;
    std::set<std::string> told;
    switch (explanation.answer) {
        case Explanation::Answer::forbidden:
            for (const Explanation::Case& shown : explanation.cases) text += case_text(explanation, shown, told);
            if (!explanation.complete)
                text += "Other outcomes that were asked about cannot happen either: --max-outcomes explains more of them.\n";
            break;
        case Explanation::Answer::impossible:
            text = visible(explanation.test) + ": " + visible(explanation.question) + " cannot happen\n" +
                   visible_lines(joined(explanation.because, "\n")) + "\n";
            break;
        case Explanation::Answer::nothing:
            text = visible(explanation.test) + ": " + visible(joined(explanation.because, "; ")) + "\n";
            break;
        case Explanation::Answer::shown:
            text = visible(explanation.execution.front()) + "\n";
            for (const std::string& line : explanation.because) text += visible(line) + "\n";
            for (size_t i = 1; i < explanation.execution.size(); ++i) text += visible(explanation.execution[i]) + "\n";
            break;
    }
    for (const std::string& line : explanation.readings) text += visible(line) + "\n";
    if (explanation.missing) text += missing_text(*explanation.missing, explanation.repaired_by);
    return text;
}

// ---- JSON ---------------------------------------------------------------------------------------

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

Json story_json(const std::vector<Sentence>& story) {
    Json list = Json::array();
    for (const Sentence& sentence : story)
        list.push_back({{"text", sentence.text},
                        {"section", or_null(sentence.section)},
                        {"relation", or_null(sentence.relation)},
                        {"from", or_null(sentence.from)},
                        {"to", or_null(sentence.to)},
                        {"because", story_json(sentence.because)}});
    return list;
}

Json case_json(const Explanation::Case& shown) {
    Json ways = Json::array();
    for (const Explanation::Way& way : shown.ways)
        ways.push_back(
            {{"axiom", way.axiom}, {"section", or_null(way.section)}, {"meaning", or_null(way.meaning)}, {"story", story_json(way.story)}});
    return {{"outcomes", shown.outcomes},
            {"known", shown.known},
            {"allowed_without", shown.allowed_without},
            {"all_ways", shown.all_ways},
            {"ways", ways}};
}

std::string_view name(Explanation::Answer answer) {
    switch (answer) {
        case Explanation::Answer::forbidden:
            return "forbidden";
        case Explanation::Answer::impossible:
            return "impossible";
        case Explanation::Answer::shown:
            return "shown";
        case Explanation::Answer::nothing:
            break;
    }
    return "nothing";
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
    Json cases = Json::array();
    for (const Explanation::Case& shown : explanation.cases) cases.push_back(case_json(shown));
    const Json object{{"file", explanation.file},
                      {"test", explanation.test},
                      {"model", explanation.model},
                      {"model_hash", explanation.model_hash},
                      {"question", or_null(explanation.question)},
                      {"verdict", or_null(explanation.verdict)},
                      {"answer", name(explanation.answer)},
                      {"cases", cases},
                      {"complete", explanation.complete},
                      {"decided", explanation.decided},
                      {"because", explanation.because},
                      {"execution", explanation.execution},
                      {"readings", explanation.readings},
                      {"missing", explanation.missing ? missing_json(explanation.missing->best, true) : Json()},
                      {"otherwise", explanation.missing ? otherwise_json(*explanation.missing) : Json::array()}};
    return object.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace litmus
