// A run in which a schedule chooses who executes the next strong access to memory (schedule.h).
//
// Between two choices the order of the warps does not matter: what they do there meets no strong access of another warp, but for what
// races. So they go on in their usual order until each stands before such an access, waits, or has exited. Waiting is no choice: a warp
// that has come back to an access, with nothing carried on (carried.h), is not chosen again until it would find something else. Where that
// leaves nobody, the run goes on in the first order, which knows who waits for ever.
//
// The lanes of a warp that stand at one statement make their accesses in one step. With Schedule::splits each lane is chosen by itself, as
// the thread that it is. While it stands at its access, it is parked: the others go on without it. Only those that load from one place
// load together, and not even they where threads are exchanged (exchange.h).
#include <algorithm>
#include <bit>
#include <iterator>
#include <map>

#include "ptx/traits.h"
#include "sweep/detours.h"
#include "sweep/line.h"
#include "sweep/machine.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr uint64_t turn_between = 4096;    // instructions
constexpr uint32_t most_idle_rounds = 64;  // rounds in which nothing changes
constexpr size_t most_lanes = 8;           // of a warp that are chosen one by one: so many have 40,320 orders
constexpr size_t most_choices = 20'000;    // of a run; warps that write while they wait would choose for ever

}  // namespace

// The lanes that execute the warp's next instruction, but for those that their guard holds back.
Lanes Machine::executing(Warp& warp) const {
    const Lanes lanes = going_on(warp);
    Lanes some = 0;
    for (const uint32_t lane : each(lanes))
        if (!is_held_back(warp, lane)) some |= Lanes{1} << lane;
    return some;
}

// Whether its guard keeps a lane from executing its next statement.
bool Machine::is_held_back(const Warp& warp, uint32_t lane) const {
    if (warp.at[lane] >= task_.code.size() || task_.code[warp.at[lane]].statement->guard < 0) return false;
    const kernel::Statement& statement = *task_.code[warp.at[lane]].statement;
    const auto guard = static_cast<size_t>(statement.guard);
    return warp.registers.is_known(guard, lane) && (warp.registers.bits(guard, lane) != 0) == statement.guard_negated;
}

// Those of the lanes that stand before an access at a place where the schedule chooses.
Lanes Machine::at_choice(const Warp& warp, Lanes lanes) {
    const Schedule& schedule = task_.options.schedule;
    const std::set<Memory>* const places = schedule.places.get();
    if (places != nullptr && places->empty()) return 0;
    Lanes found = 0;
    for (const uint32_t lane : each(lanes)) {
        if (warp.at[lane] >= task_.code.size() || warp.waiting[lane].what != Waiting::For::nothing) continue;
        const Step& step = task_.code[warp.at[lane]];
        if (!is_in_line(step) && !(schedule.orders_fences && is_fence_sc(step))) continue;
        if (!is_held_back(warp, lane) && (places == nullptr || names_chosen(reach_of(warp, Lanes{1} << lane)))) found |= Lanes{1} << lane;
    }
    return found;
}

bool Machine::names_chosen(const Reach& reach) const {
    return std::any_of(reach.named.begin(), reach.named.end(),
                       [&](const Memory& one) { return is_chosen(one, uint64_t{reach.bytes} * reach.elements); });
}

bool Machine::stands_at_choice(Warp& warp) {
    return at_choice(warp, task_.options.schedule.splits ? warp.live() : executing(warp)) != 0;
}

// Who can be chosen of a warp: the lanes that execute its next instruction, or with Schedule::splits each of its lanes.
void Machine::add_agents(uint32_t number, std::vector<Agent>& agents) {
    Warp& warp = warps_[number];
    if (!task_.options.schedule.splits) {
        if (stands_at_choice(warp)) agents.push_back({number, executing(warp)});
        return;
    }
    std::map<std::pair<size_t, Memory>, size_t> loads;  // by statement and place
    for (const uint32_t lane : each(at_choice(warp, warp.live()))) {
        const Reach reach = reach_of(warp, Lanes{1} << lane);
        if (!reach.writes && reach.named.size() == 1 && task_.options.schedule.exchanges != Alike::threads) {
            const auto [known, is_first] = loads.try_emplace({warp.at[lane], reach.named[0]}, agents.size());
            if (!is_first) {
                agents[known->second].lanes |= Lanes{1} << lane;
                continue;
            }
        }
        agents.push_back({number, Lanes{1} << lane});
    }
}

