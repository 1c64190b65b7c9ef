// Flags by name, races by the places of the two accesses, hangs.
#include "analysis/verdict/signs.h"

#include <algorithm>

namespace litmus {

namespace {

Sign sign_of(const Program& program, const Hazard& hazard) {
    Sign sign{hazard.kind, hazard.flag, {}};
    if (hazard.kind == Hazard::Kind::race)
        for (const size_t e : {hazard.pairs.front().first, hazard.pairs.front().second})
            sign.places.insert({program.events[e].thread, program.events[e].instruction});
    return sign;
}

}  // namespace

std::map<Sign, const Hazard*> signs_of(const Program& program, const Answer& answer) {
    std::map<Sign, const Hazard*> signs;
    if (answer.hazards)
        for (const Hazard& hazard : answer.hazards->found) signs.emplace(sign_of(program, hazard), &hazard);
    return signs;
}

bool has_outcome(const Answer& answer, const std::vector<uint64_t>& values) {
    return std::any_of(answer.outcomes.begin(), answer.outcomes.end(), [&](const Outcome& o) { return o.values == values; });
}

bool knows_outcomes(const Answer& answer) {
    return answer.complete && !answer.bound_hit;
}
bool knows(const Answer& answer, const Sign& sign) {
    if (!answer.hazards || answer.bound_hit) return false;
    const Hazards& hazards = *answer.hazards;
    switch (sign.kind) {
        case Hazard::Kind::race:
            return hazards.races_complete;
        case Hazard::Kind::blocked:
            return hazards.blocked != Truth::unknown;
        case Hazard::Kind::undefined:
        case Hazard::Kind::flag:
            break;
    }
    return hazards.undefined != Truth::unknown && !hazards.timed_out && !hazards.out_of_memory && hazards.gave_up.empty();
}
bool knows_all(const Answer& answer) {
    const auto known = [&](Hazard::Kind kind) { return knows(answer, {kind, {}, {}}); };
    return knows_outcomes(answer) && known(Hazard::Kind::race) && known(Hazard::Kind::blocked) && known(Hazard::Kind::undefined);
}

}  // namespace litmus
