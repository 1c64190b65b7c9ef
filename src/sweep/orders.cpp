// What both runs show is said once.
#include "sweep/orders.h"

#include <algorithm>

namespace litmus::sweep {

namespace {

// Whether they say the same of the same CUDA lines, or of the same statements where there are none.
bool is_same(const Finding& a, const Finding& b) {
    const auto source = [](const Place& place) {
        const bool has_line = place.statement != nullptr && !place.statement->origin.empty();
        return std::pair(has_line ? place.statement->origin : kernel::Origin(), has_line ? nullptr : place.statement);
    };
    return a.kind == b.kind && std::is_permutation(a.places.begin(), a.places.end(), b.places.begin(), b.places.end(),
                                                   [&](const Place& one, const Place& other) { return source(one) == source(other); });
}

// A read in the first round of a ring, before its data.
bool is_early(const Finding& finding) {
    if (finding.kind != Kind::race || !finding.clash) return false;
    const auto& [earlier, later, fresh, again] = *finding.clash;
    const bool read_first = fresh && !earlier.writes && !later.object.empty();
    return read_first || (earlier.writes && !earlier.object.empty() && !later.writes && !again);
}

}  // namespace

bool comes_before(const Finding& a, const Finding& b) {
    const auto rank = [](const Finding& finding) {
        const bool is_clear = finding.breach == Breach::wait_at_once || finding.breach == Breach::bytes_unexpected;
        return std::pair(is_early(finding) ? Kind::phase : finding.kind, is_clear ? 0 : is_early(finding) ? 1 : 2);
    };
    return rank(a) < rank(b);
}

Swept sweep_in_orders(const kernel::Module& module, const kernel::Launch& launch, const Options& options) {
    Swept swept = sweep(module, launch, options);
    if (swept.conditions.empty()) return swept;
    Options contrary = options;
    contrary.backwards = true;
    Swept other;
    try {
        other = sweep(module, launch, contrary);
    } catch (const Failure& failure) {
        swept.conditions.push_back("in the contrary order of the threads the sweep cannot go on: " + failure.diagnostics().front().message);
        return swept;
    }
    for (Finding& finding : other.findings)
        if (std::none_of(swept.findings.begin(), swept.findings.end(), [&](const Finding& known) { return is_same(known, finding); }))
            swept.findings.push_back(std::move(finding));
    std::stable_sort(swept.findings.begin(), swept.findings.end(), comes_before);
    for (std::string& condition : other.conditions)
        if (std::find(swept.conditions.begin(), swept.conditions.end(), condition) == swept.conditions.end())
            swept.conditions.push_back(std::move(condition));
    swept.instructions += other.instructions;
    swept.accesses += other.accesses;
    return swept;
}

}  // namespace litmus::sweep
