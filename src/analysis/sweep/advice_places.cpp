// Branches are found by the order of the code.
#include "analysis/sweep/advice_places.h"

#include <set>

#include "kernel/live.h"

namespace litmus {

std::string advised_line(const kernel::Module& module, const sweep::Place& place) {
    if (place.statement == nullptr) return "the kernel's end";
    const kernel::Origin& origin = place.statement->origin;
    const std::string line = kernel::text_of(module, kernel::shown_line(module, origin));
    if (line.empty()) return "`" + kernel::dotted(place.statement->words) + "`";
    const std::string outer = kernel::text_of(module, origin.back());
    return line + (outer.empty() || outer == line ? "" : " (called at " + outer + ")");
}

Detour around(const kernel::Module& module, const kernel::Statement* statement) {
    constexpr size_t most = 3;
    Detour result;
    for (const kernel::Function& function : module.functions) {
        if (function.code.empty() || statement < &function.code.front() || statement > &function.code.back()) continue;
        const auto own = static_cast<size_t>(statement - function.code.data());
        std::set<size_t> joins;
        for (size_t i = own; i-- > 0;)
            for (const size_t to : kernel::successors(function, i)) {
                if (to <= own || to == function.code.size()) continue;
                joins.insert(to);
                if (result.forks.size() < most) result.forks.push_back(&function.code[i]);
            }
        for (const size_t join : joins)
            if (result.joins.size() < most) result.joins.push_back(&function.code[join]);
    }
    return result;
}

std::vector<const kernel::Statement*> exits(const kernel::Module& module) {
    std::vector<const kernel::Statement*> result;
    for (const kernel::Function& function : module.functions)
        for (const kernel::Statement& statement : function.code)
            if (statement.words[0] == "exit" || (statement.words[0] == "ret" && function.entry)) result.push_back(&statement);
    return result;
}

}  // namespace litmus
