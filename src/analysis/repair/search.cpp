// One question to the solver for each text, and the growing of a set of edits that a counterexample survives.
#include "analysis/repair/search.h"

#include <algorithm>

#include "analysis/verdict/support.h"
#include "language/syntax/read.h"
#include "solve/inquiry.h"
#include "solve/specialise.h"

namespace litmus {

Trials::Trials(const Test& test, const std::vector<Edit>& edits, const Goal& goal, Solver& solver, int unroll, const Budget& budget)
    : test_(test), edits_(edits), goal_(goal), solver_(solver), unroll_(unroll), budget_(budget) {}

std::string Trials::text(const EditSet& set, std::vector<Change> changes) const {
    for (const size_t e : set) changes.insert(changes.end(), edits_[e].changes.begin(), edits_[e].changes.end());
    return applied(test_.source->text, std::move(changes));
}

std::shared_ptr<const Candidate> Trials::make(const EditSet& set) {
    auto candidate = std::make_shared<Candidate>();
    candidate->set = set;
    try {
        std::vector<Test> tests = parse_tests(make_source(test_.source->name, text(set)));
        if (tests.size() != 1) return nullptr;
        candidate->test = std::make_shared<const Test>(aiming(std::move(tests.front()), goal_));
        candidate->program =
            std::make_shared<Program>(build_program(*candidate->test, {.unroll = unroll_, .blocked = true, .budget = budget_}));
    } catch (const Failure&) {
        return nullptr;
    }
    candidate->origins = origins_of(test_, edits_, set, *candidate->test);
    return candidate;
}

Trial try_program(Program& program, const Goal& goal, const Model& model, Solver& solver) {
    BySight<bool> asked = goal.forbidden;
    asked[goal.required] = asked[Sight::cut] = true;
    require_support(program, model);
    try {
        FixedBases bases(program);
        Inquiry inquiry(program, bases, specialised(bases, model), asked, solver);
        for (const Sight sight : all_sights) {
            if (!goal.forbidden[sight]) continue;
            Inquiry::Sighting finding = inquiry.ask(sight, {}, model);
            if (finding.truth == Truth::unknown) return {};
            if (finding.truth == Truth::yes)
                return {Trial::Ending::refuted,
                        Counterexample{nullptr, sight, std::move(*finding.witness), std::move(finding.final_writes)}};
        }
        if (!program.bounds.empty() && inquiry.ask(Sight::cut, {}, model).truth != Truth::no) return {};
        const Truth good = inquiry.ask(goal.required, {}, model).truth;
        if (good == Truth::unknown) return {};
        return {good == Truth::yes ? Trial::Ending::repaired : Trial::Ending::vacuous, {}};
    } catch (const GaveUp&) {
        return {};
    }
}

void Trials::count_program(const Candidate* candidate) {
    const size_t events = candidate == nullptr ? 0 : candidate->program->events.size();
    clauses_ += std::max(clauses_of_a_program, clauses_of_an_event * events);
}

Trial Trials::ask(const EditSet& set, const Model& model) {
    const std::shared_ptr<const Candidate> candidate = make(set);
    if (!candidate) return {Trial::Ending::illegal, {}};
    ++asked_;
    count_program(candidate.get());
    try {
        Trial trial = try_program(*candidate->program, goal_, model, solver_);
        clauses_ += solver_.backend().clauses();
        if (trial.counterexample) trial.counterexample->of = candidate;
        return trial;
    } catch (const Failure&) {
        return {Trial::Ending::illegal, {}};
    }
}

bool Trials::survived_by(const Counterexample& counterexample, const EditSet& set, const Model& model) {
    const std::shared_ptr<const Candidate> candidate = make(set);
    ++carried_;
    count_program(candidate.get());
    return candidate && survives(counterexample, *candidate, model);
}

// Whether the edit can be made beside these: an instruction is respelled once.
bool Trials::compatible(const EditSet& set, size_t edit) const {
    return std::none_of(set.begin(), set.end(), [&](size_t e) {
        return e == edit || (edits_[e].respells != no_instruction && edits_[e].respells == edits_[edit].respells);
    });
}

// Adds what it can of `more`, halving it where the whole is too much.
void Trials::grow(const Counterexample& c, const Model& model, EditSet& set, const std::vector<size_t>& more) {
    EditSet larger = set;
    for (const size_t e : more) {
        const std::vector<size_t>& less = edits_[e].includes;
        larger.erase(std::remove_if(larger.begin(), larger.end(),
                                    [&](size_t other) {
                                        return edits_[e].respells != no_instruction && edits_[other].respells == edits_[e].respells &&
                                               std::count(less.begin(), less.end(), other) > 0;
                                    }),
                     larger.end());
        if (compatible(larger, e)) larger.push_back(e);
    }
    std::sort(larger.begin(), larger.end());
    if (larger == set) return;
    if (survived_by(c, larger, model)) {
        set = std::move(larger);
        return;
    }
    if (more.size() == 1) return;
    const auto middle = more.begin() + static_cast<std::ptrdiff_t>(more.size() / 2);
    grow(c, model, set, {more.begin(), middle});
    grow(c, model, set, {middle, more.end()});
}

std::vector<bool> Trials::grown(const Counterexample& counterexample, const Model& model) {
    std::vector<bool> in(edits_.size());
    EditSet set = counterexample.of->set;
    const auto note = [&] {
        for (const size_t e : set) {
            in[e] = true;
            for (const size_t less : edits_[e].includes) in[less] = true;
        }
    };
    note();
    // The strongest first; then what remains, which is weaker, until nothing can be added.
    std::vector<bool> tried(edits_.size());
    for (;;) {
        std::vector<size_t> strongest;
        for (size_t e = 0; e < edits_.size(); ++e) {
            if (in[e] || tried[e] || !edits_[e].only_orders) continue;
            const auto stronger = [&](size_t other) {
                return !in[other] && !tried[other] && edits_[other].only_orders &&
                       std::count(edits_[other].includes.begin(), edits_[other].includes.end(), e) > 0;
            };
            bool maximal = true;
            for (size_t other = 0; other < edits_.size() && maximal; ++other) maximal = !stronger(other);
            if (maximal) strongest.push_back(e);
        }
        if (strongest.empty()) return in;
        for (const size_t e : strongest) tried[e] = true;
        grow(counterexample, model, set, strongest);
        note();
    }
}

}  // namespace litmus
