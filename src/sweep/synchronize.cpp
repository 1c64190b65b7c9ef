// Barriers, mbarrier objects, and operations that go on by themselves.
//
// A phase of an mbarrier object gathers what its arrivals publish; who waits for it gets that, and knows that its copies are complete. A
// thread knows of k completed phases by `time`. A wait by parity then means the phase k, or the one before it: that one, and no other, has
// to be the last that is complete when the wait ends, in this run and by the same argument in each. An arrival counts for the phase k.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

constexpr int64_t most_bytes = (int64_t{1} << 20) - 1;  // 9.7.13.15.2

// The state that an arrival gives (9.7.13.15.13): the phase, the object in its present life, and whether the arrival has `.noComplete`.
struct State {
    uint32_t phase = 0;
    size_t component = 0;
    bool no_complete = false;

    static constexpr unsigned component_at = 32, mark_at = 63;
    uint64_t packed() const { return phase | uint64_t{component} << component_at | uint64_t{no_complete} << mark_at; }
    static State of(uint64_t packed) {
        constexpr uint64_t fits = (uint64_t{1} << (mark_at - component_at)) - 1;
        return {static_cast<uint32_t>(packed), packed >> component_at & fits, packed >> mark_at != 0};
    }
};

bool acquires(Sem sem) {
    return sem == Sem::acquire || sem == Sem::acq_rel || sem == Sem::sc;
}
bool releases(Sem sem) {
    return sem == Sem::release || sem == Sem::acq_rel || sem == Sem::sc;
}

}  // namespace

// ---- barriers of a block and of a cluster (9.7.13.1 to 9.7.13.3) ---------------------------------------------------------------
//
// "Barriers exclusively waiting on arrivals from exited threads are always released" (9.7.12.7). An exit is no arrival: it synchronizes
// with nothing (8.9.4), so that what the thread wrote is not published by it. But the barrier ends after it, in time.

void Machine::barrier(Warp& warp, Lanes lanes, const Step& step) {
    Lanes through = 0;
    for (const uint32_t lane : each(lanes))
        if (warp.waiting[lane].what == Waiting::For::barrier) through |= Lanes{1} << lane;
    next(warp, through);
    lanes &= ~through;
    if (lanes == 0) return;
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    const bool aligned = step.has("aligned") || step.name() == "bar";
    if (aligned && !gather(warp, lanes, step)) return;
    const bool waits = step.form->op != Op::bar_arrive;
    uint64_t number = 0, threads = 0;
    if (const Argument* named = step.find(Role::barrier)) number = need(warp, first, step, *named, "a barrier's number");
    if (const Argument* named = step.find(Role::threads)) threads = need(warp, first, step, *named, "a number of threads");
    const auto [at, fresh] = barriers_.try_emplace({warp.block, number});
    Barrier& met = at->second;
    if (fresh) met.component = components_++;
    met.last = step.original;
    met.expected = static_cast<uint32_t>(threads);
    if (met.arrived.empty()) met.reduces = step.form->op == Op::bar_red;
    if (waits && met.reduces != (step.form->op == Op::bar_red)) find(Breach::barrier_mixed, {}, {place(thread(warp, first), step)});
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        met.met.join(own.known);
        if (step.form->op == Op::bar_red) met.predicates.push_back(read(warp, lane, *step.find(Role::predicate)));
        log({.what = Event::What::barrier, .number = static_cast<int64_t>(number), .generation = met.generation, .counted = threads > 0},
            own, step);
        if (own.known.time[met.component] != met.generation) find(Breach::barrier_turn, {std::to_string(number)}, {place(own, step)});
        met.arrived.emplace_back(warp.first + lane, waits);
        auto& came = met.came[static_cast<size_t>(&warp - warps_.data())];
        const Lanes bit = Lanes{1} << lane;
        auto turn = std::find_if(came.begin(), came.end(), [&](Lanes those) { return (those & bit) == 0; });
        if (turn == came.end()) turn = came.insert(turn, 0);
        *turn |= bit;
        if (waits)
            warp.waiting[lane] = {Waiting::For::barrier, 0, number, met.generation};
        else
            own.renew();
    }
    if (!waits) next(warp, lanes);
    if (is_complete(warp.block, met)) complete(warp.block, met);
}

// Where a number of threads is said, warps arrive, each as 32 threads, once all of its lanes have come or exited.
std::pair<size_t, size_t> Machine::came_to(uint32_t block, const Barrier& barrier) const {
    if (barrier.expected == 0) {
        return {barrier.arrived.size() + presence_.exited(block), geometry_.threads()};
    }
    size_t warps = 0;
    for (const auto& [warp, turns] : barrier.came)
        for (const Lanes came : turns) warps += (warps_[warp].live() & ~came) == 0 ? 1 : 0;
    return {warps * warp_size, barrier.expected};
}

