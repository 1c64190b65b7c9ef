// The runs of a level are kept as their departures. A run shows which runs of the next level there are.
#include "sweep/explore.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/arguments.h"
#include "sweep/code.h"
#include "sweep/orders.h"

namespace litmus::sweep {

namespace {

using Departures = std::vector<Choice>;

// The runs that depart once more, behind the last departure of this one.
void add_next(const Departures& run, const std::vector<ChosenAccess>& chosen, std::vector<Departures>& next) {
    constexpr size_t most = 100'000;  // kept of a level
    const size_t from = run.empty() ? 0 : run.back().number + 1;
    for (size_t number = from; number < chosen.size() && next.size() < most; ++number)
        for (uint32_t taken = 1; taken < chosen[number].alternatives; ++taken) {
            next.push_back(run);
            next.back().push_back({static_cast<uint32_t>(number), taken});
        }
}

// The strong accesses of this run up to the finding.
std::vector<Place> order_of(const Finding& finding, const kernel::Module& module, const kernel::Launch& launch, Options how) {
    how.ends_with = [&](const Finding& now) { return is_same(now, finding); };
    std::vector<Place> order;
    for (const ChosenAccess& one : sweep(module, launch, how).chosen) order.push_back(one.place);
    return order;
}

}  // namespace

Explored explore(const kernel::Module& module, const kernel::Launch& launch, const Options& options, const ExploreLimits& limits) {
    const kernel::Function& entry = kernel::entry_named(module, launch.entry);
    const auto code = decoded(module, entry, kernel::MemoryLayout(module, launch, entry, options.budget), options.budget);
    Explored result;
    bool is_whole = true;
    std::vector<Departures> level{{}};
    while (!level.empty()) {
        std::vector<Departures> next;
        const size_t left = limits.most_runs - result.runs;
        const size_t runs = std::min(left, level.size());
        for (size_t n = 0; n < runs; ++n) {
            if (result.swept.instructions > limits.most_instructions) return result;
            const Departures& run = level[n * level.size() / runs];
            Options how = options;
            how.decoded = code;
            how.prunes = true;
            how.schedule.choices = std::make_shared<const Departures>(run);
            ++result.runs;
            try {
                Swept swept = sweep(module, launch, how);
                add_next(run, swept.chosen, next);
                is_whole = is_whole && (swept.chose_all || swept.shown_elsewhere);
                add(result.swept, std::move(swept));
            } catch (const Failure&) {
                is_whole = false;
            }
            if (result.swept.findings.empty()) continue;
            for (Finding& finding : result.swept.findings) finding.order = order_of(finding, module, launch, how);
            return result;
        }
        if (runs < level.size()) return result;
        level = std::move(next);
    }
    result.all = is_whole;
    return result;
}

}  // namespace litmus::sweep