// Leaves out threads for which another one stands. `ways`: what those are like that have not come to a choice yet.
void Machine::leave_out_alike(std::vector<Agent>& agents, std::set<uint64_t>& ways) {
    std::erase_if(agents, [&](const Agent& agent) {
        const Warp& warp = warps_[agent.warp];
        const uint32_t one = thread(warp, *each(agent.lanes).begin()).index;
        if (!observer_.exchange()->is_fresh(one)) return false;
        const std::vector<Memory> named = reach_of(warp, agent.lanes).named;
        return !named.empty() && !ways.insert(observer_.exchange()->way(one, named.front())).second;
    });
}

// Whether the schedule chooses who accesses such a place next.
bool Machine::is_chosen(const Memory& begin, uint64_t bytes) const {
    const Schedule& schedule = task_.options.schedule;
    if (schedule.choices == nullptr || schedule.places == nullptr) return schedule.choices != nullptr;
    return has_some(*schedule.places, begin, bytes);
}

// A warp that stands at a choice hands on these values: where it stands, the registers that matter there (carried.h), and its own memory.
// They include where the other lanes of its block stand, their registers and memory, and the block's shared memory. A value may be known in
// part. Its doubt is a part of it, for what is decided by it depends on that. None: that is too much.
std::optional<std::vector<uint64_t>> Machine::carried(Warp& warp) {
    constexpr size_t most_shared = 64 * 1024;
    std::vector<uint64_t> values;
    const auto add = [&](uint64_t value) { values.push_back(value); };
    const Lanes here = task_.options.schedule.splits ? at_choice(warp, warp.live()) : going_on(warp);
    const auto add_lane = [&](const Warp& of, uint32_t lane) {
        add(of.at[lane]);
        add(of.calls[lane].size());
        for (const size_t caller : of.calls[lane]) add(caller);
        own_memory_[of.first + lane].sum_up(add);
        if (of.at[lane] >= task_.code.size()) return;
        for (const size_t reg : task_.code[of.at[lane]].carried) {
            const Value value = of.registers.at(reg, lane);
            add(value.known());
            add(value.bits());
            add(value.doubt);
        }
    };
    for (const uint32_t lane : each(here)) add_lane(warp, lane);
    for (const Warp& other : warps_) {
        if (other.block != warp.block) continue;
        const Lanes others = &other == &warp ? other.live() & ~here : other.live();
        Lanes unknown = 0;  // nobody has found out which of their registers matter
        for (const uint32_t lane : each(others)) {
            add_lane(other, lane);
            if (other.at[lane] >= task_.code.size() || task_.code[other.at[lane]].carried.empty()) unknown |= Lanes{1} << lane;
        }
        if (unknown != 0) other.registers.sum_up(unknown, add);
    }
    size_t bytes = 0;
    for (const std::vector<size_t>& numbers : numbers_)
        if (warp.block < numbers.size() && numbers[warp.block] != SIZE_MAX) {
            const Instance& instance = instances_[numbers[warp.block]];
            if (task_.layout.objects()[instance.object].space != Space::shared) continue;
            if ((bytes += instance.bytes.size()) > most_shared) return std::nullopt;
            for (size_t at = 0; at < instance.bytes.size(); ++at) {
                add(instance.known[at] ? instance.bytes[at] : 256);
                const auto doubt = instance.doubts.find(at);
                add(doubt == instance.doubts.end() ? 0 : doubt->second);
            }
        }
    return values;
}

