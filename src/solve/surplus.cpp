// One encoding with at most one change at a time, and the literal of what is not known.
#include "solve/surplus.h"

#include <algorithm>
#include <stdexcept>

#include "cat/fold.h"
#include "solve/bounds.h"
#include "solve/symmetry.h"

namespace litmus {

Surplus::Surplus(Program& program, FixedBases& bases, const Model& open, const Answer& known, Solver& solver)
    : p_(program), known_(known), backend_(solver.backend()) {
    backend_.reset(program.budget);
    const ExprId condition = condition_expr(program, program.test->claim.condition);
    const ExprId filter = program.test->filter ? condition_expr(program, *program.test->filter) : ExprPool::yes;
    std::vector<ExprId> asked{condition, filter};
    for (const Observable& o : known.observables) asked.push_back(o.value);
    const Symmetry symmetry = find_symmetry(program, bases, open, asked, solver.counts_from());
    encoding_.emplace(program, open, compute_bounds(bases, open, symmetry.order), backend_, solver.counts_from());
    encoding_->require_model();
    const Lit ends = together({encoding_->straight(), encoding_->terminates()});
    std::vector<Lit> changes;
    for (const std::string& variant : open_variants(open)) changes.push_back(changes_[variant] = encoding_->variant(variant));
    Gates(backend_).at_most_one(changes);
    assumptions_ = {
        encoding_->some({another_outcome(together({ends, encoding_->condition(filter)})), another_sign(open),
                         p_.bounds.empty() ? always_false : encoding_->cut(), known.nonempty == Truth::no ? ends : always_false})};
}

Surplus::Places Surplus::places_of(const Relation::Pair& pair) const {
    const auto place = [&](size_t e) { return Hazard::StaticInstruction(p_.events[e].thread, p_.events[e].instruction); };
    return std::minmax(place(pair.first), place(pair.second));
}

Surplus::Sign Surplus::sign_of(const Hazard& hazard) const {
    if (hazard.kind != Hazard::Kind::race) return {hazard.flag, std::nullopt};
    return {hazard.flag, places_of(hazard.pairs.front())};
}

// A literal under which all of these hold.
Lit Surplus::together(const std::vector<Lit>& literals) {
    const Lit all = backend_.fresh();
    for (const Lit l : literals) backend_.clause({-all, l});
    return all;
}

Lit Surplus::another_outcome(Lit passes) {
    for (const Outcome& outcome : known_.outcomes) {
        std::vector<Lit> differs{-passes};
        for (size_t i = 0; i < known_.observables.size(); ++i)
            differs.push_back(encoding_->differs(known_.observables[i].value, outcome.values[i]));
        backend_.clause(differs);
    }
    return passes;
}

Lit Surplus::another_sign(const Model& open) {
    std::map<Sign, std::vector<Lit>> signs{{{"", std::nullopt}, {encoding_->stays()}}};
    for (const Constraint& c : open.constraints) {
        if (!c.flag) continue;
        if (!is_race(c)) signs[{c.name, std::nullopt}] = {encoding_->negation(c)};
        if (!is_race(c) || open.nodes[c.node].is_set) continue;
        for (const auto& [pair, literal] : encoding_->pairs(c.node)) signs[{c.name, places_of(pair)}].push_back(literal);
    }
    for (const Hazard& hazard : known_.hazards->found) signs.erase(sign_of(hazard));
    std::vector<Lit> others;
    for (const auto& [sign, literals] : signs) others.insert(others.end(), literals.begin(), literals.end());
    return together({encoding_->terminates(), encoding_->some(others)});
}

std::optional<std::string> Surplus::next() {
    const Backend::Result result = backend_.check(assumptions_);
    if (result == Backend::Result::unknown) throw GaveUp{no_answer};
    if (result == Backend::Result::unsat) return std::nullopt;
    for (const auto& [change, literal] : changes_) {
        if (!backend_.value(literal)) continue;
        assumptions_.push_back(-literal);
        return change;
    }
    throw std::logic_error("test \"" + p_.test->name + "\": an execution shows more than the answer, which was complete");
}

}  // namespace litmus
