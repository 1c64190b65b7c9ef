#include "repair/pairs.h"

#include <algorithm>
#include <filesystem>

#include "ptx/traits.h"
#include "repair/catalogue.h"
#include "repair/search.h"
#include "syntax/read.h"

namespace repair_pairs {

namespace {

constexpr size_t most_steps = 12;

// A step, and where: before which instruction of the thread something comes in, or which one goes.
struct Atom {
    int thread = -1;
    int at = 0;
    bool comes = false;
    Instruction instruction;
    int location = -1;  // a declaration that changes: its index in the mended test
};

std::vector<Atom> thread_difference(int t, const std::vector<Instruction>& a, const std::vector<Instruction>& b) {
    std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = a.size(); i-- > 0;)
        for (size_t j = b.size(); j-- > 0;)
            common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    std::vector<Atom> atoms;
    for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
        if (i < a.size() && j < b.size() && a[i] == b[j])
            ++i, ++j;
        else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1]))
            atoms.push_back({t, static_cast<int>(i), false, a[i], -1}), ++i;
        else
            atoms.push_back({t, static_cast<int>(i), true, b[j], -1}), ++j;
    }
    return atoms;
}

std::vector<Atom> difference(const Test& bug, const Test& mended) {
    std::vector<Atom> atoms;
    for (size_t t = 0; t < bug.threads.size(); ++t)
        for (Atom& atom : thread_difference(static_cast<int>(t), bug.threads[t].body, mended.threads[t].body)) atoms.push_back(std::move(atom));
    for (size_t l = 0; l < mended.locations.size(); ++l) {
        const Location* was = find_location(bug, mended.locations[l].name);
        if (was != nullptr && was->is_mbarrier && was->arrivals != mended.locations[l].arrivals) atoms.push_back({-1, 0, true, {}, static_cast<int>(l)});
    }
    return atoms;
}

Test with(const Test& bug, const Test& mended, const std::vector<Atom>& atoms, const std::vector<bool>& taken) {
    Test test = bug;
    for (const Location& location : mended.locations)
        if (find_location(bug, location.name) == nullptr) test.locations.push_back(location);
    for (size_t t = 0; t < bug.threads.size(); ++t) {
        std::vector<Instruction>& body = test.threads[t].body;
        body.clear();
        for (int i = 0; i <= static_cast<int>(bug.threads[t].body.size()); ++i) {
            bool stays = i < static_cast<int>(bug.threads[t].body.size());
            for (size_t k = 0; k < atoms.size(); ++k) {
                if (!taken[k] || atoms[k].thread != static_cast<int>(t) || atoms[k].at != i) continue;
                if (atoms[k].comes) body.push_back(atoms[k].instruction);
                stays = stays && atoms[k].comes;
            }
            if (stays) body.push_back(bug.threads[t].body[static_cast<size_t>(i)]);
        }
    }
    for (size_t k = 0; k < atoms.size(); ++k)
        if (taken[k] && atoms[k].location >= 0) {
            const Location& now = mended.locations[static_cast<size_t>(atoms[k].location)];
            for (Location& location : test.locations)
                if (location.name == now.name) location = now;
        }
    return test;
}

bool repairs(const Test& test, const Goal& goal, const Model& model, Solver& solver) {
    try {
        const Test aimed = aiming(test, goal);
        Program program = build_program(aimed, {.unroll = 2, .blocked = true, .budget = Budget(20)});
        return try_program(program, goal, model, solver).result == Trial::Result::repaired;
    } catch (const std::exception&) {  // taken apart, the test need not be well formed
        return false;
    }
}

}  // namespace

std::map<std::string, Test> tests_below(const std::string& folder) {
    std::map<std::string, Test> result;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().extension() != ".litmus") continue;
        Test test = parse_tests(read_source(entry.path().string())).front();
        result.emplace(test.name, std::move(test));
    }
    return result;
}

std::optional<std::vector<Step>> needed(const Test& bug, const Test& mended, const Goal& goal, const Model& model, Solver& solver) {
    if (bug.threads.size() != mended.threads.size()) return std::nullopt;
    const std::vector<Atom> atoms = difference(bug, mended);
    if (atoms.size() > most_steps) return std::nullopt;
    std::vector<uint32_t> masks;
    for (uint32_t mask = 1; mask < (1U << atoms.size()); ++mask) masks.push_back(mask);
    std::stable_sort(masks.begin(), masks.end(), [](uint32_t a, uint32_t b) { return __builtin_popcount(a) < __builtin_popcount(b); });
    for (const uint32_t mask : masks) {
        std::vector<bool> taken;
        for (size_t k = 0; k < atoms.size(); ++k) taken.push_back(((mask >> k) & 1U) != 0);
        if (!repairs(with(bug, mended, atoms, taken), goal, model, solver)) continue;
        std::vector<Step> steps;
        for (size_t k = 0; k < atoms.size(); ++k) {
            if (!taken[k]) continue;
            Step& step = steps.emplace_back();
            step.thread = atoms[k].thread;
            if (atoms[k].location >= 0)
                step.what = "declare " + mended.locations[static_cast<size_t>(atoms[k].location)].name;
            else
                (atoms[k].comes ? step.in : step.out).push_back(atoms[k].instruction), step.what = (atoms[k].comes ? "+ " : "- ") + spelling(atoms[k].instruction);
        }
        return steps;
    }
    return std::nullopt;
}

namespace {

// Whether one instruction is the other, or a weaker one of the kind.
bool no_more(const Instruction& a, const Instruction& b) {
    if (a.op == Op::fence || a.op == Op::fence_proxy) return no_stronger(a, b);
    const auto alike = [](Op op) { return op == Op::mbarrier_test_wait ? Op::mbarrier_try_wait : op; };
    if (alike(a.op) != alike(b.op) || !no_stronger(semantics(a), semantics(b)) || scope(a) > scope(b)) return false;
    if (kind(a.op) == Traits::Kind::store) return true;  // of a value: to whatever place
    return a.operands == b.operands && a.await == b.await;
}

}  // namespace

bool takes(const Test& bug, const Test& repaired, const std::vector<Step>& steps) {
    std::vector<Atom> ours = difference(bug, repaired);
    const auto matched = [&](const Step& step) {
        const auto found = std::find_if(ours.begin(), ours.end(), [&](const Atom& atom) {
            if (step.thread < 0) return atom.location >= 0;
            if (atom.thread != step.thread) return false;
            if (atom.comes) return !step.in.empty() && no_more(atom.instruction, step.in.front());
            return !step.out.empty() && atom.instruction == step.out.front();
        });
        if (found == ours.end()) return false;
        ours.erase(found);
        return true;
    };
    return std::all_of(steps.begin(), steps.end(), matched) && ours.empty();
}

}  // namespace repair_pairs
