// Sets of registers as words of bits; what may come next, from the names of branches.
#include "kernel/live.h"

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

}  // namespace litmus::kernel
