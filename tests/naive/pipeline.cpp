// The solver's answers by instruction, and the comparison.
#include "pipeline.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "analysis/verdict/hazards.h"
#include "language/syntax/native/print.h"

namespace litmus::naive {
namespace {

At place(const Program& program, size_t event) {
    return {program.events[event].thread, program.events[event].instruction};
}

void add_hazards(Answer& answer, const Program& program, const Hazards& hazards) {
    if (hazards.undefined == Truth::unknown || hazards.blocked == Truth::unknown || !hazards.races_complete)
        throw std::logic_error("the solver leaves hazards open");
    for (const Hazard& h : hazards.found) {
        if (h.kind == Hazard::Kind::undefined) answer.undefined.insert(h.flag);
        if (h.kind == Hazard::Kind::blocked) answer.blocked = true;
        if (h.kind != Hazard::Kind::race) continue;
        const At a = place(program, h.pairs.at(0).first), b = place(program, h.pairs[0].second);
        answer.races.emplace(std::min(a, b), std::max(a, b));
    }
}

std::string show(const Test& test, const At& at) {
    const Thread& thread = test.threads[static_cast<size_t>(at.first)];
    return thread.name + ": " + print(thread.body[static_cast<size_t>(at.second)]);
}

std::string joined(const std::set<std::string>& names) {
    std::string result;
    for (const std::string& name : names) result += (result.empty() ? "" : " ") + name;
    return result.empty() ? "none" : result;
}

template <typename T>
void only(std::ostream& out, const char* who, const std::set<T>& here, const std::set<T>& there, const auto& show) {
    for (const T& one : here)
        if (there.count(one) == 0) out << "  only " << who << ": " << show(one) << "\n";
}

// The checker's outcomes at these coordinates, and the rest of its answer.
Answer solved(Solver& solver, const Test& test, const Model& model, const std::vector<std::string>& coordinates, int failures,
              const Spoil& spoil) {
    BuildOptions build;
    build.unroll = failures + 1;
    build.blocked = true;
    Program program = build_program(test, build);
    if (spoil) spoil(program);
    SolveOptions options;
    options.max_outcomes = size_t{1} << 16;
    options.all_state = true;
    const litmus::Answer found = solver.solve(program, model, options);
    if (!found.complete) throw std::logic_error("the solver's outcomes are not complete");
    Answer result;
    result.terminates = found.nonempty == Truth::yes;
    std::vector<size_t> order;
    for (const std::string& name : coordinates)
        for (size_t i = 0; i < found.observables.size(); ++i)
            if (found.observables[i].name == name) order.push_back(i);
    for (const Outcome& outcome : found.outcomes) {
        std::vector<uint64_t> values;
        for (const size_t i : order) values.push_back(outcome.values[i]);
        result.outcomes.insert(std::move(values));
    }
    add_hazards(result, program, found.hazards.value());
    return result;
}

// Some coordinates of the outcomes.
OutcomeSet projected(const OutcomeSet& outcomes, const std::vector<size_t>& kept) {
    OutcomeSet result;
    for (const auto& outcome : outcomes) {
        std::vector<uint64_t> values;
        for (const size_t i : kept) values.push_back(outcome[i]);
        result.insert(std::move(values));
    }
    return result;
}

}  // namespace

std::optional<std::string> difference(Solver& solver, const Test& test, const Model& model, const Answers& answers, size_t index,
                                      int failures, const Spoil& spoil) {
    // elements that nothing touches are coordinates of one side only
    Program program = build_program(test, {});
    std::set<std::string> known;
    for (const Observable& o : observables(program, true)) known.insert(o.name);
    std::vector<std::string> coordinates;
    std::vector<size_t> kept;
    for (size_t i = 0; i < answers.coordinates.size(); ++i) {
        if (known.count(answers.coordinates[i]) == 0) continue;
        coordinates.push_back(answers.coordinates[i]);
        kept.push_back(i);
    }
    const Answer& naive = answers.by_model.at(index);
    const Answer checker = solved(solver, test, model, coordinates, failures, spoil);
    std::ostringstream out;
    if (naive.undefined != checker.undefined)
        out << "  undefined: naive " << joined(naive.undefined) << ", the checker " << joined(checker.undefined) << "\n";
    if (naive.undefined.empty() && checker.undefined.empty()) {
        const auto outcome = [&](const std::vector<uint64_t>& values) {
            std::string text;
            for (size_t i = 0; i < values.size(); ++i) text += coordinates[i] + "=" + std::to_string(values[i]) + " ";
            return text;
        };
        const OutcomeSet outcomes = projected(naive.outcomes, kept);
        only(out, "naive", outcomes, checker.outcomes, outcome);
        only(out, "the checker", checker.outcomes, outcomes, outcome);
        if (naive.terminates != checker.terminates)
            out << "  only " << (naive.terminates ? "naive" : "the checker") << ": some execution ends\n";
    }
    if (naive.blocked != checker.blocked) out << "  only " << (naive.blocked ? "naive" : "the checker") << ": threads stay blocked\n";
    const auto race = [&](const std::pair<At, At>& r) { return "race of " + show(test, r.first) + " and " + show(test, r.second); };
    only(out, "naive", naive.races, checker.races, race);
    only(out, "the checker", checker.races, naive.races, race);
    const std::string text = out.str();
    return text.empty() ? std::nullopt : std::optional(text);
}

Comparison compare(Solver& solver, Test test, const std::vector<const Model*>& models, const Limits& limits) {
    test.filter.reset();
    Comparison result;
    result.naive = answer(test, models, limits);
    for (size_t m = 0; m < models.size(); ++m) {
        const auto found = difference(solver, test, *models[m], result.naive, m, limits.failures, {});
        if (found) result.difference = result.difference.value_or("") + " model " + std::to_string(m) + ":\n" + *found;
    }
    return result;
}

}  // namespace litmus::naive
