// "Barriers exclusively waiting on arrivals from exited threads are always released" (9.7.12.7). An exit is no arrival: it synchronizes
// with nothing (8.9.4), so that what the thread wrote is not published by it. But the barrier ends after it, in time.
#include "sweep/barrier.h"

#include <algorithm>

namespace litmus::sweep {

uint32_t Barriers::arrive(size_t first, Lanes lanes, const Arrival& arrival, std::span<const Value> predicates, const Step& step) {
    const uint32_t block = observer_.thread(first).seat.block;
    const auto [at, fresh] = barriers_.try_emplace({block, arrival.number});
    Barrier& met = at->second;
    if (fresh) met.component = observer_.new_component();
    if (fresh && observer_.lives()) observer_.lives()->note_own(block, met.component);
    met.last = step.original;
    if (!met.arrived.empty() && met.expected != arrival.threads)
        account_.findings().condition("threads that meet at one barrier name different numbers of threads (9.7.13.1)", *step.statement);
    met.expected = arrival.threads;
    if (met.arrived.empty()) met.reduces = arrival.reduces;
    if (met.reduces != arrival.reduces)
        account_.find(Breach::barrier_mixed, {}, {place(observer_.thread(first + *each(lanes).begin()), step)});
    met.predicates.insert(met.predicates.end(), predicates.begin(), predicates.end());
    const uint32_t turn = met.generation;
    for (const uint32_t lane : each(lanes)) {
        Thread& own = observer_.thread(first + lane);
        met.met.join(own.known);
        account_.log({.what = Event::What::barrier,
                      .number = static_cast<int64_t>(arrival.number),
                      .generation = turn,
                      .counted = arrival.threads > 0},
                     own, step);
        if (own.known.time[met.component] != turn)
            account_.find(Breach::barrier_turn, {std::to_string(arrival.number)}, {place(own, step)});
        met.arrived.emplace_back(first + lane, arrival.waits);
        auto& came = met.came[first];
        const Lanes bit = Lanes{1} << lane;
        auto time = std::find_if(came.begin(), came.end(), [&](Lanes those) { return (those & bit) == 0; });
        if (time == came.end()) time = came.insert(time, 0);
        *time |= bit;
        if (!arrival.waits) own.renew();
    }
    if (!arrival.waits) observer_.note_change();
    end_if_complete(block, met);
    return turn;
}

// Where a number of threads is said, warps arrive, each as 32 threads, once all of its lanes have come or exited.
std::pair<size_t, size_t> Barriers::came_to(uint32_t block, const Barrier& barrier) const {
    if (barrier.expected == 0) return {barrier.arrived.size() + observer_.presence().exited(block), task_.geometry.threads()};
    size_t warps = 0;
    for (const auto& [first, times] : barrier.came)
        for (const Lanes came : times) warps += (observer_.live(first) & ~came) == 0 ? 1 : 0;
    return {warps * warp_size, barrier.expected};
}

void Barriers::end_if_complete(uint32_t block, Barrier& barrier) {
    const auto [came, all] = came_to(block, barrier);
    if (came < all) return;
    observer_.note_inner_change();
    ++barrier.generation;
    if (barrier.expected == 0) {
        if (barrier.arrived.size() < task_.geometry.threads() && std::find(uneven_.begin(), uneven_.end(), barrier.last) == uneven_.end())
            uneven_.push_back(barrier.last);
        barrier.met.time.follow(observer_.presence().known_at_exits(block));
    } else {
        for (const auto& [first, times] : barrier.came)
            for (const uint32_t lane : each(observer_.exited(first) & ~times.front()))
                barrier.met.time.follow(observer_.thread(first + lane).known.time);
    }
    barrier.met.time.raise(barrier.component, barrier.generation);
    Reduced reduced;
    for (const auto& [one, waits] : barrier.arrived) {
        if (!waits) continue;
        observer_.thread(one).known.join(barrier.met);
        observer_.thread(one).renew();
        reduced.threads.push_back(one);
    }
    reduced.predicates = std::exchange(barrier.predicates, {});
    if (!reduced.predicates.empty()) reduced_.push_back(std::move(reduced));
    barrier.arrived.clear();
    barrier.came.clear();
    barrier.met = {};
}

bool Barriers::lacks(size_t first, uint32_t lane, Lanes came) const {
    return std::any_of(barriers_.begin(), barriers_.end(), [&](const auto& one) {
        const auto turn = one.second.came.find(first);
        return turn != one.second.came.end() && std::any_of(turn->second.begin(), turn->second.end(),
                                                            [&](Lanes those) { return (those & came) != 0 && (those >> lane & 1) == 0; });
    });
}

void Barriers::begin_life(uint32_t block) {
    for (auto at = barriers_.lower_bound({block, 0}); at != barriers_.end() && at->first.first == block; ++at) {
        at->second.met = {};
        for (const auto& [thread, waits] : at->second.arrived) at->second.met.join(observer_.thread(thread).known);
    }
}

std::vector<uint64_t> Barriers::standing(uint32_t block) const {
    std::vector<uint64_t> result;
    const size_t count = task_.geometry.threads();
    for (auto at = barriers_.lower_bound({block, 0}); at != barriers_.end() && at->first.first == block; ++at) {
        const Barrier& barrier = at->second;
        const auto lacks = [&](size_t t) { return barrier.generation - observer_.thread(t).known.time[barrier.component]; };
        for (size_t t = block * count; t < (block + 1) * count; ++t)
            if (!observer_.thread(t).exited && lacks(t) > 0)
                for (const uint64_t one : {at->first.second, uint64_t{t - block * count}, uint64_t{lacks(t)}}) result.push_back(one);
        if (barrier.arrived.empty()) continue;
        for (const uint64_t one : {at->first.second, uint64_t{barrier.expected}}) result.push_back(one);
    }
    return result;
}

void Barriers::exit(const Thread& thread) {
    const uint32_t block = thread.seat.block;
    for (auto at = barriers_.lower_bound({block, 0}); at != barriers_.end() && at->first.first == block; ++at)
        if (!at->second.arrived.empty()) end_if_complete(block, at->second);
}

}  // namespace litmus::sweep
