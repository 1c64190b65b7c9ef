// Minimal sets of axioms by leaving axioms out, breaches by evaluating the model on an execution.
//
// Leaving axioms out only adds executions, so the minimal sets that matter are found as those of readings are. An execution that has the
// outcome answers for all sets that have the axioms which it breaks, so the solver is asked only about sets that no execution found
// before answers for. And an axiom over a relation that nothing of the program can be in is kept by every execution.
#include "analysis/explain/why.h"

#include <algorithm>
#include <utility>

#include "analysis/verdict/depends.h"
#include "cat/evaluate.h"
#include "event/program.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Those that an execution may break.
Names axioms_of(const Model& model) {
    Names names;
    for (const Constraint& c : model.constraints) {
        const bool may_fail = model.nodes[c.node].op != Node::Op::empty || c.negated;
        if (!c.flag && may_fail && !has(names, c.name)) names.push_back(c.name);
    }
    return names;
}

Model dropping(const Model& model, const Names& axioms) {
    return restricted(model, [&](const Constraint& c) { return !c.flag && !has(axioms, c.name); });
}

// One execution that has the outcome, whatever the filter of the test says, and nothing else.
SolveOptions only(const std::vector<uint64_t>& outcome) {
    SolveOptions result;
    result.want_hazards = false;
    result.filtered = false;
    result.max_outcomes = 1;
    result.only = outcome;
    return result;
}

// The parts of a composition that lead from one event to another.
void collect_moves(const Model& model, const Derivation& d, std::vector<Relation::Pair>& moves) {
    const Node& node = model.nodes[d.node];
    if (node.op == Node::Op::sequence && node.name.empty()) {
        for (const Derivation& part : d.parts) collect_moves(model, part, moves);
    } else if (d.from != d.to) {
        moves.emplace_back(d.from, d.to);
    }
}

std::vector<size_t> events_of(const Model& model, const BrokenAxiom& breach) {
    const Derivation& first = breach.derivations.front();
    if (!breach.cycle) return first.from == first.to ? std::vector<size_t>{first.from} : std::vector<size_t>{first.from, first.to};
    std::vector<Relation::Pair> moves;
    for (const Derivation& d : breach.derivations) collect_moves(model, d, moves);
    if (moves.empty()) return {first.from};
    std::vector<size_t> events;
    for (const auto& [from, to] : moves) events.push_back(from);
    return events;
}

// The pair, or the member of a set, that takes the fewest words, of those that should not be there.
Derivation cheapest(const Constraint& constraint, Deriver& deriver) {
    const NodeValue& value = deriver.evaluation().value(constraint.node);
    std::vector<Relation::Pair> all;
    if (value.is_set) {
        for (const size_t e : value.set.elements()) all.emplace_back(e, e);
    } else {
        all = value.relation.pairs();
    }
    if (constraint.kind == Constraint::Kind::irreflexive)
        all.erase(std::remove_if(all.begin(), all.end(), [](const Relation::Pair& pair) { return pair.first != pair.second; }), all.end());
    const auto cost = [&](const Relation::Pair& pair) { return deriver.cost(constraint.node, pair.first, pair.second); };
    const auto best = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
    return deriver.derive(constraint.node, best->first, best->second);
}

BrokenAxiom breach_of(const Model& model, size_t index, Deriver& deriver) {
    const Constraint& constraint = model.constraints[index];
    BrokenAxiom breach{index, constraint.name, constraint.kind != Constraint::Kind::empty, {}, {}};
    if (constraint.negated) return breach;  // it asks that something be there, and nothing is
    if (constraint.kind == Constraint::Kind::acyclic) {
        breach.derivations = deriver.cycle(constraint.node);
    } else {
        breach.derivations = {cheapest(constraint, deriver)};
    }
    breach.events = events_of(model, breach);
    return breach;
}

// ---- the axioms that forbid together ------------------------------------------------------------

// A smallest set of axioms that has one of each of `sets`; of several the first in the order of `axioms`.
Names smallest_hitting(const std::vector<Names>& sets, const Names& axioms) {
    const auto hits_all = [&](const Names& chosen) {
        return std::all_of(sets.begin(), sets.end(), [&](const Names& set) {
            return std::any_of(set.begin(), set.end(), [&](const std::string& axiom) { return has(chosen, axiom); });
        });
    };
    std::vector<Names> candidates{{}};
    while (!candidates.empty()) {
        std::vector<Names> larger;
        for (const Names& chosen : candidates) {
            if (hits_all(chosen)) return chosen;
            const auto after = chosen.empty() ? axioms.begin() : std::find(axioms.begin(), axioms.end(), chosen.back()) + 1;
            for (auto next = after; next != axioms.end(); ++next) {
                larger.push_back(chosen);
                larger.back().push_back(*next);
            }
        }
        candidates = std::move(larger);
    }
    return {};
}

}  // namespace

std::vector<BrokenAxiom> breaches(const Model& model, const Execution& execution) {
    std::vector<BrokenAxiom> result;
    Deriver deriver(model, execution);
    for (const size_t i : deriver.evaluation().failed()) result.push_back(breach_of(model, i, deriver));
    return result;
}

namespace {

// What must be so for a derivation to hold.
class Conditions {
public:
    explicit Conditions(const Model& model) : model_(model), about_events_(about_events(model)) {}