// Until each warp stands at a choice, and cannot go on otherwise. A warp may compute for longer than that is followed, or stand before a
// detour that it cannot take now. Then it would come to its choice too late, and the run does not count (false).
bool Machine::run_to_choices() {
    bool is_whole = run_to_detours();
    while (take_detours()) is_whole = run_to_detours() && is_whole;
    for (Warp& warp : warps_)
        if (const Lanes lanes = going_on(warp); lanes != 0 && at_choice(warp, lanes) == 0) look_for_lanes_behind(warp);
    for (Warp& warp : warps_)
        for (const uint32_t lane : each(at_detour(warp, warp.live()))) swept_.no_detours.insert(static_cast<uint32_t>(warp.at[lane]));
    return is_whole;
}

// Until each warp stands at a choice or before a detour, cannot go on, polls in vain, or is where it was with nothing changed since: it
// goes round. False: some warp computes.
bool Machine::run_to_detours() {
    const bool splits = task_.options.schedule.splits;
    uint32_t idle = 0;
    bool goes_on = true, computes = false;
    while (goes_on && idle < most_idle_rounds && !account_.findings().is_done()) {
        goes_on = computes = false;
        const uint64_t before = observer_.changes().all;
        for (Warp& warp : warps_) {
            const Lanes behind = splits && idle > 0 ? warp.ran : 0;  // who spins may wait for another lane of its warp
            if (run_turn(warp, {.instructions = turn_between, .behind = behind}, true) == 0) continue;
            if (was_here(warp) && (!splits || idle > 1)) continue;  // in the first round several lanes may have gone on
            goes_on = true;
            computes = computes || !warp.polls;
        }
        idle = observer_.changes().all == before ? idle + 1 : 0;
    }
    return !goes_on || !computes;
}

void Machine::look_for_lanes_behind(Warp& warp) {
    if (!swept_.out_of_line.empty()) return;
    const Step* const step = lanes_behind_come_to(warp);
    swept_.of_lanes = swept_.of_lanes || step != nullptr;
    if (step != nullptr)
        swept_.out_of_line.push_back("lanes of one warp go different ways, and some may come to `" +
                                     kernel::dotted(step->statement->words) + "` (" + some_line(task_.module, *step->original) +
                                     ") before the others go on");
}

// Lanes of a warp may come to something that has a place in an order, without those that stand at its choice, or poll. Gives the first such
// thing. Null: they exit before, or wait for those lanes, at an instruction that is `.aligned` or whose mask has them. A lane that its
// guard holds back is none of those that stand there. As long as it is known where a lane goes, it is followed with its registers; from
// there on, whatever it reads (behind.h). A lane that waits for lanes of a mask may be met there by one that is followed: it goes on, too.
const Step* Machine::lanes_behind_come_to(Warp& warp) {
    constexpr size_t most = 200;
    const Lanes here = executing(warp);
    const auto may_end_turn = [&](uint32_t lane) {
        for (const uint32_t one : each(here))
            if (thread(warp, one).cluster_arrivals > thread(warp, lane).cluster_arrivals) return true;
        return barriers_.lacks(warp.first, lane, here);
    };
    const auto comes_to = [&](uint32_t lane) -> const Step* {
        const Behind::Lane how{.called = !warp.calls[lane].empty(), .may_end_turn = may_end_turn(lane)};
        size_t at = warp.at[lane];
        for (size_t n = 0; n < most && at < task_.code.size(); ++n) {
            const Step& step = task_.code[at];
            const int guard = step.statement->guard;
            if (guard >= 0 && !warp.registers.is_known(static_cast<size_t>(guard), lane)) break;
            const bool goes = guard < 0 || (warp.registers.bits(static_cast<size_t>(guard), lane) != 0) != step.statement->guard_negated;
            const Argument* const mask = step.find(Role::member_mask);
            if (goes && step.name() != "bra") {
                const Value named = mask != nullptr ? read(warp, lane, *mask) : Value();
                if (named && (static_cast<Lanes>(*named) & here) == here) return nullptr;
                break;  // its registers may change
            }
            at = goes ? step.target : at + 1;
        }
        const Behind::Ways ways = behind_.ways(at, here, how);
        if (ways.to_aligned) warp.passed |= here;  // as it would be if the lane went first
        return ways.first;
    };
    for (const uint32_t lane : each(warp.live() & ~here & ~warp.parked)) {
        const Waiting& waiting = warp.waiting[lane];
        const bool may_be_met = waiting.what == Waiting::For::lanes && (waiting.mask & here) != here;
        if (!may_be_met && !can_go_on(warp, lane)) continue;
        if (const Step* const step = comes_to(lane)) return step;
    }
    return nullptr;
}

