// Barriers, mbarrier objects, and operations that go on by themselves.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "sweep/machine.h"

namespace litmus::sweep {

using kernel::Argument;

namespace {

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

}  // namespace

// ---- barriers of a block and of a cluster (9.7.13.1 to 9.7.13.3) ---------------------------------------------------------------

// The lanes by the barrier that each names, and by the number of threads.
std::map<std::pair<uint64_t, uint64_t>, Lanes> Machine::barriers_named(const Warp& warp, Lanes lanes, const Step& step) {
    const auto number_in = [&](uint32_t lane, Role role, const char* what) {
        const Argument* const named = step.find(role);
        return named != nullptr ? need(warp, lane, step, *named, what) : 0;
    };
    std::map<std::pair<uint64_t, uint64_t>, Lanes> named;
    for (const uint32_t lane : each(lanes))
        named[{number_in(lane, Role::barrier, "a barrier's number"), number_in(lane, Role::threads, "a number of threads")}] |= Lanes{1}
                                                                                                                                << lane;
    return named;
}

void Machine::barrier(Warp& warp, Lanes lanes, const Step& step) {
    Lanes through = 0;
    for (const uint32_t lane : each(lanes))
        if (warp.waiting[lane].what == Waiting::For::barrier) through |= Lanes{1} << lane;
    next(warp, through);
    lanes &= ~through;
    if (lanes == 0) return;
    const bool aligned = step.has("aligned") || step.name() == "bar";
    if (aligned && !gather(warp, lanes, step)) return;
    const bool waits = step.form->op != Op::bar_arrive, reduces = step.form->op == Op::bar_red;
    const std::map<std::pair<uint64_t, uint64_t>, Lanes> named = barriers_named(warp, lanes, step);
    if (aligned && named.size() > 1)
        fail(warp, *each(lanes).begin(), step, "lanes of a warp name different barriers, and it is `.aligned` (ISA 9.7.13.1)");
    if (!waits) next(warp, lanes);
    for (const auto& [name, those] : named) {
        std::vector<Value> predicates;
        if (reduces)
            for (const uint32_t lane : each(those)) predicates.push_back(read(warp, lane, *step.find(Role::predicate)));
        const uint32_t turn =
            barriers_.arrive(warp.first, those, {name.first, static_cast<uint32_t>(name.second), waits, reduces}, predicates, step);
        if (waits)
            for (const uint32_t lane : each(those)) warp.waiting[lane] = {Waiting::For::barrier, 0, name.first, turn};
    }
    give_reduced();
}

// bar.red combines the predicates of the threads that have come (9.7.13.1).
void Machine::give_reduced() {
    for (const Reduced& reduced : barriers_.take_reduced())
        for (const size_t thread : reduced.threads) give_reduced(observer_.thread(thread), reduced.predicates);
}

void Machine::give_reduced(const Thread& thread, std::span<const Value> predicates) {
    Warp& warp = warps_[warp_of(thread)];
    const uint32_t lane = thread.seat.lane();
    const Step& step = task_.code[warp.at[lane]];
    if (step.form->op != Op::bar_red) return;
    uint64_t true_ones = 0, false_ones = 0;
    Doubt doubt = 0;
    for (const Value& predicate : predicates) {
        if (predicate) ++(*predicate != 0 ? true_ones : false_ones);
        doubt = doubts_.join(doubt, predicate.doubt);
    }
    const bool all_known = true_ones + false_ones == predicates.size();
    const Operator does = operation(*step.form);
    Value result;
    if (does == Operator::or_ && (all_known || true_ones > 0)) result = true_ones > 0 ? 1 : 0;
    if (does == Operator::and_ && (all_known || false_ones > 0)) result = false_ones == 0 ? 1 : 0;
    if (does == Operator::popc && all_known) result = true_ones;
    result.doubt = doubt;
    write(warp, lane, step.statement->arguments[0], std::vector<Value>{result});
}

void Machine::cluster_barrier(Warp& warp, Lanes lanes, const Step& step) {
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    const bool waited = warp.waiting[first].what == Waiting::For::cluster;
    if (!waited && step.has("aligned") && !gather(warp, lanes, step)) return;
    const bool arrives = step.form->op == Op::cluster_arrive;
    for (const uint32_t lane : each(lanes)) {
        Thread& own = thread(warp, lane);
        if (arrives)
            clusters_.arrive(own, step);
        else if (waited)
            clusters_.wait(own, step);
        else if (own.cluster_arrivals == 0)
            fail(warp, lane, step, "it waits for the cluster's barrier without having arrived");
        else
            warp.waiting[lane] = {Waiting::For::cluster, 0, 0, own.cluster_arrivals - 1};
    }
    if (arrives || waited) next(warp, lanes);
}

// ---- mbarrier objects (9.7.13.15) --------------------------------------------------------------------------------------------------

// A state is opaque (9.7.13.15.13), so that nothing else may be decided by its number. A wait takes it for what it is.
uint64_t Machine::need_state(const Warp& warp, uint32_t lane, const Step& step, const Argument& argument) {
    const Value value = read(warp, lane, argument);
    if (!value) fail(warp, lane, step, "a phase depends on a value that is not computed");
    for (const uint32_t began : doubts_.statements(value.doubt))
        if (!decisions_.is_of(Traits::Kind::mbarrier_arrival, began)) decisions_.decide(began, task_.number_of(step));
    return *value;
}

// True: the phase is complete. False: the lane waits.
bool Machine::wait(Warp& warp, uint32_t lane, Mbarrier& object, const Step& step) {
    Thread& own = thread(warp, lane);
    const uint32_t completed = own.known.time[object.component];  // that it knows of
    int64_t phase = completed;
    if (const Argument* parity = step.find(Role::parity)) {
        const uint64_t bit = need(warp, lane, step, *parity, "a parity") & 1;
        if ((completed & 1) != bit) phase = static_cast<int64_t>(completed) - 1;
        // it reads the object, and may find an older state if no causality leads to it from who has seen the phase before
        if (phase > own.known.phases[object.component])
            account_.findings().condition("only what publishes nothing says which phase a wait means, and it may find the one before",
                                          *step.statement);
    } else if (const Argument* state = step.find(Role::state)) {
        const State given = State::of(need_state(warp, lane, step, *state));
        if (given.component != object.component)
            account_.find(Breach::foreign_state, {"of " + object.name + " in its present life (ISA 9.7.13.15.16)"}, {place(own, step)});
        phase = given.phase;
    }
    if (static_cast<int64_t>(object.phase) <= phase) {
        warp.waiting[lane] = {Waiting::For::phase, 0, object.component, static_cast<uint32_t>(phase)};
        if (account_.findings().is_done())
            account_.log({.what = Event::What::wait, .mbarrier = object.where, .phase = static_cast<uint32_t>(phase)}, own, step);
        return false;
    }
    phases_.pass(own, object, phase, completed, step);
    if (phase >= 0) requests_.note_answers(own, object, static_cast<uint32_t>(phase));
    return true;
}

void Machine::mbarrier(Warp& warp, Lanes lanes, const Step& step) {
    const auto& arguments = step.statement->arguments;
    // Lanes that arrive by one instruction do so at one time: no sentence of the ISA says it, and kernels rely on it.
    if (step.form->op == Op::mbarrier_arrive) observer_.meet_in_time(warp.first, lanes);
    for (const uint32_t lane : each(lanes)) {
        const Lanes bit = Lanes{1} << lane;
        Thread& own = thread(warp, lane);
        if (step.form->op == Op::mbarrier_pending_count) {
            if (const Value state = read(warp, lane, arguments.at(1)); state && !State::of(*state).no_complete)
                account_.find(Breach::foreign_state, {"that a `.noComplete` arrival gave (ISA 9.7.13.15.17)"}, {place(own, step)});
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
            phases_.initialise(own, *spot, count, step);
            next(warp, bit);
            continue;
        }
        Mbarrier& object = phases_.at(thread(warp, lane), *spot, step);
        if (spot->block != warp.block) observer_.reach(observer_.own_access(own, step, true), *spot, step);
        object.uses.insert_or_assign(own.component, observer_.own_access(own, step, false));
        bool passes = true;
        switch (step.form->op) {
            case Op::mbarrier_inval:
                phases_.invalidate(own, object, step);
                break;
            case Op::mbarrier_expect_tx:
                phases_.expect(own, object, bytes, step);
                phases_.settle(object);
                break;
            case Op::mbarrier_complete_tx:
                phases_.complete(own, object, bytes, step);
                break;
            case Op::mbarrier_arrive:
            case Op::mbarrier_arrive_drop: {
                if (step.has("noComplete"))
                    account_.findings().condition("whether an arrival without completion ends the phase depends on the schedule",
                                                  *step.statement);
                const uint32_t phase = object.phase;
                if (step.has("expect_tx")) phases_.expect(own, object, bytes, step);
                if (step.form->op == Op::mbarrier_arrive_drop) object.count -= count;
                phases_.arrive(own, object, step.has("expect_tx") ? 1 : count, step);
                if (step.has("noComplete") && object.phase != phase) account_.find(Breach::completes_phase, {}, {place(own, step)});
                if (step.writes_first) {
                    Value state(State{phase, object.component, step.has("noComplete")}.packed());
                    state.doubt = decisions_.doubt_of(step);
                    write(warp, lane, arguments[0], std::vector<Value>{state});
                }
                break;
            }
            default:
                if (!is_repeated(warp, lane, step))
                    account_.findings().condition("a wait that is not repeated may give false", *step.statement);
                passes = wait(warp, lane, object, step);
                if (passes) write(warp, lane, arguments[0], std::vector<Value>{Value(1)});
        }
        if (passes) next(warp, bit);
    }
}

// ---- copies, and what waits for them (9.7.9.25, 9.7.9.27) ------------------------------------------------------------------------------

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
                Mbarrier& object = phases_.at(thread(warp, lane), *by, step);
                Thread& own = thread(warp, lane);
                const bool reduces = step.form->op == Op::red_async;
                if (!reduces && task_.geometry.cluster_size() < 2) account_.find(Breach::no_cluster, {}, {place(own, step)});
                const uint64_t bytes = uint64_t{step.bytes} * step.elements;
                Access access = observer_.own_access(own, step, true);
                access.component = object.component;
                access.number = object.phase + 1;
                access.apart = true;
                if (step.form->op == Op::st_async) access.scope = Scope::none;
                account_.log_copy(own, step, *to, {}, *to, {{to->offset, bytes}}, &object);
                const Unordered others = observer_.touch(*to, bytes, access, step);
                leave_from_registers(warp, lane, step, *to, access, others);
                const bool is_expected = object.bytes >= static_cast<int64_t>(bytes);
                object.bytes -= static_cast<int64_t>(bytes);
                if (own.known.time[object.component] != object.phase)
                    account_.find_in_phase(object, is_expected ? Breach::phase_of_copy : Breach::bytes_unexpected,
                                           is_expected ? Filling{object.name, "it"} : Filling{"it", object.name}, {place(own, step)});
                object.arriving.copying.insert(own.seat.block);
                object.arriving.time.follow(own.known.time);     // it was issued before it completes
                own.renew();                                     // what follows is not before that
                if (reduces) observer_.publish(own, *to, step);  // what a fence before it releases (PTX 9.4, 8.8)
                phases_.settle(object);
                break;
            }
            default:
                groups(warp, lane, step);
        }
    }
}

