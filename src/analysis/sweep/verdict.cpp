// Scopes first: a wait that is too narrow is the cause of many races.
#include "analysis/sweep/verdict.h"

#include <utility>

#include "sweep/orders.h"

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

}  // namespace

SweptKernel judge_sweep(const kernel::Module& module, const kernel::Launch& launch, sweep::Options how, ModelFamily& family,
                        const CheckOptions& options, Solver& solver) {
    SweptKernel result;
    sweep::Swept swept = sweep::sweep_in_orders(module, launch, how);
    take_out_narrow_waits(module, launch, how, swept, result);
    size_t asked = 0;
    for (sweep::Finding& finding : swept.findings) {
        SweptFinding one;
        one.asked = finding.kind == sweep::Kind::race && asked++ < most_asked;
        if (one.asked) one.confirmation = confirm(module, launch, how, finding, family, options, solver);
        one.finding = std::move(finding);
        if (one.asked && one.confirmation.answer == Confirmation::Answer::no)
            ++result.denied;
        else
            result.findings.push_back(std::move(one));
    }
    result.conditions = std::move(swept.conditions);
    result.instructions = swept.instructions;
    result.accesses = swept.accesses;
    return result;
}

}  // namespace litmus
