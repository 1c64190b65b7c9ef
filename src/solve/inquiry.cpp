// Encoding with open readings, and the assumptions of each question.
#include "solve/inquiry.h"

#include <stdexcept>

#include "cat/evaluate.h"
#include "cat/fold.h"
#include "solve/bounds.h"
#include "solve/symmetry.h"

namespace litmus {

namespace {

bool concerns(const Constraint& flag, const BySight<bool>& asked) {
    return (asked[Sight::undefined] && is_hazard(flag)) || (asked[Sight::races] && is_race(flag));
}

}  // namespace

Inquiry::Inquiry(Program& program, FixedBases& bases, const Model& open, const BySight<bool>& asked, Solver& solver)
    : p_(program),
      bases_(bases),
      open_(restricted(open, [&](const Constraint& c) { return !c.flag || concerns(c, asked); })),
      backend_(solver.backend()),
      readings_(open_variants(open_)) {
    backend_.reset(program.budget);
    const Test& test = *program.test;
    condition_ = condition_expr(program, test.claim.condition);
    if (test.filter) filter_ = condition_expr(program, *test.filter);
    const Symmetry symmetry = find_symmetry(program, bases_, open_, {condition_, filter_}, solver.counts_from());
    encoding_.emplace(program, open_, compute_bounds(bases_, open_, symmetry.order), backend_, solver.counts_from());
    Encoding& e = *encoding_;
    e.require_model();
    const Lit holds = e.condition(condition_), passes = e.condition(filter_), straight = e.straight();
    assumptions_[Sight::satisfies] = {straight, e.terminates(), passes, holds};
    assumptions_[Sight::violates] = {straight, e.terminates(), passes, -holds};
    assumptions_[Sight::terminates] = {straight, e.terminates()};
    assumptions_[Sight::cut] = {e.cut()};
    assumptions_[Sight::stuck] = {e.terminates(), e.stays()};
    std::vector<Lit> races, hazards;
    for (const Constraint& c : open_.constraints)
        if (c.flag) (is_race(c) ? races : hazards).push_back(e.negation(c));
    assumptions_[Sight::races] = {e.terminates(), e.some(races)};
    assumptions_[Sight::undefined] = {e.terminates(), e.some(hazards)};
}

Inquiry::Sighting Inquiry::ask(Sight sight, const std::set<std::string>& on, const Model& model) {
    std::vector<Lit> assumptions = assumptions_[sight];
    for (const std::string& reading : readings_)
        assumptions.push_back(on.count(reading) > 0 ? encoding_->variant(reading) : -encoding_->variant(reading));
    Sighting finding;
    const Backend::Result result = backend_.check(assumptions);
    if (result == Backend::Result::unknown) return finding;
    finding.truth = result == Backend::Result::sat ? Truth::yes : Truth::no;
    if (finding.truth == Truth::no || sight == Sight::cut) return finding;
    finding.witness = encoding_->execution();
    if (!finding.witness) throw std::logic_error("test \"" + p_.test->name + "\": the solver's choice is no candidate execution");
    finding.final_writes = check(sight, model, *finding.witness);
    return finding;
}

// Throws where the execution is not one, or does not show what it was found for; gives its final writes.
std::vector<size_t> Inquiry::check(Sight sight, const Model& model, const Execution& x) {
    const auto insist = [&](bool holds, const std::string& what) {
        if (!holds) throw std::logic_error("test \"" + p_.test->name + "\": the two engines disagree: the solver's execution " + what);
    };
    Evaluation evaluation(model, x, &bases_);
    for (const size_t i : evaluation.failed()) insist(false, "breaks " + model.constraints[i].name);
    const auto raised = [&](bool (*kind)(const Constraint&)) {
        bool any = false;
        for (const size_t i : evaluation.raised()) any = any || kind(model.constraints[i]);
        return any;
    };
    const std::optional<std::vector<size_t>> last = encoding_->final_writes(x);
    insist(last.has_value(), "takes a write as final that another is co-after");
    std::vector<uint64_t> finals;
    for (const size_t w : *last) finals.push_back(x.values[w]);
    switch (sight) {
        case Sight::satisfies:
        case Sight::violates:
            insist(evaluate(x, filter_, finals) != 0, "does not pass the filter");
            insist((evaluate(x, condition_, finals) != 0) == (sight == Sight::satisfies), "gives the condition another value");
            break;
        case Sight::races:
            insist(raised(is_race), "has no race");
            break;
        case Sight::undefined:
            insist(raised(is_hazard), "raises no flag");
            break;
        case Sight::stuck: {
            bool any = false;
            for (const Blocked& b : p_.blocked) {
                if (!evaluate(x, b.when, finals)) continue;
                any = true;
                insist(evaluate(x, b.hopeless, finals) != 0, "has a thread that stays although what it awaits holds");
            }
            insist(any, "has no thread that stays");
            for (const ExprId trap : p_.traps) insist(evaluate(x, trap, finals) == 0, "has a thread that stays and one that traps");
            break;
        }
        case Sight::terminates:
        case Sight::cut:
            break;
    }
    return *last;
}

}  // namespace litmus