// The places that the next access of these lanes would touch, which stand at one statement, and their values. A place that no other thread
// can touch is left out, and so is one that is not computed: there the run breaks off.
Machine::Reach Machine::reach_of(const Warp& warp, Lanes lanes) {
    const Step& step = task_.code[warp.at[*each(lanes).begin()]];
    Reach reach;
    reach.writes = traits(step.form->op).kind != Traits::Kind::load;
    reach.bytes = step.bytes;
    reach.elements = step.elements;
    if (is_fence_sc(step)) {
        reach.named = {place_of_fences};
        reach.places = {{place_of_fences.object, 0}};
        return reach;
    }
    for (const uint32_t lane : each(lanes)) {
        try {
            const Spot at = spot_of(warp, lane, step, step.space(Role::address), address(warp, lane, step, *step.find(Role::address)));
            reach.places.emplace_back(at.number, at.offset);
            reach.named.push_back(memory_of(at));
        } catch (const Failure&) {  // it leads to no object
        }
    }
    reach.values = values_at(reach);
    return reach;
}

std::vector<Value> Machine::values_at(const Reach& reach) {
    std::vector<Value> values;
    const uint32_t piece = std::min(reach.bytes, 8U);
    for (const auto& [number, offset] : reach.places)
        for (uint64_t at = 0; at < uint64_t{reach.bytes} * reach.elements; at += piece)
            values.push_back(instances_[number].get(offset + at, piece, doubts_));
    return values;
}

// Whether it would still find what lay there.
bool Machine::finds_the_same(const Reach& reach) {
    const std::vector<Value> now = values_at(reach);
    return std::equal(now.begin(), now.end(), reach.values.begin(), reach.values.end(), hold_the_same);
}

bool Machine::are_independent(const Reach& one, const Reach& other) {
    if (!one.writes && !other.writes) return true;
    const auto overlap = [&](const std::pair<size_t, uint64_t>& a, const std::pair<size_t, uint64_t>& b) {
        return a.first == b.first && a.second < b.second + uint64_t{other.bytes} * other.elements &&
               b.second < a.second + uint64_t{one.bytes} * one.elements;
    };
    return std::none_of(one.places.begin(), one.places.end(), [&](const auto& a) {
        return std::any_of(other.places.begin(), other.places.end(), [&](const auto& b) { return overlap(a, b); });
    });
}

// Whether the next access of these lanes is a read that leads back to itself with what it finds now. A compare-and-swap that fails is a
// read. A read that leads to the loop of which it is the first round is such a one if the two are one loop (rounds.h). Else they may end at
// different places.
bool Machine::waits_at_choice(Warp& warp, Lanes lanes) {
    const uint32_t lane = *each(lanes).begin();
    const Step& step = task_.code[warp.at[lane]];
    const bool compares = operation(*step.form) == Operator::cas;
    const bool reads = compares || traits(step.form->op).kind == Traits::Kind::load;
    const bool may_end_elsewhere = step.loop && step.rounds.empty();
    if (is_fence_sc(step) || !std::has_single_bit(lanes) || step.pieces() != step.elements || !reads || may_end_elsewhere) return false;
    std::vector<Value> found = reach_of(warp, lanes).values;
    const auto may_decide = [&](const Value& value) { return value && decisions_.is_of_order(value.doubt); };
    if (found.empty() || !std::all_of(found.begin(), found.end(), may_decide)) return false;
    if (compares) {
        const Value compared = read(warp, lane, step.statement->arguments.at(2));
        if (!compared || truncate(*compared, bits(step.type)) == *found.front()) return false;
    }
    for (Value& value : found) value = extended(value, step.type);
    const std::optional<bool> waits = waits_with(warp, lane, step, found);
    if (!waits && swept_.out_of_line.empty())
        swept_.out_of_line.push_back("`" + kernel::dotted(step.statement->words) + "` (" + some_line(task_.module, *step.original) +
                                     ") begins a loop of several reads, and not all of them go on with what it finds");
    return waits.value_or(false);
}

