// Folding with the sets and relations that have no members in the program.
#include "solve/specialise.h"

#include <string>

#include "cat/fold.h"

namespace litmus {

namespace {

bool may_have_members(FixedBases& bases, const BaseName& base) {
    if (base.is_set) return !bases.set(base.name).empty();
    const Program& program = bases.program();
    const auto fixed = program.relations.find(base.name);
    const auto conditional = program.conditional.find(base.name);
    const bool stored = fixed != program.relations.end() || conditional != program.conditional.end();
    if (stored) return (fixed != program.relations.end() && !fixed->second.empty()) || conditional != program.conditional.end();
    return !is_stored_relation(base.name);
}

}  // namespace

std::set<std::string> vocabulary(FixedBases& bases) {
    std::set<std::string> names;
    for (const BaseName& base : base_names())
        if (may_have_members(bases, base)) names.emplace(base.name);
    return names;
}

std::set<std::string> vocabulary(const Program& program) {
    FixedBases bases(program);
    return vocabulary(bases);
}

Model specialised(const std::set<std::string>& vocabulary, const Model& model) {
    return folded(model, {[&](std::string_view name) { return vocabulary.count(std::string(name)) > 0; }, nullptr});
}

Model specialised(const Program& program, const Model& model) {
    return specialised(vocabulary(program), model);
}

Model specialised(FixedBases& bases, const Model& model) {
    return specialised(vocabulary(bases), model);
}

}  // namespace litmus
