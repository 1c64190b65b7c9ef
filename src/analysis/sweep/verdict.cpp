// Scopes first: a wait that is too narrow is the cause of many races.
#include "analysis/sweep/verdict.h"

#include <algorithm>
#include <utility>

namespace litmus {

namespace {

constexpr size_t most_asked = 8;  // races of which the model is asked: each takes the time of a few sweeps

// Findings that go where scopes of mbarrier objects do not count have the narrow waits as their one cause. The sweep is then one without
// them, and `how` asks for that.
void take_out_narrow_waits(const kernel::Module& module, const kernel::Launch& launch, sweep::Options& how, sweep::Swept& swept,
                           SweptKernel& result) {
    if (swept.findings.empty() || swept.out_of_scope.empty()) return;
    how.in_scope = false;
    sweep::Swept wide = sweep::sweep_in_orders(module, launch, how);
    if (wide.findings.size() >= swept.findings.size()) {
        how.in_scope = true;
        return;
    }
    result.out_of_scope = swept.findings.size() - wide.findings.size();
    result.narrow_waits = std::move(swept.out_of_scope);
    swept = std::move(wide);
}

// Whether an earlier launch of the same kernel has it.
bool is_known(const sweep::Finding& finding, const std::vector<sweep::Started>& launches, const std::vector<sweep::Streamed>& all,
              size_t number) {
    for (size_t earlier = 0; earlier < number; ++earlier) {
        const auto& findings = all[earlier].swept.findings;
        if (launches[earlier].module == launches[number].module && launches[earlier].launch->entry == launches[number].launch->entry &&
            std::any_of(findings.begin(), findings.end(), [&](const sweep::Finding& other) { return sweep::is_same(finding, other); }))
            return true;
    }
    return false;
}

}  // namespace

std::vector<SweptKernel> judge_stream(const std::vector<sweep::Started>& launches, const sweep::Options& how, ModelFamily& family,
                                      const CheckOptions& options, Solver& solver) {
    std::vector<SweptKernel> results;
    std::vector<sweep::Streamed> all = sweep::sweep_stream(launches, how);
    for (size_t n = 0; n < all.size(); ++n) {
        const kernel::Module* const module = launches[n].module;
        const kernel::Launch* const launch = launches[n].launch;
        sweep::Swept& swept = all[n].swept;
        sweep::Options& here = all[n].how;
        SweptKernel& result = results.emplace_back();
        if (launches.size() > 1) result.launch = n + 1;
        take_out_narrow_waits(*module, *launch, here, swept, result);
        size_t asked = 0;
        for (const sweep::Finding& finding : swept.findings) {
            if (is_known(finding, launches, all, n)) {
                ++result.again;
                continue;
            }
            SweptFinding one;
            one.finding = finding;
            one.asked = finding.kind == sweep::Kind::race && asked++ < most_asked;
            if (one.asked) one.confirmation = confirm(*module, *launch, here, finding, family, options, solver);
            if (one.asked && one.confirmation.answer == Confirmation::Answer::no)
                ++result.denied;
            else
                result.findings.push_back(std::move(one));
        }
        result.unwritten = std::move(all[n].unwritten);
        result.conditions = std::move(swept.conditions);
        result.instructions = swept.instructions;
        result.accesses = swept.accesses;
    }
    return results;
}

SweptKernel judge_sweep(const kernel::Module& module, const kernel::Launch& launch, const sweep::Options& how, ModelFamily& family,
                        const CheckOptions& options, Solver& solver) {
    return std::move(judge_stream({{&module, &launch}}, how, family, options, solver).front());
}

}  // namespace litmus