// A warp that is back where it was, has changed nothing and hands nothing on, has gone round in vain. The lanes that made accesses on the
// way wait until one of them would find something else. If the round had no accesses but those that were chosen, and another warp then
// changes something, nothing new comes of this run: one without the round shows the same. The run goes on until then, since all others may
// go round in vain, too.
//
// Two accesses that do not meet may come in either order. So a run that takes another alternative than the first lets those before it sleep
// until an access meets theirs. Other runs show what comes if they go on before (sleep sets: P. Godefroid, Partial-order methods for the
// verification of concurrent systems, 1996). Blocks that are alike are no alternatives (exchange.h): exchanged, they give the same run, or
// one that comes earlier in the order of runs.
void Machine::run_by_choice() {
    struct Stand {
        Lanes lanes = 0;                               // that were chosen there
        std::optional<std::vector<uint64_t>> carried;  // by their warp
        Reach reach;
        uint64_t accesses = 0;  // of all, until then
    };
    struct Round {  // in vain
        Lanes lanes = 0;
        std::vector<Reach> reaches;
    };
    struct Past {                   // of a warp, since it has changed something, or another warp of its block has gone on
        std::vector<Stand> stands;  // where it was
        std::vector<Round> rounds;
    };
    std::vector<Past> pasts(warps_.size());
    std::vector<size_t> last(warps_.size() * warp_size);  // of each lane: the number of its last choice, from 1 on
    std::map<Agent, Asleep> asleep;
    const auto waits = [&](const Agent& agent) {
        const auto is_in_vain = [&](const Round& round) {
            return (round.lanes & agent.lanes) != 0 &&
                   std::all_of(round.reaches.begin(), round.reaches.end(), [&](const Reach& reach) { return finds_the_same(reach); });
        };
        const std::vector<Round>& rounds = pasts[agent.warp].rounds;
        return std::any_of(rounds.begin(), rounds.end(), is_in_vain) || waits_at_choice(warps_[agent.warp], agent.lanes);
    };
    const auto are_able = [&] {
        const bool of_threads = observer_.exchange() && observer_.exchange()->is_of_threads();
        const bool of_blocks = observer_.exchange() && !of_threads && !observer_.lives();
        const std::vector<bool> stood_for = of_blocks ? observer_.exchange()->stood_for() : std::vector<bool>();
        std::set<uint64_t> ways;
        std::vector<Agent> able;
        for (uint32_t w = 0; w < warps_.size(); ++w) {
            std::vector<Agent> agents;
            add_agents(w, agents);
            if (of_threads) {
                std::erase_if(agents, waits);
                const size_t all = agents.size();
                leave_out_alike(agents, ways);
                swept_.exchanged = swept_.exchanged || agents.size() < all;
            }
            swept_.too_many_lanes = swept_.too_many_lanes || agents.size() > most_lanes;
            const bool is_alike = !stood_for.empty() && stood_for[warps_[w].block];
            swept_.exchanged = swept_.exchanged || (is_alike && !agents.empty());
            if (!is_alike) std::remove_copy_if(agents.begin(), agents.end(), std::back_inserter(able), waits);
        }
        return observer_.lives() ? one_of_alike(able, asleep) : able;
    };
    const auto are_too_many = [&] { return observer_.lives() && observer_.lives()->are_too_many(); };
    const auto last_of = [&](const Agent& agent) { return last[agent.warp * warp_size + *each(agent.lanes).begin()]; };
    chooses_ = true;
    bool is_whole = run_to_choices();
    auto given = task_.options.schedule.choices->begin();
    bool ends_at_change = false;  // a warp has gone round in vain
    for (std::vector<Agent> able = are_able(); !able.empty() && !account_.findings().is_done() && !swept_.too_many_lanes &&
                                               swept_.no_detours.empty() && swept_.chosen.size() < most_choices && !are_too_many();) {
        std::vector<Agent> awake;
        std::copy_if(able.begin(), able.end(), std::back_inserter(awake), [&](const Agent& agent) { return !asleep.contains(agent); });
        if (awake.empty()) {  // runs in which one of these goes first show the same, but for rounds in vain
            ends_at_change = task_.options.prunes;
            asleep.clear();
            awake = able;
        }
        std::stable_sort(awake.begin(), awake.end(), [&](const Agent& a, const Agent& b) { return last_of(a) < last_of(b); });
        size_t taken = 0;
        if (given != task_.options.schedule.choices->end() && given->number == swept_.chosen.size())
            taken = std::min<size_t>((given++)->taken, awake.size() - 1);
        for (size_t before = 0; before < taken; ++before) asleep.emplace(awake[before], fall_asleep(awake[before]));
        const auto [next, lanes] = awake[taken];
        Warp& warp = warps_[next];
        look_for_lanes_behind(warp);
        Past& own = pasts[next];
        std::erase_if(own.rounds, [&, some = lanes](const Round& round) { return (round.lanes & some) != 0; });
        const Reach reach = reach_of(warp, lanes);
        if (observer_.lives()) begin_life(awake[taken]);
        if (observer_.exchange() && !reach.named.empty())
            observer_.exchange()->choose(thread(warp, *each(lanes).begin()).index, reach.named.front());
        own.stands.push_back({lanes, carried(warp), reach, observer_.accesses()});
        std::erase_if(asleep, [&](const auto& other) { return !are_independent(reach, other.second.reach); });
        swept_.work += warps_.size();
        const uint32_t lane = *each(lanes).begin();
        swept_.chosen.push_back(
            {place(thread(warp, lane), task_.code[warp.at[lane]]), ends_at_change ? 1 : static_cast<uint32_t>(awake.size())});
        for (const uint32_t one : each(lanes)) last[next * warp_size + one] = swept_.chosen.size();
        const uint64_t changes = observer_.changes().outer();
        run_choice(warp, lanes);
        is_whole = run_to_choices() && is_whole;
        const bool has_changed = observer_.changes().outer() != changes;
        if (is_whole && ends_at_change && has_changed) {
            swept_.shown_elsewhere = true;
            return;
        }
        for (uint32_t w = 0; w < warps_.size(); ++w)
            if (warps_[w].block == warp.block && (w != next || has_changed)) pasts[w] = {};
        if (const auto values = stands_at_choice(warp) ? carried(warp) : std::nullopt) {
            const auto is_here = [&](const Stand& one) { return one.carried == values; };
            const auto before = std::find_if(own.stands.rbegin(), own.stands.rend(), is_here);
            if (before != own.stands.rend()) {
                const auto begin = std::prev(before.base());
                const auto choices = static_cast<uint64_t>(std::distance(begin, own.stands.end()));
                ends_at_change = ends_at_change || (observer_.accesses() - begin->accesses <= choices && task_.options.prunes);
                Round& round = own.rounds.emplace_back();
                for (auto stand = begin; stand != own.stands.end(); ++stand) {
                    round.lanes |= stand->lanes;
                    round.reaches.push_back(std::move(stand->reach));
                }
                own.stands.erase(begin, own.stands.end());
            }
        }
        able = are_able();
    }
    chooses_ = false;
    for (Warp& warp : warps_) warp.parked = 0;
    swept_.chose_all =
        is_whole && !swept_.too_many_lanes && std::all_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.live() == 0; });
}

