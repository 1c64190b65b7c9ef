// The solver's answers by instruction, and the comparison.
#include "pipeline.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "explain/hazards.h"
#include "syntax/print.h"

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

}  // namespace

Solved solved(Solver& solver, const Test& test, const Model& model, const std::vector<std::string>& coordinates, int failures) {
    BuildOptions build;
    build.unroll = failures + 1;
    Program program = build_program(test, build);
    SolveOptions options;
    options.max_outcomes = size_t{1} << 16;
    options.all_state = true;
    const Examination examined = examine(program, model, build, options, solver);
    const litmus::Answer& found = examined.answer;
    if (!found.complete) throw std::logic_error("the solver's outcomes are not complete");
    Solved result;
    result.bound_hit = found.bound_hit;
    std::vector<size_t> order;
    for (const std::string& name : coordinates) {
        const auto at = std::find_if(found.observables.begin(), found.observables.end(), [&](const Observable& o) { return o.name == name; });
        order.push_back(at == found.observables.end() ? SIZE_MAX : static_cast<size_t>(at - found.observables.begin()));
    }
    for (const Outcome& outcome : found.outcomes) {
        std::vector<uint64_t> values;
        for (const size_t i : order)
            if (i != SIZE_MAX) values.push_back(outcome.values[i]);
        result.answer.outcomes.insert(std::move(values));
    }
    result.answer.terminates = found.nonempty == Truth::yes;
    add_hazards(result.answer, examined.waiting ? *examined.waiting : program, found.hazards.value());
    return result;
}

std::optional<std::string> difference(const Test& test, const Answer& naive, const Solved& solved, const std::vector<std::string>& coordinates) {
    std::ostringstream out;
    const Answer& other = solved.answer;
    if (naive.undefined != other.undefined)
        out << "  undefined: naive " << joined(naive.undefined) << ", checker " << joined(other.undefined) << "\n";
    if (naive.undefined.empty() && other.undefined.empty()) {
        const auto outcome = [&](const std::vector<uint64_t>& values) {
            std::string text;
            for (size_t i = 0; i < values.size(); ++i) text += coordinates[i] + "=" + std::to_string(values[i]) + " ";
            return text;
        };
        only(out, "naive", naive.outcomes, other.outcomes, outcome);
        only(out, "the checker", other.outcomes, naive.outcomes, outcome);
        if (naive.terminates != other.terminates) out << "  some execution ends: naive " << naive.terminates << "\n";
    }
    if (naive.blocked != other.blocked) out << "  threads stay blocked: naive " << naive.blocked << "\n";
    const auto race = [&](const std::pair<At, At>& r) { return "race of " + show(test, r.first) + " and " + show(test, r.second); };
    only(out, "naive", naive.races, other.races, race);
    only(out, "the checker", other.races, naive.races, race);
    const std::string text = out.str();
    return text.empty() ? std::nullopt : std::optional(text);
}

Comparison compare(Solver& solver, const Test& test, const std::vector<const Model*>& models, const Limits& limits) {
    Comparison result;
    result.naive = answer(test, models, limits);
    for (size_t m = 0; m < models.size(); ++m) {
        // coordinates that one side does not have (elements that nothing touches) are compared by neither
        Answers& naive = result.naive;
        Program program = build_program(test, {});
        const std::vector<Observable> known = observables(program, true);
        std::vector<std::string> common;
        std::vector<size_t> kept;
        for (size_t i = 0; i < naive.coordinates.size(); ++i) {
            if (std::none_of(known.begin(), known.end(), [&](const Observable& o) { return o.name == naive.coordinates[i]; })) continue;
            common.push_back(naive.coordinates[i]);
            kept.push_back(i);
        }
        Answer projected = naive.by_model[m];
        projected.outcomes.clear();
        for (const auto& outcome : naive.by_model[m].outcomes) {
            std::vector<uint64_t> values;
            for (const size_t i : kept) values.push_back(outcome[i]);
            projected.outcomes.insert(std::move(values));
        }
        const Solved other = solved(solver, test, *models[m], common, limits.failures);
        if (const auto text = difference(test, projected, other, common))
            result.difference = result.difference.value_or("") + " under " + std::to_string(m) + ":\n" + *text;
    }
    return result;
}

}  // namespace litmus::naive
