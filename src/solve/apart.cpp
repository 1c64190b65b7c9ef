// One graph with the axioms of the one model and, as flags, those of the other denied: an execution that raises such a flag is
// allowed by the one and forbidden by the other.
#include "solve/apart.h"

#include <stdexcept>
#include <utility>

#include "cat/evaluate.h"
#include "cat/fold.h"
#include "solve/bounds.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

Model axioms_of(const Model& model) {
    return restricted(model, [](const Constraint& c) { return !c.flag; });
}

// Puts the nodes of a model, and the sources that their texts lie in, behind those that are there; the number of the first.
NodeId append(Model& model, const Model& more) {
    const auto first = static_cast<NodeId>(model.nodes.size());
    uint32_t recursions = 0;
    for (const Node& node : model.nodes) recursions = std::max(recursions, node.recursion);
    for (Node node : more.nodes) {
        for (NodeId& arg : node.args) arg += first;
        if (node.recursion != 0) node.recursion += recursions;
        model.nodes.push_back(node);
    }
    model.sources.insert(model.sources.end(), more.sources.begin(), more.sources.end());
    return first;
}

NodeId add(Model& model, Node::Op op, NodeId argument) {
    Node node;
    node.op = op;
    node.args = {argument};
    model.nodes.push_back(node);
    return static_cast<NodeId>(model.nodes.size() - 1);
}

// A flag that is raised where the axiom, over nodes that stand from `first` on, fails.
Constraint denied(Model& model, Constraint axiom, NodeId first) {
    if (axiom.negated) throw Failure(nullptr, {}, "the axiom `" + axiom.name + "` is negated: models with such are not told apart");
    axiom.node += first;
    if (axiom.kind == Constraint::Kind::acyclic) {
        axiom.kind = Constraint::Kind::irreflexive;
        axiom.node = add(model, Node::Op::plus, axiom.node);
    }
    axiom.negated = axiom.flag = true;
    return axiom;
}

Model joined(const Model& allowing, const Model& forbidding) {
    Model model = axioms_of(allowing);
    const Model other = axioms_of(forbidding);
    const NodeId first = append(model, other);
    for (const Constraint& axiom : other.constraints) model.constraints.push_back(denied(model, axiom, first));
    return model;
}

}  // namespace

Apart::Apart(Program& program, const Model& allowing, const Model& forbidding, Solver& solver)
    : p_(program), allowing_(allowing), forbidding_(forbidding), backend_(solver.backend()) {
    const Model a = specialised(program, axioms_of(allowing)), b = specialised(program, axioms_of(forbidding));
    same_ = graph_text(a) == graph_text(b);
    if (same_) return;
    joint_ = folded(joined(a, b), {});
    backend_.reset(program.budget);
    encoding_.emplace(program, joint_, compute_bounds(program, joint_), backend_, solver.counts_from());
    encoding_->require_model();
    std::vector<Lit> broken;
    for (const Constraint& c : joint_.constraints)
        if (c.flag) broken.push_back(encoding_->negation(c));
    wanted_ = {encoding_->straight(), encoding_->terminates(), encoding_->some(broken)};
    for (const SlotChoice& alternative : program.alternatives) encoding_->condition(alternative.chosen);
}

std::optional<Chosen> Apart::next() {
    if (same_) return std::nullopt;
    const Backend::Result result = backend_.check(wanted_);
    if (result == Backend::Result::unsat) return std::nullopt;
    if (result == Backend::Result::unknown) throw GaveUp{no_answer};
    const std::optional<Execution> x = encoding_->execution();
    const bool agreed = x && Evaluation(allowing_, *x).consistent() && !Evaluation(forbidding_, *x).consistent();
    if (!agreed) throw std::logic_error("the two engines disagree about an execution that tells two models apart");
    Chosen chosen;
    for (const SlotChoice& alternative : p_.alternatives) chosen.push_back(evaluate(*x, alternative.chosen, {}) != 0);
    return chosen;
}

void Apart::leave_out(const Chosen& chosen) {
    std::vector<Lit> other;
    for (size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i]) other.push_back(-encoding_->condition(p_.alternatives[i].chosen));
    backend_.clause(other);
}

}  // namespace litmus