// cp.async is in the generic proxy: only its time is its own. It reads src-size bytes of the source, or nothing where it ignores that. The
// other bytes of the destination are zeros (9.7.9.25.3.1). A source of which nothing is read may lie nowhere.
void Machine::copy_async(Warp& warp, uint32_t lane, const Step& step) {
    Thread& own = thread(warp, lane);
    const uint64_t bytes = need(warp, lane, step, *step.find(Role::size), "a size");
    uint64_t read = bytes;  // a predicate in the place of src-size is ignore-src
    if (const Argument* const given = step.find(Role::source_size); given != nullptr && width_of(*given) == 1)
        read = need(warp, lane, step, *given, "a predicate") != 0 ? 0 : bytes;
    else if (given != nullptr)
        read = std::min(bytes, need(warp, lane, step, *given, "a size"));
    const auto to = spot(warp, lane, step, Role::copy_to);
    const Argument* const source = step.find(Role::copy_from);
    if (!to || source == nullptr) fail(warp, lane, step, "it names no memory to copy");
    const bool leads_somewhere =
        read > 0 || task_.layout.find(step.space(Role::copy_from), address(warp, lane, step, *source), warp.block).has_value();
    const Spot from = leads_somewhere ? *spot(warp, lane, step, Role::copy_from) : Spot();
    const Ranges reads = read > 0 ? Ranges{{from.offset, read}} : Ranges();
    account_.log_copy(own, step, from, reads, *to, {{to->offset, bytes}}, nullptr);
    Queue& copies = observer_.queue(own.copies);
    Access access = observer_.own_access(own, step, false);
    access.component = copies.component;
    access.number = ++copies.issued;
    access.scope = Scope::none;
    access.apart = true;
    if (read > 0) observer_.touch(from, reads, access, step);
    access.writes = true;
    // those that an mbarrier object has completed are over, though no group has ended
    std::erase_if(own.open_copies, [&](const OpenCopy& copy) { return own.known.order[copies.component] >= copy.number; });
    for (const OpenCopy& copy : own.open_copies)
        if (copy.instance == to->number && copy.begin < to->offset + bytes && to->offset < copy.end)
            account_.find(Breach::same_group, {}, {place(own, step)});
    own.open_copies.push_back({to->number, to->offset, to->offset + bytes, access.number});
    observer_.touch(*to, bytes, access, step);
    for (uint64_t i = 0; i < bytes; i += 8) {
        const auto width = static_cast<uint32_t>(std::min<uint64_t>(8, bytes - i)),
                   there = static_cast<uint32_t>(std::min<uint64_t>(width, read - std::min(i, read)));
        instances_[to->number].put(to->offset + i, width,
                                   there > 0 ? instances_[from.number].get(from.offset + i, there, doubts_) : Value(0));
    }
}

