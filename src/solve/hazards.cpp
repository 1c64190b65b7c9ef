// Which flags of a model are what, by their names.
#include "solve/hazards.h"

#include <algorithm>

namespace litmus {

bool is_hazard(const Constraint& constraint) {
    return constraint.flag && constraint.name.rfind("undefined", 0) == 0;
}

bool is_race(const Constraint& constraint) {
    return constraint.flag && constraint.name == race_flag;
}

bool raises(const Hazards& hazards, std::string_view flag) {
    return std::any_of(hazards.found.begin(), hazards.found.end(), [&](const Hazard& h) { return h.flag == flag; });
}

std::set<std::string> other_flags(const Hazards& hazards) {
    std::set<std::string> flags;
    for (const Hazard& hazard : hazards.found)
        if (hazard.kind == Hazard::Kind::flag) flags.insert(hazard.flag);
    return flags;
}

}  // namespace litmus
