// The smallest set: a register that depends on itself is none of them.
#include "sweep/fixed.h"

#include <algorithm>

#include "ptx/traits.h"

namespace litmus::sweep {

namespace {

using kernel::Step;

bool is_computed(const Step& step) {
    return step.form ? traits(step.form->op).kind == Traits::Kind::arithmetic : step.computes;
}

// With the same operands it gives another value at another time, or where other lanes are there.
bool differs(const Step& step) {
    return step.reads_clock || (step.form && traits(step.form->op).family == Traits::Family::warp_exchange);
}

// A function that is called finds there what its caller has given.
bool reads_parameter(const Step& step) {
    return step.name() == "ld" && step.space(Role::address) == "param";
}

}  // namespace

std::vector<bool> fixed_registers(const std::vector<Step>& steps, size_t registers) {
    const bool calls = std::any_of(steps.begin(), steps.end(), [](const Step& step) { return step.name() == "call"; });
    std::vector<uint32_t> writers(registers);
    for (const Step& step : steps)
        for (const size_t reg : step.writes) ++writers[reg];
    std::vector<bool> fixed(registers);
    const auto is_fixed = [&](size_t reg) { return fixed[reg]; };
    const auto may_fix = [&](const Step& step) {
        const bool is_known = (is_computed(step) && !differs(step)) || (!calls && reads_parameter(step));
        return is_known && std::all_of(step.reads.begin(), step.reads.end(), is_fixed);
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (const Step& step : steps) {
            if (step.writes.empty() || !may_fix(step)) continue;
            for (const size_t reg : step.writes) {
                if (writers[reg] != 1 || fixed[reg]) continue;
                changed = fixed[reg] = true;
            }
        }
    }
    return fixed;
}

}  // namespace litmus::sweep
