// What the claim of a test speaks of.
#include "language/claim.h"

#include <algorithm>

namespace litmus {

bool speaks_of(const Test& test, const Condition& condition, int location, int element) {
    const auto is_it = [&](const Term& term) {
        return term.kind == Term::Kind::location && term.element == element &&
               physical_location(test, location_index(test, term.name)) == location;
    };
    const auto in_part = [&](const Condition& part) { return speaks_of(test, part, location, element); };
    return (condition.kind == Condition::Kind::atom && (is_it(condition.left) || is_it(condition.right))) ||
           std::any_of(condition.operands.begin(), condition.operands.end(), in_part);
}

}  // namespace litmus
