// From what a result lists. Its claims decide nothing here: of `exists`, `~exists` and `forall` the condition is taken, and not which of
// them it is. A race alone is no error of the program: PTX gives it a meaning, and many tests have one that is meant.
#include "analysis/verdict/conduct.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/visible.h"
#include "print/columns.h"

namespace litmus {

namespace {

using Truth = Answer::Truth;

// Whether all that a result could have listed was looked for to the end.
bool is_whole(const Result& result) {
    return !result.partial && !result.unrolled && result.judgement.verdict != Verdict::unknown;
}

// "(x == 1)" without its parentheses.
std::string bare(const std::string& condition) {
    return visible(condition.size() < 2 ? condition : condition.substr(1, condition.size() - 2));
}

// The condition, and of which executions the test asks: "x == 1, given y == 2".
std::string asked(const Result& result) {
    const std::string filter = "filter ";
    std::string text = bare(result.condition);
    if (result.claim_text.compare(0, filter.size(), filter) != 0) return text;
    const size_t end = result.claim_text.find(" " + result.claim_kind + " " + result.condition);
    if (end == std::string::npos) return text;
    return text + ", given " + bare(result.claim_text.substr(filter.size(), end - filter.size()));
}

// What goes wrong; empty: nothing that is known.
std::string faults(const Result& result) {
    std::vector<std::string> titles;
    bool undefined = false, blocked = false;
    for (const Result::Harm& hazard : result.hazards) {
        undefined |= hazard.kind == Hazard::Kind::undefined;
        blocked |= hazard.kind == Hazard::Kind::blocked;
        const std::string title = hazard.title.substr(0, hazard.title.find(": "));  // without its reason
        if (hazard.kind == Hazard::Kind::undefined && std::find(titles.begin(), titles.end(), title) == titles.end())
            titles.push_back(title);
    }
    std::vector<std::string> parts;
    if (undefined) parts.push_back("undefined behaviour (" + joined(titles, ", ") + ")");
    if (result.never_ends)
        parts.emplace_back("no execution ends");
    else if (blocked)
        parts.emplace_back("may hang");
    if (parts.empty()) return {};
    return (result.never_ends ? "goes wrong: " : "can go wrong: ") + joined(parts, ", ");
}

// The end that the test asks about, or, of `forall`, that something else is the end.
Truth can_happen(const Result& result) {
    if (result.claim == Claim::Kind::none || result.never_ends) return Truth::no;
    const Truth found = result.claim == Claim::Kind::forall ? result.violable : result.satisfiable;
    return found == Truth::no && result.unrolled ? Truth::unknown : found;
}

// By names, without indices and CTAs.
std::string races(const Result& result) {
    constexpr size_t most_named = 3;
    std::vector<std::string> names;
    for (const Result::RacingPair& race : result.races) {
        const std::string name = race.location.substr(0, race.location.find_first_of("[@"));
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (names.empty()) return {};
    const size_t more = names.size() - std::min(names.size(), most_named);
    names.resize(names.size() - more);
    return "races on " + visible(joined(names, ", ")) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

// Where nothing goes wrong, and what is asked about cannot happen.
std::string never(const Result& result) {
    if (result.claim == Claim::Kind::none || result.never_ends) return {};
    return (result.claim == Claim::Kind::forall ? "always ends with " : "never ends with ") + asked(result);
}

std::string_view claimed(const Result& result) {
    const bool claims = !result.claim_text.empty() && result.claim_text != "none";
    switch (result.judgement.verdict) {
        case Verdict::ok:
            return claims ? "the test claims so" : "the test claims nothing";
        case Verdict::unknown:
            return claims ? "whether the test claims so is not decided" : "the test claims nothing";
        case Verdict::no:
            return "the test claims otherwise";
        default:
            return "the test does not say so";
    }
}

// "cannot go wrong", as far as anybody looked.
std::string nothing(const Result& result) {
    std::string text = is_reserved(result) ? "was not found to go wrong" : "cannot go wrong";
    if (!result.judged.empty()) text += " in what was judged";
    return text + (is_reserved(result) ? ", with reservations" : "");
}

}  // namespace

std::string_view name(Conduct::Kind kind) {
    constexpr std::array<std::string_view, 5> names{"goes-wrong", "can-happen", "races", "safe", "unknown"};
    return names[static_cast<size_t>(kind)];
}

std::optional<Conduct> conduct_of(const Result& result) {
    if (result.judgement.verdict == Verdict::error) return std::nullopt;
    const std::string wrong = faults(result), race = races(result);
    const Truth happens = can_happen(result);
    std::vector<std::string> parts;
    Conduct conduct{Conduct::Kind::unknown, {}, claimed(result)};
    if (!wrong.empty()) {
        conduct.kind = Conduct::Kind::goes_wrong;
        parts.push_back(wrong);
    }
    if (happens == Truth::yes) {
        if (wrong.empty()) conduct.kind = Conduct::Kind::can_happen;
        parts.push_back((result.claim == Claim::Kind::forall ? "need not end with " : "can end with ") + asked(result));
    }
    if (parts.empty() && (!is_whole(result) || happens == Truth::unknown)) {
        parts.emplace_back("is not known to the end: nothing was found to go wrong");
        if (!race.empty()) parts.push_back(race);
    } else if (parts.empty()) {
        const std::string not_asked = never(result);
        conduct.kind = is_reserved(result) ? Conduct::Kind::unknown : race.empty() ? Conduct::Kind::safe : Conduct::Kind::races;
        if (race.empty())
            parts.push_back(nothing(result) + (not_asked.empty() ? "" : ": " + not_asked));
        else
            parts.push_back(not_asked.empty() ? race : not_asked + ", but " + race);
    } else if (!race.empty()) {
        parts.push_back(race);
    }
    conduct.sentence = joined(parts, "; ");
    return conduct;
}

}  // namespace litmus