    // Collects it; false where it cannot be said in base relations.
    bool collect(const Derivation& d, Circumstance& into) const {
        into.events.insert(into.events.end(), {d.from, d.to});
        if (d.absent) return collect_absent(d.node, {d.from, d.to}, into);
        const Node& node = model_.nodes[d.node];
        if (node.op == Node::Op::base && !about_events_[d.node]) into.facts.push_back({std::string(node.name), {d.from, d.to}, false});
        return std::all_of(d.parts.begin(), d.parts.end(), [&](const Derivation& part) { return collect(part, into); });
    }

private:
    bool collect_absent(NodeId id, const Relation::Pair& pair, Circumstance& into) const {
        const Node& node = model_.nodes[id];
        if (about_events_[id]) return true;  // so it is whenever the two happen
        switch (node.op) {
            case Node::Op::base:
                into.facts.push_back({std::string(node.name), pair, true});
                return true;
            case Node::Op::union_:
                return collect_absent(node.args[0], pair, into) && collect_absent(node.args[1], pair, into);
            case Node::Op::inverse:
                return collect_absent(node.args[0], {pair.second, pair.first}, into);
            default:
                return false;
        }
    }

    const Model& model_;
    const std::vector<bool> about_events_;
};

class WhyFinder {
public:
    WhyFinder(Program& program, const Model& model, const std::vector<uint64_t>& outcome, Solver& solver)
        : program_(program),
          model_(model),
          specialised_(specialised(program, model)),
          outcome_(outcome),
          solver_(solver),
          axioms_(axioms_of(specialised_)) {}

    WhyNot run(size_t most_ways, const Execution* example) {
        if (example != nullptr) note(*example);
        find_axioms();
        forbidding_ = smallest_hitting(found_.axioms, axioms_);
        try {
            for (const std::string& axiom : forbidding_) {
                const Names& dropped = dropped_for(axiom);
                for (const std::string& name : dropped)
                    if (!has(found_.set_aside, name)) found_.set_aside.push_back(name);
                if (!refute({axiom}, dropped)) return std::move(found_);
            }
            while (!forbidding_.empty() && tellable_ && found_.refuted.size() < most_ways)
                if (!refute(forbidding_, found_.set_aside)) break;
        } catch (const OverBudget&) {
            found_.known = false;
        }
        return std::move(found_);
    }

private:
    Answer ask(const Names& dropped) {
        SolveOptions options = only(outcome_);
        options.avoid = told_;
        return solver_.solve(program_, dropping(specialised_, dropped), options);
    }

    // Which axioms an execution with the outcome breaks.
    void note(const Execution& execution) {
        Names broken;
        for (const size_t i : Evaluation(specialised_, execution).failed())
            if (!has(broken, specialised_.constraints[i].name)) broken.push_back(specialised_.constraints[i].name);
        broken_.push_back(std::move(broken));
    }

    // Whether an execution that was found breaks none but these.
    bool is_shown(const Names& dropped) const {
        return std::any_of(broken_.begin(), broken_.end(), [&](const Names& broken) {
            return std::all_of(broken.begin(), broken.end(), [&](const std::string& axiom) { return has(dropped, axiom); });
        });
    }

    void find_axioms() {
        const Dependence found = depends_on({}, axioms_, [&](const Names& dropped) {
            if (is_shown(dropped)) return 1;
            const Answer answer = ask(dropped);
            if (answer.outcomes.empty()) return answer.complete ? 0 : -1;
            note(answer.outcomes.front().witness);
            return 1;
        });
        found_.known = found.known;
        found_.axioms = found.flips;
    }

    // The minimal set that has this axiom and none of the others that forbid.
    const Names& dropped_for(const std::string& axiom) const {
        return *std::find_if(found_.axioms.begin(), found_.axioms.end(), [&](const Names& set) {
            return std::all_of(forbidding_.begin(), forbidding_.end(), [&](const std::string& a) { return has(set, a) == (a == axiom); });
        });
    }

    // Tells of an execution that breaks one of `axioms`, in a way that was not told; false where there is none, or it is not known.
    bool refute(const Names& axioms, const Names& dropped) {
        Answer answer = ask(dropped);
        if (answer.outcomes.empty()) {
            found_.all_ways = answer.complete && found_.refuted.size() >= forbidding_.size();
            found_.known = found_.known && answer.complete;
            return false;
        }
        Refuted refuted{{}, std::move(answer.outcomes.front().witness), {}};
        refuted.breaches = breaches(model_, refuted.execution);
        std::stable_partition(refuted.breaches.begin(), refuted.breaches.end(), [&](const BrokenAxiom& b) { return has(axioms, b.axiom); });
        refuted.axiom = refuted.breaches.front().axiom;
        Circumstance circumstance;
        tellable_ = tellable_ && !refuted.breaches.front().derivations.empty();
        for (const Derivation& d : refuted.breaches.front().derivations) tellable_ = conditions_.collect(d, circumstance) && tellable_;
        told_.push_back(std::move(circumstance));
        found_.refuted.push_back(std::move(refuted));
        return true;
    }

    Program& program_;
    const Model& model_;
    const Model specialised_;  // to the program
    const std::vector<uint64_t>& outcome_;
    Solver& solver_;
    const Names axioms_;
    std::vector<Names> broken_;  // by executions that have the outcome
    Names forbidding_;           // a smallest set that forbids the outcome
    const Conditions conditions_{model_};
    std::vector<Circumstance> told_;
    bool tellable_ = true;  // what was told can be avoided
    WhyNot found_;
};

}  // namespace

WhyNot why_forbidden(Program& program, const Model& model, const std::vector<uint64_t>& outcome, Solver& solver, size_t most_ways,
                     const Execution* example) {
    return WhyFinder(program, model, outcome, solver).run(most_ways, example);
}

}  // namespace litmus
