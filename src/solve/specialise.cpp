// Folding with the sets and relations that have no members in the program.
#include "solve/specialise.h"

#include <string>

#include "cat/fold.h"

namespace litmus {

namespace {

bool may_have_members(const Program& program, const BaseName& base) {
    const std::string name(base.name);
    if (base.is_set) return !base_set(program, name).empty();
    const auto fixed = program.relations.find(name);
    const auto conditional = program.conditional.find(name);
    const bool stored = fixed != program.relations.end() || conditional != program.conditional.end();
    if (stored) return (fixed != program.relations.end() && !fixed->second.empty()) || conditional != program.conditional.end();
    return !is_stored_relation(name);
}

}  // namespace

std::set<std::string> vocabulary(const Program& program) {
    std::set<std::string> names;
    for (const BaseName& base : base_names())
        if (may_have_members(program, base)) names.emplace(base.name);
    return names;
}

Model specialised(const std::set<std::string>& vocabulary, const Model& model) {
    return folded(model, {[&](std::string_view name) { return vocabulary.count(std::string(name)) > 0; }, nullptr});
}

Model specialised(const Program& program, const Model& model) {
    return specialised(vocabulary(program), model);
}

}  // namespace litmus