// The access of these lanes, which are alone in it where lanes are chosen one by one.
void Machine::run_choice(Warp& warp, Lanes lanes) {
    const bool splits = task_.options.schedule.splits;
    observer_.choose_lanes(lanes);
    chooses_ = false;
    run_turn(warp, {.instructions = 1, .parked = splits ? ~lanes : 0}, false);
    chooses_ = true;
    observer_.choose_lanes(0);
    if (observer_.exchange()) observer_.exchange()->end_choice();
    if (observer_.lives()) observer_.lives()->end_choice(warp.block);
}

void Machine::report_exchange(const Exchange& exchange) {
    const auto said = [&](const kernel::Statement& statement) {
        return "`" + kernel::dotted(statement.words) + "` (" + some_line(task_.module, statement) + ")";
    };
    const std::string one = exchange.is_of_threads() ? "thread" : exchange.is_of_clusters() ? "cluster" : "block";
    const auto meeting = exchange.find();
    if (decisions_.by_block() != nullptr)
        swept_.not_exchangeable = "the number of a " + one + " decides what " + said(*decisions_.by_block()) + " does";
    else if (exchange.late_decision() && !swept_.shown_elsewhere)
        swept_.not_exchangeable = "the number of a thread decides what " + said(*task_.code[*exchange.late_decision()].original) + " does";
    else if (exchange.late_meeting())
        swept_.not_exchangeable = "threads meet at " + said(*task_.code[*exchange.late_meeting()].original) + " behind their choices";
    else if (exchange.not_by_all() && !swept_.shown_elsewhere)
        swept_.not_exchangeable = "not all " + one + "s come to " + said(*task_.code[*exchange.not_by_all()].original) +
                                  ", whose address names the " + one + " behind its first choice";
    else if (meeting)
        swept_.not_exchangeable = said(*task_.code[meeting->first].original) + " of one " + one + " and " +
                                  said(*task_.code[meeting->second].original) + " of another might meet";
    else if (observer_.lives() && observer_.lives()->are_too_many())
        swept_.not_exchangeable = "blocks have too many lives";
    else if (observer_.lives() && observer_.lives()->not_alike() != nullptr)
        swept_.not_exchangeable = said(*observer_.lives()->not_alike()) + " may meet in shared memory what its block did in another life";
    else if (task_.layout.objects().size() != given_)
        swept_.not_exchangeable = "the kernel allocates memory";
}