bool Machine::is_complete(uint32_t block, const Barrier& barrier) const {
    const auto [came, all] = came_to(block, barrier);
    return came >= all;
}

void Machine::complete(uint32_t block, Barrier& barrier) {
    ++changes_;
    ++barrier.generation;
    if (barrier.expected == 0) {
        const auto& known = swept_.uneven;
        if (barrier.arrived.size() < geometry_.threads() && std::find(known.begin(), known.end(), barrier.last) == known.end())
            swept_.uneven.push_back(barrier.last);
        barrier.met.time.events.join(presence_.known_at_exits(block).events);
    } else {
        for (const auto& [warp, turns] : barrier.came)
            for (const uint32_t lane : each(warps_[warp].exited & ~turns.front()))
                barrier.met.time.events.join(thread(warps_[warp], lane).known.time.events);
    }
    barrier.met.time.raise(barrier.component, barrier.generation);
    for (const auto& [one, waits] : barrier.arrived) {
        if (!waits) continue;
        threads_[one].known.join(barrier.met);
        threads_[one].renew();
        if (!barrier.predicates.empty()) give_reduced(threads_[one], barrier);
    }
    barrier.predicates.clear();
    barrier.arrived.clear();
    barrier.came.clear();
    barrier.met = {};
}

// bar.red combines the predicates of the threads that have come (9.7.13.1).
void Machine::give_reduced(const Thread& thread, const Barrier& barrier) {
    Warp& warp = warps_[warp_of(thread)];
    const uint32_t lane = thread.seat.lane();
    const Step& step = code_[warp.at[lane]];
    if (step.form->op != Op::bar_red) return;
    uint64_t true_ones = 0, false_ones = 0;
    Doubt doubt = 0;
    for (const Value& predicate : barrier.predicates) {
        if (predicate) ++(*predicate != 0 ? true_ones : false_ones);
        doubt = doubts_.join(doubt, predicate.doubt);
    }
    const bool all_known = true_ones + false_ones == barrier.predicates.size();
    const Operator does = operation(*step.form);
    Value result;
    if (does == Operator::or_ && (all_known || true_ones > 0)) result = true_ones > 0 ? 1 : 0;
    if (does == Operator::and_ && (all_known || false_ones > 0)) result = false_ones == 0 ? 1 : 0;
    if (does == Operator::popc && all_known) result = true_ones;
    result.doubt = doubt;
    write(warp, lane, step.statement->arguments[0], std::vector<Value>{result});
}

void Machine::count_exit(const Thread& thread) {
    auto& [threads, events] = clusters_[thread.seat.cluster].left[thread.cluster_arrivals];
    ++threads;
    events.join(thread.known.time.events);
    for (auto at = barriers_.lower_bound({thread.seat.block, 0}); at != barriers_.end() && at->first.first == thread.seat.block; ++at)
        if (!at->second.arrived.empty() && is_complete(thread.seat.block, at->second)) complete(thread.seat.block, at->second);
}

void Machine::cluster_barrier(Warp& warp, Lanes lanes, const Step& step) {
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    const bool waited = warp.waiting[first].what == Waiting::For::cluster;
    if (!waited && step.has("aligned") && !gather(warp, lanes, step)) return;
    ClusterBarrier& met = clusters_[thread(warp, first).seat.cluster];
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        if (step.form->op == Op::cluster_arrive || waited) log({.what = Event::What::cluster}, own, step);
        if (step.form->op == Op::cluster_arrive) {
            const uint32_t generation = own.cluster_arrivals++;
            if (met.turns.size() <= generation) met.turns.resize(generation + 1);
            ++changes_;
            if (own.cluster_arrivals - own.cluster_waits > 1) find(Breach::cluster_arrival, {}, {place(own, step)});
            ClusterTurn& turn = met.turns[generation];
            ++turn.arrived;
            turn.all.join(releases(step.sem) ? own.known : own.released[Scope::cluster]);
            turn.all.learn_initialised(own.known);
            turn.all.time.join(own.known.time);
            if (!releases(step.sem)) turn.near[warp.block].join(own.released[Scope::cta]);
            own.renew();
        } else if (waited) {
            own.cluster_waits = own.cluster_arrivals;
            const ClusterTurn& turn = met.turns[own.cluster_arrivals - 1];
            const Knowledge& all = turn.all;
            if (const auto near = turn.near.find(warp.block); near != turn.near.end())
                (acquires(step.sem) ? own.known : own.seen[Scope::cta]).join(near->second);
            own.known.learn_initialised(all);
            (acquires(step.sem) ? own.known : own.seen[Scope::cluster]).join(all);
            own.known.time.join(all.time);
            for (auto one = met.left.begin(); one != met.left.end() && one->first < own.cluster_arrivals; ++one)
                own.known.time.events.join(one->second.second);
        } else if (own.cluster_arrivals == 0) {
            fail(warp, lane, step, "it waits for the cluster's barrier without having arrived");
        } else {
            warp.waiting[lane] = {Waiting::For::cluster, 0, 0, own.cluster_arrivals - 1};
        }
    }
    if (step.form->op == Op::cluster_arrive || waited) next(warp, lanes);
}

