// Each deviation concerns as few tests as its reason allows: what differs besides it is a difference. The reasons stand in model/sweep.md.
#include "sweep/deviations.h"

#include <algorithm>

#include "ptx/traits.h"

namespace litmus {

namespace {

const Operand* accessed(const Instruction& instruction) {
    const Operand* const address = instruction.find(Role::address);
    return address != nullptr && !address->indirect ? address : nullptr;
}

bool accesses(const Instruction& instruction, const std::string& location) {
    const Operand* const address = accessed(instruction);
    return address != nullptr && address->name == location;
}

// The model alone finds races, all of them on a location that a thread waits for and then accesses, and that another one updates.
bool is_observed_atomic(const Test& test, const Comparison& result) {
    if (!result.rule.empty() || result.sweep.any() || result.model.stuck || result.hazards.size() != 1) return false;
    const std::string& location = result.hazards[0];
    for (const Thread& waiting : test.threads) {
        const auto awaited =
            std::find_if(waiting.body.begin(), waiting.body.end(), [&](const Instruction& i) { return i.await && accesses(i, location); });
        if (awaited == waiting.body.end()) continue;
        const bool goes_on = std::any_of(awaited + 1, waiting.body.end(), [&](const Instruction& i) { return accesses(i, location); });
        const bool is_updated = std::any_of(test.threads.begin(), test.threads.end(), [&](const Thread& other) {
            return &other != &waiting && std::any_of(other.body.begin(), other.body.end(), [&](const Instruction& i) {
                return kind(i.op) == Traits::Kind::atomic && accesses(i, location);
            });
        });
        if (goes_on && is_updated) return true;
    }
    return false;
}

// The model alone finds something undefined, no race and nothing stuck, where lanes meet behind an election under a guard. Or the mask
// there leaves out the lane, which is a rule.
bool is_of_another_elected_lane(const Test& test, const Comparison& result) {
    const bool is_undefined =
        result.rule.empty() ? result.hazards.size() == 1 : result.rule.find("mask leaves out lane") != std::string::npos;
    if (!is_undefined || result.sweep.any() || result.model.stuck) return false;
    return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
        const auto election =
            std::find_if(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return i.op == Op::elect_sync; });
        return election != thread.body.end() && std::any_of(election + 1, thread.body.end(), [](const Instruction& i) {
                   return i.guard && i.find(Role::member_mask) != nullptr;
               });
    });
}

// The sweep alone finds races, each of a strong access, where some thread waits for a value or takes one by an atomic operation.
bool is_observed_write(const Test& test, const Comparison& result) {
    if (result.model.any() || result.sweep.stuck || !result.strong_races) return false;
    return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
        return std::any_of(thread.body.begin(), thread.body.end(),
                           [](const Instruction& i) { return i.await || i.op == Op::bra || kind(i.op) == Traits::Kind::atomic; });
    });
}

// The sweep alone finds races, where two threads have a fence.sc.
bool is_ordered_by_fences(const Test& test, const Comparison& result) {
    if (result.model.any() || result.sweep.stuck) return false;
    return std::count_if(test.threads.begin(), test.threads.end(), [](const Thread& thread) {
               return std::any_of(thread.body.begin(), thread.body.end(),
                                  [](const Instruction& i) { return kind(i.op) == Traits::Kind::fence && semantics(i) == Sem::sc; });
           }) >= 2;
}

}  // namespace

const std::vector<Deviation>& deviations() {
    static const std::vector<Deviation> all = {
        {"an atomic that was waited for", is_observed_atomic},
        {"a write that was observed", is_observed_write},
        {"an elected lane of neither order", is_of_another_elected_lane},
        {"an order by two fences", is_ordered_by_fences},
    };
    return all;
}

const Deviation* deviation_of(const Test& test, const Comparison& result) {
    for (const Deviation& one : deviations())
        if (one.concerns(test, result)) return &one;
    return nullptr;
}

}  // namespace litmus