// Why an execution may have an order of the strong accesses that no run with choices has (line.h).
void Machine::report_line(const Line& line) {
    const auto say = [&](const kernel::Statement& statement, const std::string& why) {
        swept_.out_of_line.push_back("`" + kernel::dotted(statement.words) + "` (" + some_line(task_.module, statement) + ") " + why);
    };
    if (line.weak() != nullptr) say(*line.weak(), "may be early or late: nothing orders it behind what its thread did at other places");
    swept_.of_lanes = swept_.of_lanes || line.of_lanes() != nullptr;
    if (line.of_lanes() != nullptr) say(*line.of_lanes(), "is one of the strong accesses that several lanes of a warp make");
    if (line.not_chosen() != nullptr) say(*line.not_chosen(), "is in no order that was run: it is asynchronous, or several accesses");
    if (line.crowded() != nullptr) say(*line.crowded(), "is one of more writes to a place than are looked at");
    if (swept_.elects) swept_.out_of_line.emplace_back("another lane may be elected");
    swept_.circles = line.circles();
    swept_.waited_places = line.waited();
    for (const auto& [place, parts] : line.contended()) {
        swept_.contended_places.insert(place);
        const bool decides = std::any_of(parts.begin(), parts.end(), [&](uint32_t part) { return decisions_.is_decided_by(part); });
        if (decides || place == place_of_fences) swept_.deciding_places.insert(place);
        for (const uint32_t part : parts) {
            const Step& step = task_.code[decisions_.parts().statement(part)];
            if (may_detour(step) && decisions_.is_decided_by(part)) swept_.deciding_loads.insert(part);
        }
    }
}

}  // namespace litmus::sweep