// ---- mbarrier objects (9.7.13.15) --------------------------------------------------------------------------------------------------

Mbarrier& Machine::mbarrier_in(const Spot& spot) {
    Mbarrier& object = mbarriers_.at({spot.number, spot.offset});
    if (object.name.empty()) {
        mbarriers_.begin_life(object, components_++);
        object.block = spot.block;
        object.name = "`" + layout_.objects()[instances_[spot.number].object].name + "` at byte " + std::to_string(spot.offset) +
                      " of block " + std::to_string(spot.block);
    }
    return object;
}

Mbarrier& Machine::mbarrier_at(const Warp& warp, uint32_t lane, const Step& step, const Spot& spot) {
    Mbarrier& object = mbarrier_in(spot);
    const Thread& own = thread(warp, lane);
    const auto is_initialised = [&](const Causes& known) {
        return std::max(known.order[object.init.component], known.initialised[object.init.component]) >= object.init.number;
    };
    if (object.init.number == 0)
        find(Breach::never_initialised, {object.name}, {place(own, step)}, memory(object));
    else if (!is_initialised(own.known))
        find(Breach::not_known_initialised, {object.name}, {place_of(object.init), place(own, step)}, memory(object), {},
             own.known.wide && is_initialised(*own.known.wide));
    return object;
}

// An initialised object knows mbarrier operations only (9.7.13.15). Those of its life are no accesses here.
void Machine::over_object(const Spot& spot, uint64_t bytes, const Access& access, const Step& step) {
    if (step.form && step.form->op == Op::mbarrier_init) return;
    if (const Mbarrier* const object = mbarriers_.under({spot.number, spot.offset}, bytes))
        find(Breach::over_object, {access.writes ? "writes" : "reads", object->name},
             {place(threads_[access.thread], step), place_of(object->init)});
}

void Machine::settle(Mbarrier& object) {
    if (std::abs(object.bytes) > most_bytes)
        find(Breach::byte_count, {object.name}, {place(threads_[object.init.thread], code_[object.init.statement])});
    if (object.pending != 0 || object.bytes != 0) return;
    ++changes_;
    ++object.phase;
    object.completed.take(std::exchange(object.arriving, {}));
    object.gains.clear();
    object.last_arrivals = std::exchange(object.arrivals, {});
    object.last_arrived = std::exchange(object.arrived, 0);
    object.pending = object.count;
    for (const Access& added : std::exchange(object.added, {}))
        if (object.completed.time.accesses[added.component] < added.number)
            find_in_phase(object, Breach::phase_over, {object.name}, {place_of(added)});
    for (const auto& [wait, at_once] : std::exchange(object.waits, {}))
        if (object.completed.time[wait.component] <= wait.number)
            find_in_phase(object, at_once ? Breach::wait_at_once : Breach::wait_late, {object.name}, {place_of(wait)});
}

void Machine::expect(Thread& thread, Mbarrier& object, int64_t bytes, const Step& step) {
    log({.what = Event::What::expect, .mbarrier = memory(object), .phase = object.phase, .number = bytes}, thread, step);
    if (thread.known.time[object.component] != object.phase)
        find_in_phase(object, Breach::phase_of_bytes, {object.name}, {place(thread, step)});
    object.bytes += bytes;
    object.arrived = INT64_MIN / 2;
    object.added.push_back(own_access(thread, step, false));
}

// A relaxed arrival publishes what the last fence covered (8.8).
void Machine::send(const Thread& thread, Mbarrier& object, const Step& step) const {
    static const Causes nothing;
    for (const Scope scope : {Scope::cta, Scope::cluster}) {
        const Knowledge& published = releases(step.sem) ? thread.known : thread.released[scope];
        const Senders::From from{thread.seat.block, scope != Scope::cta};
        const auto add = [](Causes& sent, const Causes& those, const Causes& known) {
            sent.join(those);
            sent.given.join(those.order);
            sent.initialised.join(known.initialised);
        };
        if (asks_wide_) add(object.arriving.wide[from], published.wide ? *published.wide : nothing, *thread.known.wide);
        if (options_.in_scope && scope != Scope::cta && (step.scope == Scope::cta || step.scope == Scope::none)) continue;
        Knowledge& sent = object.arriving.knowledge[from];
        add(sent, published, thread.known);
        sent.time.join(published.time);
    }
    object.arriving.time.join(thread.known.time);
}

