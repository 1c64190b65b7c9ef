// Names of the second program get a letter more, CTAs and clusters other numbers.
#include "side_by_side.h"

#include <algorithm>
#include <stdexcept>

#include "brute_force.h"
#include "event/program.h"

namespace litmus {
namespace {

constexpr int far = 100;  // from the numbers of CTAs and clusters of random programs

void rename(Operand& operand) {
    const bool names_location = (operand.kind == Operand::Kind::address && !operand.indirect) || operand.kind == Operand::Kind::symbol;
    if (names_location) operand.name += "b";
    if (operand.cta >= 0) operand.cta += far;
    for (Operand& element : operand.elements) rename(element);
}

void move(Condition& condition, int threads) {
    for (Term* term : {&condition.left, &condition.right}) {
        if (term->kind == Term::Kind::location) term->name += "b";
        if (term->kind == Term::Kind::reg) term->thread += threads;
        if (term->cta >= 0) term->cta += far;
    }
    for (Condition& operand : condition.operands) move(operand, threads);
}

std::set<std::vector<uint64_t>> outcomes(Solver& solver, Program& program, const Model& model, size_t apart_from) {
    SolveOptions options;
    options.max_outcomes = size_t{1} << 20;
    options.all_state = true;
    options.apart_from = apart_from;
    options.want_hazards = false;
    const Answer answer = solver.solve(program, model, options);
    if (!answer.complete) throw std::logic_error("the solver's outcomes are not complete");
    std::set<std::vector<uint64_t>> result;
    for (const Outcome& outcome : answer.outcomes)
        if (!result.insert(outcome.values).second) throw std::logic_error("the solver gives an outcome twice");
    return result;
}

size_t count(const Test& test, const Model& model) {
    Program program = build_program(test, {});
    return brute_force(program, {&model}, {}).by_model[0].outcomes.size();
}

}  // namespace

Test side_by_side(Test a, Test b) {
    const int threads = static_cast<int>(a.threads.size());
    for (Location& location : b.locations) {
        location.name += "b";
        if (!location.alias_of.empty()) location.alias_of += "b";
        if (location.cta) *location.cta += far;
        a.locations.push_back(std::move(location));
    }
    for (Thread& thread : b.threads) {
        thread.name = "P" + std::to_string(a.threads.size());
        thread.at.cta += far;
        thread.at.cluster += far;
        for (Instruction& instruction : thread.body)
            for (Operand& operand : instruction.operands) rename(operand);
        a.threads.push_back(std::move(thread));
    }
    if (!b.filter) return a;
    move(*b.filter, threads);
    if (!a.filter) {
        a.filter = std::move(b.filter);
    } else {
        Condition both;
        both.kind = Condition::Kind::conjunction;
        both.operands = {std::move(*a.filter), std::move(*b.filter)};
        a.filter = std::move(both);
    }
    return a;
}

std::optional<std::string> compare_side_by_side(Solver& solver, const Test& a, const Test& b, const Model& model, size_t most) {
    const size_t expected = count(a, model) * count(b, model);
    if (expected > most) return std::nullopt;
    const Test test = side_by_side(a, b);
    Program program = build_program(test, {});
    const auto apart = outcomes(solver, program, model, 1), singly = outcomes(solver, program, model, ~size_t{0});
    if (apart.size() == expected && apart == singly) return std::nullopt;
    return "  side by side: " + std::to_string(apart.size()) + " outcomes in parts, " + std::to_string(singly.size()) + " singly, " +
           std::to_string(expected) + " by enumeration of each\n";
}

}  // namespace litmus