Machine::Moved Machine::move_async(Warp& warp, uint32_t lane, const Step& step, const Spot& from, const Ranges& read, const Spot& to,
                                   const Ranges& written, const Spot* by) {
    Thread& own = thread(warp, lane);
    if (by == nullptr && written.empty()) return {};  // the whole box lies outside of its tensor
    const bool reduces = traits(step.form->op).reduces;
    Access access = observer_.own_access(own, step, false);
    access.asynchronous = true;
    access.scope = reduces ? task_.groups.widest(is_multimem(step.form->op) ? Scope::sys : Scope::gpu) : Scope::none;
    access.apart = true;
    Mbarrier* object = by != nullptr ? &phases_.at(thread(warp, lane), *by, step) : nullptr;
    const auto total = static_cast<int64_t>(
        std::accumulate(written.begin(), written.end(), uint64_t{0}, [](uint64_t sum, const auto& range) { return sum + range.second; }));
    const bool is_expected = object == nullptr || object->bytes >= total;
    account_.log_copy(own, step, from, read, to, written, object);
    if (object != nullptr) {
        object->arriving.copying.insert(own.seat.block);
        object->arriving.time.follow(own.known.time);  // it was issued before it completes
        own.renew();                                   // what follows is not before that
        if (own.known.time[object->component] != object->phase)
            account_.find_in_phase(*object, is_expected ? Breach::phase_of_copy : Breach::bytes_unexpected,
                                   is_expected ? Filling{object->name, "the copy"} : Filling{"the copy", object->name}, {place(own, step)},
                                   total);
        access.component = object->component;
        access.number = object->phase + 1;
    } else {
        Queue& reads = observer_.queue(own.bulk_reads);
        reads.last = step.original;
        access.component = reads.component;
        access.number = ++reads.issued;
        observer_.queue(own.bulk).issued++;
    }
    if (!read.empty()) observer_.touch(from, read, access, step);
    if (by == nullptr) {
        access.component = own.bulk->component;
        access.number = own.bulk->issued;
    }
    access.writes = true;
    if (step.form->op != Op::tensor_reduce) access.reduction = step.reduction;  // of a tensor its map has the type
    const Unordered others = written.empty() ? Unordered::none : observer_.touch(to, written, access, step);
    for (const auto& [at, bytes] : written) instances_[to.number].put(at, static_cast<uint32_t>(bytes), std::nullopt);
    access.writes = false;
    if (object == nullptr) return {access, others};
    object->bytes -= total;
    phases_.settle(*object);
    return {access, others};
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
        task_.options.budget.check();
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
    for (uint32_t rank = 0; rank < task_.geometry.cluster_size(); ++rank) {
        if ((blocks >> rank & 1) == 0) continue;
        for (Spot* moved : {&*to, &*by}) {
            moved->block = task_.geometry.block_of_rank(warp.block, rank);
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
            account_.log({.what = Event::What::commit}, own, step);
            observer_.queue(own.copies).groups.push_back(own.copies->issued);
            own.open_copies.clear();
            break;
        case Op::async_wait:
            account_.log({.what = Event::What::groups, .number = static_cast<int64_t>(pending())}, own, step);
            if (step.has("wait_all")) {
                observer_.queue(own.copies).groups.push_back(own.copies->issued);
                own.open_copies.clear();
            }
            await(own.copies, pending());
            break;
        case Op::bulk_commit:
            account_.log({.what = Event::What::commit}, own, step);
            observer_.queue(own.bulk).groups.push_back(own.bulk->issued);
            observer_.queue(own.bulk_reads).groups.push_back(own.bulk_reads->issued);
            break;
        case Op::bulk_wait: {
            const uint64_t left = pending();
            account_.log({.what = Event::What::groups, .number = static_cast<int64_t>(left)}, own, step);
            await(own.bulk_reads, left);
            if (!step.has("read")) await(own.bulk, left);
            break;
        }
        case Op::async_arrive: {
            const auto by = spot(warp, lane, step, Role::mbarrier);
            if (!by) fail(warp, lane, step, "it names no mbarrier object");
            Mbarrier& object = phases_.at(thread(warp, lane), *by, step);
            if (own.known.time[object.component] != object.phase)
                account_.find_in_phase(object, Breach::phase_of_arrival, {object.name}, {place(own, step)});
            if (own.copies) {
                Knowledge& sent = object.arriving.knowledge[{own.seat.block, false}];
                sent.complete(own.copies->component, own.copies->issued);
                sent.given.raise(own.copies->component, own.copies->issued);
                if (task_.asks_wide) {
                    Causes& wide = object.arriving.wide[{own.seat.block, false}];
                    wide.complete(own.copies->component, own.copies->issued);
                    wide.given.raise(own.copies->component, own.copies->issued);
                }
            }
            if (step.has("noinc")) object.note_arrival(own.known.time);
            account_.log(
                {.what = Event::What::arrive, .mbarrier = object.where, .phase = object.phase, .number = step.has("noinc") ? 1 : 0}, own,
                step);
            if (!step.has("noinc")) {
                ++object.pending;
                object.added.push_back(observer_.own_access(own, step, false));
            }
            object.pending -= 1;
            own.renew();
            phases_.settle(object);
            break;
        }
        default:
            fail(warp, lane, step, "`" + kernel::dotted(step.statement->words) + "` is not executed by the sweep");
    }
}

// wgmma (9.7.15): the four warps of a warpgroup execute each operation together; the first that comes stands for them. A group is complete
// when all of them have committed it, so that who waits for it knows how far the others have come.
uint32_t Machine::warps_of(size_t warpgroup) const {
    const uint32_t left = task_.geometry.threads() - observer_.thread(warpgroup).seat.thread;
    return std::min(4U, (left + warp_size - 1) / warp_size);
}

bool Machine::product(Warp& warp, Lanes lanes, const Step& step) {
    const auto first = static_cast<uint32_t>(std::countr_zero(lanes));
    constexpr size_t warpgroup = 128;
    const size_t leader = warp.first - (thread(warp, first).seat.thread - first) % warpgroup;
    const auto [at, fresh] = products_.try_emplace(leader);
    Products& queue = at->second;
    if (fresh) queue.component = observer_.new_component();
    switch (step.form->op) {
        case Op::wgmma_mma:
            multiply(warp, lanes, step, queue);
            return true;
        case Op::wgmma_commit: {
            for (const uint32_t each_lane : each(lanes)) account_.log({.what = Event::What::commit}, thread(warp, each_lane), step);
            const size_t group = warp.product_groups.size();
            warp.product_groups.push_back(warp.products);
            if (queue.commits.size() <= group) queue.commits.resize(group + 1);
            ++queue.commits[group].first;
            queue.commits[group].second.join(thread(warp, first).known.time);
            observer_.note_change();
            return true;
        }
        case Op::wgmma_wait: {
            const uint64_t left = need(warp, first, step, *step.find(Role::groups), "a number of groups");
            if (left >= warp.product_groups.size()) return true;
            const size_t group = warp.product_groups.size() - 1 - left;
            const auto& [warps, time] = queue.commits[group];
            Knowledge gained;
            if (task_.asks_wide) gained.wide.make();
            gained.time.join(time);
            gained.complete(queue.component, warp.product_groups[group]);
            for (const uint32_t lane : each(lanes)) {
                if (warps < warps_of(leader)) {
                    warp.waiting[lane] = {Waiting::For::products, 0, leader, static_cast<uint32_t>(group)};
                    continue;
                }
                account_.log({.what = Event::What::groups, .number = static_cast<int64_t>(left)}, thread(warp, lane), step);
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
