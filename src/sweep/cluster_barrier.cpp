// A thread learns from a turn with its wait, and publishes with its arrival, as their semantics say.
#include "sweep/cluster_barrier.h"

namespace litmus::sweep {

void ClusterBarriers::arrive(Thread& thread, const Step& step) {
    account_.log({.what = Event::What::cluster}, thread, step);
    Barrier& met = barriers_[thread.seat.cluster];
    const uint32_t number = thread.cluster_arrivals++;
    if (met.turns.size() <= number) met.turns.resize(number + 1);
    observer_.note_change();
    if (thread.cluster_arrivals - thread.cluster_waits > 1) account_.find(Breach::cluster_arrival, {}, {place(thread, step)});
    Turn& turn = met.turns[number];
    ++turn.arrived;
    turn.all.join(releases(step.sem) ? thread.known : thread.released[Scope::cluster]);
    turn.all.learn_initialised(thread.known);
    turn.all.time.join(thread.known.time);
    if (!releases(step.sem)) turn.near[thread.seat.block].join(thread.released[Scope::cta]);
    thread.renew();
}

void ClusterBarriers::wait(Thread& thread, const Step& step) {
    account_.log({.what = Event::What::cluster}, thread, step);
    const Barrier& met = barriers_.at(thread.seat.cluster);
    thread.cluster_waits = thread.cluster_arrivals;
    const Turn& turn = met.turns[thread.cluster_arrivals - 1];
    if (const auto near = turn.near.find(thread.seat.block); near != turn.near.end())
        (acquires(step.sem) ? thread.known : thread.seen.levels[Scope::cta]).join(near->second);
    thread.known.learn_initialised(turn.all);
    (acquires(step.sem) ? thread.known : thread.seen.levels[Scope::cluster]).join(turn.all);
    thread.known.time.join(turn.all.time);
    for (auto one = met.left.begin(); one != met.left.end() && one->first < thread.cluster_arrivals; ++one)
        thread.known.time.follow(one->second.second);
}

void ClusterBarriers::exit(const Thread& thread) {
    auto& [threads, known] = barriers_[thread.seat.cluster].left[thread.cluster_arrivals];
    ++threads;
    known.join(thread.known.time);
}

bool ClusterBarriers::is_over(uint32_t cluster, uint32_t turn) const {
    const Barrier& barrier = barriers_.at(cluster);
    uint32_t came = barrier.turns[turn].arrived;
    for (auto one = barrier.left.begin(); one != barrier.left.end() && one->first <= turn; ++one) came += one->second.first;
    return came >= task_.geometry.cluster_size() * task_.geometry.threads();
}

}  // namespace litmus::sweep
