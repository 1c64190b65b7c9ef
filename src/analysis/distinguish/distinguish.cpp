// Propose by the open program, check by the pipeline.
#include "analysis/distinguish/distinguish.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "analysis/verdict/depends.h"
#include "analysis/verdict/signs.h"
#include "cat/fold.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "solve/apart.h"
#include "solve/specialise.h"

namespace litmus {

namespace {

std::vector<size_t> all_but(const std::vector<size_t>& numbers, size_t left_out) {
    std::vector<size_t> result;
    std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(result), [&](size_t n) { return n != left_out; });
    return result;
}

// Which instruction each slot has, by slot, from the choices of an open program.
std::vector<size_t> instructions_of(const Skeleton& skeleton, const Slots& slots, const Program& program, const Chosen& chosen) {
    std::vector<size_t> result(skeleton.size(), 0);
    for (size_t a = 0; a < chosen.size(); ++a) {
        if (!chosen[a]) continue;
        const SlotChoice& choice = program.alternatives[a];
        const std::vector<int>& of_thread = slots[static_cast<size_t>(choice.thread)];
        const auto first = std::find(of_thread.begin(), of_thread.end(), choice.slot);
        result[static_cast<size_t>(choice.slot)] = static_cast<size_t>(choice.instruction - (first - of_thread.begin()));
    }
    return result;
}

// All is known, and nothing hangs; nor is anything undefined.
bool is_known(const Answer& answer) {
    return knows_all(answer) && answer.hazards->blocked == Truth::no && !answer.outcomes.empty();
}
bool is_sound(const Answer& answer) {
    return is_known(answer) && answer.hazards->undefined == Truth::no;
}

bool agree(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b, const std::vector<size_t>& at) {
    return std::all_of(at.begin(), at.end(), [&](size_t i) { return a[i] == b[i]; });
}

// The observables by which the values differ from all outcomes of an answer, without those that are not needed for it.
std::vector<size_t> telling(const std::vector<uint64_t>& values, const Answer& other) {
    std::vector<size_t> kept;
    for (size_t i = 0; i < values.size(); ++i) kept.push_back(i);
    for (size_t i = values.size(); i-- > 0;) {
        const std::vector<size_t> fewer = all_but(kept, i);
        const bool still =
            std::none_of(other.outcomes.begin(), other.outcomes.end(), [&](const Outcome& o) { return agree(o.values, values, fewer); });
        if (still && !fewer.empty()) kept = fewer;
    }
    return kept;
}

Test claiming(const Test& test, const std::string& claim) {
    return parse_tests(make_source("<found>", print(test) + "\n" + claim + "\n")).at(0);
}

// "exists (P1:r0 == 1)"
std::string existence(const Distinguished& found, const std::vector<Observable>& observables) {
    std::string condition;
    for (size_t i = 0; i < found.values.size(); ++i) {
        const auto is_it = [&](const Observable& o) { return o.name == found.observables[i]; };
        const auto o = std::find_if(observables.begin(), observables.end(), is_it);
        condition += (i == 0 ? "" : " /\\ ") + o->name + " == " + format_value(found.values[i], o->type);
    }
    return "exists (" + condition + ")";
}

std::optional<Distinguished> checked(const Test& test, const Distinguishing& models) {
    Program program = build_program(test, {.blocked = true, .budget = models.budget});
    Solver solver(Solver::usually, models.engine);
    const Answer allowed = solver.solve(program, models.allowing, {});
    const bool undefined = is_known(allowed) && allowed.hazards->undefined == Truth::yes;
    if (!is_sound(allowed) && !(undefined && models.undefined)) return std::nullopt;
    const Answer other = solver.solve(program, models.forbidding, {});
    if (!is_sound(other)) return std::nullopt;
    if (undefined) return Distinguished{claiming(test, "undefined"), {}, {}, 0};
    std::optional<Distinguished> best;
    for (const Outcome& outcome : allowed.outcomes) {
        if (has_outcome(other, outcome.values)) continue;
        const std::vector<size_t> kept = telling(outcome.values, other);
        if (best && best->values.size() <= kept.size()) continue;
        best.emplace();
        for (const size_t i : kept) {
            best->observables.push_back(allowed.observables[i].name);
            best->values.push_back(outcome.values[i]);
        }
    }
    if (best) best->test = claiming(test, existence(*best, allowed.observables));
    return best;
}

bool same_for(const Program& program, const Model& a, const Model& b) {
    const auto graph = [&](const Model& model) {
        return graph_text(specialised(program, restricted(model, [](const Constraint& c) { return !c.flag; })));
    };
    return graph(a) == graph(b);
}

bool same_for(const Test& test, const Model& a, const Model& b) {
    return same_for(build_program(test, {}), a, b);
}

}  // namespace

std::optional<Distinguished> tell_apart(const Skeleton& skeleton, const Distinguishing& models) {
    const OpenTest open = open_test(skeleton);
    Program program = build_program(open.test, {.budget = models.budget, .slots = &open.slots});
    if (same_for(program, models.allowing, models.forbidding)) return std::nullopt;
    Solver solver(Solver::usually, models.engine);
    Apart apart(program, models.allowing, models.forbidding, solver);
    size_t refuted = 0;
    while (const std::optional<Chosen> chosen = apart.next()) {
        const Test test = one_test(skeleton, instructions_of(skeleton, open.slots, program, *chosen));
        if (std::optional<Distinguished> found = checked(test, models)) {
            found->refuted = refuted;
            return found;
        }
        ++refuted;
        apart.leave_out(*chosen);
    }
    return std::nullopt;
}

std::vector<Families> required_families(const Families& families, const Model& a, const Model& b) {
    std::vector<std::string> names;
    for (const size_t f : families) names.push_back(vocabulary()[f].name);
    const Dependence found = depends_on({}, names, [&](const std::vector<std::string>& left_out) {
        Families rest = families;
        for (const std::string& name : left_out) rest = all_but(rest, family_named(name));
        if (rest.empty()) return 1;
        return same_for(test_of_all(rest), a, b) ? 1 : 0;
    });
    std::vector<Families> result;
    for (const std::vector<std::string>& set : found.flips) {
        result.emplace_back();
        for (const std::string& name : set) result.back().push_back(family_named(name));
    }
    return result;
}

}  // namespace litmus