void Machine::arrive(Thread& thread, Mbarrier& object, int64_t arrivals, const Step& step) {
    ++changes_;
    log({.what = Event::What::arrive, .mbarrier = memory(object), .phase = object.phase, .number = arrivals}, thread, step);
    // who knows of all arrivals of a phase that waited for no bytes knows that it is over
    Time& time = thread.known.time;
    if (time[object.component] + 1 == object.phase && object.last_arrived == object.count &&
        std::all_of(object.last_arrivals.begin(), object.last_arrivals.end(),
                    [&](const auto& one) { return time[one.first] >= one.second; })) {
        time.raise(object.component, object.phase);
        find_in_phase(object, Breach::end_unseen, {object.name}, {place(thread, step)});
    }
    object.arrivals.emplace_back(thread.component, thread.number);
    object.arrived += arrivals;
    if (time[object.component] != object.phase) find_in_phase(object, Breach::phase_of_arrival, {object.name}, {place(thread, step)});
    object.pending -= arrivals;
    if (object.pending < 0) {
        find_in_phase(object, Breach::arrivals, {object.name, std::to_string(object.count)}, {place(thread, step)});
        object.pending = 0;
    }
    send(thread, object, step);
    thread.renew();
    settle(object);
}

void Machine::note_out_of_scope(const Thread& thread, const Step& step) {
    findings_.wait_out_of_scope(place(thread, step));
}

const Gain& Machine::gain(Mbarrier& object, uint32_t block, Scope scope, bool acquires, uint32_t phase) const {
    const auto [at, fresh] = object.gains.try_emplace({block, scope == Scope::cta, acquires, phase});
    Gain& gain = at->second;
    if (!fresh) return gain;
    Knowledge &near = acquires ? gain.known : gain.seen, &far = acquires ? gain.known : gain.seen_far;
    object.completed.reach(block, scope, near, far);
    gain.whole = object.completed.all_reach(block, scope);
    Knowledge& completing = object.completed.completes_for(block, Scope::cta) ? near : far;
    if (asks_wide_) completing.wide.make();
    if (object.completed.completes_for(block, scope))
        completing.complete(object.component, phase + 1);
    else if (asks_wide_)
        completing.wide->complete(object.component, phase + 1);
    gain.known.time.join(object.completed.time);
    gain.known.time.raise(object.component, phase + 1);
    return gain;
}

// True: the phase is complete. False: the lane waits.
bool Machine::wait(Warp& warp, uint32_t lane, Mbarrier& object, const Step& step) {
    Thread& own = thread(warp, lane);
    const uint32_t completed = own.known.time[object.component];  // that it knows of
    int64_t phase = completed;
    if (const Argument* parity = step.find(Role::parity)) {
        const uint64_t bit = need(warp, lane, step, *parity, "a parity") & 1;
        if ((completed & 1) != bit) phase = static_cast<int64_t>(completed) - 1;
    } else if (const Argument* state = step.find(Role::state)) {
        const State given = State::of(need(warp, lane, step, *state, "a phase"));
        if (given.component != object.component)
            find(Breach::foreign_state, {"of " + object.name + " in its present life (ISA 9.7.13.15.16)"}, {place(own, step)});
        phase = given.phase;
    }
    if (static_cast<int64_t>(object.phase) <= phase) {
        warp.waiting[lane] = {Waiting::For::phase, 0, object.component, static_cast<uint32_t>(phase)};
        if (findings_.is_done())
            log({.what = Event::What::wait, .mbarrier = memory(object), .phase = static_cast<uint32_t>(phase)}, own, step);
        return false;
    }
    if (static_cast<int64_t>(object.phase) != phase + 1)
        find_in_phase(object, phase < completed ? Breach::wait_at_once : Breach::wait_late, {object.name}, {place(own, step)});
    log({.what = Event::What::wait, .mbarrier = memory(object), .phase = static_cast<uint32_t>(phase)}, own, step);
    if (step.find(Role::parity) != nullptr) {
        object.waits.push_back({own_access(own, step, false), phase < completed});
        own.renew();
    }
    if (phase < 0) return true;
    requests_.note_answers(own, object, static_cast<uint32_t>(phase));
    const Scope scope = options_.in_scope ? step.scope : Scope::cluster;
    const Gain& gained = gain(object, own.seat.block, scope, acquires(step.sem), static_cast<uint32_t>(phase));
    own.known.join(gained.known);
    own.seen[Scope::cta].join(gained.seen);
    own.seen[Scope::cluster].join(gained.seen_far);
    if (!gained.whole) note_out_of_scope(own, step);
    return true;
}

