// Minimal sets of axioms by leaving axioms out, breaches by evaluating the model on an execution.
//
// Leaving axioms out only adds executions, so the minimal sets that matter are found as those of readings are.
#include "explain/why.h"

#include <algorithm>
#include <utility>

#include "cat/evaluate.h"
#include "cat/fold.h"
#include "explain/depends.h"

namespace litmus {

namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Names axioms_of(const Model& model) {
    Names names;
    for (const Constraint& c : model.constraints)
        if (!c.flag && !has(names, c.name)) names.push_back(c.name);
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
    result.only = outcome;
    return result;
}

// An event that a; b relates to itself, and one on the way.
std::vector<size_t> loop_through(const Relation& a, const Relation& b) {
    for (const auto& [from, middle] : a.pairs())
        if (b.contains(middle, from)) return {from, middle};
    return {};
}

Breach breach_of(const Model& model, const Constraint& constraint, Evaluation& evaluation) {
    const NodeValue& value = evaluation.value(constraint.node);
    const Node& node = model.nodes[constraint.node];
    if (value.is_set) return {constraint.name, false, value.set.elements()};
    if (constraint.kind == Constraint::Kind::acyclic) return {constraint.name, true, value.relation.cycle()};
    if (constraint.kind == Constraint::Kind::empty) {
        const auto [first, second] = value.relation.pairs().front();
        return {constraint.name, false, {first, second}};
    }
    if (node.op == Node::Op::sequence && node.args.size() == 2)
        return {constraint.name, true, loop_through(evaluation.value(node.args[0]).relation, evaluation.value(node.args[1]).relation)};
    for (size_t e = 0; e < value.relation.size(); ++e)
        if (value.relation.contains(e, e)) return {constraint.name, true, {e}};
    return {constraint.name, false, {}};
}

}  // namespace

std::vector<Breach> breaches(const Model& model, const Execution& execution) {
    std::vector<Breach> result;
    Evaluation evaluation(model, execution);
    for (const size_t i : evaluation.failed()) result.push_back(breach_of(model, model.constraints[i], evaluation));
    return result;
}

WhyNot why_forbidden(Program& program, const Model& model, const std::vector<uint64_t>& outcome, Solver& solver) {
    const auto ask = [&](const Names& dropped) { return solver.solve(program, dropping(model, dropped), only(outcome)); };
    WhyNot refusal;
    const Dependence found = depends_on({}, axioms_of(model), [&](const Names& dropped) {
        const Answer answer = ask(dropped);
        if (!answer.outcomes.empty()) return 1;
        return answer.complete ? 0 : -1;
    });
    refusal.known = found.known;
    refusal.axioms = found.flips;
    if (found.flips.empty()) return refusal;
    Answer shown = ask(found.flips.front());
    if (shown.outcomes.empty()) return refusal;
    refusal.execution = std::move(shown.outcomes.front().witness);
    try {
        refusal.breaches = breaches(model, *refusal.execution);
    } catch (const OverBudget&) {
        refusal.known = false;
    }
    return refusal;
}

}  // namespace litmus
