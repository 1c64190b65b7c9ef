// Comparing the two engines, and shrinking a program on which they differ.
#include "compare.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace litmus {
namespace {

std::string show(const std::vector<std::string>& names, const std::vector<uint64_t>& values) {
    std::ostringstream out;
    for (size_t i = 0; i < names.size(); ++i) out << (i ? " " : "") << names[i] << "=" << values[i];
    return out.str();
}

void list_missing(std::ostream& out, const char* title, const OutcomeSet& from, const OutcomeSet& in,
                  const std::vector<std::string>& names) {
    for (const auto& values : from)
        if (!in.count(values)) out << "  " << title << ": " << show(names, values) << "\n";
}

// The solver's coordinates in the brute-force engine's order.
std::vector<size_t> permutation(const std::vector<Observable>& observables, const std::vector<std::string>& names) {
    std::vector<size_t> result;
    for (const std::string& name : names) {
        const auto it = std::find_if(observables.begin(), observables.end(), [&](const Observable& o) { return o.name == name; });
        if (it == observables.end()) throw std::logic_error("the solver does not observe " + name);
        result.push_back(static_cast<size_t>(it - observables.begin()));
    }
    return result;
}

bool known(Answer::Truth truth, const char* what) {
    if (truth == Answer::Truth::unknown) throw std::logic_error(std::string("the solver leaves open whether the claim is ") + what);
    return truth == Answer::Truth::yes;
}

template <typename T>
void compare_flag(std::ostream& out, const char* what, const T& solver, const T& exhaustive) {
    if (solver != exhaustive) out << "  " << what << ": solver " << solver << ", brute force " << exhaustive << "\n";
}

std::string join(const std::set<std::string>& names) {
    std::string result;
    for (const std::string& name : names) result += (result.empty() ? "" : " ") + name;
    return result.empty() ? "none" : result;
}

}  // namespace

std::set<std::string> race_places(const std::set<std::pair<size_t, size_t>>& races, const Program& program) {
    const auto place = [&](size_t e) { return std::pair(program.events[e].thread, program.events[e].instruction); };
    const auto text = [](const std::pair<int, int>& at) { return std::to_string(at.first) + "." + std::to_string(at.second); };
    std::set<std::string> result;
    for (const auto& [a, b] : races) result.insert(text(std::min(place(a), place(b))) + "/" + text(std::max(place(a), place(b))));
    return result;
}

std::set<std::pair<size_t, size_t>> races_of(const Hazards& hazards) {
    if (!hazards.races_complete) throw std::logic_error("the solver leaves open what races");
    std::set<std::pair<size_t, size_t>> result;
    for (const Hazard& hazard : hazards.found)
        if (hazard.kind == Hazard::Kind::race) result.insert(hazard.pairs.begin(), hazard.pairs.end());
    return result;
}

Exhaustive solver_answer(Solver& solver, Program& program, const Model& model) {
    SolveOptions options;
    options.max_outcomes = size_t{1} << 20;
    options.all_state = true;
    if (solver.counts_from() == Solver::always) options.apart_from = 1;  // of random programs every other one
    const Answer answer = solver.solve(program, model, options);
    if (!answer.complete) throw std::logic_error("the solver's outcomes are not complete");
    Exhaustive result;
    const std::vector<size_t> order = permutation(answer.observables, observable_names(program));
    for (const Outcome& outcome : answer.outcomes) {
        std::vector<uint64_t> values;
        for (const size_t i : order) values.push_back(outcome.values[i]);
        if (!result.outcomes.insert(std::move(values)).second) throw std::logic_error("the solver gives an outcome twice");
    }
    result.satisfiable = known(answer.satisfiable, "satisfiable");
    result.violable = known(answer.violable, "violable");
    result.nonempty = known(answer.nonempty, "about any execution");
    for (const Hazard& hazard : answer.hazards->found)
        if (hazard.kind == Hazard::Kind::race || hazard.kind == Hazard::Kind::flag) result.flags.insert(hazard.flag);
    result.races = races_of(*answer.hazards);
    return result;
}

std::optional<std::string> difference(const Exhaustive& solved, const Exhaustive& exhaustive, const Program& program) {
    std::ostringstream out;
    const std::vector<std::string> names = observable_names(program);
    list_missing(out, "only brute force", exhaustive.outcomes, solved.outcomes, names);
    list_missing(out, "only the solver", solved.outcomes, exhaustive.outcomes, names);
    compare_flag(out, "condition satisfiable", solved.satisfiable, exhaustive.satisfiable);
    compare_flag(out, "condition violable", solved.violable, exhaustive.violable);
    compare_flag(out, "some execution", solved.nonempty, exhaustive.nonempty);
    compare_flag(out, "flags", join(solved.flags), join(exhaustive.flags));
    compare_flag(out, "races", join(race_places(solved.races, program)), join(race_places(exhaustive.races, program)));
    const std::string text = out.str();
    return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::string> compare_engines(Solver& solver, const Test& test, const Model& model, const Model& reference) {
    Program program = build_program(test, {});
    const Candidates candidates = brute_force(program, {&reference}, {});
    try {
        return difference(solver_answer(solver, program, model), candidates.by_model[0], program);
    } catch (const std::logic_error& e) {
        return "  " + std::string(e.what()) + "\n";
    }
}

// ---- shrinking -----------------------------------------------------------------------------------

namespace {

void remove_instruction(Thread& thread, size_t at) {
    std::vector<std::string> labels = std::move(thread.body[at].labels);
    thread.body.erase(thread.body.begin() + static_cast<std::ptrdiff_t>(at));
    auto& next = at < thread.body.size() ? thread.body[at].labels : thread.end_labels;
    next.insert(next.begin(), labels.begin(), labels.end());
}

// Every test that is one step smaller.
std::vector<Test> smaller(const Test& test) {
    std::vector<Test> result;
    const auto add = [&](const auto& change) {
        Test copy = test;
        change(copy);
        result.push_back(std::move(copy));
    };
    if (test.filter) add([](Test& t) { t.filter.reset(); });
    if (test.claim.kind != Claim::Kind::none) add([](Test& t) { t.claim = {}; });
    if (test.claim.kind == Claim::Kind::none && !test.filter)
        for (size_t i = 0; i < test.threads.size(); ++i)
            add([&](Test& t) { t.threads.erase(t.threads.begin() + static_cast<std::ptrdiff_t>(i)); });
    for (size_t i = 0; i < test.threads.size(); ++i) {
        for (size_t k = 0; k < test.threads[i].body.size(); ++k) {
            add([&](Test& t) { remove_instruction(t.threads[i], k); });
            if (test.threads[i].body[k].guard) add([&](Test& t) { t.threads[i].body[k].guard.reset(); });
            if (test.threads[i].body[k].expect) {
                add([&](Test& t) {
                    t.threads[i].body[k].await = false;
                    t.threads[i].body[k].expect.reset();
                });
            }
        }
    }
    return result;
}

}  // namespace

Test shrink(Test test, const std::function<bool(const Test&)>& fails) {
    for (bool progress = true; progress;) {
        progress = false;
        for (Test& candidate : smaller(test)) {
            bool failing = false;
            try {
                failing = fails(candidate);
            } catch (const Failure&) {
            }
            if (!failing) continue;
            test = std::move(candidate);
            progress = true;
            break;
        }
    }
    return test;
}

Model without(const Model& model, size_t index) {
    Model result = model;
    result.constraints.erase(result.constraints.begin() + static_cast<std::ptrdiff_t>(index));
    return result;
}

}  // namespace litmus