void Machine::mbarrier(Warp& warp, Lanes lanes, const Step& step) {
    const auto& arguments = step.statement->arguments;
    // Lanes that arrive by one instruction do so at one time: no sentence of the ISA says it, and kernels rely on it.
    if (step.form->op == Op::mbarrier_arrive) meet_in_time(warp, lanes);
    for (const uint32_t lane : each(lanes)) {
        const Lanes bit = Lanes{1} << lane;
        Thread& own = thread(warp, lane);
        if (step.form->op == Op::mbarrier_pending_count) {
            if (const Value state = read(warp, lane, arguments.at(1)); state && !State::of(*state).no_complete)
                find(Breach::foreign_state, {"that a `.noComplete` arrival gave (ISA 9.7.13.15.17)"}, {place(own, step)});
            write(warp, lane, arguments[0], {});
            next(warp, bit);
            continue;
        }
        const auto spot = this->spot(warp, lane, step, Role::mbarrier);
        if (!spot) fail(warp, lane, step, "it names no mbarrier object");
        const Argument* const counted = step.find(Role::count);
        const auto count = counted != nullptr ? static_cast<int64_t>(need(warp, lane, step, *counted, "a number of arrivals")) : 1;
        const Argument* const expected = step.find(Role::tx_count);
        const auto bytes = expected != nullptr ? static_cast<int64_t>(need(warp, lane, step, *expected, "a number of bytes")) : 0;
        if (step.form->op == Op::mbarrier_init) {
            Mbarrier& made = mbarrier_in(*spot);
            if (made.init.number != 0)
                find(Breach::initialised_again, {made.name},
                     {place(threads_[made.init.thread], code_[made.init.statement]), place(own, step)});
            mbarriers_.begin_life(made, components_++);  // nobody knows of its phases
            made.phase = 0;
            made.answers.clear();
            made.bytes = 0;
            touch(*spot, mbarrier_bytes, own_access(own, step, true), step);
            made.init = own_access(own, step, true);
            Instance& instance = instances_[spot->number];
            instance.objects_begin = std::min(instance.objects_begin, spot->offset);
            instance.objects_end = std::max(instance.objects_end, spot->offset + mbarrier_bytes);
            made.count = made.pending = count;
            log({.what = Event::What::init, .mbarrier = memory(made), .number = count}, own, step);
            next(warp, bit);
            continue;
        }
        Mbarrier& object = mbarrier_at(warp, lane, step, *spot);
        if (spot->block != warp.block) reach(own_access(own, step, true), *spot, step);
        object.uses.insert_or_assign(own.component, own_access(own, step, false));
        bool passes = true;
        switch (step.form->op) {
            case Op::mbarrier_inval:
                for (const auto& [component, use] : object.uses)
                    if (own.known.time[component] < use.number) find(Breach::invalidated, {object.name}, {place_of(use), place(own, step)});
                object.uses.clear();
                object.init = {};
                log({.what = Event::What::invalidate, .mbarrier = memory(object)}, own, step);
                break;
            case Op::mbarrier_expect_tx:
                expect(own, object, bytes, step);
                settle(object);
                break;
            case Op::mbarrier_complete_tx:
                object.bytes -= bytes;
                send(own, object, step);
                settle(object);
                break;
            case Op::mbarrier_arrive:
            case Op::mbarrier_arrive_drop: {
                if (step.has("noComplete"))
                    findings_.condition("whether an arrival without completion ends the phase depends on the schedule", *step.statement);
                const uint32_t phase = object.phase;
                if (step.has("expect_tx")) expect(own, object, bytes, step);
                if (step.form->op == Op::mbarrier_arrive_drop) object.count -= count;
                arrive(own, object, step.has("expect_tx") ? 1 : count, step);
                if (step.has("noComplete") && object.phase != phase) find(Breach::completes_phase, {}, {place(own, step)});
                if (step.writes_first)
                    write(warp, lane, arguments[0], std::vector<Value>{State{phase, object.component, step.has("noComplete")}.packed()});
                break;
            }
            default:
                if (!step.repeated) findings_.condition("a wait that is not repeated may give false", *step.statement);
                passes = wait(warp, lane, object, step);
                if (passes) write(warp, lane, arguments[0], std::vector<Value>{Value(1)});
        }
        if (passes) next(warp, bit);
    }
}

// ---- copies, and what waits for them (9.7.9.25, 9.7.9.27) ------------------------------------------------------------------------------

Queue& Machine::queue(std::optional<Queue>& queue) {
    if (!queue) {
        queue.emplace();
        queue->component = components_++;
    }
    return *queue;
}

