// Ways are followed from strong load to strong load, each time with one of the values that it may find.
#include "sweep/detours.h"

#include <algorithm>

#include "ptx/traits.h"
#include "sweep/line.h"
#include "sweep/rounds.h"

namespace litmus::sweep {

using kernel::Argument;
using kernel::Pointee;

bool may_detour(const Step& step) {
    return step.elements == 1 && is_chosen(step) && is_strong_read(step);
}

namespace {

constexpr size_t most_states = 4096;      // loads with what matters there, of one detour
constexpr size_t most_statements = 1000;  // from one load to the next
constexpr uint32_t most_in_vain = 16;     // detours of a lane while nothing changes: it goes round

bool hold_one_value(const Value& a, const Value& b) {
    return a.known() == b.known() && a.bits() == b.bits();
}

}  // namespace

std::vector<Value> Machine::Ways::held() const {
    std::vector<Value> registers;
    for (size_t reg = 0; reg < warp_.registers.count(); ++reg) registers.push_back(warp_.registers.at(reg, lane_));
    return registers;
}

void Machine::Ways::hold(const std::vector<Value>& registers) const {
    for (size_t reg = 0; reg < registers.size(); ++reg)
        if (!hold_the_same(warp_.registers.at(reg, lane_), registers[reg]))
            machine_.write_register(warp_, Lanes{1} << lane_, static_cast<int>(reg), registers[reg]);
}

// Where a load leads, in memory that other threads may write, but for that of other blocks of its cluster.
std::optional<Spot> Machine::Ways::spot_of(size_t at) {
    const Step& step = machine_.task_.code[at];
    const Argument& from = step.statement->arguments.at(1);
    const Value address = machine_.read(warp_, lane_, from.elements.at(0));
    if (!address) return std::nullopt;
    machine_.decisions_.decide(address.doubt, step);
    const uint64_t named = *address + static_cast<uint64_t>(from.offset);
    const auto found = machine_.task_.layout.find(step.space(Role::address), named, warp_.block);
    if (!found || found->kind != Pointee::Kind::object) return std::nullopt;
    const Spot spot = machine_.spot_in(warp_, *found);
    if (spot.shared || spot.address != 0) return std::nullopt;
    machine_.ask_place(warp_, lane_, step, from, spot, named);
    return spot;
}

// Whether it races with nothing before.
bool Machine::Ways::note(const Spot& spot, const Step& step, const Knowledge& known, bool finds) {
    const uint64_t bytes = uint64_t{step.bytes} * step.elements;
    if (spot.offset + bytes > machine_.task_.layout.objects()[spot.object].bytes.size()) return false;
    Access access = machine_.observer_.own_access(machine_.thread(warp_, lane_), step, false);
    access.finds = finds;
    if (!machine_.observer_.may_read(known, spot, bytes, access)) return false;
    const auto is_it = [&](const Read& one) {
        return one.step == &step && one.spot.number == spot.number && one.spot.offset == spot.offset;
    };
    if (std::none_of(reads_.begin(), reads_.end(), is_it)) reads_.push_back({spot, &step, access});
    return true;
}

bool Machine::Ways::read_weak(size_t at, const Observer::Found& found) {
    const Step& step = machine_.task_.code[at];
    const Argument& from = step.statement->arguments.at(1);
    const Value address = machine_.read(warp_, lane_, from.elements.at(0));
    if (!address) return false;
    const auto to = machine_.task_.layout.find(step.space(Role::address), *address + static_cast<uint64_t>(from.offset), warp_.block);
    if (!to) return false;
    if (to->kind == Pointee::Kind::object) {
        const auto spot = spot_of(at);
        if (!spot || !note(*spot, step, found.known, false)) return false;
    }
    machine_.write(warp_, lane_, step.statement->arguments[0],
                   machine_.loaded(warp_, lane_, step, *to, machine_.mark_of(warp_, lane_, step, from)));
    return true;
}

// The state with these registers, or one that knows no more and is otherwise alike.
size_t Machine::Ways::state_at(size_t at, const Observer::Found& found) {
    std::vector<uint64_t> matters;
    for (const size_t reg : machine_.task_.code[at].carried) {
        const Value value = warp_.registers.at(reg, lane_);
        matters.insert(matters.end(), {value.known(), value.bits(), value.doubt});
    }
    const auto knows = [](const Knowledge& one, const Knowledge& other) {
        return one.order.covers(other.order) && one.aliased.covers(other.aliased);
    };
    std::vector<size_t>& alike = known_states_[{at, std::move(matters)}];
    for (const size_t one : alike) {
        const Observer::Found& less = states_[one].found;
        bool covers = knows(found.known, less.known);
        for (const Scope scope : machine_.task_.scopes) covers = covers && knows(found.seen[scope], less.seen[scope]);
        if (covers) return one;
    }
    alike.push_back(states_.size());
    states_.push_back({at, held(), found, std::nullopt, false});
    return states_.size() - 1;
}

// From a statement on to a strong load, which is a state, or to the end (none). None at all: the way has something else.
std::optional<std::optional<size_t>> Machine::Ways::follow(size_t at, Observer::Found found) {
    const auto& detours = *machine_.task_.options.schedule.detours;
    Undo undo;  // states keep all registers
    for (size_t n = 0; n < most_statements; ++n, ++instructions_) {
        if (at < machine_.task_.code.size()) {
            const Step& step = machine_.task_.code[at];
            const std::optional<bool> holds = machine_.holds(warp_, lane_, step);
            if (!holds) return std::nullopt;
            if (*holds && detours.contains(static_cast<uint32_t>(at))) return state_at(at, found);
            if (*holds && may_detour(step)) wanted_.insert(static_cast<uint32_t>(at));
            if (*holds && is_weak_load(step) && !step.past_caches) {
                if (!read_weak(at, found)) return std::nullopt;
                ++at;
                continue;
            }
            const bool orders = machine_.task_.options.schedule.orders_fences && is_fence_sc(step);
            if (*holds && step.form && step.form->op == Op::fence && !step.has("mbarrier_init") && !orders) {
                machine_.observer_.acquire(found, step);
                ++at;
                continue;
            }
            if (const auto next = machine_.go_over(warp_, lane_, at, *holds, undo)) {
                at = *next;
                continue;
            }
        }
        if (end_ && *end_ != at) return std::nullopt;
        end_ = at;
        return std::optional<std::optional<size_t>>(std::in_place, std::nullopt);
    }
    return std::nullopt;
}

// From a state on with each value that its load may find.
bool Machine::Ways::go(size_t from) {
    const State state = states_[from];
    const Step& step = machine_.task_.code[state.at];
    const Argument& to = step.statement->arguments[0];
    hold(state.registers);
    const auto spot = spot_of(state.at);
    if (!spot || !note(*spot, step, state.found.known, true)) return false;
    words_.try_emplace({spot->number, spot->offset}, Word{*spot, step.bytes});
    auto all = machine_.observer_.may_find(state.found.known.order, *spot, step);
    if (!all) return false;
    if (all->empty()) all->push_back({machine_.instances_[spot->number].get(spot->offset, step.bytes, machine_.doubts_), nullptr});
    for (const Observer::Findable& one : *all) {
        if (!one.value || !machine_.decisions_.is_of_order(one.value.doubt)) return false;
        machine_.decisions_.decide(one.value.doubt, step);  // a choice decides that
        hold(state.registers);
        Observer::Found found = state.found;
        if (one.release != nullptr) {
            machine_.observer_.find(found, machine_.thread(warp_, lane_), *one.release, step);
            writers_.insert(one.release->by.thread);
        }
        Value value = extended(one.value, step.type);
        value.doubt &= names_block;
        machine_.write(warp_, lane_, to, std::vector{value});
        const auto next = follow(state.at + 1, std::move(found));
        if (!next) return false;
        const bool is_last = &one == &all->back();
        if (is_last) states_[from].last = *next;
        if (*next) continue;
        const std::vector<Value> registers = held();
        if (differs_.empty()) {
            last_registers_ = registers;
            differs_.resize(registers.size());
            doubts_.resize(registers.size());
        }
        for (size_t reg = 0; reg < registers.size(); ++reg) {
            differs_[reg] = differs_[reg] || !hold_one_value(registers[reg], last_registers_[reg]);
            doubts_[reg] = machine_.doubts_.join(doubts_[reg], registers[reg].doubt);
        }
        if (is_last) states_[from].registers = registers;
    }
    return true;
}

// Whether each state comes to the end by the values that lie there.
bool Machine::Ways::lead_all() {
    for (State& from : states_) {
        std::vector<State*> way;
        for (State* state = &from; !state->leads; state = &states_[*state->last]) {
            if (way.size() == states_.size()) return false;
            way.push_back(state);
            if (!state->last) break;
        }
        for (State* state : way) state->leads = true;
    }
    return true;
}

Machine::Ways::Outcome Machine::Ways::look() {
    const std::vector<Value> before = held();
    const size_t stands = warp_.at[lane_];
    const Thread& thread = machine_.thread(warp_, lane_);
    state_at(stands, {thread.known, thread.seen.levels});
    bool goes = true;
    for (size_t state = 0; goes && state < states_.size(); ++state) goes = states_.size() <= most_states && go(state);
    if (goes && lead_all()) {
        size_t state = 0;
        while (states_[state].last) state = *states_[state].last;
        last_registers_ = states_[state].registers;
    }
    hold(before);
    warp_.at[lane_] = stands;
    if (!goes) return Outcome::refused;
    return states_[0].leads ? Outcome::whole : Outcome::waits;
}

std::vector<Value> Machine::Ways::registers() const {
    std::vector<Value> registers = last_registers_;
    const Doubt doubt = machine_.decisions_.doubt_of(machine_.task_.code[states_[0].at]);
    for (size_t reg = 0; reg < registers.size(); ++reg) {
        registers[reg].doubt = doubts_[reg];
        if (differs_[reg]) registers[reg].doubt = machine_.doubts_.join(doubts_[reg], doubt);
    }
    return registers;
}

// ---- the run -------------------------------------------------------------------------------------------------------------------------

Lanes Machine::at_detour(const Warp& warp, Lanes lanes) const {
    const auto& detours = task_.options.schedule.detours;
    Lanes found = 0;
    if (!detours) return found;
    for (const uint32_t lane : each(lanes))
        if (warp.waiting[lane].what == Waiting::For::nothing && detours->contains(static_cast<uint32_t>(warp.at[lane])) &&
            !is_held_back(warp, lane))
            found |= Lanes{1} << lane;
    return found;
}

bool Machine::is_held(Warp& warp) {
    return at_detour(warp, executing(warp)) != 0;
}

// Whether the lane has taken the detour before which it stands. `early`: though words may see more writes than they have seen now.
bool Machine::take_detour(Warp& warp, uint32_t lane, bool early) {
    const size_t at = warp.at[lane];
    InVain& in_vain = in_vain_[thread(warp, lane).index];
    if (in_vain.changes != observer_.changes().all) in_vain = {observer_.changes().all, 0};
    const bool is_of_threads = observer_.exchange() && observer_.exchange()->is_of_threads();
    if (is_of_threads || in_vain.detours > most_in_vain) {
        swept_.no_detours.insert(static_cast<uint32_t>(at));
        return false;
    }
    Ways ways(*this, warp, lane);
    const Ways::Outcome outcome = ways.look();
    effort_.add(ways.instructions());
    swept_.instructions += ways.instructions();
    if (outcome == Ways::Outcome::refused) {
        swept_.no_detours.insert(static_cast<uint32_t>(at));
        swept_.more_detours.insert(ways.wanted().begin(), ways.wanted().end());
    }
    if (outcome != Ways::Outcome::whole) return false;
    const auto& writes = task_.options.schedule.writes;
    const auto is_complete = [&](const auto& word) {
        const Spot& spot = word.second.spot;
        const auto known = writes ? writes->find(memory_of(spot)) : decltype(writes->end()){};
        return writes && known != writes->end() && observer_.writes_of(spot) >= known->second;
    };
    if (!early && !std::all_of(ways.words().begin(), ways.words().end(), is_complete)) return false;
    for (const auto& [key, word] : ways.words()) looked_.push_back({word.spot, word.bytes, observer_.writes_of(word.spot)});
    Thread& own = thread(warp, lane);
    for (const Ways::Read& read : ways.reads()) {
        observer_.note_read(own, read.spot, uint64_t{read.step->bytes} * read.step->elements, read.access);
        if (read.access.finds) decisions_.contend(task_.number_of(*read.step));
    }
    if (observer_.exchange())
        for (const uint32_t writer : ways.writers()) observer_.exchange()->learn(own.index, writer);
    const std::vector<Value> registers = ways.registers();
    for (size_t reg = 0; reg < registers.size(); ++reg)
        if (!hold_the_same(warp.registers.at(reg, lane), registers[reg]))
            write_register(warp, Lanes{1} << lane, static_cast<int>(reg), registers[reg]);
    detours_.insert(static_cast<uint32_t>(at));
    ++in_vain.detours;
    warp.at[lane] = ways.end();
    warp.round = {};
    return true;
}

// Takes all that look at nothing which is written later, as far as another run has shown. If there are none such, it takes those of one
// warp that may do so. Gives whether there were any.
bool Machine::take_detours() {
    if (!task_.options.schedule.detours) return false;
    bool taken = false;
    const auto take = [&](bool early) {
        for (Warp& warp : warps_) {
            for (const uint32_t lane : each(at_detour(warp, task_.options.schedule.splits ? warp.live() : executing(warp))))
                taken = (swept_.no_detours.empty() && take_detour(warp, lane, early)) || taken;
            if (taken && early) return;
        }
    };
    if (task_.options.schedule.writes) take(false);
    if (!taken) take(true);
    return taken && swept_.no_detours.empty();
}

void Machine::report_detours() {
    swept_.took_detours = !detours_.empty();
    for (const Looked& one : looked_) {
        const size_t writes = observer_.writes_of(one.spot);
        const bool is_chosen = observer_.line()->written_apart(memory_of(one.spot), one.bytes) == nullptr;
        swept_.early_detours = swept_.early_detours || writes != one.writes || !is_chosen;
        swept_.writes[memory_of(one.spot)] = writes;
    }
    for (const uint32_t load : detours_)
        if (decisions_.is_decided_by(load)) swept_.no_detours.insert(load);
}

}  // namespace litmus::sweep
