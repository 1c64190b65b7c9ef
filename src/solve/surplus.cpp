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
    ends_ = {encoding_->straight(), encoding_->terminates()};
    passes_ = ends_;
    passes_.push_back(encoding_->condition(filter));
    find_signs(open);
    std::vector<Lit> changes;
    for (const std::string& variant : open_variants(open)) changes.push_back(changes_[variant] = encoding_->variant(variant));
    Gates(backend_).at_most_one(changes);
    more_ = encoding_->some({another_outcome(), another_sign(), p_.bounds.empty() ? always_false : encoding_->cut(),
                             known.nonempty == Truth::no ? together(ends_) : always_false});
}

Surplus::Places Surplus::places_of(const Relation::Pair& pair) const {
    const auto place = [&](size_t e) { return Hazard::StaticInstruction(p_.events[e].thread, p_.events[e].instruction); };
    return std::minmax(place(pair.first), place(pair.second));
}

Surplus::Sign Surplus::sign_of(const Hazard& hazard) const {
    if (hazard.kind != Hazard::Kind::race) return {hazard.flag, std::nullopt};
    return {hazard.flag, places_of(hazard.pairs.front())};
}

void Surplus::find_signs(const Model& open) {
    signs_[{"", std::nullopt}] = encoding_->stays();
    for (const Constraint& c : open.constraints) {
        if (!c.flag) continue;
        if (!is_race(c)) signs_[{c.name, std::nullopt}] = encoding_->flag(c);
        if (!is_race(c) || open.nodes[c.node].is_set) continue;
        std::map<Places, std::vector<Lit>> by_places;
        for (const auto& [pair, literal] : encoding_->pairs(c.node)) by_places[places_of(pair)].push_back(literal);
        for (const auto& [places, literals] : by_places) signs_[{c.name, places}] = encoding_->some(literals);
    }
}

// A literal under which all of these hold.
Lit Surplus::together(const std::vector<Lit>& literals) {
    const Lit all = backend_.fresh();
    for (const Lit l : literals) backend_.clause({-all, l});
    return all;
}

Lit Surplus::another_outcome() {
    const Lit another = together(passes_);
    for (const Outcome& outcome : known_.outcomes) {
        std::vector<Lit> differs{-another};
        for (size_t i = 0; i < known_.observables.size(); ++i)
            differs.push_back(encoding_->differs(known_.observables[i].value, outcome.values[i]));
        backend_.clause(differs);
    }
    return another;
}

Lit Surplus::another_sign() {
    std::map<Sign, Lit> others = signs_;
    for (const Hazard& hazard : known_.hazards->found) others.erase(sign_of(hazard));
    std::vector<Lit> literals;
    for (const auto& [sign, literal] : others) literals.push_back(literal);
    return together({encoding_->terminates(), encoding_->some(literals)});
}

bool Surplus::check(std::vector<Lit> assumptions) {
    const Backend::Result result = backend_.check(assumptions);
    if (result == Backend::Result::unknown) throw GaveUp{no_answer};
    return result == Backend::Result::sat;
}

std::optional<std::string> Surplus::next() {
    std::vector<Lit> assumptions = left_out_;
    assumptions.push_back(more_);
    if (!check(assumptions)) return std::nullopt;
    for (const auto& [change, literal] : changes_) {
        if (!backend_.value(literal)) continue;
        leave_out(change);
        return change;
    }
    throw std::logic_error("test \"" + p_.test->name + "\": an execution shows more than the answer, which was complete");
}

void Surplus::leave_out(const std::string& change) {
    left_out_.push_back(-changes_.at(change));
}

bool Surplus::has(const std::string& change, const Outcome& outcome) {
    std::vector<Lit> wanted = passes_;
    wanted.push_back(changes_.at(change));
    for (size_t i = 0; i < known_.observables.size(); ++i)
        wanted.push_back(-encoding_->differs(known_.observables[i].value, outcome.values[i]));
    return check(wanted);
}

bool Surplus::has(const std::string& change, const Hazard& hazard) {
    const auto sign = signs_.find(sign_of(hazard));
    return sign != signs_.end() && check({changes_.at(change), encoding_->terminates(), sign->second});
}

bool Surplus::ends(const std::string& change) {
    std::vector<Lit> wanted = ends_;
    wanted.push_back(changes_.at(change));
    return check(wanted);
}

}  // namespace litmus