void Machine::asynchronous(Warp& warp, Lanes lanes, const Step& step) {
    for (const uint32_t lane : each(lanes)) {
        switch (traits(step.form->op).kind) {
            case Traits::Kind::bulk:
                bulk(warp, lane, step);
                break;
            case Traits::Kind::tensor:
                tensor(warp, lane, step);
                break;
            case Traits::Kind::copy:
                copy_async(warp, lane, step);
                break;
            case Traits::Kind::from_registers: {
                const auto to = spot(warp, lane, step, Role::address), by = spot(warp, lane, step, Role::mbarrier);
                if (!to) fail(warp, lane, step, "it names no memory");
                if (!by) {
                    for (const Spot& one : is_multimem(step.form->op) ? replicas(warp, lane, step, *to) : std::vector{*to})
                        release_from_registers(warp, lane, step, one);
                    break;
                }
                Mbarrier& object = mbarrier_at(warp, lane, step, *by);
                Thread& own = thread(warp, lane);
                const bool reduces = step.form->op == Op::red_async;
                if (!reduces && geometry_.cluster_size() < 2) find(Breach::no_cluster, {}, {place(own, step)});
                const uint64_t bytes = uint64_t{step.bytes} * step.elements;
                Access access = own_access(own, step, true);
                access.component = object.component;
                access.number = object.phase + 1;
                access.asynchronous = proxy(*step.form) == Proxy::async;
                access.apart = true;
                if (step.form->op == Op::st_async) access.scope = Scope::none;
                log_copy(own, step, *to, {}, *to, {{to->offset, bytes}}, &object);
                const Unordered others = touch(*to, bytes, access, step);
                leave_from_registers(warp, lane, step, *to, access, others);
                const bool is_expected = object.bytes >= static_cast<int64_t>(bytes);
                object.bytes -= static_cast<int64_t>(bytes);
                if (own.known.time[object.component] != object.phase)
                    find_in_phase(object, is_expected ? Breach::phase_of_copy : Breach::bytes_unexpected,
                                  is_expected ? Filling{object.name, "it"} : Filling{"it", object.name}, {place(own, step)});
                object.arriving.copying.insert(own.seat.block);
                object.arriving.time.events.join(own.known.time.events);  // it was issued before it completes
                if (reduces) publish(own, *to, step);                     // what a fence before it releases (PTX 9.4, 8.8)
                settle(object);
                break;
            }
            default:
                groups(warp, lane, step);
        }
    }
}

// cp.async is in the generic proxy: only its time is its own.
void Machine::copy_async(Warp& warp, uint32_t lane, const Step& step) {
    Thread& own = thread(warp, lane);
    const auto to = spot(warp, lane, step, Role::copy_to), from = spot(warp, lane, step, Role::copy_from);
    if (!to || !from) fail(warp, lane, step, "it names no memory to copy");
    const uint64_t bytes = need(warp, lane, step, *step.find(Role::size), "a size");
    const Argument* const given = step.find(Role::source_size);
    const uint64_t read = given != nullptr ? need(warp, lane, step, *given, "a size") : bytes;
    log_copy(own, step, *from, {{from->offset, std::min(read, bytes)}}, *to, {{to->offset, bytes}}, nullptr);
    Queue& copies = queue(own.copies);
    Access access = own_access(own, step, false);
    access.component = copies.component;
    access.number = ++copies.issued;
    access.scope = Scope::none;
    access.apart = true;
    if (read > 0) touch(*from, std::min(read, bytes), access, step);
    access.writes = true;
    // those that an mbarrier object has completed are over, though no group has ended
    std::erase_if(own.open_copies, [&](const OpenCopy& copy) { return own.known.order[copies.component] >= copy.number; });
    for (const OpenCopy& copy : own.open_copies)
        if (copy.instance == to->number && copy.begin < to->offset + bytes && to->offset < copy.end)
            find(Breach::same_group, {}, {place(own, step)});
    own.open_copies.push_back({to->number, to->offset, to->offset + bytes, access.number});
    touch(*to, bytes, access, step);
    for (uint64_t i = 0; i < bytes; i += 8) {
        const auto width = static_cast<uint32_t>(std::min<uint64_t>(8, bytes - i));
        instances_[to->number].put(to->offset + i, width,
                                   i + width <= read ? instances_[from->number].get(from->offset + i, width, doubts_) : std::nullopt);
    }
}

