// Candidates in the order of the verdicts that they decide.
#include "analysis/explain/exhibit.h"

namespace litmus {

namespace {

std::string title_of(const Test& test, const Answer& answer, const Outcome& outcome) {
    std::string text = test.name + ":";
    for (size_t i = 0; i < answer.observables.size(); ++i)
        text += " " + answer.observables[i].name + "=" + format_value(outcome.values[i], answer.observables[i].type) + ";";
    return text;
}

std::string title_of(const Program& program, const Hazard& hazard) {
    const HazardText text = explain(program, hazard);
    const std::string name = program.test->name + ": ";
    switch (hazard.kind) {
        case Hazard::Kind::undefined:
            return name + "undefined behaviour, " + text.title;
        case Hazard::Kind::race:
            return name + "race on " + text.title;
        case Hazard::Kind::blocked:
        case Hazard::Kind::flag:
            break;
    }
    return name + text.title;
}

class Choice {
public:
    Choice(const Program& program, const Model& model, const Answer& answer) : program_(program), model_(model), answer_(answer) {}

    std::optional<Drawing> numbered(size_t number) const {
        const auto& outcomes = answer_.outcomes;
        if (number > outcomes.size()) return std::nullopt;
        return drawing(outcomes[number - 1]);
    }

    std::optional<Drawing> best() const {
        const Test& test = *program_.test;
        const bool with_condition = test.claim.kind != Claim::Kind::none;
        if (const auto undefined = hazard(Hazard::Kind::undefined)) return undefined;
        const auto blocked = hazard(Hazard::Kind::blocked), race = hazard(Hazard::Kind::race);
        if (blocked && answer_.outcomes.empty()) return blocked;
        if (race && test.claims_racefree) return race;
        if (blocked) return blocked;
        if (const auto outcome = with_condition ? deciding(test.claim.kind != Claim::Kind::forall) : std::nullopt) return outcome;
        return race || with_condition ? race : numbered(1);
    }

private:
    // An outcome that gives the condition this value.
    std::optional<Drawing> deciding(bool satisfies) const {
        for (const Outcome& outcome : answer_.outcomes)
            if (outcome.satisfies == satisfies) return drawing(outcome);
        return std::nullopt;
    }

    std::optional<Drawing> hazard(Hazard::Kind kind) const {
        if (!answer_.hazards) return std::nullopt;
        for (const Hazard& hazard : answer_.hazards->found)
            if (hazard.kind == kind) return Drawing{program_, model_, hazard.witness, title_of(program_, hazard), &hazard, true};
        return std::nullopt;
    }

    Drawing drawing(const Outcome& outcome) const {
        return {program_, model_, outcome.witness, title_of(*program_.test, answer_, outcome), nullptr, true};
    }

    const Program& program_;
    const Model& model_;
    const Answer& answer_;
};

}  // namespace

std::optional<Drawing> exhibit(const Program& program, const Model& model, const Answer& answer, size_t number) {
    const Choice choice(program, model, answer);
    return number > 0 ? choice.numbered(number) : choice.best();
}

}  // namespace litmus
