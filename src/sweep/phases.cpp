// A phase of an mbarrier object gathers what its arrivals publish; who waits for it gets that, and knows that its copies are complete. A
// thread knows of k completed phases by `time`. A wait by parity then means the phase k, or the one before it. The phase that it means has
// to be the last that is complete when the wait ends. An arrival counts for the phase k. By the same argument both hold in each run.
#include "sweep/phases.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace litmus::sweep {

namespace {

constexpr int64_t most_bytes = (int64_t{1} << 20) - 1;  // 9.7.13.15.2

}  // namespace

Mbarrier& Phases::object_in(const Spot& spot) {
    Mbarrier& object = observer_.mbarriers().at({spot.number, spot.offset});
    if (object.name.empty()) {
        observer_.mbarriers().begin_life(object, observer_.new_component());
        object.block = spot.block;
        object.where = {spot.object, spot.block, spot.offset};
        object.name = "`" + task_.layout.objects()[spot.object].name + "` at byte " + std::to_string(spot.offset) + " of block " +
                      std::to_string(spot.block);
    }
    return object;
}

Mbarrier& Phases::at(const Thread& thread, const Spot& spot, const Step& step) {
    Mbarrier& object = object_in(spot);
    const auto is_initialised = [&](const Causes& known) {
        return std::max(known.order[object.init.component], known.initialised[object.init.component]) >= object.init.number;
    };
    if (object.init.number == 0)
        account_.find(Breach::never_initialised, {object.name}, {place(thread, step)}, object.where);
    else if (!is_initialised(thread.known))
        account_.find(Breach::not_known_initialised, {object.name}, {task_.place_of(object.init), place(thread, step)}, object.where, {},
                      thread.known.wide && is_initialised(*thread.known.wide));
    return object;
}

void Phases::settle(Mbarrier& object) {
    if (std::abs(object.bytes) > most_bytes) account_.find(Breach::byte_count, {object.name}, {task_.place_of(object.init)});
    if (object.pending != 0 || object.bytes != 0) return;
    observer_.note_change();
    ++object.phase;
    object.completed.take(std::exchange(object.arriving, {}));
    object.gains.clear();
    object.last_arrivals = std::exchange(object.arrivals, {});
    object.last_arrived = std::exchange(object.arrived, 0);
    object.pending = object.count;
    const Clock before_arrivals = std::exchange(object.before_arrivals, {});
    for (const Access& added : std::exchange(object.added, {}))
        if (before_arrivals[added.component] < added.number)
            account_.find_in_phase(object, Breach::phase_over, {object.name}, {task_.place_of(added)});
    for (const auto& [wait, at_once] : std::exchange(object.waits, {}))
        if (object.completed.time[wait.component] <= wait.number)
            account_.find_in_phase(object, at_once ? Breach::wait_at_once : Breach::wait_late, {object.name}, {task_.place_of(wait)});
}

void Phases::expect(const Thread& thread, Mbarrier& object, int64_t bytes, const Step& step) {
    account_.log({.what = Event::What::expect, .mbarrier = object.where, .phase = object.phase, .number = bytes}, thread, step);
    if (thread.known.time[object.component] != object.phase)
        account_.find_in_phase(object, Breach::phase_of_bytes, {object.name}, {place(thread, step)});
    object.bytes += bytes;
    object.arrived = INT64_MIN / 2;
    object.added.push_back(observer_.own_access(thread, step, false));
}

void Phases::complete(Thread& thread, Mbarrier& object, int64_t bytes, const Step& step) {
    if (thread.known.time[object.component] != object.phase)
        account_.find_in_phase(object, Breach::phase_of_copy, {object.name, "it"}, {place(thread, step)});
    object.bytes -= bytes;
    publish(thread, object, step);
    object.arriving.time.join(thread.known.time);
    thread.renew();
    settle(object);
}

// A relaxed arrival publishes what the last fence covered (8.8).
void Phases::publish(const Thread& thread, Mbarrier& object, const Step& step) const {
    static const Causes nothing;
    for (const Scope scope : {Scope::cta, Scope::cluster}) {
        const Knowledge& published = releases(step.sem) ? thread.known : thread.released[scope];
        const Senders::From from{thread.seat.block, scope != Scope::cta};
        const auto add = [](Causes& sent, const Causes& those, const Causes& known) {
            sent.join(those);
            sent.given.join(those.order);
            sent.initialised.join(known.initialised);
        };
        if (task_.asks_wide) add(object.arriving.wide[from], published.wide ? *published.wide : nothing, *thread.known.wide);
        if (task_.options.in_scope && scope != Scope::cta && (step.scope == Scope::cta || step.scope == Scope::none)) continue;
        Knowledge& sent = object.arriving.knowledge[from];
        add(sent, published, thread.known);
        sent.time.join(published.time);
        sent.phases.join(published.phases);
    }
}