Machine::Moved Machine::move_async(Warp& warp, uint32_t lane, const Step& step, const Spot& from, const Ranges& read, const Spot& to,
                                   const Ranges& written, const Spot* by) {
    Thread& own = thread(warp, lane);
    if (by == nullptr && written.empty()) return {};  // the whole box lies outside of its tensor
    const bool reduces = traits(step.form->op).reduces;
    Access access = own_access(own, step, false);
    access.asynchronous = true;
    access.scope = reduces ? groups_.widest(is_multimem(step.form->op) ? Scope::sys : Scope::gpu) : Scope::none;
    access.apart = true;
    Mbarrier* object = by != nullptr ? &mbarrier_at(warp, lane, step, *by) : nullptr;
    const auto total = static_cast<int64_t>(
        std::accumulate(written.begin(), written.end(), uint64_t{0}, [](uint64_t sum, const auto& range) { return sum + range.second; }));
    const bool is_expected = object == nullptr || object->bytes >= total;
    log_copy(own, step, from, read, to, written, object);
    if (object != nullptr) {
        object->arriving.copying.insert(own.seat.block);
        object->arriving.time.events.join(own.known.time.events);  // it was issued before it completes
        if (own.known.time[object->component] != object->phase)
            find_in_phase(*object, is_expected ? Breach::phase_of_copy : Breach::bytes_unexpected,
                          is_expected ? Filling{object->name, "the copy"} : Filling{"the copy", object->name}, {place(own, step)}, total);
        access.component = object->component;
        access.number = object->phase + 1;
    } else {
        Queue& reads = queue(own.bulk_reads);
        reads.last = step.original;
        access.component = reads.component;
        access.number = ++reads.issued;
        queue(own.bulk).issued++;
    }
    if (!read.empty()) touch(from, read, access, step);
    if (by == nullptr) {
        access.component = own.bulk->component;
        access.number = own.bulk->issued;
    }
    access.writes = true;
    if (step.form->op != Op::tensor_reduce) access.reduction = step.reduction;  // of a tensor its map has the type
    const Unordered others = written.empty() ? Unordered::none : touch(to, written, access, step);
    for (const auto& [at, bytes] : written) instances_[to.number].put(at, static_cast<uint32_t>(bytes), std::nullopt);
    access.writes = false;
    if (object == nullptr) return {access, others};
    object->bytes -= total;
    settle(*object);
    return {access, others};
}

void Machine::log_copy(const Thread& thread, const Step& step, const Spot& from, const Ranges& read, const Spot& to, const Ranges& written,
                       const Mbarrier* by) {
    if (!log_.is_kept()) return;
    const auto watched = [&](const Spot& spot, const Ranges& ranges) {
        return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
            return log_.watches(memory({spot.number, range.first, spot.block, spot.shared}), range.second);
        });
    };
    Event event{.what = Event::What::copy, .reads = watched(from, read), .writes = watched(to, written)};
    if (log_.has_everything()) {
        event.read_from = stretches(from, read);
        event.written_to = stretches(to, written);
    }
    if (by != nullptr) {
        event.mbarrier = memory(*by);
        event.phase = by->phase;
    }
    log(event, thread, step);
}

std::vector<Stretch> Machine::stretches(const Spot& spot, const Ranges& ranges) const {
    std::vector<Stretch> made;
    for (const auto& [at, bytes] : ranges)
        if (bytes > 0) made.push_back({memory({spot.number, at, spot.block, spot.shared}), bytes});
    return made;
}

void Machine::bulk(Warp& warp, uint32_t lane, const Step& step) {
    const uint64_t bytes = need(warp, lane, step, *step.find(Role::size), "a size");
    const auto from = spot(warp, lane, step, Role::copy_from);
    auto to = spot(warp, lane, step, Role::copy_to), by = spot(warp, lane, step, Role::mbarrier);
    if (!from || !to) fail(warp, lane, step, "it names no memory to copy");
    if (bytes > std::min(instances_[from->number].bytes.size(), instances_[to->number].bytes.size()))
        fail(warp, lane, step, "it copies " + std::to_string(bytes) + " bytes, which is more than there is");
    const Type type = traits(step.form->op).reduces ? step.type : Type::b64;  // of the elements; a copy moves as much at once
    const auto copy = [&] {
        options_.budget.check();
        const Run whole{from->offset, to->offset, bytes};
        std::vector<Value> left = update_from_memory(step, type, *from, *to, {&whole, 1});
        const Moved moved = move_async(warp, lane, step, *from, {{from->offset, bytes}}, *to, {{to->offset, bytes}}, by ? &*by : nullptr);
        put_updated(step, type, *to, {&whole, 1}, left, moved.others);
    };
    if (is_multimem(step.form->op)) {
        for (const Spot& one : replicas(warp, lane, step, *to)) {
            to = one;
            copy();
        }
        return;
    }
    const Argument* const mask = step.find(Role::cta_mask);
    if (mask == nullptr) return copy();
    const uint64_t blocks = need(warp, lane, step, *mask, "a mask of blocks");
    for (uint32_t rank = 0; rank < geometry_.cluster_size(); ++rank) {
        if ((blocks >> rank & 1) == 0) continue;
        for (Spot* moved : {&*to, &*by}) {
            moved->block = geometry_.block_of_rank(warp.block, rank);
            instance(instances_[moved->number].object, moved->block, moved->number);
        }
        copy();
    }
}

