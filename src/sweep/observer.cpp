// Threads begin, meet, and exit.
#include "sweep/observer.h"

#include <bit>

#include "sweep/grids.h"

namespace litmus::sweep {

Observer::Observer(const Task& task, Account& account, Decisions& decisions, Effort& effort)
    : task_(task), account_(account), decisions_(decisions), effort_(effort) {
    begin_threads();
    if (task.options.schedule.choices != nullptr) line_.emplace(task);
    if (const Schedule& how = task.options.schedule; how.choices != nullptr && Exchange::fits(task, how.exchanges))
        exchange_.emplace(task, how.exchanges);
    if (exchange_ && task.options.schedule.exchanges == Alike::lives && Lives::fits(task))
        lives_.emplace(task, threads_, pasts_, components_);
}

void Observer::begin_threads() {
    if (task_.running) components_ = task_.running->components;
    threads_.reserve(task_.seats.size());
    for (const kernel::Seat& seat : task_.seats) {
        if (seat.lane() == 0) task_.options.budget.check();
        Thread& thread = threads_.emplace_back();
        thread.index = static_cast<uint32_t>(threads_.size() - 1);
        thread.seat = seat;
        thread.component = components_++;
        thread.life = thread.index;
    }
    for (Thread& thread : threads_) {
        if (task_.asks_wide) thread.known.wide.make();
        if (task_.running) thread.known.order.join(task_.running->started);
        if (task_.running && task_.asks_wide) thread.known.wide->order.join(task_.running->started);
        thread.known.own(thread.component, thread.number);
    }
    const size_t warps = threads_.empty() ? 0 : warp_of(threads_.back()) + 1;
    pending_.resize(warps);
    live_.resize(warps);
    exited_.resize(warps);
    for (const Thread& thread : threads_) live_[warp_of(thread)] |= Lanes{1} << thread.seat.lane();
}

size_t Observer::warp_of(const Thread& thread) const {
    return thread.seat.block * ((task_.geometry.threads() + warp_size - 1) / warp_size) + thread.seat.warp();
}

Queue& Observer::queue(std::optional<Queue>& queue) {
    if (!queue) {
        queue.emplace();
        queue->component = components_++;
    }
    return *queue;
}

// bar.warp.sync orders memory among the lanes that meet (9.7.13.2).
void Observer::meet(size_t first, Lanes lanes, std::span<const size_t> at) {
    Knowledge all;
    for (const uint32_t lane : each(lanes)) all.join(threads_[first + lane].known);
    for (const uint32_t lane : each(lanes)) {
        Thread& own = threads_[first + lane];
        account_.log({.what = Event::What::warp, .number = lanes}, own, task_.code[at[lane]]);
        own.known.join(all);
        own.renew();
    }
}

// From here on all of them know what each knew, in time alone.
void Observer::meet_in_time(size_t first, Lanes lanes) {
    if (std::has_single_bit(lanes)) return;
    const Time& one = threads_[first + *each(lanes).begin()].known.time;
    bool have_met = true;
    for (const uint32_t lane : each(lanes)) have_met = have_met && threads_[first + lane].known.time.has_met(one);
    if (have_met) return;
    Time time;
    for (const uint32_t lane : each(lanes)) time.join(threads_[first + lane].known.time);
    for (const uint32_t lane : each(lanes)) {
        Time& known = threads_[first + lane].known.time;
        time.awaited = known.awaited;  // what follows an exchange does not wait for the other lanes (model/semantics.md, section 2)
        known = time;
    }
}

// The block is there until the last of its threads exits: one of them has to know of each access from outside.
bool Observer::exit(Thread& thread) {
    thread.exited = true;
    const Lanes bit = Lanes{1} << thread.seat.lane();
    live_[warp_of(thread)] &= ~bit;
    exited_[warp_of(thread)] |= bit;
    if (thread.bulk_reads && thread.bulk_reads->awaited < thread.bulk_reads->issued)
        account_.find(Breach::copy_at_exit, {}, {{thread.seat, thread.bulk_reads->last}});
    const uint32_t block = thread.seat.block;
    presence_.exit(block, thread.known.time);
    if (presence_.exited(block) < task_.geometry.threads()) return false;
    const Time& known = presence_.known_at_exits(block);
    for (const Access& guest : presence_.guests(block))
        if (known.accesses[guest.component] < guest.number)
            account_.find(Breach::block_ended, {"the shared memory of block " + std::to_string(block), " when it is accessed"},
                          {task_.place_of(guest)});
    return true;
}

}  // namespace litmus::sweep
