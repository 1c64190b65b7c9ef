// A run in which a schedule chooses who executes the next strong access to memory (schedule.h).
//
// Between two choices the order of the warps does not matter: what they do there meets no strong access of another warp, but for what
// races. So they go on in their usual order until each stands before such an access, waits, or has exited. Waiting is no choice: a warp
// that has come back to an access, with nothing carried on (carried.h), is not chosen again until it would find something else. Where that
// leaves nobody, the run goes on in the first order, which knows who waits for ever.
#include <algorithm>
#include <bit>
#include <iterator>
#include <map>

#include "ptx/traits.h"
#include "sweep/line.h"
#include "sweep/machine.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr uint64_t turn_between = 4096;  // instructions
constexpr uint64_t widest_access = 16;   // bytes
constexpr size_t most_choices = 20'000;  // of a run; warps that write while they wait would choose for ever

}  // namespace

bool Machine::stands_at_choice(const Warp& warp, Lanes lanes) const {
    if (lanes == 0) return false;
    const size_t at = warp.at[*each(lanes).begin()];
    return at < task_.code.size() && is_in_line(task_.code[at]);
}

// Lanes that stand at a choice give their registers that matter (carried.h), and their own memory. Other lanes of the warp give all.
std::vector<uint64_t> Machine::carried(Warp& warp) const {
    std::vector<uint64_t> values;
    const auto add = [&](uint64_t value) { values.push_back(value); };
    const Lanes here = going_on(warp);
    for (const uint32_t lane : each(here)) {
        for (const size_t reg : task_.code[warp.at[lane]].carried) {
            const bool is_known = warp.registers.is_known(reg, lane);
            add(is_known ? 1 : 0);
            add(is_known ? warp.registers.bits(reg, lane) : 0);
        }
        own_memory_[warp.first + lane].sum_up(add);
    }
    const Lanes others = warp.live() & ~here;
    for (const uint32_t lane : each(others)) {
        add(warp.at[lane]);
        own_memory_[warp.first + lane].sum_up(add);
    }
    if (others != 0) warp.registers.sum_up(others, add);
    return values;
}

// Until each warp stands at a choice, or nothing changes any more.
void Machine::run_to_choices() {
    for (bool goes_on = true; goes_on && !account_.findings().is_done();) {
        goes_on = false;
        const uint64_t before = observer_.changes();
        for (Warp& warp : warps_) {
            const uint64_t ran = run_turn(warp, {.instructions = turn_between}, true);
            if (ran > 0 && (observer_.changes() != before || (!warp.looked && !goes_round(warp, ran, turn_between)))) goes_on = true;
        }
    }
}

// Whether lanes of a warp could go on without those that stand at its choice. They could not if they exit, or wait for those lanes: at an
// instruction that is `.aligned`, or whose mask has them.
bool Machine::leaves_lanes_behind(Warp& warp) {
    constexpr size_t most = 200;
    const Lanes here = going_on(warp);
    const auto waits_or_exits = [&](uint32_t lane) {
        size_t at = warp.at[lane];
        for (size_t n = 0; n < most && at < task_.code.size(); ++n) {
            const Step& step = task_.code[at];
            if (step.name() == "exit" || (step.name() == "ret" && warp.calls[lane].empty())) return true;
            if (const Argument* const mask = step.find(Role::member_mask)) {
                const Value named = read(warp, lane, *mask);
                return named && (static_cast<Lanes>(*named) & here) == here;
            }
            if (step.name() == "bar" || step.has("aligned")) return true;
            if (step.statement->guard >= 0 || (step.name() != "bra" && !is_only_computing(step))) return false;
            at = step.name() == "bra" ? step.target : at + 1;
        }
        return at >= task_.code.size();
    };
    for (const uint32_t lane : each(warp.live() & ~here))
        if (can_go_on(warp, lane) && !waits_or_exits(lane)) return true;
    return false;
}

// The places that the warp's next access would touch; none: they are not known.
std::optional<Machine::Reach> Machine::reach_of(Warp& warp) {
    const Lanes lanes = going_on(warp);
    const Step& step = task_.code[warp.at[*each(lanes).begin()]];
    Reach reach;
    reach.writes = traits(step.form->op).kind != Traits::Kind::load;
    try {
        for (const uint32_t lane : each(lanes)) {
            const Spot at = spot_of(warp, lane, step, step.space(Role::address), address(warp, lane, step, *step.find(Role::address)));
            reach.places.emplace_back(at.number, at.offset);
            for (uint32_t e = 0; e < step.elements; ++e)
                reach.values.push_back(instances_[at.number].get(at.offset + uint64_t{e} * step.bytes, step.bytes, doubts_));
        }
    } catch (const Failure&) {
        return std::nullopt;
    }
    return reach;
}

bool Machine::finds_the_same(const std::optional<Reach>& one, const std::optional<Reach>& other) {
    return one && other && one->places == other->places &&
           std::equal(one->values.begin(), one->values.end(), other->values.begin(), other->values.end(),
                      [](const Value& a, const Value& b) { return a && b && *a == *b; });
}