void Machine::groups(Warp& warp, uint32_t lane, const Step& step) {
    Thread& own = thread(warp, lane);
    const auto pending = [&] {
        const Argument* const left = step.find(Role::groups);
        return left != nullptr ? need(warp, lane, step, *left, "a number of groups") : 0;
    };
    const auto await = [&](std::optional<Queue>& waited, uint64_t left) {
        if (!waited) return;
        Queue& queue = *waited;
        if (left < queue.groups.size()) queue.awaited = std::max(queue.awaited, queue.groups[queue.groups.size() - 1 - left]);
        own.known.complete(queue.component, queue.awaited);
    };
    switch (step.form->op) {
        case Op::async_commit:
            log({.what = Event::What::commit}, own, step);
            queue(own.copies).groups.push_back(own.copies->issued);
            own.open_copies.clear();
            break;
        case Op::async_wait:
            log({.what = Event::What::groups, .number = static_cast<int64_t>(pending())}, own, step);
            if (step.has("wait_all")) {
                queue(own.copies).groups.push_back(own.copies->issued);
                own.open_copies.clear();
            }
            await(own.copies, pending());
            break;
        case Op::bulk_commit:
            log({.what = Event::What::commit}, own, step);
            queue(own.bulk).groups.push_back(own.bulk->issued);
            queue(own.bulk_reads).groups.push_back(own.bulk_reads->issued);
            break;
        case Op::bulk_wait: {
            const uint64_t left = pending();
            log({.what = Event::What::groups, .number = static_cast<int64_t>(left)}, own, step);
            await(own.bulk_reads, left);
            if (!step.has("read")) await(own.bulk, left);
            break;
        }
        case Op::async_arrive: {
            const auto by = spot(warp, lane, step, Role::mbarrier);
            if (!by) fail(warp, lane, step, "it names no mbarrier object");
            Mbarrier& object = mbarrier_at(warp, lane, step, *by);
            if (own.known.time[object.component] != object.phase)
                find_in_phase(object, Breach::phase_of_arrival, {object.name}, {place(own, step)});
            if (own.copies) {
                Knowledge& sent = object.arriving.knowledge[{own.seat.block, false}];
                sent.complete(own.copies->component, own.copies->issued);
                sent.given.raise(own.copies->component, own.copies->issued);
                if (asks_wide_) {
                    Causes& wide = object.arriving.wide[{own.seat.block, false}];
                    wide.complete(own.copies->component, own.copies->issued);
                    wide.given.raise(own.copies->component, own.copies->issued);
                }
            }
            if (step.has("noinc")) object.arriving.time.join(own.known.time);
            log({.what = Event::What::arrive, .mbarrier = memory(object), .phase = object.phase, .number = step.has("noinc") ? 1 : 0}, own,
                step);
            if (!step.has("noinc")) {
                ++object.pending;
                object.added.push_back(own_access(own, step, false));
            }
            object.pending -= 1;
            settle(object);
            break;
        }
        default:
            fail(warp, lane, step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    }
}

// wgmma (9.7.15): the four warps of a warpgroup execute each operation together; the first that comes stands for them. A group is complete
// when all of them have committed it, so that who waits for it knows how far the others have come.
uint32_t Machine::warps_of(size_t warpgroup) const {
    const uint32_t left = geometry_.threads() - threads_[warpgroup].seat.thread;
    return std::min(4U, (left + warp_size - 1) / warp_size);
}

bool Machine::product(Warp& warp, Lanes lanes, const Step& step) {
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    constexpr size_t warpgroup = 128;
    const size_t leader = warp.first - (thread(warp, first).seat.thread - first) % warpgroup;
    const auto [at, fresh] = products_.try_emplace(leader);
    Products& queue = at->second;
    if (fresh) queue.component = components_++;
    switch (step.form->op) {
        case Op::wgmma_mma:
            multiply(warp, lanes, step, queue);
            return true;
        case Op::wgmma_commit: {
            for (const uint32_t each_lane : each(lanes)) log({.what = Event::What::commit}, thread(warp, each_lane), step);
            const size_t group = warp.product_groups.size();
            warp.product_groups.push_back(warp.products);
            if (queue.commits.size() <= group) queue.commits.resize(group + 1);
            ++queue.commits[group].first;
            queue.commits[group].second.join(thread(warp, first).known.time);
            ++changes_;
            return true;
        }
        case Op::wgmma_wait: {
            const uint64_t left = need(warp, first, step, *step.find(Role::groups), "a number of groups");
            if (left >= warp.product_groups.size()) return true;
            const size_t group = warp.product_groups.size() - 1 - left;
            const auto& [warps, time] = queue.commits[group];
            Knowledge gained;
            if (asks_wide_) gained.wide.make();
            gained.time.join(time);
            gained.complete(queue.component, warp.product_groups[group]);
            for (const uint32_t lane : each(lanes)) {
                if (warps < warps_of(leader)) {
                    warp.waiting[lane] = {Waiting::For::products, 0, leader, static_cast<uint32_t>(group)};
                    continue;
                }
                log({.what = Event::What::groups, .number = static_cast<int64_t>(left)}, thread(warp, lane), step);
                thread(warp, lane).known.join(gained);
            }
            if (warps < warps_of(leader)) return false;
            warp.async_registers.complete = warp.product_groups[group];
            return true;
        }
        default:
            return true;  // wgmma.fence orders registers
    }
}

}  // namespace litmus::sweep
