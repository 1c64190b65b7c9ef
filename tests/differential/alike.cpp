// The enumerator names every register. Its outcomes are compared by the coordinates that the solver was asked for.
#include "alike.h"

#include <algorithm>
#include <stdexcept>

#include "brute_force.h"
#include "compare.h"
#include "solve/specialise.h"
#include "solve/symmetry.h"

namespace litmus {
namespace {

constexpr size_t orders_for_each = 4;  // execution of a program, as far as the enumerator goes
constexpr double most_seconds = 5;     // of a processor, for all orders of one program
constexpr int first_copy = 200;        // beyond the numbers of CTAs and warps of random programs

Condition is_zero(const std::string& location, int element) {
    Condition atom;
    atom.kind = Condition::Kind::atom;
    atom.comparison = Operator::eq;
    atom.left.kind = Term::Kind::location;
    atom.left.name = location;
    atom.left.element = element;
    return atom;
}

// Of each outcome the coordinates of these numbers.
OutcomeSet projected(const OutcomeSet& outcomes, const std::vector<size_t>& kept) {
    OutcomeSet result;
    for (const std::vector<uint64_t>& values : outcomes) {
        std::vector<uint64_t> outcome;
        for (const size_t i : kept) outcome.push_back(values.at(i));
        result.insert(std::move(outcome));
    }
    return result;
}

// Of the last thread.
void make_odd(Test& test, Odd odd) {
    if (odd == Odd::place) {
        test.threads.back().at = test.threads.front().at;
        test.threads.back().at.warp = first_copy;
    }
    for (Instruction& instruction : test.threads.back().body)
        for (Operand& operand : instruction.operands) {
            if (odd == Odd::constant && operand.kind == Operand::Kind::immediate && operand.role == Role::source) operand.value ^= 1;
            if (odd != Odd::location || operand.kind != Operand::Kind::address || operand.indirect) continue;
            const auto same = [&](const Location& l) { return l.name == operand.name; };
            const auto from = std::find_if(test.locations.begin(), test.locations.end(), same);
            const auto like = [&](const Location& l) {
                return l.name != from->name && l.space == from->space && l.type == from->type && l.count == from->count &&
                       l.cta == from->cta && l.alias_of == from->alias_of;
            };
            const auto to = std::find_if(test.locations.begin(), test.locations.end(), like);
            if (to != test.locations.end()) operand.name = to->name;
        }
}

bool has_order(Program program, const Model& model) {
    FixedBases bases(program);
    std::vector<ExprId> asked{condition_expr(program, program.test->claim.condition)};
    for (const Observable& o : observables(program, false)) asked.push_back(o.value);
    return !find_symmetry(program, bases, specialised(bases, model), asked, Solver::always).order.empty();
}

}  // namespace

Test with_copies(Test test, size_t thread, size_t copies, bool in_own_ctas, Odd odd) {
    const Thread original = test.threads.at(thread);
    // `.shared::cta` does not reach the memory of another CTA
    for (const Location& location : test.locations) in_own_ctas = in_own_ctas && !location.cta;
    test.threads.erase(test.threads.begin() + static_cast<std::ptrdiff_t>(thread));
    for (size_t i = 0; i < copies; ++i) {
        Thread copy = original;
        (in_own_ctas ? copy.at.cta : copy.at.warp) = first_copy + static_cast<int>(i);
        test.threads.push_back(std::move(copy));
    }
    make_odd(test, odd);
    for (size_t i = 0; i < test.threads.size(); ++i) test.threads[i].name = "P" + std::to_string(i);
    test.filter.reset();
    test.claim = {};
    Condition all;
    all.kind = Condition::Kind::conjunction;
    for (const Location& location : test.locations)
        if (location.space == Space::global && !location.is_mbarrier && !location.is_tensor_map && location.alias_of.empty() &&
            location.points_to.empty())
            for (int element = 0; element < location.count; ++element) all.operands.push_back(is_zero(location.name, element));
    if (all.operands.empty()) return test;
    test.claim.kind = Claim::Kind::exists;
    test.claim.condition = all.operands.size() == 1 ? all.operands.front() : all;
    return test;
}

AlikeReport compare_alike(Solver& solver, const Test& test, const Model& model, size_t most_executions) {
    AlikeReport report;
    Program program = build_program(test, {});
    BruteForceOptions bounded;
    bounded.most_executions = most_executions;
    bounded.most_orders = orders_for_each * most_executions;
    const Candidates all = brute_force(program, {&model}, bounded);
    if (all.gave_up) return report;
    report.compared = true;
    report.ordered = has_order(program, model);
    SolveOptions options;
    options.max_outcomes = size_t{1} << 20;
    const Answer answer = solver.solve(program, model, options);
    if (!answer.complete) throw std::logic_error("the solver's outcomes are not complete");
    // by number, what both name: the enumerator does not name a location that nothing accesses
    std::vector<size_t> asked, named;
    const std::vector<std::string> names = observable_names(program);
    for (size_t i = 0; i < answer.observables.size(); ++i) {
        const auto name = std::find(names.begin(), names.end(), answer.observables[i].name);
        if (name == names.end()) continue;
        asked.push_back(i);
        named.push_back(static_cast<size_t>(name - names.begin()));
    }
    Exhaustive expected = all.by_model[0], found;
    expected.outcomes = projected(expected.outcomes, named);
    for (const Outcome& outcome : answer.outcomes)
        if (!found.outcomes.insert(outcome.values).second) throw std::logic_error("the solver gives an outcome twice");
    found.outcomes = projected(found.outcomes, asked);
    for (const Hazard& hazard : answer.hazards->found)
        if (hazard.kind == Hazard::Kind::race || hazard.kind == Hazard::Kind::flag) found.flags.insert(hazard.flag);
    found.races = races_of(*answer.hazards);
    const auto list = [](const std::set<std::string>& names) {
        std::string text;
        for (const std::string& name : names) text += " " + name;
        return text.empty() ? " none" : text;
    };
    const auto count = [](const OutcomeSet& outcomes) { return std::to_string(outcomes.size()); };
    std::string text;
    if (found.outcomes != expected.outcomes)
        text += "  outcomes: solver " + count(found.outcomes) + ", brute force " + count(expected.outcomes) + "\n";
    if ((answer.satisfiable == Truth::yes) != expected.satisfiable || (answer.nonempty == Truth::yes) != expected.nonempty)
        text += "  the claim or the existence of an execution\n";
    if (found.flags != expected.flags) text += "  flags: solver" + list(found.flags) + ", brute force" + list(expected.flags) + "\n";
    const std::set<std::string> races = race_places(found.races, program), all_races = race_places(expected.races, program);
    if (races != all_races) text += "  races: solver" + list(races) + ", brute force" + list(all_races) + "\n";
    if (!text.empty()) report.difference = text;
    return report;
}

AlikeReport compare_orders(Solver& ordering, Solver& trying, const Test& test, const Model& model) {
    AlikeReport report;
    std::vector<std::set<std::string>> found;
    for (Solver* solver : {&ordering, &trying}) {
        Program program = build_program(test, {.blocked = true});
        if (found.empty()) report.ordered = has_order(program, model);
        program.budget = Budget::of_work(most_seconds);
        SolveOptions options;
        options.max_outcomes = size_t{1} << 20;
        const Answer answer = solver->solve(program, model, options);
        if (!answer.complete || !answer.hazards->races_complete) return report;
        std::set<std::string> said;
        for (const Outcome& outcome : answer.outcomes) {
            std::string text = "outcome";
            for (const uint64_t value : outcome.values) text += " " + std::to_string(value);
            said.insert(text);
        }
        for (const Hazard& hazard : answer.hazards->found) {
            std::string text = hazard.kind == Hazard::Kind::blocked ? "blocked" : hazard.flag;
            for (const auto& [thread, instruction] : hazard.places)
                text += " " + std::to_string(thread) + "." + std::to_string(instruction);
            if (hazard.kind == Hazard::Kind::race)
                for (const std::string& places : race_places({hazard.pairs.begin(), hazard.pairs.end()}, program)) text += " " + places;
            said.insert(text);
        }
        found.push_back(std::move(said));
    }
    report.compared = true;
    if (found[0] == found[1]) return report;
    std::string text;
    for (const std::string& one : found[0])
        if (found[1].count(one) == 0) text += "  only in one order: " + one + "\n";
    for (const std::string& one : found[1])
        if (found[0].count(one) == 0) text += "  only in all orders: " + one + "\n";
    report.difference = text;
    return report;
}

}  // namespace litmus