bool Machine::are_independent(const std::optional<Reach>& one, const std::optional<Reach>& other) {
    if (!one || !other) return false;
    if (!one->writes && !other->writes) return true;
    const auto overlap = [](const std::pair<size_t, uint64_t>& a, const std::pair<size_t, uint64_t>& b) {
        return a.first == b.first && a.second < b.second + widest_access && b.second < a.second + widest_access;
    };
    return std::none_of(one->places.begin(), one->places.end(), [&](const auto& a) {
        return std::any_of(other->places.begin(), other->places.end(), [&](const auto& b) { return overlap(a, b); });
    });
}

// Two accesses that do not meet may come in either order. So a run that takes another alternative than the first lets those before it sleep
// until an access meets theirs. Other runs show what comes if they go on before (sleep sets: P. Godefroid, Partial-order methods for the
// verification of concurrent systems, 1996).
void Machine::run_by_choice() {
    struct Chosen {
        size_t last = 0;  // the number of its last choice, from 1 on
        size_t at = SIZE_MAX;
        bool in_vain = false;  // it has changed nothing
        std::vector<uint64_t> carried = {};
        std::optional<Reach> reach = {};
    };
    std::vector<Chosen> chosen(warps_.size());
    std::map<uint32_t, std::optional<Reach>> asleep;  // warps, with what they would touch
    chooses_ = true;
    auto given = task_.options.schedule.choices->begin();
    while (!account_.findings().is_done() && swept_.chosen.size() < most_choices) {
        run_to_choices();
        std::vector<uint32_t> able;
        for (uint32_t w = 0; w < warps_.size(); ++w) {
            const Lanes lanes = going_on(warps_[w]);
            if (!stands_at_choice(warps_[w], lanes)) continue;
            const Chosen& own = chosen[w];
            const bool is_back = own.in_vain && own.at == warps_[w].at[*each(lanes).begin()] && own.carried == carried(warps_[w]);
            if (!is_back || !finds_the_same(own.reach, reach_of(warps_[w]))) able.push_back(w);
        }
        if (able.empty()) break;
        std::vector<uint32_t> awake;
        std::copy_if(able.begin(), able.end(), std::back_inserter(awake), [&](uint32_t w) { return !asleep.contains(w); });
        if (awake.empty() && task_.options.prunes) {
            swept_.shown_elsewhere = true;
            return;
        }
        if (awake.empty()) {
            asleep.clear();
            awake = able;
        }
        std::stable_sort(awake.begin(), awake.end(), [&](uint32_t a, uint32_t b) { return chosen[a].last < chosen[b].last; });
        size_t taken = 0;
        if (given != task_.options.schedule.choices->end() && given->number == swept_.chosen.size())
            taken = std::min<size_t>((given++)->taken, awake.size() - 1);
        for (size_t before = 0; before < taken; ++before) asleep.emplace(awake[before], reach_of(warps_[awake[before]]));
        Warp& warp = warps_[awake[taken]];
        if (swept_.out_of_line.empty() && leaves_lanes_behind(warp))
            swept_.out_of_line.emplace_back("lanes of one warp go different ways, and may go on in another order");
        Chosen& own = chosen[awake[taken]];
        const uint32_t lane = *each(going_on(warp)).begin();
        own.carried = carried(warp);
        own.at = warp.at[lane];
        own.reach = reach_of(warp);
        std::erase_if(asleep, [&](const auto& other) { return !are_independent(own.reach, other.second); });
        swept_.chosen.push_back({place(thread(warp, lane), task_.code[own.at]), static_cast<uint32_t>(awake.size())});
        const uint64_t changes = observer_.changes();
        chooses_ = false;
        run_turn(warp, {.instructions = 1}, false);
        chooses_ = true;
        own.in_vain = observer_.changes() == changes;
        own.last = swept_.chosen.size();
    }
    chooses_ = false;
    swept_.chose_all = std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.live() == 0; });
}

// Why an execution may have an order of the strong accesses that no run with choices has (line.h).
void Machine::report_line(const Line& line) {
    const auto say = [&](const kernel::Statement& statement, const std::string& why) {
        swept_.out_of_line.push_back("`" + kernel::dotted(statement.words) + "` (" + some_line(task_.module, statement) + ") " + why);
    };
    if (line.weak() != nullptr) say(*line.weak(), "may be early or late: nothing orders it behind what its thread did at other places");
    if (line.of_lanes() != nullptr) say(*line.of_lanes(), "is one of the strong accesses that several lanes of a warp make");
    if (line.not_chosen() != nullptr) say(*line.not_chosen(), "is in no order that was run: it is asynchronous, or several accesses");
    if (line.crowded() != nullptr) say(*line.crowded(), "is one of more writes to a place than are looked at");
    if (swept_.elects) swept_.out_of_line.emplace_back("another lane may be elected");
    swept_.circles = line.circles();
}

}  // namespace litmus::sweep