void Phases::arrive(Thread& thread, Mbarrier& object, int64_t arrivals, const Step& step) {
    observer_.note_change();
    account_.log({.what = Event::What::arrive, .mbarrier = object.where, .phase = object.phase, .number = arrivals}, thread, step);
    // what the thread reads there later is no older than its own arrival (model/semantics.md, `mbarrier-coherence`)
    thread.known.phases.raise(object.component, object.phase);
    // who knows of all arrivals of a phase that waited for no bytes knows that it is over
    Time& time = thread.known.time;
    const bool has_all =
        object.last_arrived == object.count && std::all_of(object.last_arrivals.begin(), object.last_arrivals.end(),
                                                           [&](const auto& one) { return time.events[one.first] >= one.second; });
    if (time[object.component] + 1 == object.phase && has_all) {
        time.raise(object.component, object.phase);
        account_.find_in_phase(object, Breach::end_unseen, {object.name}, {place(thread, step)});
    }
    object.arrivals.emplace_back(thread.component, thread.number);
    object.arrived += arrivals;
    if (time[object.component] != object.phase)
        account_.find_in_phase(object, Breach::phase_of_arrival, {object.name}, {place(thread, step)});
    object.pending -= arrivals;
    if (object.pending < 0) {
        account_.find_in_phase(object, Breach::arrivals, {object.name, std::to_string(object.count)}, {place(thread, step)});
        object.pending = 0;
    }
    publish(thread, object, step);
    object.note_arrival(thread.known.time);
    thread.renew();
    settle(object);
}

const Gain& Phases::gain(Mbarrier& object, uint32_t block, Scope scope, bool acquires, uint32_t phase) const {
    const auto [at, fresh] = object.gains.try_emplace({block, scope == Scope::cta, acquires, phase});
    Gain& gain = at->second;
    if (!fresh) return gain;
    Knowledge &near = acquires ? gain.known : gain.seen, &far = acquires ? gain.known : gain.seen_far;
    object.completed.reach(block, scope, near, far);
    gain.whole = object.completed.all_reach(block, scope);
    Knowledge& completing = object.completed.completes_for(block, Scope::cta) ? near : far;
    if (task_.asks_wide) completing.wide.make();
    if (object.completed.completes_for(block, scope))
        completing.complete(object.component, phase + 1);
    else if (task_.asks_wide)
        completing.wide->complete(object.component, phase + 1);
    gain.known.time.join(object.completed.time);
    gain.known.time.raise(object.component, phase + 1);
    return gain;
}

void Phases::initialise(Thread& thread, const Spot& spot, int64_t count, const Step& step) {
    Mbarrier& made = object_in(spot);
    if (made.init.number != 0) account_.find(Breach::initialised_again, {made.name}, {task_.place_of(made.init), place(thread, step)});
    observer_.mbarriers().begin_life(made, observer_.new_component());  // nobody knows of its phases
    made.phase = 0;
    made.answers.clear();
    made.bytes = 0;
    observer_.touch(spot, mbarrier_bytes, observer_.own_access(thread, step, true), step);
    made.init = observer_.own_access(thread, step, true);
    observer_.begin_objects(spot);
    made.count = made.pending = count;
    account_.log({.what = Event::What::init, .mbarrier = made.where, .number = count}, thread, step);
}

void Phases::invalidate(const Thread& thread, Mbarrier& object, const Step& step) {
    for (const auto& [component, use] : object.uses)
        if (thread.known.time[component] < use.number)
            account_.find(Breach::invalidated, {object.name}, {task_.place_of(use), place(thread, step)});
    object.uses.clear();
    object.init = {};
    account_.log({.what = Event::What::invalidate, .mbarrier = object.where}, thread, step);
}

void Phases::pass(Thread& thread, Mbarrier& object, int64_t phase, uint32_t completed, const Step& step) {
    if (static_cast<int64_t>(object.phase) != phase + 1)
        account_.find_in_phase(object, phase < completed ? Breach::wait_at_once : Breach::wait_late, {object.name}, {place(thread, step)});
    account_.log({.what = Event::What::wait, .mbarrier = object.where, .phase = static_cast<uint32_t>(phase)}, thread, step);
    if (step.find(Role::parity) != nullptr) {
        object.waits.push_back({observer_.own_access(thread, step, false), phase < completed});
        thread.renew();
    }
    if (phase < 0) return;
    thread.known.phases.raise(object.component, static_cast<uint32_t>(phase) + 1);
    const Scope scope = task_.options.in_scope ? step.scope : Scope::cluster;
    const Gain& gained = gain(object, thread.seat.block, scope, acquires(step.sem), static_cast<uint32_t>(phase));
    thread.known.join(gained.known);
    thread.seen.levels[Scope::cta].join(gained.seen);
    thread.seen.levels[Scope::cluster].join(gained.seen_far);
    if (!gained.whole) account_.findings().wait_out_of_scope(place(thread, step));
}

}  // namespace litmus::sweep
