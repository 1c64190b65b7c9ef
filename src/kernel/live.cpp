// Liveness by the usual backward data flow: live before = read, or live after and not surely written; round after round until nothing
// changes. Rounds go from the last statement to the first, so that straight code needs one.
#include "kernel/live.h"

#include <algorithm>
#include <bit>

namespace litmus::kernel {

std::vector<size_t> successors(const Function& function, size_t s) {
    const Statement& statement = function.code[s];
    const std::string& name = statement.words[0];
    std::vector<size_t> next;
    const bool leaves = name == "bra" || name == "brx" || name == "ret" || name == "exit" || name == "trap";
    if (!leaves || statement.guard >= 0) next.push_back(s + 1);
    const auto add = [&](const std::string& label) {
        const auto target = function.labels.find(label);
        if (target != function.labels.end()) next.push_back(target->second);
    };
    if (name == "bra" && !statement.arguments.empty()) add(statement.arguments[0].name);
    if (name == "brx" && statement.arguments.size() > 1) {
        const auto targets = function.targets.find(statement.arguments[1].name);
        if (targets != function.targets.end())
            for (const std::string& label : targets->second) add(label);
    }
    return next;
}

std::vector<size_t> Registers::all() const {
    std::vector<size_t> all;
    for (size_t w = 0; w < words_.size(); ++w)
        for (uint64_t left = words_[w]; left != 0; left &= left - 1) all.push_back(64 * w + static_cast<size_t>(std::countr_zero(left)));
    return all;
}

bool Registers::join(const Registers& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    bool changed = false;
    for (size_t w = 0; w < other.words_.size(); ++w) {
        const uint64_t joined = words_[w] | other.words_[w];
        changed = changed || joined != words_[w];
        words_[w] = joined;
    }
    return changed;
}

namespace {

constexpr size_t most_bytes_kept = size_t{1} << 30;
constexpr size_t kept_each = 32;             // statement between two labels has what is live before it kept
constexpr size_t statements_to_check = 256;  // between two looks at the budget

// From what is live before the next statement in the text to what is live before this one. Where it may go elsewhere is a label.
Registers before(const Plan& plan, size_t s, Registers next) {
    const auto after = successors(*plan.function, s);
    if (std::find(after.begin(), after.end(), s + 1) == after.end()) next = Registers(plan.carry + 1);
    for (const size_t to : after)
        if (to != s + 1) next.join(plan.kept[to]);
    if (plan.function->code[s].guard < 0)
        for (const size_t r : plan.steps[s].writes) next.erase(r);
    for (const size_t r : plan.steps[s].reads) next.insert(r);
    return next;
}

}  // namespace

Registers Plan::live(size_t statement) const {
    size_t s = statement;
    while (kept[s].none()) ++s;
    Registers registers = kept[s];
    while (s > statement) {
        --s;
        registers = before(*this, s, std::move(registers));
    }
    return registers;
}

Plan plan(const SourcePtr& file, const Function& function, const Budget& budget) {
    Plan plan;
    plan.function = &function;
    plan.carry = function.registers.size();
    plan.steps = decoded(file, function, budget);
    size_t looked = 0;
    const auto look = [&] {
        if (++looked % statements_to_check == 0) budget.check();
    };
    const size_t end = function.code.size();
    plan.leaders.assign(end + 1, false);
    for (const auto& [name, at] : function.labels) plan.leaders[at] = true;
    for (size_t s = 0; s < end; ++s)
        if (function.code[s].guard >= 0) plan.leaders[s + 1] = true;  // where the ways with it and without it meet
    const auto rows = static_cast<size_t>(std::count(plan.leaders.begin(), plan.leaders.end(), true)) + end / kept_each;
    if (rows * plan.carry / 8 > most_bytes_kept)
        throw Failure(nullptr, {}, "`" + function.name + "` has more labels, guards and registers than are followed",
                      "compile it with optimisation, or use smaller functions");
    plan.kept.assign(end + 1, Registers());
    plan.kept[end] = Registers(plan.carry + 1);
    for (bool changed = true; changed;) {
        changed = false;
        Registers live = plan.kept[end];
        for (size_t s = end; s-- > 0;) {
            look();
            live = before(plan, s, std::move(live));
            if (plan.leaders[s] || s % kept_each == 0) changed = plan.kept[s].join(live) || changed;
        }
    }
    return plan;
}

}  // namespace litmus::kernel
