// How blocks stand at choices, and for which of them one goes on (lives.h).
//
// A run that lets a block sleep lets those sleep for which it stood, as long as they stand there. One that has come since may know less.
#include <algorithm>

#include "sweep/machine.h"

namespace litmus::sweep {

// These decide what the block does from here on, but for what names it. They are where its lanes stand, and what for. They are the
// registers that matter there, their own memory, and the bytes of shared memory that are handed on. A value that names the block says so,
// and what it depends on besides.
const std::vector<uint64_t>& Machine::standing(uint32_t block) {
    uint64_t& steps = standings_[block].first;
    std::vector<uint64_t>& values = standings_[block].second;
    if (!values.empty() && steps == observer_.lives()->steps(block)) return values;
    steps = observer_.lives()->steps(block);
    values.clear();
    const auto add = [&](uint64_t value) { values.push_back(value); };
    const auto add_value = [&](const Value& value) {
        add(value.known());
        add(is_named(value.doubt) ? 0 : value.bits());
        add(value.doubt);
    };
    for (const Warp& warp : warps_) {
        if (warp.block != block) continue;
        add(warp.live());
        if (!warp.guesses.empty()) add(block);  // nobody is like it
        for (const uint32_t lane : each(warp.live())) {
            const Waiting& waiting = warp.waiting[lane];
            const size_t at = warp.at[lane];
            for (const uint64_t one : {uint64_t{at}, static_cast<uint64_t>(waiting.what), uint64_t{waiting.mask}, uint64_t{waiting.object},
                                       uint64_t{warp.calls[lane].size()}})
                add(one);
            for (const size_t caller : warp.calls[lane]) add(caller);
            own_memory_[warp.first + lane].sum_up(add);
            const auto live = task_.decoded->live.find(at);
            if (live != task_.decoded->live.end())
                for (const size_t reg : live->second) add_value(warp.registers.at(reg, lane));
            else
                for (size_t reg = 0; reg < warp.registers.count(); ++reg) add_value(warp.registers.at(reg, lane));
        }
    }
    const std::vector<uint64_t> turns = barriers_.standing(block);
    values.insert(values.end(), turns.begin(), turns.end());
    if (const auto& handed_on = task_.options.schedule.handed_on)
        for (const auto& [object, bytes] : *handed_on) {
            size_t number = 0;
            const Instance& there = instance(object, block, number);
            bytes.pieces(there.bytes.size(), [&](uint64_t begin, uint64_t end) {
                for (uint64_t at = begin; at < end; ++at) {
                    const auto doubt = there.doubts.find(at);
                    const Doubt own = doubt == there.doubts.end() ? 0 : doubt->second;
                    add(!there.known[at] ? 257 : is_named(own) ? 256 : there.bytes[at]);
                    add(own);
                }
            });
        }
    return values;
}

// It takes one of those that are alike. Who sleeps stands for its like only if all of these sleep with it.
std::vector<Machine::Agent> Machine::one_of_alike(const std::vector<Agent>& able, const std::map<Agent, Asleep>& asleep) {
    std::vector<std::vector<Agent>> kinds;
    const auto are_alike = [&](const Agent& one, const Agent& other) {
        const Warp &a = warps_[one.warp], &b = warps_[other.warp];
        return one.lanes == other.lanes && thread(a, 0).seat.thread == thread(b, 0).seat.thread && standing(a.block) == standing(b.block);
    };
    for (const Agent& agent : able) {
        const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& some) { return are_alike(some.front(), agent); });
        if (kind == kinds.end())
            kinds.push_back({agent});
        else
            kind->push_back(agent);
    }
    std::vector<Agent> result;
    alike_.clear();
    for (const std::vector<Agent>& kind : kinds) {
        const auto sleeps = [&](const Agent& agent) {
            const uint32_t block = warps_[agent.warp].block;
            return asleep.contains(agent) || std::any_of(kind.begin(), kind.end(), [&](const Agent& other) {
                       const auto found = asleep.find(other);
                       if (found == asleep.end()) return false;
                       const auto slept = found->second.blocks.find(block);
                       return slept != found->second.blocks.end() && slept->second == observer_.lives()->steps(block);
                   });
        };
        const auto awake = std::find_if_not(kind.begin(), kind.end(), sleeps);
        const auto sleeper = std::find_if(kind.begin(), kind.end(), [&](const Agent& agent) { return asleep.contains(agent); });
        const Agent& one = awake != kind.end() ? *awake : sleeper != kind.end() ? *sleeper : kind.front();
        std::vector<uint32_t>& blocks = alike_[one];
        for (const Agent& agent : kind) blocks.push_back(warps_[agent.warp].block);
        swept_.exchanged = swept_.exchanged || blocks.size() > 1;
        result.push_back(one);
    }
    return result;
}

Machine::Asleep Machine::fall_asleep(const Agent& agent) {
    Asleep result{reach_of(warps_[agent.warp], agent.lanes), {}};
    if (observer_.lives())
        for (const uint32_t block : alike_.at(agent)) result.blocks.emplace(block, observer_.lives()->steps(block));
    return result;
}

// Blocks that have come to their first choices alike are exchanged with all that they have done.
void Machine::begin_life(const Agent& agent) {
    const std::vector<uint32_t>& blocks = alike_.at(agent);
    if (blocks.size() > 1 && !observer_.exchange()->are_fresh(blocks))
        for (const uint32_t block : observer_.begin_lives(blocks)) barriers_.begin_life(block);
    observer_.lives()->begin_choice(warps_[agent.warp].block,
                                    observer_.exchange()->is_fresh(static_cast<uint32_t>(warps_[agent.warp].first)));
}

}  // namespace litmus::sweep
