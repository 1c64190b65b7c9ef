// Follows values from reads to what waits for them.
#include "sweep/code.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernel/arguments.h"
#include "sweep/carried.h"
#include "sweep/fixed.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

namespace {

constexpr size_t statements_to_check = 256;  // between two looks at the budget

// Whether it may read shared memory: a read of what an asynchronous operation writes later has to be performed before.
bool reads_shared(const Step& step) {
    const bool loads = step.name() == "ld" || step.name() == "ldmatrix";
    const std::string_view space = loads ? step.space(Role::address) : "none";
    return space.empty() || space.rfind("shared", 0) == 0;
}

// Arithmetic holds nothing back, nor does a further load; who exchanges values with other lanes does not, either.
bool waits_for_operands(const Step& step) {
    if (!step.form) return step.name() == "bra" || step.name() == "st" || step.name() == "call";
    if (step.form->op == Op::ldmatrix) return false;
    using K = Traits::Kind;
    const K kind = traits(step.form->op).kind;
    return kind != K::arithmetic && kind != K::load && kind != K::warp_reduction && kind != K::hint && kind != K::cancellation_query;
}

// Which reads each statement waits for: those on whose values its operands depend, through whatever arithmetic. Registers are taken to be
// written once, as compilers do it, or each time by the same reads.
void note_waits(std::vector<Step>& steps, size_t registers, const Budget& budget) {
    const auto has_kind = [&](auto... kinds) {
        return std::any_of(steps.begin(), steps.end(),
                           [&](const Step& step) { return step.form && ((traits(step.form->op).kind == kinds) || ...); });
    };
    using K = Traits::Kind;
    if (!has_kind(K::bulk, K::tensor, K::cancellation) || !has_kind(K::mbarrier_arrival)) return;
    constexpr size_t most = 64;  // reads of a register; nobody is taken to wait for more
    std::vector<std::set<uint32_t>> reads(registers);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t s = 0; s < steps.size(); ++s) {
            if (s % statements_to_check == 0) budget.check();
            std::set<uint32_t> from;
            for (const size_t reg : steps[s].reads) from.insert(reads[reg].begin(), reads[reg].end());
            if (waits_for_operands(steps[s])) {
                steps[s].waits_for.assign(from.begin(), from.end());
                continue;
            }
            if (reads_shared(steps[s])) {
                from.insert(static_cast<uint32_t>(s));
                steps[s].awaited = true;
            }
            for (const size_t reg : steps[s].writes)
                for (const uint32_t read : from)
                    if (reads[reg].size() < most) changed = reads[reg].insert(read).second || changed;
        }
    }
}

// Statements before which a lane may stand while others go on.
std::vector<bool> stood_at(const std::vector<Step>& steps) {
    std::vector<bool> result(steps.size() + 1);
    for (size_t s = 0; s < steps.size(); ++s) {
        const Step& step = steps[s];
        const bool meets = step.form ? is_barrier(step.form->op) || traits(step.form->op).kind == Traits::Kind::warp_barrier ||
                                           traits(step.form->op).kind == Traits::Kind::fence
                                     : step.has("sync");
        if (step.scope != Scope::none || step.has("sync") || meets) result[s] = true;
        if (step.name() == "bra") result[s + 1] = result[step.target] = true;
    }
    return result;
}

}  // namespace

Steps steps_of(const SourcePtr& file, const kernel::Function& function, const Budget& budget) {
    std::vector<Step> steps = kernel::decoded(file, function, budget);
    note_waits(steps, function.registers.size() + 1, budget);
    const std::vector<kernel::Registers> live = note_carried(steps, function.registers.size() + 1, budget);
    std::vector<bool> fixed = fixed_registers(steps, function.registers.size() + 1);
    std::map<size_t, std::vector<size_t>> kept;
    const std::vector<bool> stands = stood_at(steps);
    for (size_t s = 0; s < steps.size() && !live.empty(); ++s)
        if (stands[s]) kept[s] = live[s].all();
    const Rounds rounds(steps, live, budget);
    for (const auto& [round, registers] : rounds.matter())
        for (const size_t end : rounds.from(round + 1).ends)
            if (end < steps.size()) steps[end].carried = live[end].all();
    for (const size_t load : rounds.loads()) steps[load].repeats = true;
    for (const auto& [round, registers] : rounds.matter()) steps[round].carried.assign(registers.begin(), registers.end());
    for (size_t s = 0; s < steps.size(); ++s) {
        if (!is_strong_read(steps[s]) && !may_fail(steps[s])) continue;
        budget.check();
        steps[s].rounds = rounds.rounds_of(s);
        if (!is_strong_read(steps[s])) continue;
        steps[s].loop = rounds.loop_of(s);
        if (steps[s].loop) steps[*steps[s].loop].first_rounds.push_back(s);
    }
    const bool has_open_registers = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
        return step.form && (step.form->op == Op::wgmma_mma || step.form->op == Op::tcgen_load);
    });
    for (Step& step : steps)
        if (!has_open_registers) {
            step.reads = {};
            step.writes = {};
        }
    return {std::move(steps), std::move(kept), std::move(fixed)};
}

std::shared_ptr<const Decoded> decoded(const kernel::Module& module, const kernel::Launch& launch, const Budget& budget,
                                       const std::shared_ptr<const Decoded>& known) {
    if (known != nullptr && known->module == &module && known->launch == &launch) return known;
    const kernel::Function& entry = kernel::entry_named(module, launch.entry);
    const kernel::MemoryLayout layout(module, launch, entry, budget);
    const auto linked = std::make_shared<const Linked>(link(module, entry, layout, budget));
    auto [code, live, fixed] = steps_of(module.source, linked->code, budget);
    for (size_t s = 0; s < code.size(); ++s) code[s].original = linked->originals[s];
    return std::make_shared<const Decoded>(Decoded{&module, &launch, linked, std::move(code), std::move(live), std::move(fixed)});
}

}  // namespace litmus::sweep
