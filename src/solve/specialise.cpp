// Folding with the sets and relations that have no members in the program.
#include "solve/specialise.h"

#include <algorithm>
#include <string>

#include "cat/fold.h"

namespace litmus {

namespace {

bool is_set(const std::string& name) {
    const auto& bases = base_names();
    return std::any_of(bases.begin(), bases.end(), [&](const BaseName& b) { return b.name == name && b.is_set; });
}

bool may_have_members(const Program& program, const std::string& name) {
    if (is_set(name)) return !base_set(program, name).empty();
    const auto fixed = program.relations.find(name);
    const auto conditional = program.conditional.find(name);
    const bool stored = fixed != program.relations.end() || conditional != program.conditional.end();
    if (stored) return (fixed != program.relations.end() && !fixed->second.empty()) || conditional != program.conditional.end();
    return !is_stored_relation(name);
}

}  // namespace

Model specialised(const Program& program, const Model& model) {
    return folded(model, {[&](const std::string& name) { return may_have_members(program, name); }, nullptr});
}

}  // namespace litmus
